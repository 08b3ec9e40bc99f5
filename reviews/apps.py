"""Reviews as a Django app: the judge marks by the rubrics that are kept here."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """Make the keeper of the rubrics known to whoever starts a run."""

    name = "reviews"

    def ready(self) -> None:
        import_module("scoring.judge_rubrics").keep(import_module("reviews.rubrics").use_for_judge)
