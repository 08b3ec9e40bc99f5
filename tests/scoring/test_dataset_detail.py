"""Datasets: their pages whatever they are called, retired and brought back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring.models import Version
from tests.scoring.conftest import ccop_row

SignedIn = Callable[[Any], Client]
Import = Callable[..., Version]


@pytest.mark.parametrize("name", ["upload", "uploads", "new", "retire", "export", "1"])
def test_it_is_found_whatever_it_is_called(dan: Any, signed_in: SignedIn, dataset: Import, name: str) -> None:
    version = dataset(ccop_row(1), name=name)
    client = signed_in(dan)

    assert client.get(version.dataset.get_absolute_url()).context["dataset"] == version.dataset
    assert client.get(version.get_absolute_url()).context["version"] == version


def test_it_shows_where_uploads_belong(alice: Any, signed_in: SignedIn) -> None:
    places = signed_in(alice).get("/uploads/new/").context["places"]

    assert [place["label"] for place in places if place["here"]] == ["Datasets"]
