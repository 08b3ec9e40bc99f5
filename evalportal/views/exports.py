"""Exports of a run: its results, marks and verdicts in several formats, and the bundle with all of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import FileResponse, Http404, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from evalportal import roles, tasks
from evalportal.bundles import packing
from evalportal.bundles.parts import BundleError
from evalportal.exports import formats, making, tables
from evalportal.http import Request
from evalportal.models import Export
from evalportal.roles import Role
from scoring import blindness
from scoring.models import Run
from scoring.tasks import wake


@require_GET
def run_export(request: Request, pk: int) -> HttpResponseBase:
    """Give what a run came to in the format that is asked for, or list what there is."""
    run = _readable(request, pk)
    what, name = request.GET.get("what", "results"), request.GET.get("format", "")
    if not name:
        return _listed(request, run)
    try:
        formats.check(what, name)
    except formats.UnknownExportError as error:
        return _listed(request, run, str(error))
    if what == "marks":
        _check_names(request)
    return _file(
        formats.export(run, what, name), f"run-{pk}-{what}.{name}", formats.FORMATS[name].content_type
    )


@roles.only(Role.ADMIN, Role.MANAGER)
@require_GET
def run_bundle(request: Request, pk: int) -> HttpResponseBase:
    """Give a run with all that it stands on, as a file that another portal can import."""
    run = _readable(request, pk)
    try:
        pieces = packing.pack(run)
    except BundleError as error:
        return _listed(request, run, str(error))
    return _file(pieces, f"run-{pk}.bundle.zip", "application/zip")


@require_POST
def export_new(request: Request, pk: int) -> HttpResponseBase:
    """Order a file that is too large to wait for."""
    run, what, name = _readable(request, pk), request.POST.get("what", ""), request.POST.get("format", "")
    if what in {"marks", "bundle"}:
        _check_names(request)
    try:
        export = making.order(run, what, name, request.user)
    except (formats.UnknownExportError, BundleError) as error:
        return _listed(request, run, str(error))
    transaction.on_commit(partial(wake, tasks.make_export, export.pk))
    return redirect(export)


@require_GET
def export_detail(request: Request, pk: int) -> HttpResponseBase:
    """Show how far a file is, and where it can be had."""
    return render(request, "evalportal/export_detail.html", {"export": _ordered(request, pk)})


@require_GET
def export_progress(request: Request, pk: int) -> HttpResponseBase:
    """Show the part of the page that changes while a file is written."""
    return render(request, "evalportal/_export_progress.html", {"export": _ordered(request, pk)})


@require_GET
def export_file(request: Request, pk: int) -> HttpResponseBase:
    """Give a file that was ordered."""
    export = _ordered(request, pk)
    if export.state != Export.State.DONE or not export.path.exists():
        raise Http404("This file is not there: it is not written yet, or was removed a day after.")
    return FileResponse(export.path.open("rb"), as_attachment=True, filename=export.name)


def _ordered(request: Request, pk: int) -> Export:
    """Find a file of one's own: what someone may see is known of whoever ordered it."""
    return get_object_or_404(Export.objects.select_related("run"), pk=pk, created_by=request.user)


def _readable(request: Request, pk: int) -> Run:
    run = get_object_or_404(
        Run.objects.select_related("version__dataset", "endpoint", "judge", "base"), pk=pk
    )
    blindness.check(request.user, run)
    return run


def _check_names(request: Request) -> None:
    if request.user.is_reviewer:
        raise PermissionDenied("Marks carry names: this export is for managers and admins.")


def _listed(request: Request, run: Run, problem: str = "") -> HttpResponseBase:
    names = [what for what in tables.TABLES if what != "marks" or not request.user.is_reviewer]
    context = {"run": run, "names": names, "formats": formats.FORMATS, "problem": problem}
    context["is_large"] = making.is_large(run)
    context["bundled"] = not request.user.is_reviewer and run.state in packing.STATES
    return render(request, "evalportal/run_export.html", context, status=422 if problem else 200)


def _file(pieces: Iterator[bytes], name: str, content_type: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
