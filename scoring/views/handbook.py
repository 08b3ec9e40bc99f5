"""The handbook: what each metric measures, computed before one's eyes."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods

from evalportal.http import Request
from scoring import handbook, highlighting, registry
from scoring.forms.handbook import TryMetricForm
from scoring.measurement import Measurement, Sample


@require_GET
def metric_list(request: Request) -> HttpResponse:
    """List the metrics."""
    context = {"chapters": handbook.chapters(), "suites": registry.plugins("scoring.suites")}
    return render(request, "scoring/metric_list.html", context)


@require_http_methods(["GET", "POST"])
def metric_detail(request: Request, name: str) -> HttpResponse:
    """Explain one metric by its own example, and try it on one's own text."""
    try:
        chapter = handbook.chapter(name)
    except registry.UnknownPluginError as error:
        raise Http404(str(error)) from error
    inputs = handbook.inputs(chapter.module)
    example = chapter.module.EXAMPLE
    form = TryMetricForm(request.POST or None, inputs=inputs, initial=handbook.typed_from(example, inputs))
    context = {"chapter": chapter, "form": form, "example": _result(chapter, example)}
    if form.is_valid():
        context["tried"] = _result(chapter, form.sample)
    partial = request.htmx.target == "metric-try"
    template = "scoring/_metric_try.html" if partial else "scoring/metric_detail.html"
    return render(request, template, context, status=422 if form.errors else 200)


def _result(chapter: handbook.Chapter, sample: Sample) -> dict[str, object]:
    measurement: Measurement = handbook.measure(chapter.module, sample)
    return {
        "sample": handbook.typed_from(sample, handbook.inputs(chapter.module)),
        "measurement": measurement,
        "band": handbook.band(chapter.module, measurement.value),
        "stretches": highlighting.stretches(sample.response, measurement.spans),
    }
