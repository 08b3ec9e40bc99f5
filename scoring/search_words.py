"""What somebody types goes in; the query that finds cases by their words, ids and beginnings comes out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.contrib.postgres.search import SearchQuery, SearchQueryCombinable
from django.db.models import Q

LONGEST = 200
# Characters of scripts that set no spaces between words: any stretch of such a text may be looked for.
UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)

# The last word, which may be unfinished; a number such as 5.1 is one word.
_LAST = re.compile(r"(.*?)([^\W_]+(?:\.[^\W_]+)*)", re.DOTALL)
_SHORTEST_BEGINNING = 2
_RUN = re.compile(f"{UNSPACED}+")


def clean(text: str) -> str:
    """Take away what no search needs, and what is too long to be one."""
    return text[:LONGEST].strip()


def is_unspaced(text: str) -> bool:
    """Say whether a text is in a script that sets no spaces between words."""
    return _RUN.search(text) is not None


def words(text: str) -> SearchQueryCombinable:
    """Find words, "phrases" and -exclusions; the last word and an id may be mere beginnings.

    Words are looked for by their stems, beginnings among the words as they are written.
    """
    # Of an id, only those letters are made small that the database makes small where it writes ids down.
    key = _Exactly(f"{_quoted(text.encode().lower().decode())}:*")
    query = SearchQuery(text, config="english", search_type="websearch") | key
    before, last = _unfinished(text)
    if not last:
        return query
    beginning = SearchQuery(f"'{last}':*", config="simple", search_type="raw")
    if not before.strip():
        return query | beginning
    return query | (SearchQuery(before, config="english", search_type="websearch") & beginning)


def pairs(text: str) -> SearchQueryCombinable:
    """Find what has all the pairs of characters that a text without spaces has; then look at `stretches`."""
    return _Exactly(" & ".join(_pairs(text)))


def stretches(text: str) -> Q:
    """Find every stretch of a text anywhere in a question or in what goes with it."""
    found = Q()
    for stretch in text.split():
        found &= Q(question__icontains=stretch) | Q(text__icontains=stretch) | Q(key__icontains=stretch)
    return found


def _unfinished(text: str) -> tuple[str, str]:
    """Part a text before its last word, unless that is excluded, in a phrase, or too short to begin with."""
    found = _LAST.fullmatch(text.rstrip(".,;:!?"))
    if not found or len(found[2]) < _SHORTEST_BEGINNING or text.count('"') % 2:
        return text, ""
    before, last = found[1], found[2]
    return (text, "") if before[-2:].strip() == "-" else (before, last)


def _pairs(text: str) -> Iterator[str]:
    """Give two neighbours at a time; of one that stands alone, all pairs that begin with it."""
    for run in _RUN.findall(text):
        if len(run) == 1:
            yield f"{_quoted(run)}:*"
        yield from (_quoted(run[at : at + 2]) for at in range(len(run) - 1))


def _quoted(word: str) -> str:
    return "'{}'".format(word.replace("\\", "\\\\").replace("'", "''"))


class _Exactly(SearchQuery):
    """A query for words that are taken as they are, in PostgreSQL's own notation."""

    template = "%(expressions)s::tsquery"
