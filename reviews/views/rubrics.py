"""Rubrics: what people and the judge mark by, and how far they must agree."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from reviews import rubrics
from reviews.items import ReviewError
from reviews.models import Rubric

NUMBERS = {"threshold": float, "reviewers": int, "dispute_spread": int}


@roles.only(Role.ADMIN, Role.MANAGER)
@require_GET
def rubric_list(request: Request) -> HttpResponse:
    """List the rubrics as they are now."""
    current = [rubrics.current(kind) for kind in Rubric.Kind.values]
    return render(request, "reviews/rubric_list.html", {"rubrics": current})


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def rubric_detail(request: Request, kind: str) -> HttpResponse:
    """Change a rubric; one that was used stays, and the change is a new version."""
    if kind not in Rubric.Kind.values:
        raise Http404("There is no rubric of that kind.")
    rubric, error = rubrics.current(kind), None
    criteria: list[dict[str, Any]] = [dict(one) for one in rubric.criteria.order_by("position").values()]
    if request.method == "POST":
        try:
            criteria = _criteria(request.POST)
            saved = rubrics.edit(rubric, request.user, criteria=criteria, **_settings(request.POST))
        except (ReviewError, ValueError) as refused:
            error = refused
        else:
            messages.success(request, f"{saved} is saved.")
            return redirect("reviews:rubric-list")
    context = {"rubric": rubric, "criteria": criteria, "error": error, "typed": request.POST}
    versions = Rubric.objects.filter(kind=kind).order_by("-version")
    context["versions"] = versions.select_related("created_by").prefetch_related("criteria")
    return render(request, "reviews/rubric_detail.html", context, status=422 if error else 200)


def _settings(form: QueryDict) -> dict[str, Any]:
    settings: dict[str, Any] = {"name": form.get("name", ""), "measure": form.get("measure", "")}
    for name, number in NUMBERS.items():
        try:
            settings[name] = number(form.get(name, ""))
        except ValueError:
            raise ValueError(f"{name.replace('_', ' ').capitalize()}: type a number.") from None
    return settings


def _criteria(form: QueryDict) -> list[dict[str, Any]]:
    """Read the criteria in their order; one whose label is empty is taken away."""
    rows = zip(form.getlist("key"), form.getlist("label"), form.getlist("question"), strict=False)
    anchors = form.getlist("anchor")
    return [
        {
            "key": key or slugify(label).replace("-", "_"),
            "label": label,
            "question": question,
            "anchors": anchors[index * 5 : index * 5 + 5],
        }
        for index, (key, label, question) in enumerate(rows)
        if label.strip()
    ]
