"""The handbook: every metric explained by its own code, and tried on one's own text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring import handbook, registry
from scoring.measurement import Sample

SignedIn = Callable[[Any], Client]
METRICS = list(registry.plugins(handbook.METRICS))


def test_it_lists_every_metric(dan: Any, signed_in: SignedIn) -> None:
    page = signed_in(dan).get("/handbook/").content.decode()
    assert all(f"/handbook/{name}/" in page for name in METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_it_says_what_a_metric_measures_and_how(name: str) -> None:
    chapter = handbook.chapter(name)
    titles = [title for title, _ in chapter.sections]
    assert chapter.intro
    assert {"Formula", "None", "Weaknesses"} <= set(titles)


@pytest.mark.parametrize("name", METRICS)
def test_it_computes_the_example_as_the_page_is_drawn(name: str, bob: Any, signed_in: SignedIn) -> None:
    chapter = handbook.chapter(name)
    measurement = handbook.measure(chapter.module, chapter.module.EXAMPLE)
    page = signed_in(bob).get(f"/handbook/{name}/")
    assert page.status_code == 200
    assert page.context["example"]["measurement"].value == measurement.value


@pytest.mark.parametrize("name", METRICS)
def test_it_gets_the_same_value_from_the_example_as_typed(name: str) -> None:
    module = handbook.chapter(name).module
    inputs = handbook.inputs(module)
    typed = handbook.typed_from(module.EXAMPLE, inputs)
    value = handbook.measure(module, handbook.sample_from(typed, inputs)).value
    assert value == handbook.measure(module, module.EXAMPLE).value


def test_it_tries_ones_own_text(bob: Any, signed_in: SignedIn) -> None:
    response = signed_in(bob).post("/handbook/repetition/", {"response": "one two three one two three"})
    assert response.context["tried"]["measurement"].value == 0.5


def test_it_measures_no_more_than_a_reader_waits_for(bob: Any, signed_in: SignedIn) -> None:
    client = signed_in(bob)
    assert client.post("/handbook/coherence/", {"response": "a" * 20_000}).status_code == 200
    response = client.post("/handbook/coherence/", {"response": "a" * 20_001})
    assert response.status_code == 422
    assert "Try at most 20,000 characters here" in response.content.decode()


@pytest.mark.usefixtures("no_embeddings")
@pytest.mark.parametrize("name", ["coherence", "semantic_equivalence", "combined"])
def test_it_says_why_there_is_no_value_where_the_embedding_model_cannot_run(
    name: str, bob: Any, signed_in: SignedIn
) -> None:
    page = signed_in(bob).get(f"/handbook/{name}/")
    assert page.status_code == 200
    measurement = page.context["example"]["measurement"]
    assert (measurement.value, bool(measurement.why)) == (None, True)


def test_it_names_the_field_that_cannot_be_read(bob: Any, signed_in: SignedIn) -> None:
    response = signed_in(bob).post(
        "/handbook/length_deviation/", {"response": "a", "expected_length": "many"}
    )
    assert response.status_code == 422
    assert "Type a number." in response.content.decode()


def test_it_escapes_what_was_typed(bob: Any, signed_in: SignedIn) -> None:
    page = (
        signed_in(bob).post("/handbook/repetition/", {"response": "<script>x</script> " * 6}).content.decode()
    )
    assert "<script>x" not in page


def test_it_does_not_know_a_metric_that_is_not_there(bob: Any, signed_in: SignedIn) -> None:
    assert signed_in(bob).get("/handbook/nonsense/").status_code == 404


@pytest.mark.parametrize(
    ("field", "typed"),
    [("marks", "accuracy"), ("tokens", '{"odds": []}'), ("settings", "[1]"), ("evaluation_criteria", "{")],
)
def test_it_refuses_what_it_cannot_read(field: str, typed: str) -> None:
    with pytest.raises(handbook.InputError) as caught:
        handbook.sample_from({field: typed}, (field,))
    assert caught.value.field == field


def test_it_reads_spellings_claims_and_siblings_as_they_are_typed() -> None:
    typed = {"answers": "Paris | paris\nFrance", "siblings": "one\n---\ntwo", "key_facts": "a\n\nb"}
    sample = handbook.sample_from(typed, ("answers", "siblings", "key_facts"))
    assert sample == Sample(
        "", answers=[["Paris", "paris"], "France"], siblings=["one", "two"], key_facts=["a", "b"]
    )
