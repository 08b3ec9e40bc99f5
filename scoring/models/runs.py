"""Runs: one row per answer wanted, what the judge said of it, and what it scored."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Now
from django.urls import reverse

from scoring.models.datasets import Case, Version
from scoring.models.endpoints import Endpoint
from scoring.ordered_json import OrderedJSONField
from scoring.queries import ResponseQuerySet


class Run(models.Model):
    """One model asked the cases of one version; the database is the truth about how far it is."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        JUDGING = "judging", "Judging"
        SCORING = "scoring", "Scoring"
        AWAITING_REVIEW = "awaiting_review", "Awaiting review"
        FINAL = "final", "Final"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    UNDER_WAY: ClassVar[frozenset[str]] = frozenset(
        {State.QUEUED, State.RUNNING, State.JUDGING, State.SCORING}
    )
    ENDED: ClassVar[frozenset[str]] = frozenset({State.FINAL, State.FAILED, State.CANCELLED})

    name = models.CharField(max_length=120)
    version = models.ForeignKey(Version, models.PROTECT, related_name="runs")
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, related_name="runs")
    judge = models.ForeignKey(Endpoint, models.PROTECT, null=True, blank=True, related_name="judged_runs")
    base = models.ForeignKey(Endpoint, models.PROTECT, null=True, blank=True, related_name="+")
    phase = models.CharField(max_length=20, default="baseline")
    threshold = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    benchmarks = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    test_ids = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    parameters = models.JSONField(default=dict, help_text="Temperature, tokens and what else the model gets.")
    samples = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    noise_levels = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    judge_votes = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(9)]
    )
    judge_rubric = models.JSONField(
        default=dict,
        db_default=Value({}, models.JSONField()),
        blank=True,
        help_text="What the judge marks by: kind, version and criteria as they were at the start.",
    )
    seed = models.PositiveIntegerField(default=0)
    use_cache = models.BooleanField(default=True)
    reviewers = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    validation_share = models.FloatField(
        default=0.2, validators=[MinValueValidator(0.2), MaxValueValidator(1)]
    )
    state = models.CharField(max_length=20, choices=State, default=State.DRAFT)
    reason = models.TextField(blank=True, help_text="Why it is paused, failed or cancelled, in plain words.")
    paused_by_portal = models.BooleanField(
        default=False, help_text="An endpoint is down: the run goes on by itself when it answers again."
    )
    blocked_by = models.ForeignKey(Endpoint, models.SET_NULL, null=True, blank=True, related_name="+")
    probe_at = models.DateTimeField(null=True, help_text="When the endpoint that is down is tried next.")
    probes = models.PositiveSmallIntegerField(default=0, help_text="How often it was tried in vain.")
    summary = OrderedJSONField(
        default=dict, help_text="What pages show of a finished run, kept, not recounted."
    )
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    reviewed_at = models.DateTimeField(null=True, help_text="When people had marked all they had to.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=["state"], name="run_by_state"),)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("scoring:run-detail", args=[self.pk])

    @property
    def under_way(self) -> bool:
        return self.state in self.UNDER_WAY


class Asked(models.Model):
    """What a question to a model has in common, be it the answer or the verdict that is wanted."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        ASKING = "asking", "Being asked"
        DONE = "done", "Answered"
        FAILED = "failed", "Failed"

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, help_text="Do not ask again before this.")
    asker = models.UUIDField(null=True, help_text="Who is asking; only they may store the reply.")
    content = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    truncated = models.BooleanField(default=False)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    latency_seconds = models.FloatField(null=True)
    raw = models.JSONField(default=dict)
    error_kind = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class Response(Asked):
    """One answer wanted of the model: of a case, a sample and a level of noise."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="responses")
    case = models.ForeignKey(Case, models.PROTECT, related_name="responses")
    sample = models.PositiveSmallIntegerField(default=1)
    noise = models.PositiveSmallIntegerField(default=0, help_text="Percent of the documents that are noise.")
    position = models.PositiveIntegerField(help_text="The order of asking and of listing.")
    prompt_digest = models.CharField(max_length=64, blank=True)
    from_cache = models.BooleanField(default=False)
    token_scores = models.JSONField(null=True)
    people_marks = models.JSONField(
        default=list, help_text="Marks that people settled on; where there are any, they rule."
    )

    objects = ResponseQuerySet.as_manager()

    class Meta:
        ordering = ("run", "position")
        constraints = (
            models.UniqueConstraint(
                fields=["run", "case", "sample", "noise"], name="one_answer_per_question"
            ),
            models.UniqueConstraint(fields=["run", "position"], name="one_response_per_position"),
        )
        indexes = (
            models.Index(fields=["run", "state", "position"], name="response_by_state"),
            models.Index(fields=["prompt_digest"], condition=Q(state="done"), name="response_by_prompt"),
        )

    def __str__(self) -> str:
        return f"{self.run_id}:{self.position}"

    def get_absolute_url(self) -> str:
        return reverse("scoring:response-detail", args=[self.run_id, self.pk])


class Verdict(Asked):
    """One vote of the judge on an answer: marks, why, and how sure it is."""

    response = models.ForeignKey(Response, models.CASCADE, related_name="verdicts")
    run = models.ForeignKey(Run, models.CASCADE, related_name="verdicts")
    vote = models.PositiveSmallIntegerField(default=1)
    judge_model = models.CharField(max_length=200)
    prompt_version = models.PositiveSmallIntegerField()
    rubric_version = models.CharField(max_length=40, default="", db_default="", blank=True)
    rubric = models.JSONField(default=list, help_text="The criteria as the judge was given them.")
    marks = models.JSONField(default=dict)
    rationale = models.TextField(blank=True)
    confidence = models.FloatField(null=True)

    class Meta:
        ordering = ("response", "vote")
        constraints = (models.UniqueConstraint(fields=["response", "vote"], name="one_verdict_per_vote"),)
        indexes = (models.Index(fields=["run", "state", "id"], name="verdict_by_state"),)

    def __str__(self) -> str:
        return f"{self.response_id}, vote {self.vote}"


class Scoring(models.Model):
    """One scoring of a run by the metrics as they were then; a later one does not touch it."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="scorings")
    number = models.PositiveSmallIntegerField()
    metric_versions = models.JSONField(default=dict)
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("run", "-number")
        constraints = (models.UniqueConstraint(fields=["run", "number"], name="one_scoring_per_number"),)

    def __str__(self) -> str:
        return f"{self.run_id}, scoring {self.number}"


class Score(models.Model):
    """What one answer scored: each metric's value with its evidence, and the overall."""

    scoring = models.ForeignKey(Scoring, models.CASCADE, related_name="scores")
    response = models.ForeignKey(Response, models.CASCADE, related_name="scores")
    overall = models.FloatField(null=True)
    machine_overall = models.FloatField(null=True, help_text="The overall without what people marked.")
    passed = models.BooleanField(null=True)
    pending = models.CharField(
        max_length=40, blank=True, help_text="What it waits for; blank once it is scored."
    )
    fabricated = models.BooleanField(default=False)
    flags = ArrayField(models.TextField(), default=list)
    values = models.JSONField(help_text="Metric → value.")
    details = OrderedJSONField(help_text="Metric → weight, why, evidence and spans.")

    class Meta:
        ordering = ("scoring", "response")
        constraints = (
            models.UniqueConstraint(fields=["scoring", "response"], name="one_score_per_response"),
        )

    def __str__(self) -> str:
        return f"{self.response_id}: {self.overall}"
