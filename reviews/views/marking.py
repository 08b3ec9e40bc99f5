"""Marking: the queue, one answer at a time, blind, and nothing that was typed is lost."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from reviews import agreement, assignments, drafts, notices, prepared, rubrics, submissions, validation
from reviews.items import GoneError, NotYoursError, ReviewError
from reviews.models import Assignment, CalibrationRound, Review, Rubric

MARK = "mark-"
View = Callable[[Request, int], HttpResponse]


def _who_has_it(view: View) -> View:
    """Let in whoever has the answer in hand, even if they are no reviewer any more: to be told so."""

    @wraps(view)
    def guarded(request: Request, pk: int) -> HttpResponse:
        own = Assignment.objects.filter(pk=pk, person=request.user)
        if request.user.role != Role.REVIEWER and not own.exists():
            raise PermissionDenied("This page is for the role reviewer.")
        return view(request, pk)

    return guarded


@roles.only(Role.REVIEWER)
@never_cache
@require_GET
def queue(request: Request) -> HttpResponse:
    """Say what waits for one's marks, what is in hand, and what one marked of late."""
    own = Assignment.objects.filter(person=request.user).select_related("item__response__case", "item__run")
    marked = Review.objects.filter(person=request.user, is_current=True).select_related(
        "item__response__case"
    )
    context = {
        "waiting": notices.waiting(request.user),
        "in_hand": own.filter(state="leased", item__state="open"),
        "upcoming": assignments.upcoming(request.user),
        "standing": agreement.kept(request.user),
        "rounds": CalibrationRound.objects.exclude(concluded_at=None).order_by("-concluded_at")[:5],
        "skipped": assignments.skipped(request.user)[:20],
        "marked": _with_assignments(list(marked.order_by("-pk")[:10]), request),
        "today": _today(request.user.pk),
    }
    return render(request, "reviews/queue.html", context)


@roles.only(Role.REVIEWER)
@never_cache
@require_GET
def queue_waiting(request: Request) -> HttpResponse:
    """Say on every page how much waits, where notices are switched on."""
    return render(request, "reviews/_queue_waiting.html", {"waiting": notices.waiting(request.user)})


def _with_assignments(reviews: list[Review], request: Request) -> list[tuple[Review, int | None]]:
    pairs = Assignment.objects.filter(person=request.user, item__in=[review.item_id for review in reviews])
    known = dict(pairs.values_list("item_id", "pk"))
    return [(review, known.get(review.item_id)) for review in reviews]


@roles.only(Role.REVIEWER)
@never_cache
@require_GET
def review_next(request: Request) -> HttpResponse:
    """Hand out the next answer, to the page's script without another request."""
    assignment = assignments.next(request.user)
    if assignment is None:
        return redirect("reviews:queue")
    if _by_script(request):
        return _handed_out(request, assignment)
    return redirect("reviews:review-detail", assignment.pk)


@roles.only(Role.REVIEWER)
@never_cache
@require_GET
def review_detail(request: Request, pk: int) -> HttpResponse:
    """Show an answer to mark, with what was typed so far."""
    assignment = _own(request, pk)
    return render(request, "reviews/review_detail.html", _context(assignment, assignment.draft))


@roles.only(Role.REVIEWER)
@never_cache
@require_GET
def review_ahead(request: Request, pk: int) -> HttpResponse:
    """Give the answer after this one, so that the page has it when this one is submitted."""
    coming = assignments.peek(request.user, besides=pk)
    return HttpResponse(status=204) if coming is None else _handed_out(request, coming)


def _handed_out(request: Request, assignment: Assignment) -> HttpResponse:
    """Give the page's script an answer without the page around it, and say under which path it stands."""
    context = _context(assignment, assignment.draft)
    response = render(request, "reviews/_review_handed_out.html", context)
    response["X-Review-Path"] = reverse("reviews:review-detail", args=[assignment.pk])
    return response


def _by_script(request: Request) -> bool:
    return request.headers.get("X-Requested-With") == "fetch"


@_who_has_it
@require_POST
def review_draft(request: Request, pk: int) -> HttpResponse:
    """Keep what is typed, whatever it is worth."""
    typed = _typed(request.POST)
    try:
        saved_at = drafts.save(pk, request.user, reason=request.POST.get("reason", "")[:20_000], **typed)
    except ReviewError as error:
        return JsonResponse({"error": str(error)}, status=409)
    return JsonResponse({"saved": f"{timezone.localtime(saved_at):%H:%M:%S}"})


@_who_has_it
@require_POST
def review_submit(request: Request, pk: int) -> HttpResponse:
    """Take the marks; what is wrong with them comes back with them."""
    typed, token = _typed(request.POST), request.POST.get("token", "")
    return _answered(request, pk, lambda: submissions.submit(pk, request.user, token=token, **typed))


@_who_has_it
@require_POST
def review_decide(request: Request, pk: int) -> HttpResponse:
    """Confirm the judge's verdict, or override it."""
    decision, reason = request.POST.get("decision", ""), request.POST.get("reason", "")
    return _answered(request, pk, lambda: validation.decide(pk, request.user, decision, reason))


@roles.only(Role.REVIEWER)
@require_POST
def review_skip(request: Request, pk: int) -> HttpResponse:
    """Pass an answer over."""
    why = request.POST.get("why", "")
    return _answered(request, pk, lambda: assignments.skip(pk, request.user, why))


