"""Benchmarks: those of the suites, and those that admins register."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from scoring import benchmarks, registry
from scoring.forms.benchmarks import BenchmarkForm
from scoring.models import CustomBenchmark


@require_http_methods(["GET", "POST"])
def benchmark_list(request: Request) -> HttpResponseBase:
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
        registry.label(module): benchmarks.known(name)
        for name, module in registry.plugins("scoring.suites").items()
    }
    own = set(CustomBenchmark.objects.values_list("code", flat=True))
    return {"form": form, "suites": suites, "own": own, "categories": benchmarks.categories()}
