"""Benchmarks of the users' own."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now


class CustomBenchmark(models.Model):
    """A benchmark of the users' own, beside the 21 of the CCoP baseline."""

    class Route(models.TextChoices):
        TIER1 = "tier1", "Tier 1: label and rules"
        TIER2 = "tier2", "Tier 2: rubric, marked by reviewers"
        TIER3 = "tier3", "Tier 3: judge, validated by reviewers"
        REASONING = "reasoning", "Reasoning: semantic equivalence and key facts"

    code = models.CharField(
        max_length=3,
        unique=True,
        validators=[RegexValidator(r"\AB(2[2-9]|[3-9][0-9])\Z", "Choose a code from B22 to B99.")],
        error_messages={"unique": "This code is already registered."},
    )
    name = models.CharField(max_length=80)
    category = models.CharField(max_length=80)
    route = models.CharField(max_length=20, choices=Route)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("code",)

    def __str__(self) -> str:
        return f"{self.code} {self.name}"
