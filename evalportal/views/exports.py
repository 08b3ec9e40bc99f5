"""Exports of a run: its results, marks and verdicts in several formats, and the bundle with all of it."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.exceptions import PermissionDenied
from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal import roles
from evalportal.bundles import packing
from evalportal.bundles.parts import BundleError
from evalportal.exports import formats, tables
from evalportal.http import Request
from evalportal.roles import Role
from scoring.models import Run


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


def _readable(request: Request, pk: int) -> Run:
    run = get_object_or_404(
        Run.objects.select_related("version__dataset", "endpoint", "judge", "base"), pk=pk
    )
    if request.user.is_reviewer and run.state != Run.State.FINAL:
        raise PermissionDenied("Reviewers see a run once it is final, so that their marks stay blind.")
    return run


def _check_names(request: Request) -> None:
    if request.user.is_reviewer:
        raise PermissionDenied("The marks carry names: this export is for managers and admins.")


def _listed(request: Request, run: Run, problem: str = "") -> HttpResponseBase:
    names = [what for what in tables.TABLES if what != "marks" or not request.user.is_reviewer]
    context = {"run": run, "names": names, "formats": formats.FORMATS, "problem": problem}
    context["bundled"] = not request.user.is_reviewer and run.state in packing.STATES
    return render(request, "evalportal/run_export.html", context, status=422 if problem else 200)


def _file(pieces: Iterator[bytes], name: str, content_type: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
