"""Items: which answers of a run go to people, how far each is, and for whom a slot is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from reviews import assignments
from reviews.models import ReviewItem
from reviews.views.outcome import done
from scoring import paging
from scoring.models import Run

if TYPE_CHECKING:
    from evalportal.models import Person


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def item_list(request: Request, pk: int) -> HttpResponse:
    """List the answers of a run that go to people, in the order they are handed out."""
    run = get_object_or_404(Run, pk=pk)
    state = request.GET.get("state", "")
    items = run.review_items.select_related("response__case", "assigned_to")
    chosen = items.filter(state=state) if state in ReviewItem.State.values else items
    context = {
        "run": run,
        "page": paging.page(chosen, "turn", request.GET),
        "states": ReviewItem.State.choices,
        "chosen": state,
        "reviewers": _reviewers(),
    }
    return render(request, "reviews/item_list.html", context)


@roles.only(Role.ADMIN)
@require_POST
def item_assign(request: Request, pk: int) -> HttpResponse:
    """Keep a slot of an answer for someone, or for nobody in particular."""
    item = get_object_or_404(ReviewItem.objects.select_related("response__case"), pk=pk)
    number = request.POST.get("person", "")
    person = get_object_or_404(_reviewers(), pk=int(number)) if number.isdecimal() else None
    kept = f"kept for {person.name}" if person else "for whoever comes next"
    return done(
        request,
        lambda: assignments.assign(item, person, request.user),
        f"{item.response.case.key} is {kept}.",
        redirect("reviews:item-list", item.run_id),
    )


def _reviewers() -> QuerySet[Person]:
    return get_user_model().objects.filter(role=Role.REVIEWER, is_active=True)
