"""Uploads: what someone sent, until it is imported."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse

from scoring.models.datasets import Version


class Upload(models.Model):
    """Files that someone sent, what is wrong with them, and the version they became."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for a worker"
        READING = "reading", "Being read"
        CHECKED = "checked", "Checked, not imported"
        REFUSED = "refused", "Refused"
        IMPORTED = "imported", "Imported"
        FAILED = "failed", "Failed"

    dataset_name = models.SlugField(max_length=80)
    suite = models.CharField(max_length=40)
    check_only = models.BooleanField(default=False)
    state = models.CharField(max_length=20, choices=State, default=State.WAITING)
    message = models.TextField(blank=True)
    total_bytes = models.BigIntegerField(default=0)
    read_bytes = models.BigIntegerField(default=0)
    rows = models.PositiveIntegerField(default=0)
    problem_count = models.PositiveIntegerField(default=0)
    problems = models.JSONField(default=list, help_text="The first bad lines: file, line, field, reason.")
    changes = models.JSONField(default=dict)
    version = models.ForeignKey(Version, models.PROTECT, null=True, related_name="uploads")
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"Upload {self.pk} to {self.dataset_name}"

    def get_absolute_url(self) -> str:
        return reverse("scoring:upload-detail", args=[self.pk])

    @property
    def under_way(self) -> bool:
        return self.state in {self.State.WAITING, self.State.READING}


class UploadFile(models.Model):
    """One file of an upload, until it has been imported."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="files")
    name = models.CharField(max_length=255)
    size = models.BigIntegerField(default=0)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name


class UploadPiece(models.Model):
    """A piece of a file: kept in the database, so that any worker on any machine can read it."""

    file = models.ForeignKey(UploadFile, models.CASCADE, related_name="pieces")
    position = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ("file", "position")
        constraints = (models.UniqueConstraint(fields=["file", "position"], name="one_piece_per_position"),)

    def __str__(self) -> str:
        return f"{self.file_id}:{self.position}"
