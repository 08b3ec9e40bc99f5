"""Whatever a server does wrong is told in a sentence, with what to do and whether to try again."""

from __future__ import annotations

import asyncio
import email.utils
import json
import socket
import time
from types import ModuleType
from typing import Any

import pytest

from benchmarks import mock_server
from scoring.gateway_contract import GatewayError, Prompt, Target
from scoring.wire import exchange
from scoring.wire.cleaning import LONGEST_ANSWER
from tests.gateways.conftest import Ask, put_to


@pytest.mark.parametrize(
    ("fault", "kind", "permanent"),
    [
        ("malformed", "bad_reply", False),
        ("html", "bad_reply", False),
        ("nested", "bad_reply", False),
        ("no_choices", "bad_reply", False),
        ("gzip", "bad_reply", True),
        ("cut", "connection", False),
        ("reset", "connection", False),
        ("redirect", "redirect", True),
        ("status=400", "refused", True),
        ("status=401", "unauthorised", True),
        ("status=402", "out_of_quota", True),
        ("status=403", "unauthorised", True),
        ("status=404", "wrong_address", True),
        ("status=408", "timeout", False),
        ("status=413", "too_long", True),
        ("status=422", "refused", True),
        ("status=429", "rate_limited", False),
        ("status=429 code=insufficient_quota", "out_of_quota", True),
        ("status=400 code=context_length_exceeded", "too_long", True),
        ("status=400 message=input_length_exceeds_the_context_length", "too_long", True),
        ("status=400 code=model_not_found", "unknown_model", True),
        ("status=404 message=The_model_x_does_not_exist.", "unknown_model", True),
        ("status=500", "server_error", False),
        ("status=501", "server_error", True),
        ("status=502", "server_error", False),
        ("status=503", "server_error", False),
        ("status=504", "timeout", False),
    ],
)
def test_it_tells_what_went_wrong_and_whether_to_try_again(
    ask: Ask, fault: str, kind: str, permanent: bool
) -> None:
    with pytest.raises(GatewayError) as caught:
        ask(f"[[{fault}]]")
    assert (caught.value.kind, caught.value.permanent) == (kind, permanent)
    assert str(caught.value).endswith((".", "?", "”"))


@pytest.mark.parametrize("fault", ["drip", "hang"])
def test_it_gives_up_when_the_whole_answer_takes_too_long(ask: Ask, fault: str) -> None:
    with pytest.raises(GatewayError, match=r"within 0\.5 seconds") as caught:
        ask(f"[[{fault}]]", timeout_seconds=0.5)
    assert (caught.value.kind, caught.value.permanent) == ("timeout", False)


def test_it_lets_go_of_the_server_when_cancelled(gateway: ModuleType) -> None:
    async def cancelled() -> int:
        async with mock_server.serving() as (url, mock):
            target = Target("mock-small", url)
            async with gateway.client(target) as client:
                prompt = Prompt([{"role": "user", "content": "[[hang]]"}])
                task = asyncio.create_task(gateway.ask(client, target, prompt))
                while not mock.in_flight:
                    await asyncio.sleep(0.01)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                while mock.in_flight:
                    await asyncio.sleep(0.01)
            return mock.broken_off

    assert asyncio.run(cancelled()) == 1


def test_it_honours_the_seconds_that_a_server_asks_for(ask: Ask) -> None:
    with pytest.raises(GatewayError) as caught:
        ask("[[status=429 retry_after=17]]")
    assert caught.value.retry_after == 17


def test_it_honours_the_moment_that_a_server_names(ask: Ask) -> None:
    moment = email.utils.formatdate(time.time() + 90, usegmt=True).replace(" ", "_")
    with pytest.raises(GatewayError) as caught:
        ask(f"[[status=503 retry_after={moment}]]")
    assert caught.value.retry_after == pytest.approx(90, abs=15)


@pytest.mark.parametrize("fault", ["empty", "null"])
def test_it_takes_an_empty_answer_for_an_answer(ask: Ask, fault: str) -> None:
    reply = ask(f"[[{fault}]]")
    assert (reply.content, reply.finish_reason) == ("", "stop")


