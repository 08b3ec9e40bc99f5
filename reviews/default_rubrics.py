"""The rubrics that every portal begins with: criteria, and a sentence for each mark from 1 to 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Criterion(NamedTuple):
    """What a mark is for."""

    key: str
    label: str
    question: str
    anchors: tuple[str, str, str, str, str]


class Rubric(NamedTuple):
    """A rubric of one kind."""

    name: str
    reviewers: int
    criteria: tuple[Criterion, ...]


def _criterion(key: str, label: str, question: str, *anchors: str) -> Criterion:
    one, two, three, four, five = anchors
    return Criterion(key, label, question, (one, two, three, four, five))


_CCOP = (
    _criterion(
        "accuracy",
        "Accuracy",
        "Is it right, by the reference answer and by CCoP 2.0?",
        "The conclusion is wrong, or it rests on a requirement that CCoP 2.0 does not have.",
        "The conclusion is partly right, but at least one statement would mislead an auditor.",
        "The conclusion is right; there are small errors that do not change it.",
        "Everything that matters is right; at most a wording is loose.",
        "Every statement is right and would stand in an audit report as it is.",
    ),
    _criterion(
        "completeness",
        "Completeness",
        "Does it cover the key facts that an auditor expects?",
        "None of the key facts is there, or the question is not answered.",
        "Fewer than half of the key facts are there, or one that decides the matter is missing.",
        "The facts that decide the matter are there; others that an auditor expects are missing.",
        "Nearly all key facts are there; what is missing would not change the finding.",
        "All key facts are there, with the conditions and exceptions that apply.",
    ),
    _criterion(
        "practicality",
        "Practicality",
        "Could the owner of the system act on it as it stands?",
        "Nobody could act on it: it is generic, impossible or harmful in this environment.",
        "It names a direction, but not what to do, or it ignores the scenario's constraints.",
        "It can be acted on after somebody has worked out owners, order or evidence.",
        "It says what to do in this scenario, in order; small details are left open.",
        "The owner could begin today: actions, order, owner and evidence fit the scenario.",
    ),
    _criterion(
        "clarity",
        "Clarity",
        "Is it well ordered, precise and easy to follow?",
        "It cannot be followed, or it contradicts itself.",
        "It has to be read several times; the conclusion is hidden or the terms are mixed up.",
        "It can be followed with some effort; order or wording could be better.",
        "It is well ordered and precise, with a sentence or two too many.",
        "Conclusion first, then the reasoning; every sentence is needed and clear.",
    ),
)

_QUALITY = (
    _criterion(
        "relevance",
        "Relevance",
        "Does it answer the question that was asked?",
        "It does not deal with the question.",
        "It deals with the subject, not with what was asked.",
        "It answers the question among much that was not asked.",
        "It answers the question and strays once or twice.",
        "It answers exactly what was asked, and nothing else.",
    ),
    _criterion(
        "technical_correctness",
        "Technical correctness",
        "Is everything it says technically right?",
        "What it says is wrong, or following it would do harm.",
        "There is at least one serious technical error beside what is right.",
        "The substance is right; details are wrong or out of date.",
        "It is right throughout, with a detail that an expert would put otherwise.",
        "It is right throughout, in every detail that it gives.",
    ),
    _criterion(
        "clarity_and_structure",
        "Clarity and structure",
        "Is it clear and well ordered?",
        "It cannot be followed.",
        "Sentences can be understood one by one, but not what they add up to.",
        "It can be followed; the order or the terms get in the way here and there.",
        "It is clear and ordered; a small change would make it better.",
        "It is clear at first reading, and its structure helps.",
    ),
    _criterion(
        "non_repetitiveness",
        "Non-repetitiveness",
        "Does it say each thing once?",
        "It is mostly repetition, or it loops.",
        "Whole sentences or points come again and again.",
        "Some points are made twice.",
        "A phrase or two comes again where it need not.",
        "Each thing is said once.",
    ),
)

# The judge and the people who validate it are asked the same, so that the two can be compared.
RUBRICS: Mapping[str, Rubric] = {
    "rubric": Rubric("Tier 2 rubric", 2, _CCOP),
    "validation": Rubric("Tier 3 validation", 1, _CCOP),
    "quality": Rubric("Answer quality", 2, _QUALITY),
}
