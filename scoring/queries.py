"""Filters of a page go in, querysets with a name come out."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from django.db.models import F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Left

from scoring import blindness, search_words

if TYPE_CHECKING:
    from django.contrib.postgres.search import SearchQueryCombinable

    from evalportal.models import Person
    from scoring.models import Case, Dataset, Response, Run, Version  # noqa: F401


# In which the cases of a version can be listed: as they came in, by id, by benchmark, by difficulty.
ORDERS = ("position", "by_key", "by_benchmark", "by_difficulty")


# What a page says of an answer's score.
OUTCOME = ("overall", "passed", "pending", "fabricated", "flags")
# Up to so many cases are named to the database, where a search finds no more.
FEW = 1_000


class DatasetQuerySet(QuerySet["Dataset"]):
    """Datasets as the pages list them."""

    def with_latest(self) -> DatasetQuerySet:
        """Add the latest version's number, size and date to each dataset."""
        versions: Any = self.model._meta.get_field("versions").related_model
        latest = versions.objects.filter(dataset=OuterRef("pk"))
        newest = latest.order_by("-number")
        return self.annotate(
            latest_number=Subquery(newest.values("number")[:1]),
            latest_count=Subquery(newest.values("case_count")[:1]),
            latest_at=Subquery(newest.values("created_at")[:1]),
        )

    def newest_first(self) -> DatasetQuerySet:
        """Put the datasets first that were changed last."""
        return self.order_by(F("latest_at").desc(nulls_last=True))

    def in_use(self) -> DatasetQuerySet:
        """Keep the datasets that are not retired."""
        return self.filter(retired_at=None)

    def retired(self) -> DatasetQuerySet:
        """Keep the datasets that are out of use."""
        return self.exclude(retired_at=None)

    def with_versions(self) -> DatasetQuerySet:
        """Keep the datasets that hold anything."""
        return self.filter(versions__number=1)


class CaseQuerySet(QuerySet["Case"]):
    """Cases as the pages list and search them."""

    def of(self, version: Version) -> CaseQuerySet:
        """Keep the cases of one version, in its order, each with its place in this and in other orders."""
        # Naming the dataset too, which follows from the version, lets its indexes be used.
        members = self.filter(memberships__version=version, dataset=version.dataset_id)
        orders = {name: F(f"memberships__{name}") for name in ORDERS}
        return members.annotate(**orders).order_by(F("position"))

    def narrowed(self, **filters: Any) -> CaseQuerySet:
        """Keep the cases that have these values; an empty value keeps all."""
        return self.filter(**{name: value for name, value in filters.items() if value})

    def matching(self, text: str) -> CaseQuerySet:
        """Keep the cases whose key begins with a text or, if there is none, whose words match it."""
        text = search_words.clean(text)
        if not text:
            return self
        spellings = {text, text.upper(), text.lower()}
        by_key = self.filter(reduce(or_, (Q(key__startswith=one) for one in sorted(spellings))))
        if " " not in text and (few := _few(by_key)):
            return self.filter(pk__in=few) if len(few) <= FEW else by_key
        if search_words.is_unspaced(text):
            return self._with_entries(search_words.pairs(text)).filter(search_words.stretches(text))
        return self._with_entries(search_words.words(text))

    def _with_entries(self, query: SearchQueryCombinable) -> CaseQuerySet:
        """Keep the cases that a query finds."""
        entries: Any = self.model._meta.get_field("search_entry").related_model
        few = _few(entries.objects.filter(words=query))
        return self.filter(pk__in=few) if len(few) <= FEW else self.filter(search_entry__words=query)


def _few(found: QuerySet[Any]) -> list[int]:
    """Name what was found, and one more if it is not few: the planner takes few for many, and tries all."""
    return list(found.order_by().values_list("pk", flat=True)[: FEW + 1])


class ResponseQuerySet(QuerySet["Response"]):
    """Responses as the pages list them."""

    def seen_by(self, person: Person) -> ResponseQuerySet:
        """Keep the answers that someone may see: reviewers mark blind, and see a run once it is final."""
        return self.filter(blindness.seen_by(person, "run__"))

    def with_runs(self) -> ResponseQuerySet:
        """Add the run, its model, an excerpt and what the run's latest scoring says, without long columns."""
        scores: Any = self.model._meta.get_field("scores").related_model
        newest = scores.objects.filter(response=OuterRef("pk")).order_by("-scoring__number")
        return (
            self.annotate(
                excerpt=Left("content", 240),
                **{name: Subquery(newest.values(name)[:1]) for name in OUTCOME},
            )
            .select_related("run__endpoint")
            .only(
                "case_id",
                "sample",
                "noise",
                "state",
                "error",
                "run__name",
                "run__samples",
                "run__created_at",
                "run__endpoint__name",
            )
        )

    def with_scores(self, run: Run) -> ResponseQuerySet:
        """Add the case, an excerpt and what the latest scoring says, without the long columns."""
        scoring = run.scorings.order_by("-number").first()
        scored = FilteredRelation("scores", condition=Q(scores__scoring=scoring))
        return (
            self.annotate(scored=scored, excerpt=Left("content", 240))
            .annotate(
                overall=F("scored__overall"),
                passed=F("scored__passed"),
                pending=F("scored__pending"),
                fabricated=F("scored__fabricated"),
                flags=F("scored__flags"),
            )
            .select_related("case")
            .only(
                "run_id",
                "case_id",
                "sample",
                "noise",
                "position",
                "state",
                "error",
                "case__key",
                "case__benchmark",
            )
        )
