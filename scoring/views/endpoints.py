"""Endpoints: the models that can be asked, and whether they answer."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from scoring import endpoints
from scoring.forms.endpoints import EndpointForm, RecordingForm
from scoring.models import Endpoint, Recording


@roles.only(Role.ADMIN)
@require_GET
def endpoint_list(request: Request) -> HttpResponse:
    """List the models that can be asked."""
    found = Endpoint.objects.annotate(run_count=Count("runs"))
    return render(request, "scoring/endpoint_list.html", {"endpoints": found})


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def endpoint_new(request: Request) -> HttpResponse:
    """Add a model."""
    form = EndpointForm(request.POST or None)
    if form.is_valid():
        form.instance.created_by = request.user
        endpoint = form.save()
        messages.success(request, f"{endpoint} is added. Test the connection before you start a run.")
        return redirect("scoring:endpoint-detail", endpoint.pk)
    return render(request, "scoring/endpoint_new.html", {"form": form}, status=422 if form.errors else 200)


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def endpoint_detail(request: Request, pk: int) -> HttpResponse:
    """Change how a model is reached."""
    endpoint = get_object_or_404(Endpoint, pk=pk)
    form = EndpointForm(request.POST or None, instance=endpoint)
    if form.is_valid():
        messages.success(request, f"{form.save()} is saved.")
        return redirect("scoring:endpoint-detail", pk)
    context = {
        "endpoint": endpoint,
        "form": form,
        "runs": endpoint.runs.select_related("version__dataset")[:10],
        "recording": Recording.objects.filter(endpoint=endpoint).first(),
    }
    return render(request, "scoring/endpoint_detail.html", context, status=422 if form.errors else 200)


@roles.only(Role.ADMIN)
@require_POST
def endpoint_recording(request: Request, pk: int) -> HttpResponse:
    """Keep answers that a model gave elsewhere, for the gateway that gives them back."""
    endpoint = get_object_or_404(Endpoint, pk=pk)
    form = RecordingForm(request.POST, request.FILES)
    if form.is_valid():
        kept = endpoints.record(endpoint, form.lines)
        messages.success(request, f"Answers recorded: {kept.answers}.")
    else:
        messages.error(request, " ".join(map(str, form.errors["file"])))
    return redirect("scoring:endpoint-detail", pk)


@roles.only(Role.ADMIN)
@require_POST
def endpoint_probe(request: Request, pk: int) -> HttpResponse:
    """Test the connection: does it answer, how fast, what does it serve, does it give log-probabilities."""
    endpoint = get_object_or_404(Endpoint, pk=pk)
    found = endpoints.probe(endpoint, most_seconds=endpoints.PAGE_SECONDS)
    context = {"endpoint": endpoint, "probe": found}
    template = "scoring/_endpoint_probe.html" if request.htmx else "scoring/endpoint_probe.html"
    return render(request, template, context)
