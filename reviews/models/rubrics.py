"""Rubrics: what people mark by, in versions that never change once an answer was marked by them."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Rubric(models.Model):
    """One version of a rubric: its criteria, and how far people must agree when they mark by it."""

    class Kind(models.TextChoices):
        RUBRIC = "rubric", "Tier 2 rubric"
        VALIDATION = "validation", "Tier 3 validation"
        QUALITY = "quality", "Answer quality"

    class Measure(models.TextChoices):
        EXACT = "exact", "Equal marks"
        WITHIN_ONE = "within_one", "Marks at most one apart"

    kind = models.CharField(max_length=20, choices=Kind)
    version = models.PositiveIntegerField(default=1)
    name = models.CharField(max_length=80)
    measure = models.CharField(max_length=20, choices=Measure, default=Measure.EXACT)
    threshold = models.FloatField(default=0.8, validators=[MinValueValidator(0), MaxValueValidator(1)])
    reviewers = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(5)],
        help_text="How many people mark an answer where the run does not say.",
    )
    dispute_spread = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(4)],
        help_text="So far apart on one criterion, and the answer is disputed.",
    )
    used_at = models.DateTimeField(null=True, help_text="Since then it is frozen: a change is a new version.")
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("kind", "-version")
        constraints = (
            models.UniqueConstraint(fields=["kind", "version"], name="one_rubric_per_version"),
            models.CheckConstraint(
                condition=Q(threshold__range=(0, 1), reviewers__range=(1, 5), dispute_spread__range=(1, 4)),
                name="rubric_within_bounds",
            ),
        )

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"

    @property
    def frozen(self) -> bool:
        return self.used_at is not None


class Criterion(models.Model):
    """What a mark is for, with a sentence for each mark from 1 to 5."""

    rubric = models.ForeignKey(Rubric, models.CASCADE, related_name="criteria")
    position = models.PositiveSmallIntegerField()
    key = models.SlugField(max_length=60)
    label = models.CharField(max_length=60)
    question = models.CharField(max_length=200)
    anchors = ArrayField(models.TextField(), help_text="What an answer is like that gets 1, 2, 3, 4 and 5.")

    class Meta:
        ordering = ("rubric", "position")
        verbose_name_plural = "criteria"
        constraints = (
            models.UniqueConstraint(fields=["rubric", "key"], name="one_criterion_per_key"),
            models.CheckConstraint(condition=Q(anchors__len=5), name="five_anchors"),
        )

    def __str__(self) -> str:
        return self.label
