"""Requests go in, the pages of datasets, uploads, cases, benchmarks and models come out."""

from __future__ import annotations

import csv
import io
import json

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from scoring import benchmarks, cases, paging, receiving, registry, tasks
from scoring.forms import SUITES, BenchmarkForm, UploadForm
from scoring.models import Case, CustomBenchmark, Dataset, Endpoint, Upload, Version

FILTERS = ("benchmark", "category", "difficulty", "domain")


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


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def upload_new(request: Request) -> HttpResponse:
    """Take files in; small ones are read at once, large ones by a worker."""
    initial = {"dataset_name": request.GET.get("dataset", ""), "suite": request.GET.get("suite", "ccop")}
    form = UploadForm(request.POST or None, request.FILES or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            upload = receiving.receive(
                **form.cleaned_data, check_only=request.POST.get("action") == "check", person=request.user
            )
        except receiving.TooLargeError as error:
            form.add_error("files", str(error))
        else:
            _read(upload)
            return redirect(upload)
    context = {
        "form": form,
        "datasets": Dataset.objects.all(),
        "most": settings.MAX_UPLOAD_BYTES,
    }
    return render(request, "scoring/upload_new.html", context, status=422 if form.errors else 200)


def _read(upload: Upload) -> None:
    if upload.total_bytes <= receiving.SMALL:
        receiving.process(upload)
    else:
        tasks.process_upload.delay_on_commit(upload.pk)


@roles.only(Role.ADMIN)
@require_GET
def upload_detail(request: Request, pk: int) -> HttpResponse:
    """Show what became of an upload: its progress, its bad lines, or its version."""
    return render(request, "scoring/upload_detail.html", _upload_context(pk))


@roles.only(Role.ADMIN)
@require_GET
def upload_progress(request: Request, pk: int) -> HttpResponse:
    """Show the part of an upload's page that changes while it is read."""
    return render(request, "scoring/_upload_progress.html", _upload_context(pk))


def _upload_context(pk: int) -> dict[str, object]:
    upload = get_object_or_404(Upload.objects.select_related("version__dataset", "created_by"), pk=pk)
    return {"upload": upload, "files": upload.files.all(), "shown": 200}


@roles.only(Role.ADMIN)
@require_GET
def upload_problems(request: Request, pk: int) -> HttpResponse:
    """Give the list of bad lines as CSV."""
    upload = get_object_or_404(Upload, pk=pk)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["file", "line", "field", "reason"])
    writer.writerows([_harmless(cell) for cell in problem] for problem in upload.problems)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="upload-{upload.pk}-problems.csv"'
    return response


def _harmless(cell: object) -> str:
    """Keep a spreadsheet from taking a cell for a formula."""
    text = "" if cell is None else str(cell)
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


@roles.only(Role.ADMIN)
@require_POST
def upload_import(request: Request, pk: int) -> HttpResponse:
    """Import what was only checked."""
    upload = get_object_or_404(Upload, pk=pk)
    try:
        receiving.import_checked(upload)
    except receiving.NotImportableError as error:
        messages.error(request, str(error))
    else:
        _read(upload)
    return redirect(upload)


@require_GET
def case_list(request: Request) -> HttpResponse:
    """List the cases of a version, by filters and words."""
    datasets = list(Dataset.objects.with_latest().exclude(latest_number=None))
    version = _chosen_version(request.GET, datasets)
    chosen = {name: request.GET.get(name, "") for name in FILTERS}
    words = request.GET.get("q", "")
    context = {"datasets": datasets, "version": version, "chosen": chosen, "q": words}
    if version:
        found = Case.objects.of(version).narrowed(**chosen).matching(words)
        narrowed = bool(words or any(chosen.values()))
        context["count"] = found.count() if narrowed else version.case_count
        context["page"] = paging.page(found.defer("fields", "text", "search"), "position", request.GET)
        context["benchmarks"] = benchmarks.known(version.dataset.suite)
    template = "scoring/_case_list.html" if request.htmx.target == "case-list" else "scoring/case_list.html"
    return render(request, template, context)


def _chosen_version(query: QueryDict, datasets: list[Dataset]) -> Version | None:
    name = query.get("dataset") or (datasets[0].name if datasets else "")
    versions = Version.objects.select_related("dataset").filter(dataset__name=name)
    number = query.get("version", "")
    if number.isdecimal() and len(number) < 10:
        return get_object_or_404(versions, number=number)
    return versions.first()


@require_GET
def case_detail(request: Request, pk: int) -> HttpResponse:
    """Show one case, whole, and the versions that hold it."""
    case = get_object_or_404(Case.objects.select_related("dataset").defer("search"), pk=pk)
    known = benchmarks.known(case.suite)
    context = {
        "case": case,
        "benchmark": known.get(case.benchmark),
        "versions": case.versions.order_by("-number"),
        "row": json.dumps(case.fields, indent=2, ensure_ascii=False),
        "others": Case.objects.filter(dataset=case.dataset, key=case.key).exclude(pk=pk).defer("search"),
    }
    return render(request, "scoring/case_detail.html", context)


@require_http_methods(["GET", "POST"])
def benchmark_list(request: Request) -> HttpResponse:
    """List the benchmarks; an admin may register one of their own."""
    form = BenchmarkForm(request.POST or None)
    if request.method == "POST":
        return _register(request, form)
    return render(request, "scoring/benchmark_list.html", _benchmark_context(form))


@roles.only(Role.ADMIN)
def _register(request: Request, form: BenchmarkForm) -> HttpResponse:
    if not form.is_valid():
        return render(request, "scoring/benchmark_list.html", _benchmark_context(form), status=422)
    form.instance.created_by = request.user
    messages.success(request, f"{form.save()} is registered.")
    return redirect("scoring:benchmark-list")


def _benchmark_context(form: BenchmarkForm) -> dict[str, object]:
    suites = {
        registry.label(module): benchmarks.known(name) for name, module in registry.plugins(SUITES).items()
    }
    own = set(CustomBenchmark.objects.values_list("code", flat=True))
    return {"form": form, "suites": suites, "own": own, "categories": benchmarks.categories()}


@roles.only(Role.ADMIN)
@require_GET
def endpoint_list(request: Request) -> HttpResponse:
    """List the models that can be asked."""
    return render(request, "scoring/endpoint_list.html", {"endpoints": Endpoint.objects.all()})
