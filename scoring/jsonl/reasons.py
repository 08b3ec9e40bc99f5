"""The text of a line that cannot be taken goes in; every reason comes out, with the field it is about."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from scoring.rows import Problem

DEEPEST = 50
LARGEST = 2**53  # up to here every program and every database keeps a number exactly

_UNPAIRED = re.compile("[\ud800-\udfff]")
_HINTS = {
    "'": "names and texts stand in double quotation marks",
    "N": "write null for nothing",
    "T": "write true in small letters",
    "F": "write false in small letters",
}
_KINDS = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


class ObjectError(ValueError):
    """A line that is no JSON object that everyone reads the same way.

    `at_end` says that the text stopped before the object did.
    """

    def __init__(self, *problems: Problem, at_end: bool = False) -> None:
        super().__init__("; ".join(reason for _, reason in problems))
        self.problems = problems
        self.at_end = at_end


def explain(text: str) -> None:
    """Raise ObjectError with all that is wrong with a line, if anything is."""
    try:
        found = _lenient(text)
    except json.JSONDecodeError as error:
        raise _invalid(error) from None
    except RecursionError:
        raise _nested() from None
    if not isinstance(found, dict):
        raise ObjectError(Problem("", f"is {_KINDS.get(type(found), 'null')}, not a JSON object."))
    if too_deep(text, found):
        raise _nested()
    if problems := list(_odd_values(found)):
        raise ObjectError(*problems)


def too_deep(text: str, found: Any) -> bool:
    """Measure the depth level by level, without recursion; few brackets cannot be deep."""
    if text.count("{") + text.count("[") <= DEEPEST:
        return False
    level, depth = [found], 0
    while level and depth <= DEEPEST:
        level = [inner for value in level for inner in _inside(value)]
        depth += 1
    return depth > DEEPEST


def shown(text: str, most: int = 80) -> str:
    """Make a stretch of someone's text safe to show and to store: short, printable, whole characters."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)


class _Odd:
    """Stands where a value was that cannot be kept, and says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class _Repeated(dict[str, Any]):
    """An object in which names occur more than once."""

    names: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = _Repeated(pairs)
    found.names = tuple(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
    return found


def _integer(digits: str) -> Any:
    return int(digits) if len(digits) <= 17 and abs(int(digits)) <= LARGEST else _out_of_range(digits)


def _decimal(digits: str) -> Any:
    value = float(digits)
    return value + 0.0 if abs(value) <= LARGEST else _out_of_range(digits)


def _out_of_range(digits: str) -> _Odd:
    return _Odd(
        f"the number {shown(digits, 30)} is out of range: the largest is {LARGEST:,}. "
        "Put it in quotation marks to keep it as text."
    )


def _constant(name: str) -> _Odd:
    return _Odd(f"{name} is not JSON: leave the field out, or write null.")


_lenient = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_decimal, parse_constant=_constant
).decode


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _odd_values(value: Any, path: str = "") -> Iterator[Problem]:
    """Find what is odd at any depth, each with the path of its field."""
    if isinstance(value, _Odd):
        yield Problem(path, value.reason)
    elif isinstance(value, str):
        yield from (Problem(path, reason) for reason in _odd_text(value))
    elif isinstance(value, _Repeated):
        yield from _odd_names(value, path)
        for name, inner in value.items():
            yield from _odd_values(inner, _inner(path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _odd_values(inner, f"{path}[{number}]")


def _odd_names(value: _Repeated, path: str) -> Iterator[Problem]:
    for name in value.names:
        yield Problem(_inner(path, name), "occurs more than once in its object.")
    for name in value:
        yield from (Problem(path, f"the name {shown(name)!r} {reason}") for reason in _odd_text(name))


def _inner(path: str, name: str) -> str:
    return f"{path}.{shown(name)}" if path else shown(name)


def _odd_text(text: str) -> Iterator[str]:
    if "\0" in text:
        yield f"holds a NUL character (\\u0000) at position {text.index(chr(0)) + 1:,}: take it away."
    if unpaired := _UNPAIRED.search(text):
        code, place = ord(unpaired.group()), unpaired.start() + 1
        yield f"holds half a character (a lone surrogate, \\u{code:04x}) at position {place:,}: take it away."


def _nested() -> ObjectError:
    return ObjectError(Problem("", f"is nested more than {DEEPEST} levels deep."))


def _invalid(error: json.JSONDecodeError) -> ObjectError:
    """Say in plain words what the parser stumbled over, and where."""
    at_end = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    reason = "the line ends before the object does" if at_end else _stumble(error)
    return ObjectError(Problem("", f"is not valid JSON: {reason}."), at_end=at_end)


def _stumble(error: json.JSONDecodeError) -> str:
    text, char, column = error.doc, error.doc[error.pos], f"column {error.pos + 1:,}"
    if error.msg.startswith("Extra data"):
        return f"something follows the end of the value at {column}: start a new line there"
    if error.msg.startswith("Invalid control"):
        return f"a tab or another control character stands inside a text at {column}: write a tab as \\t"
    if error.msg.startswith("Invalid \\"):
        return f"a backslash at {column} starts no known escape: write \\\\ for a backslash"
    if char in "}]" and text[: error.pos].rstrip().endswith(","):
        return f"a comma stands before the closing bracket at {column}: take it away"
    hint = _HINTS.get(char, error.msg[0].lower() + error.msg[1:])
    return f"unexpected {shown(char)!r} at {column} ({hint})"
