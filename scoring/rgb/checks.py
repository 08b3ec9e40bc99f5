"""A row goes in; every problem that keeps it from being a case comes out, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.ordering import DIFFICULTIES
from scoring.rgb.abilities import ABILITIES, COUNTERFACTUAL, INTEGRATION, LANGUAGES, NOISE, REJECTION, ability
from scoring.rows import Problem

_ANSWER_SHAPE = "give a text, or a list of required answers where an inner list holds spellings of one answer"
_LONGEST_ID = 200


def problems(row: Mapping[str, Any]) -> list[Problem]:
    """List every problem of a row."""
    found = [*_identity(row), *_options(row)]
    tested = ability(row)
    if tested in ABILITIES:
        found += [*_answers(row, tested), *_documents(row, tested)]
    return found


def _identity(row: Mapping[str, Any]) -> Iterator[Problem]:
    key, query = row.get("id"), row.get("query")
    if isinstance(key, bool) or not isinstance(key, int | str):
        yield Problem("id", "is missing or no text: give a number or a text that is unique in the dataset.")
    elif not 0 < len(str(key).strip()) <= _LONGEST_ID:
        yield Problem("id", f"must have 1 to {_LONGEST_ID} characters.")
    if not _is_text(query):
        yield Problem("query", f"is missing or empty: give the question as text.{_hint(row)}")


def _hint(row: Mapping[str, Any]) -> str:
    if "test_id" in row:
        return " The row looks like a CCoP case: is this the right suite?"
    if "question" in row:
        return " The row has a question instead: rename it, or choose the suite it was written for."
    return ""


def _options(row: Mapping[str, Any]) -> Iterator[Problem]:
    if row.get("ability") and ability(row) not in ABILITIES:
        yield Problem("ability", f"must be one of {', '.join(ABILITIES)}, or be left out.")
    if row.get("language") and row["language"] not in LANGUAGES:
        yield Problem("language", f"must be {' or '.join(LANGUAGES)}, or be left out.")
    if row.get("difficulty") and str(row["difficulty"]).capitalize() not in DIFFICULTIES:
        yield Problem("difficulty", f"must be one of {', '.join(DIFFICULTIES)}, or be left out.")
    if row.get("topic") and not (_is_text(row["topic"]) and len(row["topic"]) <= 200):
        yield Problem("topic", "must be a text of at most 200 characters, or be left out.")


def _answers(row: Mapping[str, Any], tested: str) -> Iterator[Problem]:
    # A row of negative rejection needs no answer, since none is to be given.
    if tested != REJECTION or row.get("answer"):
        yield from _answer("answer", row.get("answer"))
    if tested == COUNTERFACTUAL:
        yield from _answer("fakeanswer", row.get("fakeanswer"))


def _answer(field: str, value: Any) -> Iterator[Problem]:
    if value is None or value in ("", []):
        yield Problem(field, f"is missing or empty: {_ANSWER_SHAPE}.")
    elif isinstance(value, int | float):
        yield Problem(field, f"is a number: put {value} in quotation marks.")
    elif not _is_text(value) and not (isinstance(value, list) and all(map(_is_required, value))):
        yield Problem(field, f"holds something else than text, or something empty: {_ANSWER_SHAPE}.")


def _is_required(item: Any) -> bool:
    return _is_text(item) or (isinstance(item, list) and bool(item) and all(map(_is_text, item)))


def _documents(row: Mapping[str, Any], tested: str) -> Iterator[Problem]:
    yield from _texts("negative", row.get("negative"), needed=tested == REJECTION)
    if tested == COUNTERFACTUAL:
        yield from _texts("positive_wrong", row.get("positive_wrong"), needed=True)
    if tested == INTEGRATION:
        yield from _parts(row.get("positive"))
    elif tested == NOISE:
        yield from _texts("positive", row.get("positive"), needed=True)
    elif row.get("positive"):
        yield from _texts("positive", row["positive"], needed=False)


def _texts(field: str, value: Any, *, needed: bool) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(field, "is missing or no list: give a list of documents, each a text.")
    elif needed and not value:
        yield Problem(field, "is empty: give at least one document.")
    elif not all(map(_is_text, value)):
        yield Problem(field, f"has documents that are empty or no text: {_numbers(value)}.")


def _parts(value: Any) -> Iterator[Problem]:
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(part, list) for part in value):
        yield Problem("positive", "must hold one list of documents for each of two or more sub-questions.")
        return
    for number, part in enumerate(value, 1):
        yield from _texts(f"positive, part {number}", part, needed=True)


def _numbers(value: Sequence[Any]) -> str:
    return ", ".join(str(number) for number, text in enumerate(value, 1) if not _is_text(text))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not value.isspace()
