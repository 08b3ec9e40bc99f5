"""A response, the right answer and the planted one go in; detection and correction come out."""

from __future__ import annotations

from typing import NamedTuple

from scoring.rgb.matching import Answers, Match, match, normalize_answer, required
from scoring.rgb.rules import Hit, Rule, checked, comparable, first_hit, without_spaces

ERROR_DETECTION_KEYWORDS = (
    "incorrect",
    "wrong",
    "false",
    "error",
    "mistake",
    "inaccurate",
    "not true",
    "not correct",
    "factually incorrect",
    "contradicts",
    "actually",
    "in fact",
    "however",
    "but actually",
    "the correct answer",
    "should be",
)
CHINESE_DETECTION = ("事实性错误",)
PAPER_DETECTION = ("factual errors", *CHINESE_DETECTION)


class Correction(NamedTuple):
    """The verdict on a correction: how the right answer fared, and the planted answer repeated instead."""

    corrected: bool
    match: Match
    repeated: str | None = None


def detects_error(
    response: str,
    counterfactual_answer: Answers | None = None,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> bool:
    """Say whether the response notices that the documents are wrong.

    >>> detects_error("The documents state London, but that is incorrect.", "London")
    True
    >>> detects_error("According to the documents, the capital is London.", "London")
    False
    """
    return find_detection(response, counterfactual_answer, literal=literal, rule=rule) is not None


def find_detection(
    response: str,
    counterfactual_answer: Answers | None = None,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> Hit | None:
    """Find the keyword, or the denial of the planted answer, that makes the response a detection.

    >>> find_detection("It is not London.", "London")
    Hit(keyword='not london', source='denial of the planted answer')
    """
    text = comparable(response, "response", literal=literal)
    if checked(rule) == "paper":
        return first_hit(text, PAPER_DETECTION, "paper's phrase") or _find_chinese(text)
    hit = first_hit(text, ERROR_DETECTION_KEYWORDS, "keyword")
    if hit is None and counterfactual_answer:
        hit = first_hit(
            text, _denials(counterfactual_answer, literal=literal), "denial of the planted answer"
        )
    return hit if hit or literal else _find_chinese(text)


def corrects_error(
    response: str,
    correct_answer: Answers,
    counterfactual_answer: Answers | None = None,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> bool:
    """Say whether the response gives the right answer and does not merely repeat the planted one.

    Detection is not required: a model that silently answers right has corrected the documents.

    >>> corrects_error("The documents say London; the capital is Paris.", "Paris", "London")
    True
    """
    return correction(response, correct_answer, counterfactual_answer, literal=literal, rule=rule).corrected


def correction(
    response: str,
    correct_answer: Answers,
    counterfactual_answer: Answers | None = None,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> Correction:
    """Judge a response as `corrects_error` does, and keep what decided.

    The right words may overlap by 80 % while only the planted answer stands there in full:

    >>> correction("port 443 on the server over TCP, not 80", "port 80 on the server over TCP",
    ...            "port 443 on the server over TCP").repeated
    'port 443 on the server over TCP'
    """
    matched = match(response, correct_answer, literal=literal, rule=rule)
    if not matched.correct or rule == "paper" or not counterfactual_answer:
        return Correction(matched.correct, matched)
    repeated = _repeated(response, correct_answer, counterfactual_answer, literal=literal)
    return Correction(repeated is None, matched, repeated)


def _denials(counterfactual_answer: Answers, *, literal: bool) -> list[str]:
    spellings = (spelling for item in _planted(counterfactual_answer) for spelling in item)
    planted = [comparable(spelling, "counterfactual_answer", literal=literal) for spelling in spellings]
    return [denial for fake in planted if fake for denial in (f"not {fake}", f"{fake} is wrong")]


def _planted(counterfactual_answer: Answers) -> tuple[tuple[str, ...], ...]:
    return required(counterfactual_answer, "counterfactual_answer")


def _repeated(
    response: str, correct_answer: Answers, counterfactual_answer: Answers, *, literal: bool
) -> str | None:
    """Find the planted answer in a response that nowhere holds the right one word for word."""
    text = normalize_answer(response, literal=literal)
    if all(_found(text, item, literal=literal) is not None for item in required(correct_answer)):
        return None
    repeated = (_found(text, item, literal=literal) for item in _planted(counterfactual_answer))
    return next((spelling for spelling in repeated if spelling is not None), None)


def _found(text: str, spellings: tuple[str, ...], *, literal: bool) -> str | None:
    return next(
        (spelling for spelling in spellings if normalize_answer(spelling, literal=literal) in text), None
    )


def _find_chinese(text: str) -> Hit | None:
    return first_hit(without_spaces(text), CHINESE_DETECTION, "paper's phrase")
