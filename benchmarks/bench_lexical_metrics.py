"""Responses to CCoP cases go in; how many of them one core scores in a second comes out.

They have 300 words each, and their cases 6 key facts and 3 forbidden claims; then single ones grow long.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.table import Row, print_table
from scoring import registry
from scoring.suites import ccop

RESPONSES = 50
ROUNDS = 100
LEAST = 5_000
LENGTHS = (10_000, 100_000, 1_000_000)

_METRICS = registry.plugins("scoring.metrics")
_BENCHMARK = ccop.BENCHMARKS["B2"]
_WHO = (
    "The CIIO",
    "The operator",
    "The vendor",
    "The security team",
    "The board",
    "An auditor",
    "The system owner",
)
_DOES = (
    "reviews",
    "documents",
    "approves",
    "tests",
    "monitors",
    "protects",
    "restores",
    "reports",
    "verifies",
    "records",
)
_WHAT = (
    "privileged accounts", "remote connections", "backup media", "network segments", "audit findings",
    "firewall rules", "patch levels", "access rights", "incident reports", "cryptographic keys",
    "field controllers", "removable media",
)  # fmt: skip
_WHEN = ("at least annually", "every quarter", "before each change", "without delay", "within 24 hours")
_FRAMES = (
    "{who} {does} {what} {when}.",
    "Under Clause {clause}, {who} {does} {what} {when}, and keeps evidence of it.",
    "This depends on the implemented controls, because {who} {does} {what} only {when}.",
    "However, the scenario doesn't say whether {who} {does} {what}; a risk assessment would show it.",
    "- **Gap:** nobody {does} {what} {when}, although the Code asks for it.",
)
_CLAUSES = ("5.1.3", "5.2.1", "5.7.2", "6.1.4", "3.2.2", "7.1.1", "8.1.5", "10.2.4")


def measure() -> list[Row]:
    """Score known and new cases, few metrics and all, short responses and long ones."""
    rng = random.Random(20)
    usual = [_case(rng, asks={}) for _ in range(RESPONSES)]
    every = [_case(rng, asks=_asks(rng)) for _ in range(RESPONSES)]
    answers = [_response(rng, 300) for _ in range(RESPONSES)]
    known = _rate(usual, answers)
    return [
        Row("lexical metrics of 300 words", _told(known), f">= {LEAST:,}/s", known >= LEAST),
        Row("… to a case never seen before", _told(_rate(usual, answers, known=False)), "", None),
        Row("… with every optional metric", _told(_rate(every, answers)), "", None),
        *_length_rows(usual[0], rng),
    ]


def _length_rows(case: Mapping[str, Any], rng: random.Random) -> list[Row]:
    """See that a character costs no more in a long response than in a short one."""
    each = []
    for length in LENGTHS:
        response = _response(rng, length // 6)[:length]
        each.append(1e9 * _seconds([case], [response], known=True, rounds=5) / length)
    return [
        Row(
            f"… of {length:,} characters",
            f"{cost:.0f} ns a character",
            "" if cost is each[0] else "the same, + 50 %",
            None if cost is each[0] else cost <= 1.5 * each[0],
        )
        for length, cost in zip(LENGTHS, each, strict=True)
    ]


def _rate(cases: Sequence[Mapping[str, Any]], answers: Sequence[str], *, known: bool = True) -> float:
    return len(cases) / _seconds(cases, answers, known=known)


def _told(rate: float) -> str:
    return f"{rate:,.0f} responses/s"


def _seconds(
    cases: Sequence[Mapping[str, Any]], answers: Sequence[str], *, known: bool, rounds: int = ROUNDS
) -> float:
    """Time the best of many short rounds: what the code takes, not what else the machine is doing.

    Responses, and cases that are not known, are new in each round, so that no cache has met them.
    """
    best = float("inf")
    for number in range(rounds):
        asked = cases if known else [_renamed(case, number) for case in cases]
        texts = [f"{number} {answer}" for answer in answers]
        begun = time.process_time()
        for case, text in zip(asked, texts, strict=True):
            _score(case, text)
        best = min(best, time.process_time() - begun)
    return best


def _score(fields: Mapping[str, Any], response: str) -> float | None:
    sample = ccop.sample(fields, response)
    plan = ccop.plan(fields, _BENCHMARK)
    return ccop.overall({name: _METRICS[name].measure(sample).value for name in plan}, plan)


def _renamed(case: Mapping[str, Any], number: int) -> dict[str, Any]:
    texts = {key: [f"{number} {text}" for text in case[key]] for key in ("key_facts", "forbidden_claims")}
    return {**case, **texts, "expected_response": f"{number} {case['expected_response']}"}


def _case(rng: random.Random, asks: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "test_id": f"B2-{rng.randrange(1000):03}",
        "benchmark_type": "B2",
        "difficulty": "High",
        "question": f"Is this setup compliant with CCoP 2.0? {_response(rng, 60)}",
        "expected_response": f"Non-compliant. {_response(rng, 80)}",
        "expected_label": "Non-Compliant",
        "evaluation_criteria": {"strategy": "label", **asks},
        "key_facts": [_sentence(rng, _FRAMES[0]) for _ in range(6)],
        "forbidden_claims": [
            _sentence(rng, "CCoP requires that {who} {does} {what} {when}") for _ in range(3)
        ],
        "clause_reference": rng.choice(_CLAUSES),
    }


def _asks(rng: random.Random) -> dict[str, Any]:
    return {
        "terms": ["CIIO", "digital boundary", "security baseline"],
        "expected_violations": [_sentence(rng, "nobody {does} {what}") for _ in range(3)],
        "expected_classification": "High",
        "citation_accuracy": True,
    }


def _response(rng: random.Random, words: int) -> str:
    """Write about so many words that read like an answer, with a label at the start."""
    lines = ["The setup is not compliant with CCoP 2.0."]
    count = 8
    while count < words:
        lines.append(_sentence(rng, rng.choice(_FRAMES)))
        count += len(lines[-1].split())
    return "\n".join(" ".join(lines[at : at + 4]) for at in range(0, len(lines), 4))


def _sentence(rng: random.Random, frame: str) -> str:
    parts = {"who": _WHO, "does": _DOES, "what": _WHAT, "when": _WHEN}
    chosen = {name: rng.choice(choices) for name, choices in parts.items()}
    return frame.format(clause=rng.choice(_CLAUSES), **chosen)


if __name__ == "__main__":
    print_table(measure())
