"""Endpoints: what a gateway is told of them, what a test of the connection finds, and recorded answers."""

from __future__ import annotations

import json

import pytest

from benchmarks import mock_server
from scoring import endpoints
from scoring.engine import asking, bells
from scoring.gateway_contract import GatewayError
from scoring.models import Endpoint
from scoring.recordings import RecordingError
from scoring.wire import probing
from tests.engine.making import echo, endpoint, started, version

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_lets_a_runs_parameters_go_over_the_endpoints_own() -> None:
    asked = echo(temperature=0.2, max_tokens=50)
    assert endpoints.target(asked, {"temperature": 0.9}).parameters == {"temperature": 0.9, "max_tokens": 50}


def test_it_takes_a_base_of_local_weights_alone() -> None:
    tuned, base = (
        Endpoint(name=name, gateway="transformers_local", model=name) for name in ("tuned", "base")
    )
    assert endpoints.target(tuned, base=base).extra["base"] == "base"
    with pytest.raises(
        GatewayError, match=r"The base model endpoint .* is not made of local weights"
    ) as caught:
        endpoints.target(tuned, base=endpoint("http://127.0.0.1:9"))
    assert caught.value.kind == "bad_parameters"


def test_it_never_shows_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sesame-open-7")
    asked = endpoint("http://127.0.0.1:9", key_variable="SOME_API_KEY")
    assert endpoints.target(asked).key == "sesame-open-7"
    assert "sesame" not in repr(endpoints.target(asked))


def test_it_names_the_variable_that_holds_no_key() -> None:
    asked = endpoint("http://127.0.0.1:9", key_variable="NO_SUCH_API_KEY")
    with pytest.raises(GatewayError, match="NO_SUCH_API_KEY holds no key"):
        endpoints.target(asked)
    assert "NO_SUCH_API_KEY" in endpoints.probe(asked).message


@pytest.mark.parametrize("variable", ["SECRET_KEY", "DATABASE_URL", "EVALPORTAL_METRICS_TOKEN", "PATH"])
def test_it_sends_no_secret_of_the_portal_whoever_made_the_row(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "sesame-open-7")
    with mock_server.running() as mock:
        asked = endpoint(mock.url, key_variable=variable)
        with pytest.raises(GatewayError, match=variable):
            endpoints.target(asked)
        assert (endpoints.probe(asked).reachable, mock.counts()["requests"]) == (False, 0)


def test_it_finds_what_a_server_serves() -> None:
    with mock_server.running() as mock:
        found = endpoints.probe(endpoint(mock.url))
    assert found.answers
    assert "mock-small" in found.models
    assert found.latency_seconds is not None


def test_it_waits_for_a_slow_model_as_long_as_its_endpoint_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "LIST_SECONDS", 0.3)
    monkeypatch.setattr(endpoints, "PROBE_SECONDS", 0.3)
    with mock_server.running("--latency", "1") as mock:
        asked = endpoint(mock.url, timeout_seconds=20)
        assert endpoints.probe(asked).answers
        page = endpoints.probe(asked, most_seconds=0.2)
    assert (page.reachable, page.answers, page.loading) == (True, False, True)


def test_it_tells_faults_instead_of_raising_them() -> None:
    assert not endpoints.probe(endpoint("http://127.0.0.1:9")).reachable
    assert "no gateway" in endpoints.probe(Endpoint(gateway="pigeon", model="x")).message
    assert not endpoints.probe(endpoint("http://169.254.169.254")).reachable


def test_it_knows_when_an_endpoint_has_become_another_place() -> None:
    asked = echo()
    before = endpoints.identity(asked)
    asked.max_concurrency = 9
    assert endpoints.identity(asked) == before
    asked.base_url = "http://127.0.0.1:9"
    assert endpoints.identity(asked) != before


def test_it_gives_recorded_answers_and_fails_the_cases_that_have_none() -> None:
    asked = Endpoint.objects.create(name="recorded", gateway="recorded", model="elsewhere")
    lines = [json.dumps({"test_id": f"B3-{number:06}", "response": f"Answer {number}."}) for number in (1, 2)]
    assert endpoints.record(asked, lines).answers == 2
    run = started(version(3), asked)
    asking.serve(asked.pk, ring=bells.silent)
    found = dict(run.responses.values_list("case__key", "content"))
    assert found == {"B3-000001": "Answer 1.", "B3-000002": "Answer 2.", "B3-000003": ""}
    assert run.responses.get(state="failed").error_kind == "missing_answer"


def test_it_takes_a_new_recording_in_place_of_the_old_one() -> None:
    asked = Endpoint.objects.create(name="recorded", gateway="recorded", model="elsewhere")
    made = version(1)
    for words in ("First.", "Second."):
        endpoints.record(asked, [json.dumps({"test_id": "B3-000001", "response": words})])
        run = started(made, asked, use_cache=True)
        asking.serve(asked.pk, ring=bells.silent)
        assert run.responses.get().content == words


def test_it_refuses_a_recording_with_bad_lines() -> None:
    asked = Endpoint.objects.create(name="recorded", gateway="recorded", model="elsewhere")
    with pytest.raises(RecordingError, match="line 1"):
        endpoints.record(asked, ["not JSON"])
    assert not hasattr(Endpoint.objects.get(), "recording")
