"""Citation accuracy.

Whether the response cites the clauses that its case rests on. It is off unless a case asks for it, because
the CCoP 2.0 baseline methodology leaves citing to retrieval and scores reasoning.

Formula: expected clauses cited / expected clauses. They are `expected_citations` of the case's evaluation
criteria, or else the numbers in its clause reference. Citing a clause below an expected heading counts
("5.1.3" for "5.1"), citing only the heading above does not.

None: the case names no clause.

Weaknesses: a clause that is cited for the wrong reason counts. Further clauses are shown and not
penalised; those that do not exist are for grounding.

>>> measure(EXAMPLE).value
0.5
"""

from __future__ import annotations

import re

from scoring.ccop import code, criteria
from scoring.ccop.references import Reference, references
from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample, Span

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "none or few"), Band(0.5, "half or more"), Band(1.0, "all"))
INPUTS = ("response", "clause_reference")
EXAMPLE = Sample("See Clause 5.1.3 of CCoP 2.0.", clause_reference="Clauses 5.1.3 and 5.2.1")

_NUMBER = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,3}){0,3}")
_SHOWN = 50


def measure(sample: Sample) -> Measurement:
    """Count the expected clauses that the response cites."""
    expected = _expected(sample)
    if not expected:
        return Measurement(None, "The case names no clause to cite.")
    if lexical.view(sample.response).blank:
        return lexical.BLANK
    cited = [reference for reference in references(sample.response) if reference.standing == "exists"]
    numbers = list(dict.fromkeys(reference.number for reference in cited))
    found = [wanted for wanted in expected if any(_answers(number, wanted) for number in numbers)]
    missing = [wanted for wanted in expected if wanted not in found]
    other = [number for number in numbers if not any(_answers(number, wanted) for wanted in expected)]
    left = f"; missing: {', '.join(missing)}" if missing else ""
    return Measurement(
        len(found) / len(expected),
        f"{len(found)} of {len(expected)} expected clauses are cited{left}.",
        {"found": found, "missing": missing, "other": other[:_SHOWN]},
        _spans(sample.response, cited[:_SHOWN], expected),
    )


def _expected(sample: Sample) -> list[str]:
    given = criteria.strings(sample.evaluation_criteria, criteria.CITATIONS) or [
        sample.clause_reference or ""
    ]
    # The version of the Code is not one of its clauses.
    texts = [re.sub(r"(?i)ccop\s*v?2(?:\.0)?", "", text) for text in given]
    return list(dict.fromkeys(code.number(number) for text in texts for number in _NUMBER.findall(text)))


def _answers(number: str, wanted: str) -> bool:
    return number == wanted or number.startswith(f"{wanted}.")


def _spans(response: str, cited: list[Reference], expected: list[str]) -> list[Span]:
    shown, spans = lexical.view(response), []
    for reference in cited:
        place = shown.span(reference.start, reference.end)
        if any(_answers(reference.number, wanted) for wanted in expected):
            spans.append(Span(*place, "good", f"{reference.number}: expected"))
        else:
            spans.append(Span(*place, "note", f"{reference.number}: not asked for"))
    return spans
