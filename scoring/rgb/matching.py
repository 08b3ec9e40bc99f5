"""A response and RGB's answers go in; whether they match, at which step and on which words comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from scoring.rgb.rejection import is_rejection
from scoring.rgb.rules import Rule, checked, comparable, is_chinese, without_spaces

Answers = str | Sequence[str | Sequence[str]]

Step = Literal["nothing to compare", "exact match", "containment", "part of the answer", "token overlap"]

OVERLAP = 0.8


class Comparison(NamedTuple):
    """How one spelling fared: the step that decided, and the words that overlap or are missing."""

    spelling: str
    correct: bool
    step: Step
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    share: float | None = None


class Match(NamedTuple):
    """The verdict on a response, with the best spelling of each answer that is required."""

    correct: bool
    items: tuple[Comparison, ...]
    refused: bool = False


def normalize_answer(answer: str, *, literal: bool = False) -> str:
    """Lower the case, drop the punctuation at the very end, and collapse white space.

    >>> normalize_answer("The capital is  Paris!!!")
    'the capital is paris'
    >>> normalize_answer("It’s Paris."), normalize_answer("It’s Paris.", literal=True)
    ("it's paris", 'it’s paris')
    """
    # A regular expression for the run at the end would be quadratic in a long run elsewhere.
    trimmed = comparable(answer, "answer", literal=literal).strip().rstrip(".!?,;:")
    return " ".join(trimmed.split())


def is_correct(
    response: str,
    ground_truth: Answers,
    strict: bool = False,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> bool:
    """Say whether the response gives every required answer, in any of its spellings.

    >>> is_correct("The capital of France is Paris.", "Paris")
    True
    >>> is_correct("It began on 12 May 2017.", [["12 May 2017", "May 12, 2017"], "Spain"])
    False
    """
    return match(response, ground_truth, strict, literal=literal, rule=rule).correct


def match(
    response: str,
    ground_truth: Answers,
    strict: bool = False,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> Match:
    """Judge a response as `is_correct` does, and keep what decided.

    >>> item = match("TCP and UDP", "TCP, UDP").items[0]
    >>> item.step, item.matched, item.missing, item.share
    ('token overlap', ('udp',), ('tcp,',), 0.5)
    """
    answers = required(ground_truth)
    if checked(rule) == "paper":
        return _contained(response, answers, literal=literal)
    normal = normalize_answer(_text(response, "response"), literal=literal)
    items = tuple(
        _best([_compare(normal, s, strict, literal=literal) for s in spellings]) for spellings in answers
    )
    return Match(bool(items) and all(item.correct for item in items), items)


def required(answers: Answers, field: str = "ground_truth") -> tuple[tuple[str, ...], ...]:
    """List the answers that are all required, each as its interchangeable spellings.

    >>> required([["12 May 2017", "May 12, 2017"], "Spain"])
    (('12 May 2017', 'May 12, 2017'), ('Spain',))
    """
    if isinstance(answers, str):
        return ((answers,),)
    if not isinstance(answers, Sequence):
        raise TypeError(f"{field} must be text or a list, not {type(answers).__name__}.")
    return tuple(_spellings(item, field) for item in answers)


def _spellings(item: str | Sequence[str], field: str) -> tuple[str, ...]:
    if isinstance(item, str):
        return (item,)
    if not isinstance(item, Sequence):
        raise TypeError(f"{field} must hold text or lists of text, not {type(item).__name__}.")
    return tuple(_text(spelling, field) for spelling in item)


def _text(value: str, field: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{field} must be text, not {type(value).__name__}.")
    return value


def _compare(response: str, spelling: str, strict: bool, *, literal: bool) -> Comparison:
    truth = normalize_answer(spelling, literal=literal)
    if not response or not truth:
        return Comparison(spelling, False, "nothing to compare")
    if strict:
        return Comparison(spelling, response == truth, "exact match")
    if truth in response:
        return Comparison(spelling, True, "containment")
    if len(response) < len(truth) and response in truth:
        return Comparison(spelling, True, "part of the answer")
    return _overlap(response, spelling, truth)


def _overlap(response: str, spelling: str, truth: str) -> Comparison:
    wanted, given = dict.fromkeys(truth.split()), set(response.split())
    matched = tuple(token for token in wanted if token in given)
    missing = tuple(token for token in wanted if token not in given)
    share = len(matched) / len(wanted)
    return Comparison(spelling, share >= OVERLAP, "token overlap", matched, missing, share)


def _best(comparisons: Sequence[Comparison]) -> Comparison:
    """Take the first correct spelling, else the one with the largest overlap."""
    if not comparisons:
        return Comparison("", False, "nothing to compare")
    return max(comparisons, key=lambda comparison: (comparison.correct, comparison.share or 0.0))


def _contained(response: str, answers: Sequence[Sequence[str]], *, literal: bool) -> Match:
    text = comparable(response, "response", literal=literal)
    items = tuple(
        _best([_find(text, spelling, literal=literal) for spelling in spellings]) for spellings in answers
    )
    refused = is_rejection(response, literal=literal, rule="paper")
    return Match(bool(items) and all(item.correct for item in items) and not refused, items, refused)


def _find(text: str, spelling: str, *, literal: bool) -> Comparison:
    truth = comparable(spelling, "ground_truth", literal=literal)
    if is_chinese(truth):
        text, truth = without_spaces(text), without_spaces(truth)
    return Comparison(spelling, bool(truth) and truth in text, "containment")
