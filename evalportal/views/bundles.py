"""Bundles from other portals: sent by an admin, read by the portal or a worker, and a run in the end."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from evalportal import roles, tasks
from evalportal.bundles import receiving
from evalportal.forms import BundleForm
from evalportal.http import Request
from evalportal.models import BundleImport
from evalportal.roles import Role
from scoring.tasks import wake


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def bundle_new(request: Request) -> HttpResponse:
    """Take a bundle in; a small one is read at once, a large one by a worker."""
    form = BundleForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            bundle = receiving.receive(form.cleaned_data["file"], request.user)
        except receiving.NotKeptError as error:
            form.add_error("file", str(error))
        else:
            _read(bundle)
            return redirect(bundle)
    context = {"form": form, "most": settings.MAX_UPLOAD_BYTES}
    return render(request, "evalportal/bundle_new.html", context, status=422 if form.errors else 200)


def _read(bundle: BundleImport) -> None:
    if bundle.size <= receiving.SMALL:
        receiving.read(bundle)
    else:
        transaction.on_commit(partial(wake, tasks.import_bundle, bundle.pk))


@roles.only(Role.ADMIN)
@require_GET
def bundle_detail(request: Request, pk: int) -> HttpResponse:
    """Show what became of a bundle."""
    return render(request, "evalportal/bundle_detail.html", _context(pk))


@roles.only(Role.ADMIN)
@require_GET
def bundle_progress(request: Request, pk: int) -> HttpResponse:
    """Show the part of a bundle's page that changes while it is read."""
    return render(request, "evalportal/_bundle_progress.html", _context(pk))


def _context(pk: int) -> dict[str, object]:
    return {"bundle": get_object_or_404(BundleImport.objects.select_related("run", "created_by"), pk=pk)}
