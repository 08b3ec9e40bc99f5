"""Datasets, their immutable versions, and their cases."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse

from scoring.ordered_json import OrderedJSONField
from scoring.queries import CaseQuerySet, DatasetQuerySet


class Dataset(models.Model):
    """A named collection of cases of one suite; what changes makes a new version of it."""

    name = models.SlugField(max_length=80, unique=True, help_text="Lower-case letters, digits and dashes.")
    suite = models.CharField(max_length=40)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    retired_at = models.DateTimeField(null=True, help_text="Since when it is out of use and owns no ids.")
    retired_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

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
    summary = OrderedJSONField(help_text="How many cases by benchmark, category, difficulty and domain.")
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

    # The constraint and the index below begin with the dataset: one more of its own would serve nobody. Nor
    # need the database look for the same dataset once for every case: its versions hold it in place.
    dataset = models.ForeignKey(
        Dataset, models.PROTECT, related_name="cases", db_index=False, db_constraint=False
    )
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
    fields = OrderedJSONField(help_text="The whole row, as it was uploaded.")

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ("sort",)
        constraints = (
            models.UniqueConstraint(fields=["dataset", "key", "digest"], name="one_case_per_content"),
        )
        indexes = (
            # All that the list of cases is narrowed by, so that it need not look at the wide rows themselves.
            models.Index(
                fields=["dataset", "benchmark", "category", "difficulty", "domain"],
                include=["id"],
                name="case_by_kind",
            ),
        )

    def __str__(self) -> str:
        return self.key

    def get_absolute_url(self) -> str:
        return reverse("scoring:case-detail", args=[self.pk])


class Membership(models.Model):
    """A case belongs to a version, at its place.

    Neither can be deleted or changed, and the import sees with one query that all are there: constraints
    that look at each of them would take as long as all the rest of it.
    """

    version = models.ForeignKey(
        Version, models.PROTECT, related_name="memberships", db_constraint=False, db_index=False
    )
    case = models.ForeignKey(Case, models.PROTECT, related_name="memberships", db_constraint=False)
    position = models.PositiveIntegerField()
    # A version never changes, so neither do the places of its cases in other orders.
    by_key = models.PositiveIntegerField(db_default=0)
    by_benchmark = models.PositiveIntegerField(db_default=0)
    by_difficulty = models.PositiveIntegerField(db_default=0)

    class Meta:
        ordering = ("version", "position")
        indexes = (
            models.Index(fields=["version", "by_key"], name="member_by_key"),
            models.Index(fields=["version", "by_benchmark"], name="member_by_benchmark"),
            models.Index(fields=["version", "by_difficulty"], name="member_by_difficulty"),
        )
        constraints = (
            models.UniqueConstraint(fields=["version", "position"], name="one_case_per_position"),
            models.UniqueConstraint(fields=["version", "case"], name="each_case_once_in_a_version"),
        )

    def __str__(self) -> str:
        return f"{self.version_id}:{self.position}"


class SearchEntry(models.Model):
    """The words and the id by which a case is found, written after the import, which they would slow down."""

    case = models.OneToOneField(Case, models.PROTECT, primary_key=True, related_name="search_entry")
    words = SearchVectorField()

    class Meta:
        verbose_name_plural = "search entries"
        indexes = (GinIndex(fields=["words"], name="search_by_words"),)

    def __str__(self) -> str:
        return f"Words of case {self.pk}"
