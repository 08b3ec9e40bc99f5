"""What every gateway offers, also one that is added tomorrow."""

from __future__ import annotations

import asyncio
import inspect
from types import ModuleType

import pytest

from benchmarks.mock_server import Remote
from scoring.gateway_contract import GatewayError, Probe, Target
from scoring.gateways import ollama
from scoring.recordings import read
from scoring.registry import label, plugins
from scoring.wire import probing

GATEWAYS = plugins("scoring.gateways")
LOCAL = {"echo", "recorded", "transformers_local"}
every = pytest.mark.parametrize("gateway", GATEWAYS.values(), ids=GATEWAYS)


def probed(gateway: ModuleType, target: Target) -> Probe:
    async def probe() -> Probe:
        client = gateway.client(target)
        found: Probe = await gateway.probe(client, target)
        if client:
            await client.aclose()
        return found

    return asyncio.run(probe())


def test_it_finds_the_gateways_by_their_files() -> None:
    assert {"echo", "ollama", "openai_compatible", "recorded", "transformers_local"} <= GATEWAYS.keys()


@every
def test_it_has_a_label_and_all_functions_of_the_contract(gateway: ModuleType) -> None:
    assert 3 < len(label(gateway)) < 60
    assert list(inspect.signature(gateway.client).parameters) == ["target"]
    assert list(inspect.signature(gateway.ask).parameters) == ["client", "target", "prompt"]
    for name in ("ask", "models", "probe"):
        assert inspect.iscoroutinefunction(getattr(gateway, name))


@pytest.mark.parametrize("name", sorted(GATEWAYS.keys() - LOCAL))
@pytest.mark.parametrize(
    "address", ["", "ftp://127.0.0.1", "http://169.254.169.254/", "http://metadata.google.internal/"]
)
def test_it_refuses_addresses_that_may_not_be_asked(name: str, address: str) -> None:
    with pytest.raises(GatewayError) as caught:
        GATEWAYS[name].client(Target("m", address))
    assert caught.value.kind == "wrong_address"


@pytest.mark.parametrize("name", sorted(GATEWAYS.keys() - LOCAL))
def test_it_finds_out_what_a_server_gives(name: str, mock: Remote) -> None:
    found = probed(GATEWAYS[name], Target("mock-small", mock.url))
    assert (found.reachable, found.answers, found.logprobs, found.vocabulary) == (True, True, True, 1000)
    assert found.models == ("mock-large", "mock-small")
    assert found.latency_seconds is not None
    assert "with log-probabilities" in found.message


@pytest.mark.parametrize("name", sorted(GATEWAYS.keys() - LOCAL))
def test_it_tells_a_missing_model_from_a_missing_server(name: str, mock: Remote) -> None:
    missing = probed(GATEWAYS[name], Target("mock-huge", mock.url))
    gone = probed(GATEWAYS[name], Target("mock-small", "http://127.0.0.1:1"))
    assert (missing.reachable, missing.answers) == (True, False)
    assert (missing.models, "mock-huge" in missing.message) == (("mock-large", "mock-small"), True)
    assert (gone.reachable, gone.answers) == (False, False)
    assert "cannot be reached" in gone.message


@pytest.mark.parametrize("name", sorted(GATEWAYS.keys() - LOCAL))
def test_it_gives_a_model_that_is_being_loaded_the_targets_own_time(
    name: str, mock: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "LIST_SECONDS", 0.3)
    mock.control(latency=0.6)
    found = probed(GATEWAYS[name], Target("mock-small", mock.url, timeout_seconds=20))
    mock.control(latency=0)
    assert found.answers


@pytest.mark.parametrize("name", sorted(GATEWAYS.keys() - LOCAL))
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("hang", "is listed, but has not answered a short question within 0.5 s: it may still be loading"),
        ("status=503 message=Loading_model", "Loading model"),
    ],
)
def test_it_tells_a_model_that_is_being_loaded_from_one_that_is_gone(
    name: str, mock: Remote, fault: str, words: str
) -> None:
    mock.control(faults=[{"fault": fault}])
    found = probed(GATEWAYS[name], Target("mock-small", mock.url, timeout_seconds=0.5))
    assert (found.reachable, found.answers, found.loading, found.startable) == (True, False, True, True)
    assert words in found.message
    unlisted = probed(GATEWAYS[name], Target("mock-huge", mock.url, timeout_seconds=0.5))
    assert not unlisted.startable


def test_it_knows_an_ollama_model_by_its_short_name() -> None:
    listed = [["llama3:latest", "phi"], ["llama3:8b"]]
    assert [ollama.is_listed("llama3", names) for names in listed] == [True, False]


@every
def test_it_says_what_it_is_like_by_the_constants_of_the_contract(gateway: ModuleType) -> None:
    most = getattr(gateway, "MOST_IN_FLIGHT", None)
    assert most is None or (isinstance(most, int) and most > 0)
    assert isinstance(getattr(gateway, "KEEPS_TIME", False), bool)
    assert getattr(gateway, "NEEDS_ADDRESS", False) is (gateway.__name__.rpartition(".")[2] not in LOCAL)


def test_it_tests_what_needs_no_server() -> None:
    recording = {"answers": read(['{"id": 1, "response": "Yes."}'])}
    assert probed(GATEWAYS["echo"], Target("echo")).answers
    assert (
        probed(GATEWAYS["recorded"], Target("m", extra=recording)).message == "The recording holds 1 answers."
    )
    assert not probed(GATEWAYS["recorded"], Target("m")).reachable
    assert not probed(GATEWAYS["transformers_local"], Target("no_such_package")).reachable
