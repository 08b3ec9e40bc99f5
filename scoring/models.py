"""Datasets, their versions and cases, uploads, benchmarks and endpoints, in the order of the flow."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse

from scoring.queries import CaseQuerySet, DatasetQuerySet


class Dataset(models.Model):
    """A named collection of cases of one suite; what changes makes a new version of it."""

    name = models.SlugField(max_length=80, unique=True, help_text="Lower-case letters, digits and dashes.")
    suite = models.CharField(max_length=40)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    objects = DatasetQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("scoring:dataset-detail", args=[self.name])


class Version(models.Model):
    """An immutable set of cases, known by the hash of its content."""

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    case_count = models.PositiveIntegerField()
    summary = models.JSONField(help_text="How many cases by benchmark, category, difficulty and domain.")
    changes = models.JSONField(help_text="How many cases were added, changed and removed.")
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=["dataset", "number"], name="one_version_per_number"),)

    def __str__(self) -> str:
        return f"{self.dataset.name} version {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("scoring:version-detail", args=[self.dataset.name, self.number])


class Case(models.Model):
    """One question with all that its answer is measured against; never changed, shared by versions."""

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="cases")
    versions = models.ManyToManyField(Version, through="Membership", related_name="cases")
    suite = models.CharField(max_length=40)
    key = models.CharField(max_length=200, db_collation="C")
    sort = models.CharField(max_length=220, db_collation="C")
    digest = models.CharField(max_length=64)
    benchmark = models.CharField(max_length=60)
    category = models.CharField(max_length=80)
    difficulty = models.CharField(max_length=20, blank=True)
    domain = models.CharField(max_length=20, blank=True)
    section = models.CharField(max_length=200, blank=True)
    question = models.TextField()
    text = models.TextField(blank=True, help_text="What search looks at besides the key and the question.")
    fields = models.JSONField(help_text="The whole row, as it was uploaded.")
    search = models.GeneratedField(
        expression=SearchVector("key", "question", "text", config="english"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ("sort",)
        constraints = (
            models.UniqueConstraint(fields=["dataset", "key", "digest"], name="one_case_per_content"),
        )
        indexes = (
            GinIndex(fields=["search"], name="case_search"),
            models.Index(fields=["suite", "key"], name="case_by_suite_and_key"),
        )

    def __str__(self) -> str:
        return self.key

    def get_absolute_url(self) -> str:
        return reverse("scoring:case-detail", args=[self.pk])


class Membership(models.Model):
    """A case belongs to a version, at its place."""

    version = models.ForeignKey(Version, models.PROTECT, related_name="memberships")
    case = models.ForeignKey(Case, models.PROTECT, related_name="memberships")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ("version", "position")
        constraints = (
            models.UniqueConstraint(fields=["version", "position"], name="one_case_per_position"),
            models.UniqueConstraint(fields=["version", "case"], name="each_case_once_in_a_version"),
        )

    def __str__(self) -> str:
        return f"{self.version_id}:{self.position}"


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


def _default_parameters() -> dict[str, Any]:
    return {"temperature": 0.0, "max_tokens": 512}


class Endpoint(models.Model):
    """A model that can be asked, and how to reach it; never the key itself."""

    name = models.CharField(max_length=80, unique=True)
    gateway = models.SlugField(max_length=40)
    base_url = models.URLField(blank=True)
    model = models.CharField(max_length=200)
    parameters = models.JSONField(default=_default_parameters, blank=True)
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