@roles.only(Role.REVIEWER)
@require_POST
def review_decline(request: Request, pk: int) -> HttpResponse:
    """Refuse an answer for good, with a reason."""
    why = request.POST.get("why", "")
    return _answered(request, pk, lambda: assignments.decline(pk, request.user, why))


@roles.only(Role.REVIEWER)
@require_POST
def review_undo(request: Request, pk: int) -> HttpResponse:
    """Take one's marks back; they stay on record, and come back as a draft."""
    return _reopened(request, pk, lambda: submissions.undo(pk, request.user))


@roles.only(Role.REVIEWER)
@require_POST
def review_take(request: Request, pk: int) -> HttpResponse:
    """Take up again what one skipped."""
    return _reopened(request, pk, lambda: assignments.take_up(pk, request.user))


def _reopened(request: Request, pk: int, act: Callable[[], object]) -> HttpResponse:
    _own(request, pk)
    try:
        act()
    except ReviewError as error:
        messages.error(request, str(error))
        return redirect("reviews:queue")
    return redirect("reviews:review-detail", pk)


def _own(request: Request, pk: int) -> Assignment:
    found = assignments.find(pk, request.user)
    if found is None:
        raise Http404("There is no such answer in your hands.")
    return found


def _answered(request: Request, pk: int, act: Callable[[], object]) -> HttpResponse:
    """Do it and go on, or show the page again with the reason and all that was typed."""
    try:
        act()
    except (GoneError, NotYoursError):
        return _gone(request)
    except ReviewError as error:
        typed, own = _as_typed(request.POST), assignments.find(pk, request.user)
        if own is None:
            return _gone(request)
        context = {**_context(own, typed), "error": error, "typed": typed}
        return render(request, "reviews/review_detail.html", context, status=422)
    path = _onward(pk)
    return JsonResponse({"next": path}) if _by_script(request) else redirect(path)


def _gone(request: Request) -> HttpResponse:
    """Say that there is nothing left to mark, and give back what was typed."""
    context = {"error": GoneError(), "typed": _as_typed(request.POST)}
    return render(request, "reviews/review_gone.html", context, status=410)


def _onward(pk: int) -> str:
    """Stay on an answer whose verdict is to be decided on; otherwise go to the next."""
    undecided = Assignment.objects.filter(pk=pk, state=Assignment.State.LEASED)
    if undecided.exclude(verdict_shown_at=None).exists():
        return reverse("reviews:review-detail", args=[pk])
    return reverse("reviews:review-next")


def _typed(form: QueryDict) -> dict[str, Any]:
    seconds = form.get("seconds", "")
    return {
        "marks": {key.removeprefix(MARK): form[key] for key in form if key.startswith(MARK)},
        "comment": form.get("comment", ""),
        "flagged": form.get("flagged") == "on",
        "seconds": float(seconds) if seconds.replace(".", "", 1).isdecimal() and len(seconds) < 12 else None,
    }


def _as_typed(form: QueryDict) -> dict[str, Any]:
    """Give what was typed, as a draft holds it."""
    texts = {name: form.get(name, "") for name in ("comment", "reason", "why")}
    return {**_typed(form), **texts, "texts": [text for text in texts.values() if text.strip()]}


def _context(assignment: Assignment, draft: dict[str, Any]) -> dict[str, Any]:
    """Gather what a reviewer may see: never the model, the scores, or anybody else's marks."""
    item = assignment.item
    marks = draft.get("marks") or {}
    review = _review(assignment)
    given = submissions.marks_of(review) if review else {}
    criteria = [
        {"criterion": criterion, "mark": str(given.get(criterion.key) or marks.get(criterion.key) or "")}
        for criterion in rubrics.criteria(item.rubric)
    ]
    shown = review is not None and item.kind == Rubric.Kind.VALIDATION
    return {
        "assignment": assignment,
        "item": item,
        "case": item.response.case,
        "answer": item.response.content,
        "criteria": criteria,
        "draft": draft,
        "review": review,
        "verdict": _verdict(assignment, given) if shown else None,
        "open": review is None and item.state == "open",
        "today": _today(assignment.person_id),
        "token": secrets.token_urlsafe(12),
    }


def _review(assignment: Assignment) -> Review | None:
    """Find one's marks on an answer; in hand for the first time, there can be none."""
    if assignment.state == Assignment.State.LEASED and assignment.verdict_shown_at is None:
        return None
    return assignment.item.reviews.filter(person=assignment.person_id, is_current=True).first()


def _verdict(assignment: Assignment, given: dict[str, int]) -> dict[str, Any]:
    """Lay the judge's marks beside one's own."""
    said = validation.verdict(assignment)
    asked = rubrics.criteria(assignment.item.rubric)
    rows = [(one.label, given.get(one.key), said.marks.get(one.key)) for one in asked]
    return {
        "rows": rows,
        "confidence": said.confidence,
        "rationale": said.rationale,
        "readable": bool(said.marks),
    }


def _today(person_id: int) -> int:
    """Count what the person has marked today."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    row = prepared.execute(_TODAY, {"person": person_id, "midnight": midnight}).fetchone()
    return int(row[0]) if row else 0


# On the way of every mark, see `reviews.prepared`.
_TODAY = """
SELECT count(*) FROM reviews_review
WHERE person_id = %(person)s AND created_at >= %(midnight)s AND is_current
"""
