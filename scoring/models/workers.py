"""Workers: who listens on which queue, and when they were last heard of."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Worker(models.Model):
    """A Celery worker process that has been heard of."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.JSONField(default=list)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
