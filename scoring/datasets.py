"""A dataset goes in; it comes out retired, or back among those that are in use.

A retired dataset keeps its versions, runs and results. It owns no ids, and nobody is offered it any more.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models.functions import Now

from scoring import reserving
from scoring.models import Dataset

if TYPE_CHECKING:
    from evalportal.models import Person

logger = logging.getLogger(__name__)


class DatasetStateError(ValueError):
    """The dataset cannot be retired or brought back now; the message says why."""


def retire(dataset: Dataset, person: Person) -> None:
    """Take a dataset out of use."""
    with transaction.atomic():
        _reserve(dataset)
        in_use = Dataset.objects.in_use().filter(pk=dataset.pk)
        in_use.update(retired_at=Now(), retired_by=person)
    logger.info("The dataset is retired", extra={"dataset": dataset.pk, "person": person.pk})


def bring_back(dataset: Dataset, person: Person) -> None:
    """Put a dataset to use again, unless others own its ids by now."""
    with transaction.atomic():
        _reserve(dataset)
        if taken := reserving.taken(dataset.name, dataset.suite):
            raise DatasetStateError(_taken(dataset, taken))
        Dataset.objects.filter(pk=dataset.pk).update(retired_at=None, retired_by=None)
    logger.info("The dataset is back in use", extra={"dataset": dataset.pk, "person": person.pk})


def _reserve(dataset: Dataset) -> None:
    try:
        reserving.reserve(dataset.name, dataset.suite)
    except reserving.BusyError as error:
        raise DatasetStateError(f"Wait for {error}, and try again when that has ended.") from error


def _taken(dataset: Dataset, taken: dict[str, str]) -> str:
    key, owner = next(iter(taken.items()))
    more = f", and {len(taken) - 1:,} more of its ids to others" if len(taken) > 1 else ""
    owners = ", ".join(sorted(set(taken.values())))
    return (
        f"{dataset.name} cannot come back: {key} belongs to the dataset {owner}{more}. "
        f"Retire {owners} first, or take those ids out of it with a new version."
    )
