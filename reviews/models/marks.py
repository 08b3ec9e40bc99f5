"""What people marked and settled: written once; a change is a new row beside the old one."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from reviews.models.items import ReviewItem
from scoring.models import Run


class Review(models.Model):
    """One person's marks on one answer; taken back or changed, it stays, and is no longer current."""

    class Decision(models.TextChoices):
        CONFIRM = "confirm", "The verdict is confirmed"
        OVERRIDE = "override", "The verdict is overridden"

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="reviews")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="reviews")
    number = models.PositiveSmallIntegerField(default=1)
    token = models.CharField(max_length=64, blank=True, help_text="Made by the page: a double click is one.")
    seconds = models.FloatField(null=True, help_text="Time spent on it, as the page measured it.")
    comment = models.TextField(blank=True)
    flagged = models.BooleanField(default=False)
    blind = models.BooleanField(default=True, help_text="Marked before the verdict was shown.")
    decision = models.CharField(max_length=10, choices=Decision, blank=True)
    reason = models.TextField(blank=True)
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("item", "person", "number")
        constraints = (
            models.UniqueConstraint(fields=["item", "person", "number"], name="one_review_per_number"),
            models.UniqueConstraint(
                fields=["item", "person"], condition=Q(is_current=True), name="one_current_review"
            ),
            models.CheckConstraint(
                condition=~Q(decision="override") | ~Q(reason=""), name="override_has_a_reason"
            ),
        )
        indexes = (
            models.Index(fields=["person", "-id"], name="review_by_person"),
            models.Index(fields=["person", "created_at"], name="review_by_day"),
            models.Index(fields=["-id"], condition=Q(flagged=True, is_current=True), name="review_flagged"),
        )

    def __str__(self) -> str:
        return f"Review {self.number} of item {self.item_id} by {self.person_id}"


class Mark(models.Model):
    """One mark from 1 to 5 for one criterion."""

    review = models.ForeignKey(Review, models.CASCADE, related_name="marks")
    criterion = models.SlugField(max_length=60, db_index=False)
    value = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("review", "pk")
        constraints = (
            models.UniqueConstraint(fields=["review", "criterion"], name="one_mark_per_criterion"),
            models.CheckConstraint(condition=Q(value__range=(1, 5)), name="mark_from_1_to_5"),
        )

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value}"


class Adjudication(models.Model):
    """What someone who did not mark an answer settled on; the newest rules, the earlier ones stay."""

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="adjudications")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="adjudications")
    marks = models.JSONField(help_text="Criterion → mark from 1 to 5.")
    why = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("item", "pk")

    def __str__(self) -> str:
        return f"Item {self.item_id} settled by {self.by_id}"


class AgreementReport(models.Model):
    """A run's report on agreement, kept as long as nothing is decided that would change it."""

    run = models.OneToOneField(Run, models.CASCADE, related_name="agreement_report")
    state = models.CharField(max_length=60, help_text="The run's last event when it was made.")
    report = models.JSONField()
    created_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"Agreement in run {self.run_id}"
