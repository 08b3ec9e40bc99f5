"""The record: who decided what, when and why."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from reviews import events
from reviews.models import Event
from scoring import blindness, csv_cells, paging
from scoring.models import Response


@roles.only(Role.ADMIN)
@require_GET
def event_list(request: Request) -> HttpResponse:
    """List decisions, the newest first, by person, run and kind."""
    page = paging.newest_first(_chosen(request).select_related("who"), request.GET)
    context = {
        "page": page,
        "rows": [(event, _plain(event.before), _plain(event.after)) for event in page.rows],
        "people": get_user_model().objects.all(),
        "verbs": list(events.Verb),
        "chosen": request.GET,
    }
    return render(request, "reviews/event_list.html", context)


@roles.only(Role.ADMIN)
@require_GET
def event_export(request: Request) -> HttpResponseBase:
    """Give the decisions as CSV."""
    rows = _lines(_chosen(request).select_related("who").order_by("pk"))
    response = StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="decisions.csv"'
    return response


@require_GET
def decision_chain(request: Request, pk: int) -> HttpResponse:
    """Show all that was decided on one answer, oldest first."""
    response = get_object_or_404(Response.objects.select_related("run", "case"), pk=pk)
    shown = blindness.may_see(request.user, response.run)
    found = events.chain(response) if shown else Event.objects.none()
    template = "reviews/_decision_chain.html" if request.htmx else "reviews/decision_chain.html"
    return render(request, template, {"response": response, "events": found})


def _chosen(request: Request) -> QuerySet[Event]:
    found = Event.objects.all()
    for name, field in {"who": "who", "run": "run"}.items():
        value = request.GET.get(name, "")
        if value.isdecimal() and len(value) < 18:
            found = found.filter(**{field: int(value)})
    verb = request.GET.get("verb", "")
    return found.filter(verb=verb) if verb else found


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ""


class _Echo:
    def write(self, value: str) -> str:
        return value


def _lines(found: QuerySet[Event]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    names = (
        "at",
        "who",
        "verb",
        "run",
        "response",
        "item",
        "before",
        "after",
        "why",
        "rubric_version",
        "judge_version",
    )
    yield writer.writerow(names)
    for event in found.iterator(chunk_size=1000):
        cells: list[Any] = [getattr(event, name) for name in names]
        cells = [_plain(cell) if isinstance(cell, dict) else cell for cell in cells]
        yield writer.writerow([csv_cells.harmless(cell) for cell in cells])
