"""A request's path and body go in; what a model server would answer to it comes out, always the same."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

VOCABULARY = 1000
_PROSE = (
    "the control applies to this system because its owner must review access logs and report an incident "
    "within the time that the code requires while the vendor keeps evidence of each patch and every risk "
    "is rated by likelihood and impact before the auditor accepts a plan that names who acts by when"
)
_WORDS = _PROSE.split()


def prompt_of(path: str, body: Mapping[str, Any]) -> str:
    """Put the text of a prompt together, whichever interface it came by."""
    if path in {"/v1/chat/completions", "/api/chat"}:
        return "\n".join(str(message.get("content", "")) for message in body.get("messages", ()))
    return str(body.get("prompt", ""))


def answer(path: str, body: Mapping[str, Any], prompt: str, words: int) -> dict[str, Any]:
    """Answer in the shape of the interface that was asked."""
    schema = _schema(body)
    text = json.dumps(_instance(schema)) if schema is not None else _prose(prompt, words)
    tokens = text.split(" ")
    shape = {
        "/v1/chat/completions": _openai_chat,
        "/v1/completions": _openai_completion,
        "/api/chat": _ollama,
        "/api/generate": _ollama,
    }[path]
    return shape(body, text, tokens, len(prompt.split()))


def _schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if isinstance(body.get("format"), dict):
        return dict(body["format"])
    wanted = body.get("response_format") or {}
    return wanted.get("json_schema", {}).get("schema") if wanted.get("type") == "json_schema" else None


def _instance(schema: Mapping[str, Any]) -> Any:
    """Make the plainest value that a schema allows: enough for a judge's verdict."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: _instance(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [_instance(schema.get("items", {"type": "string"}))] * int(schema.get("minItems", 0))
    high = schema.get("maximum")
    return {
        "integer": 4 if high is None else min(4, int(high)),
        "number": 0.9 if high is None else min(0.9, float(high)),
        "boolean": True,
        "string": "As the mock sees it.",
    }.get(kind)


def _prose(prompt: str, words: int) -> str:
    start = zlib.crc32(prompt.encode("utf-8", "replace"))
    return " ".join(_WORDS[(start + number * 7) % len(_WORDS)] for number in range(words)).capitalize() + "."


def _openai_chat(body: Mapping[str, Any], text: str, tokens: list[str], asked: int) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
        "logprobs": None,
    }
    if body.get("logprobs"):
        choice["logprobs"] = {"content": _logprobs(tokens, int(body.get("top_logprobs", 0)))}
    return _openai(body, "chat.completion", choice, asked, len(tokens))


def _openai_completion(body: Mapping[str, Any], text: str, tokens: list[str], asked: int) -> dict[str, Any]:
    choice: dict[str, Any] = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}
    if body.get("logprobs") is not None:
        listed = _logprobs(tokens, int(body["logprobs"]))
        choice["logprobs"] = {
            "tokens": tokens,
            "token_logprobs": [entry["logprob"] for entry in listed],
            "top_logprobs": [{t["token"]: t["logprob"] for t in entry["top_logprobs"]} for entry in listed],
        }
    return _openai(body, "text_completion", choice, asked, len(tokens))


def _openai(
    body: Mapping[str, Any], kind: str, choice: dict[str, Any], asked: int, said: int
) -> dict[str, Any]:
    return {
        "id": "mock-1",
        "object": kind,
        "created": 0,
        "model": body.get("model"),
        "choices": [choice],
        "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
    }


def _ollama(body: Mapping[str, Any], text: str, tokens: list[str], asked: int) -> dict[str, Any]:
    content = (
        {"message": {"role": "assistant", "content": text}} if "messages" in body else {"response": text}
    )
    logprobs = {"logprobs": _logprobs(tokens, body.get("top_logprobs", 0))} if body.get("logprobs") else {}
    return {
        "model": body.get("model"),
        "created_at": "2026-01-01T00:00:00Z",
        **content,
        **logprobs,
        "done": True,
        "done_reason": "stop",
        "total_duration": 5_000_000,
        "load_duration": 1_000_000,
        "prompt_eval_count": asked,
        "prompt_eval_duration": 1_000_000,
        "eval_count": len(tokens),
        "eval_duration": 3_000_000,
    }


def _logprobs(tokens: list[str], top: int) -> list[dict[str, Any]]:
    """Give each token half of the probability, the next one half of what is left, and so on."""
    return [
        {
            "token": token,
            "logprob": math.log(0.5),
            "top_logprobs": [
                {"token": token if rank == 1 else f"other {rank}", "logprob": -rank * math.log(2)}
                for rank in range(1, top + 1)
            ],
        }
        for token in tokens
    ]
