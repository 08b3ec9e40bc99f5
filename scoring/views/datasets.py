"""Datasets and their versions."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal.http import Request
from scoring import cases
from scoring.models import Dataset, Upload, Version


@require_GET
def dataset_list(request: Request) -> HttpResponse:
    """List the datasets, and the uploads of late."""
    context = {
        "datasets": Dataset.objects.with_latest(),
        "uploads": Upload.objects.select_related("created_by", "version__dataset")[:8]
        if request.user.is_admin
        else [],
    }
    return render(request, "scoring/dataset_list.html", context)


@require_GET
def dataset_detail(request: Request, name: str) -> HttpResponse:
    """Show a dataset with all its versions."""
    dataset = get_object_or_404(Dataset, name=name)
    context = {"dataset": dataset, "versions": dataset.versions.select_related("created_by")}
    return render(request, "scoring/dataset_detail.html", context)


@require_GET
def version_detail(request: Request, name: str, number: int) -> HttpResponse:
    """Show what a version holds, and what it changed."""
    version = get_object_or_404(
        Version.objects.select_related("dataset", "created_by"), dataset__name=name, number=number
    )
    previous = version.dataset.versions.filter(number__lt=number).first()
    place = request.GET.get("after", "")
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
