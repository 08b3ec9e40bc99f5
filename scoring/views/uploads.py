"""Uploads: files in, bad lines or a version out."""

from __future__ import annotations

import csv
import io
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from scoring import csv_cells, receiving, tasks
from scoring.forms.uploads import UploadForm
from scoring.models import Dataset, Upload


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
        "datasets": Dataset.objects.in_use(),
        "most": settings.MAX_UPLOAD_BYTES,
    }
    return render(request, "scoring/upload_new.html", context, status=422 if form.errors else 200)


def _read(upload: Upload) -> None:
    if upload.total_bytes <= receiving.SMALL:
        receiving.process(upload)
    else:
        transaction.on_commit(partial(tasks.wake, tasks.process_upload, upload.pk))


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
    writer.writerows([csv_cells.harmless(cell) for cell in problem] for problem in upload.problems)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="upload-{upload.pk}-problems.csv"'
    return response


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
