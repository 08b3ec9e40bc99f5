"""Recordings: answers that models gave elsewhere."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from scoring.models.endpoints import Endpoint


class Recording(models.Model):
    """The answers that an endpoint of the gateway `recorded` gives."""

    endpoint = models.OneToOneField(Endpoint, models.CASCADE, related_name="recording")
    content = models.TextField(help_text="JSON lines, as they were uploaded.")
    answers = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("endpoint",)

    def __str__(self) -> str:
        return f"{self.answers} answers of {self.endpoint_id}"
