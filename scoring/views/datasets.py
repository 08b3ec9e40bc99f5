"""Datasets and their versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from evalportal import roles
from evalportal.http import Request, query
from evalportal.roles import Role
from scoring import cases, datasets
from scoring.models import Dataset, Upload, Version

if TYPE_CHECKING:
    from evalportal.models import Person


@require_GET
def dataset_list(request: Request) -> HttpResponse:
    """List the datasets in use or those that are retired, and the uploads of late."""
    retired = request.GET.get("show") == "retired"
    found = Dataset.objects.with_latest()
    context = {
        "datasets": found.retired() if retired else found.in_use(),
        "retired": retired,
        "any_retired": retired or Dataset.objects.retired().exists(),
        "uploads": Upload.objects.select_related("created_by", "version__dataset")[:8]
        if request.user.is_admin
        else [],
    }
    return render(request, "scoring/dataset_list.html", context)


@require_GET
def dataset_detail(request: Request, name: str) -> HttpResponse:
    """Show a dataset with all its versions."""
    dataset = get_object_or_404(Dataset.objects.select_related("retired_by"), name=name)
    context = {"dataset": dataset, "versions": dataset.versions.select_related("created_by")}
    return render(request, "scoring/dataset_detail.html", context)


@roles.only(Role.ADMIN)
@require_POST
def dataset_retire(request: Request, name: str) -> HttpResponse:
    """Take a dataset out of use."""
    return _acted(request, name, datasets.retire, "is retired: its ids are free, all that it holds stays.")


@roles.only(Role.ADMIN)
@require_POST
def dataset_bring_back(request: Request, name: str) -> HttpResponse:
    """Put a retired dataset to use again."""
    return _acted(request, name, datasets.bring_back, "is back in use.")


def _acted(request: Request, name: str, act: Callable[[Dataset, Person], None], done: str) -> HttpResponse:
    dataset = get_object_or_404(Dataset, name=name)
    try:
        act(dataset, request.user)
    except datasets.DatasetStateError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{name} {done}")
    return redirect(dataset)


@require_GET
def version_detail(request: Request, name: str, number: int) -> HttpResponse:
    """Show what a version holds, and what it changed."""
    version = get_object_or_404(
        Version.objects.select_related("dataset", "created_by"), dataset__name=name, number=number
    )
    previous = version.dataset.versions.filter(number__lt=number).first()
    place = query(request).get("after", "")
    context = {
        "version": version,
        "previous": previous,
        "changes": cases.changes(previous, version, after=place) if previous else None,
    }
    return render(request, "scoring/version_detail.html", context)


@require_GET
def version_export(request: Request, name: str, number: int) -> HttpResponseBase:
    """Give a version's cases back as JSON lines."""
    version = get_object_or_404(Version, dataset__name=name, number=number)
    response = StreamingHttpResponse(cases.export(version), content_type="application/jsonl")
    response["Content-Disposition"] = f'attachment; filename="{name}-v{number}.jsonl"'
    return response
