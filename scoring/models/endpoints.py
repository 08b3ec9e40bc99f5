"""Endpoints: the models that can be asked."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now


class Endpoint(models.Model):
    """A model that can be asked, and how to reach it; never the key itself."""

    name = models.CharField(max_length=80, unique=True)
    gateway = models.SlugField(max_length=40)
    base_url = models.CharField(max_length=300, blank=True)
    model = models.CharField(max_length=200)
    parameters = models.JSONField(
        default=dict, blank=True, help_text="Temperature, max_tokens and what else the model gets."
    )
    system_prompt = models.TextField(blank=True)
    max_concurrency = models.PositiveSmallIntegerField(
        default=4, validators=[MinValueValidator(1), MaxValueValidator(500)]
    )
    timeout_seconds = models.PositiveIntegerField(
        default=120, validators=[MinValueValidator(1), MaxValueValidator(3600)]
    )
    key_variable = models.CharField(
        max_length=80, blank=True, help_text="The environment variable that holds the key, never the key."
    )
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
