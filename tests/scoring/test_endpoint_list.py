"""The pages of models: added, tested, and never with a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmarks import mock_server
from scoring import endpoints
from scoring.models import Endpoint

SignedIn = Callable[[Any], Client]
FORM = {
    "name": "Llama",
    "gateway": "ollama",
    "base_url": "http://127.0.0.1:11434",
    "model": "llama3",
    "max_concurrency": 4,
    "timeout_seconds": 60,
    "parameters": "{}",
}


def test_it_adds_a_model(alice: Any, signed_in: SignedIn) -> None:
    signed_in(alice).post("/models/new/", FORM | {"key_variable": "LLAMA_API_KEY"})
    endpoint = Endpoint.objects.get()
    assert (endpoint.gateway, endpoint.key_variable, endpoint.created_by) == (
        "ollama",
        "LLAMA_API_KEY",
        alice,
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_url", "http://169.254.169.254/latest"),
        ("base_url", "ftp://example.com"),
        ("base_url", "http://user:secret@example.com"),
        ("key_variable", "sk-abcdef123456"),
        ("key_variable", "SECRET_KEY"),
        ("key_variable", "PGPASSWORD"),
        ("key_variable", "EMAIL_HOST_PASSWORD"),
        ("key_variable", "EVALPORTAL_METRICS_TOKEN"),
        ("key_variable", "LLAMA_KEY"),
        ("base_url", ""),
        ("parameters", "[1]"),
        ("parameters", '{"temperature": "warm"}'),
        ("parameters", '{"max_tokens": 0}'),
        ("parameters", '{"stream": true}'),
        ("parameters", "{"),
        ("gateway", "nonsense"),
        ("max_concurrency", 0),
        ("max_concurrency", 501),
        ("timeout_seconds", 0),
        ("name", ""),
    ],
)
def test_it_refuses_what_cannot_be_right(alice: Any, signed_in: SignedIn, field: str, value: Any) -> None:
    response = signed_in(alice).post("/models/new/", FORM | {field: value})
    assert response.status_code == 422
    assert field in response.context["form"].errors


def test_it_asks_for_no_address_where_there_is_no_server(alice: Any, signed_in: SignedIn) -> None:
    local = FORM | {"gateway": "transformers_local", "base_url": ""}
    refused = signed_in(alice).post("/models/new/", local | {"parameters": '{"base": "llama3"}'})
    assert "chosen with the run" in str(refused.context["form"].errors["parameters"])
    signed_in(alice).post("/models/new/", local)
    assert Endpoint.objects.get().gateway == "transformers_local"


def test_it_names_the_parameter_that_makes_no_sense(alice: Any, signed_in: SignedIn) -> None:
    page = signed_in(alice).post("/models/new/", FORM | {"parameters": '{"top_p": 7}'}).content.decode()
    assert "The parameter top_p must be a number from 0 to 1." in page


def test_it_says_that_nothing_answers(alice: Any, signed_in: SignedIn) -> None:
    endpoint = Endpoint.objects.create(
        name="Gone", gateway="ollama", base_url="http://127.0.0.1:9", model="x"
    )
    page = signed_in(alice).post(f"/models/{endpoint.pk}/probe/").content.decode()
    assert "notice bad" in page


def test_it_says_that_a_model_may_still_be_loading(alice: Any, signed_in: SignedIn) -> None:
    with mock_server.running() as mock:
        mock.control(faults=[{"fault": "hang"}])
        place = {"gateway": "ollama", "base_url": mock.url, "timeout_seconds": 1}
        endpoint = Endpoint.objects.create(name="Cold", model="mock-small", **place)
        page = signed_in(alice).post(f"/models/{endpoint.pk}/probe/").content.decode()
    assert "notice warn" in page
    assert "may still be loading" in page


def test_it_never_shows_a_key(alice: Any, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", "tell-nobody")
    endpoint = Endpoint.objects.create(
        name="Llama",
        gateway="ollama",
        base_url="http://127.0.0.1:9",
        model="x",
        key_variable="LLAMA_API_KEY",
    )
    client = signed_in(alice)
    pages = [
        client.get("/models/"),
        client.get(f"/models/{endpoint.pk}/"),
        client.post(f"/models/{endpoint.pk}/probe/"),
    ]
    assert all("tell-nobody" not in page.content.decode() for page in pages)


def test_it_keeps_recorded_answers(alice: Any, signed_in: SignedIn) -> None:
    endpoint = Endpoint.objects.create(name="Tape", gateway="recorded", model="elsewhere")
    file = SimpleUploadedFile("answers.jsonl", b'{"test_id": "B1-001", "response": "Applicable."}\n')
    page = signed_in(alice).post(f"/models/{endpoint.pk}/recording/", {"file": file}, follow=True)
    assert "Answers recorded: 1." in page.content.decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_it_keeps_recorded_answers_that_hold_other_ends_of_lines(
    alice: Any, signed_in: SignedIn, end: str
) -> None:
    endpoint = Endpoint.objects.create(name="Tape", gateway="recorded", model="elsewhere")
    said = "one\u2028two\u2029three\u0085four"
    rows = [{"test_id": f"B1-00{number}", "response": said} for number in (1, 2)]
    content = end.join(json.dumps(row, ensure_ascii=False) for row in rows) + end
    file = SimpleUploadedFile("answers.jsonl", content.encode())
    page = signed_in(alice).post(f"/models/{endpoint.pk}/recording/", {"file": file}, follow=True)
    assert "Answers recorded: 2." in page.content.decode()
    answers = endpoints.target(endpoint).extra["answers"]
    assert {answer.content for answer in answers.values()} == {said}


@pytest.mark.parametrize("content", [b"\xff\xfe", b"not json\n", b'{"response": "x"}\n', b""])
def test_it_refuses_recordings_that_it_cannot_read(alice: Any, signed_in: SignedIn, content: bytes) -> None:
    endpoint = Endpoint.objects.create(name="Tape", gateway="recorded", model="elsewhere")
    file = SimpleUploadedFile("answers.jsonl", content)
    page = signed_in(alice).post(f"/models/{endpoint.pk}/recording/", {"file": file}, follow=True)
    assert "notice error" in page.content.decode()
