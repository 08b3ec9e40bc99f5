"""The tables, in the order of the flow: rubrics, items, what people marked, and the record of decisions."""

from __future__ import annotations

from reviews.models.events import Event
from reviews.models.items import Assignment, CalibrationRound, Draw, Notice, Place, ReviewItem
from reviews.models.marks import Adjudication, AgreementReport, Mark, Review
from reviews.models.rubrics import Criterion, Rubric

__all__ = [
    "Adjudication",
    "AgreementReport",
    "Assignment",
    "CalibrationRound",
    "Criterion",
    "Draw",
    "Event",
    "Mark",
    "Notice",
    "Place",
    "Review",
    "ReviewItem",
    "Rubric",
]
