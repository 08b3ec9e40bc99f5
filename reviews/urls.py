"""Paths of queues, rubrics, agreement and adjudication go in, views come out."""

from __future__ import annotations

app_name = "reviews"

urlpatterns: list[object] = []
