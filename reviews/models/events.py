"""The append-only record of decisions: the database itself refuses to change or delete a row of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Event(models.Model):
    """Who decided what, when and why; it outlives the run, the answer and the item that it is about."""

    at = models.DateTimeField(db_default=Now())
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="review_events",
        help_text="Nobody: the portal itself.",
    )
    verb = models.CharField(max_length=40)
    # Numbers, not foreign keys: a run may be deleted, what was decided about it may not.
    run = models.BigIntegerField(null=True)
    response = models.BigIntegerField(null=True)
    item = models.BigIntegerField(null=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    why = models.TextField(blank=True)
    rubric_version = models.CharField(max_length=40, blank=True)
    judge_version = models.CharField(max_length=240, blank=True)

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(fields=["run", "id"], name="event_by_run"),
            models.Index(fields=["response", "id"], name="event_by_response"),
            models.Index(fields=["who", "-id"], name="event_by_person"),
        )

    def __str__(self) -> str:
        return f"{self.verb} by {self.who_id or 'the portal'} at {self.at:%Y-%m-%d %H:%M}"
