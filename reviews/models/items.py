"""Items: which answers go to people, how they were drawn, and who has which of them in hand."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from reviews.models.rubrics import Rubric
from scoring.models import Response, Run


class Draw(models.Model):
    """One draw of a run and a benchmark: of which answers, with which seed, how many were taken."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="draws")
    benchmark = models.CharField(max_length=60)
    number = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField()
    share = models.FloatField()
    drawn = models.PositiveIntegerField()
    responses = ArrayField(models.BigIntegerField(), help_text="All that could be drawn.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("run", "benchmark", "number")
        constraints = (
            models.UniqueConstraint(fields=["run", "benchmark", "number"], name="one_draw_per_number"),
        )

    def __str__(self) -> str:
        return f"{self.run_id}, {self.stratum}"

    @property
    def stratum(self) -> str:
        return self.benchmark if self.number == 1 else f"{self.benchmark}, draw {self.number}"


class CalibrationRound(models.Model):
    """The same answers for every reviewer, to be talked over; the outcome is what they go by afterwards."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="calibrations")
    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField()
    outcome = models.TextField(blank=True, help_text="What the discussion came to.")
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    concluded_at = models.DateTimeField(null=True)
    concluded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("run", "-number")
        constraints = (models.UniqueConstraint(fields=["run", "number"], name="one_round_per_number"),)

    def __str__(self) -> str:
        return f"Calibration {self.number} of run {self.run_id}"


class ReviewItem(models.Model):
    """One answer that people mark, with room for so many of them."""

    class State(models.TextChoices):
        OPEN = "open", "Open"
        COMPLETE = "complete", "Complete"
        DISPUTED = "disputed", "Disputed"
        SETTLED = "settled", "Settled"
        CLOSED = "closed", "Closed"

    class Reason(models.TextChoices):
        RUBRIC = "rubric", "Every Tier 2 answer is marked by people"
        DRAWN = "drawn", "Drawn at random"
        UNSURE = "unsure", "The judge was not sure"
        UNREADABLE = "unreadable", "There is no readable verdict"
        FLAGGED = "flagged", "The answer is flagged"
        SENT = "sent", "Sent by hand"

    run = models.ForeignKey(Run, models.CASCADE, related_name="review_items")
    response = models.ForeignKey(Response, models.CASCADE, related_name="review_items")
    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="items")
    calibration = models.ForeignKey(CalibrationRound, models.CASCADE, null=True, related_name="items")
    kind = models.CharField(max_length=20, choices=Rubric.Kind)
    benchmark = models.CharField(max_length=60)
    reason = models.CharField(max_length=20, choices=Reason)
    slots = models.PositiveSmallIntegerField()
    taken = models.PositiveSmallIntegerField(default=0, help_text="Slots that are leased or marked.")
    turn = models.PositiveIntegerField(help_text="The order of handing out within the run.")
    returned = models.BooleanField(default=False, help_text="A slot came back: look here first.")
    probability = models.FloatField(
        null=True, help_text="With which it was drawn; none if it was sent by hand."
    )
    stratum = models.CharField(max_length=80, blank=True)
    mandatory = models.BooleanField(default=False)
    seed = models.BigIntegerField(null=True)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    spread = models.PositiveSmallIntegerField(null=True, help_text="How far apart people are at most.")
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="reserved_items"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("run", "turn")
        constraints = (
            models.UniqueConstraint(fields=["response", "kind"], name="one_item_per_response"),
            models.UniqueConstraint(fields=["run", "turn"], name="one_item_per_turn"),
            models.CheckConstraint(
                condition=Q(slots__gte=1, taken__lte=F("slots")), name="no_more_than_its_slots"
            ),
            models.CheckConstraint(
                condition=Q(probability=None) | Q(probability__gt=0, probability__lte=1),
                name="probability_of_an_item",
            ),
        )
        indexes = (
            models.Index(
                fields=["run", "turn"],
                condition=Q(state="open", taken__lt=F("slots")),
                name="item_to_hand_out",
            ),
            models.Index(
                fields=["run", "turn"],
                condition=Q(returned=True, state="open", taken__lt=F("slots")),
                name="item_returned",
            ),
            models.Index(
                fields=["assigned_to"], condition=Q(assigned_to__isnull=False), name="item_reserved"
            ),
            models.Index(fields=["run", "state"], name="item_by_state"),
        )

    def __str__(self) -> str:
        return f"Item {self.pk} of run {self.run_id}"


class Assignment(models.Model):
    """What one person has, or had, to do with one item, and what they typed so far."""

    class State(models.TextChoices):
        LEASED = "leased", "In hand"
        SUBMITTED = "submitted", "Marked"
        SKIPPED = "skipped", "Skipped"
        DECLINED = "declined", "Declined"
        EXPIRED = "expired", "Returned unmarked"

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="assignments")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="assignments")
    state = models.CharField(max_length=10, choices=State, default=State.LEASED)
    leased_until = models.DateTimeField()
    first_seen_at = models.DateTimeField(db_default=Now())
    active_seconds = models.FloatField(default=0)
    draft = models.JSONField(default=dict, help_text="Marks, comment and what else was typed, not yet final.")
    draft_saved_at = models.DateTimeField(null=True)
    verdict_shown_at = models.DateTimeField(null=True, help_text="Since then marks are no longer blind.")

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["item", "person"], name="nobody_twice_on_an_item"),)
        indexes = (
            models.Index(fields=["person", "state"], name="assignment_by_person"),
            models.Index(fields=["leased_until"], condition=Q(state="leased"), name="assignment_leased"),
        )

    def __str__(self) -> str:
        return f"Item {self.item_id} in the hands of {self.person_id}"


class Place(models.Model):
    """Up to which turn of a run nothing is left for a person, and when the run last had its turn."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    # Without a constraint: checking it would lock the run, which whoever finishes the run holds.
    run = models.ForeignKey(Run, models.CASCADE, related_name="+", db_constraint=False)
    turn = models.PositiveIntegerField(default=0)
    served_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["person", "run"], name="one_place_per_run"),)

    def __str__(self) -> str:
        return f"{self.person_id} in run {self.run_id}: {self.turn}"


class Notice(models.Model):
    """What a reviewer was last written to about; gone once nothing waits for them any more."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    newest = models.BigIntegerField(help_text="The newest item that waited for them.")
    sent_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.person_id} at {self.sent_at:%Y-%m-%d %H:%M}"
