"""Benchmarks: the 21, and those that admins register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring.models import CustomBenchmark
from tests.scoring.conftest import ccop_row

SignedIn = Callable[[Any], Client]
OWN = {"code": "b22", "name": "Incident drills", "category": "Audit perspective", "route": "reasoning"}


def test_it_lists_all_benchmarks(dan: Any, signed_in: SignedIn) -> None:
    page = signed_in(dan).get("/benchmarks/").content.decode()
    assert all(f">B{number}</th>" in page for number in range(1, 22))


def test_it_registers_ones_own_and_then_takes_its_cases(
    alice: Any, signed_in: SignedIn, dataset: Callable[..., Any]
) -> None:
    signed_in(alice).post("/benchmarks/", OWN)
    assert CustomBenchmark.objects.get().code == "B22"
    assert dataset(ccop_row(1, benchmark=22)).case_count == 1


def test_it_refuses_a_case_of_an_unregistered_benchmark(dataset: Callable[..., Any]) -> None:
    with pytest.raises(AssertionError, match="B22"):
        dataset(ccop_row(1, benchmark=22))


@pytest.mark.parametrize("code", ["B21", "B100", "22", "", "B2२", "B22\n1"])
def test_it_refuses_codes_that_are_not_free(alice: Any, signed_in: SignedIn, code: str) -> None:
    assert signed_in(alice).post("/benchmarks/", OWN | {"code": code}).status_code == 422


def test_it_refuses_a_code_twice(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    client.post("/benchmarks/", OWN)
    response = client.post("/benchmarks/", OWN)
    assert response.status_code == 422
    assert "already registered" in response.content.decode()


def test_it_lets_only_admins_register(bob: Any, signed_in: SignedIn) -> None:
    assert signed_in(bob).post("/benchmarks/", OWN).status_code == 403
