"""Cases: the list with its filters, and one case."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal.http import Request
from scoring import benchmarks, paging
from scoring.models import Case, Dataset, Version
from scoring.queries import CaseQuerySet

FILTERS = ("benchmark", "category", "difficulty", "domain")
# Cases with certain words are counted one by one: nobody looks through more of them than this.
MOST_COUNTED = 1_000


@require_GET
def case_list(request: Request) -> HttpResponse:
    """List the cases of a version, by filters and words."""
    datasets = list(Dataset.objects.with_versions().in_use())
    version = _chosen_version(request.GET, datasets)
    chosen = {name: request.GET.get(name, "") for name in FILTERS}
    words = request.GET.get("q", "")
    context: dict[str, Any] = {"datasets": datasets, "version": version, "chosen": chosen, "q": words}
    if version and version.dataset not in datasets:
        datasets.append(version.dataset)  # It is retired, and somebody came here by its page.
    if version:
        found = Case.objects.of(version).narrowed(**chosen).matching(words)
        context |= {"count": _count(version, found, chosen, words), "most_counted": MOST_COUNTED}
        context["page"] = paging.page(found.defer("fields", "text"), "position", request.GET)
        context["benchmarks"] = benchmarks.known(version.dataset.suite)
    template = "scoring/_case_list.html" if request.htmx.target == "case-list" else "scoring/case_list.html"
    return render(request, template, context)


def _count(version: Version, found: CaseQuerySet, chosen: dict[str, str], words: str) -> int:
    """Count what was found: from the version's summary where that says it, and not far where words matter."""
    if words:
        return found[: MOST_COUNTED + 1].count()
    used = [(name, value) for name, value in chosen.items() if value]
    if len(used) > 1:
        return found.count()
    return sum(version.summary[name].get(value, 0) for name, value in used) if used else version.case_count


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
    case = get_object_or_404(Case.objects.select_related("dataset"), pk=pk)
    known = benchmarks.known(case.suite)
    context = {
        "case": case,
        "benchmark": known.get(case.benchmark),
        "versions": case.versions.order_by("-number"),
        "row": json.dumps(case.fields, indent=2, ensure_ascii=False),
        "others": Case.objects.filter(dataset=case.dataset, key=case.key).exclude(pk=pk),
    }
    return render(request, "scoring/case_detail.html", context)