@pytest.mark.parametrize(
    ("fault", "words"), [("nul", "NUL"), ("surrogate", "surrogate"), ("bad_utf8", "not valid UTF-8")]
)
def test_it_replaces_what_cannot_be_stored_and_says_so(ask: Ask, fault: str, words: str) -> None:
    reply = ask(f"[[{fault}]]")
    assert reply.content.startswith("before\ufffd")
    assert reply.content.endswith("after")
    assert words in reply.notes[0]
    reply.content.encode()


@pytest.mark.parametrize("megabytes", [3, 10])
def test_it_cuts_an_endless_answer_and_says_so(ask: Ask, megabytes: int) -> None:
    reply = ask(f"[[big={megabytes}]]")
    assert reply.truncated
    assert reply.content == ("word " * 200_000)[:LONGEST_ANSWER]
    assert any("cut at 1,000,000 characters" in note for note in reply.notes)


def test_it_does_not_read_on_for_ever(ask: Ask) -> None:
    reply = ask("[[big=30]]")
    assert "The reply was longer than 8 MB; the rest was not read." in reply.notes


@pytest.mark.parametrize("cut", range(1, 14))
def test_it_takes_the_text_out_of_an_object_cut_anywhere(cut: int) -> None:
    whole = json.dumps({"choices": [{"message": {"content": 'a "quoted" \u00e9\U0001f600'}}]})
    text = exchange._salvaged(whole[: whole.index('"}}]') - cut])
    assert text
    assert 'a "quoted" \u00e9\U0001f600'.startswith(text.rstrip("\ud83d"))


def test_it_leaves_out_scores_that_are_not_numbers(ask: Ask) -> None:
    reply = ask("[[nan]]", logprobs=True)
    assert reply.content
    assert reply.tokens is None
    assert "left out" in reply.notes[0]


def test_it_names_a_model_that_is_not_there(ask: Ask) -> None:
    with pytest.raises(GatewayError, match="no model “mock-huge”") as caught:
        ask("Hello.", model="mock-huge")
    assert caught.value.kind == "unknown_model"
    assert caught.value.of_endpoint


def test_it_says_when_nobody_listens(gateway: ModuleType) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(GatewayError, match="cannot be reached: is it running") as caught:
        put_to(gateway, f"http://127.0.0.1:{port}", "Hello?")
    assert (caught.value.kind, caught.value.permanent) == ("connection", False)


def test_it_says_when_a_name_is_not_known(gateway: ModuleType) -> None:
    with pytest.raises(GatewayError, match=r"the name nowhere\.invalid is not known") as caught:
        put_to(gateway, "http://nowhere.invalid", "Hello?")
    assert (caught.value.kind, caught.value.permanent) == ("connection", False)


def test_it_never_tells_the_key(gateway: ModuleType) -> None:
    target = Target("mock-small", key="sk-wrong-one")

    async def refused() -> GatewayError:
        async with mock_server.serving(key="sk-right-one") as (url, _):
            at = Target("mock-small", url, key=target.key)
            async with gateway.client(at) as client:
                with pytest.raises(GatewayError) as caught:
                    await gateway.ask(client, at, Prompt([{"role": "user", "content": "Hello."}]))
        return caught.value

    error = asyncio.run(refused())
    assert error.kind == "unauthorised"
    assert "Incorrect key: Bearer …" in str(error)
    assert "sk-wrong-one" not in str(error) + repr(error) + repr(target) + repr(error.__dict__)


def test_it_says_when_a_key_is_wanted(gateway: ModuleType) -> None:
    with mock_server.running("--key", "sk-right-one") as remote:
        assert put_to(gateway, remote.url, "Hello.", key="sk-right-one").content
        with pytest.raises(GatewayError, match="wants a key"):
            put_to(gateway, remote.url, "Hello.")


def test_it_refuses_a_key_that_no_header_can_carry(gateway: ModuleType) -> None:
    with pytest.raises(GatewayError, match="no header can carry") as caught:
        gateway.client(Target("m", "http://127.0.0.1", key="sk-\nHost: elsewhere"))
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("parameters", [{"stream": True}, {"temperature": float("nan")}, {"custom": {1, 2}}])
def test_it_refuses_parameters_that_make_no_sense(ask: Ask, parameters: dict[str, Any]) -> None:
    with pytest.raises(GatewayError) as caught:
        ask("Hello.", **parameters)
    assert caught.value.kind == "bad_parameters"
