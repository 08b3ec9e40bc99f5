"""Cases: the list with its filters, and one case."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal.http import Request, query
from scoring import benchmarks, paging
from scoring.models import Case, Dataset, Response, Version
from scoring.queries import CaseQuerySet

FILTERS = ("benchmark", "category", "difficulty", "domain")
# What the list may be ordered by, as the address names it; without a name the cases stand as they came in.
SORTS = {"": "position", "id": "by_key", "benchmark": "by_benchmark", "difficulty": "by_difficulty"}
COLUMNS = (
    ("id", "Id"),
    ("", "Question"),
    ("benchmark", "Benchmark"),
    ("difficulty", "Difficulty"),
    ("", "Domain"),
)
# Cases with certain words are counted one by one: nobody looks through more of them than this.
MOST_COUNTED = 1_000


@require_GET
def case_list(request: Request) -> HttpResponse:
    """List the cases of a version, by filters and words."""
    where = query(request)
    datasets = list(Dataset.objects.with_versions().in_use())
    version = _chosen_version(where, datasets)
    context: dict[str, Any] = {"datasets": datasets, "version": version}
    if version:
        if version.dataset not in datasets:
            datasets.append(version.dataset)  # It is retired, and somebody came here by its page.
        context |= _listed(where, version)
    partial = context["partial"] = request.htmx.target == "case-list"
    return render(request, "scoring/_case_list.html" if partial else "scoring/case_list.html", context)


def _listed(where: QueryDict, version: Version) -> dict[str, Any]:
    """Find the cases, and what the forms around them offer."""
    chosen = {name: where.get(name, "") for name in FILTERS}
    words, sort = where.get("q", ""), where.get("sort", "")
    by = SORTS.get(sort.removeprefix("-"), SORTS[""])
    found = Case.objects.of(version).narrowed(**chosen).matching(words)
    rows = found.defer("fields", "text")
    return {
        "chosen": chosen,
        "q": words,
        "sort": sort,
        "columns": COLUMNS,
        "count": _count(version, found, chosen, words),
        "most_counted": MOST_COUNTED,
        "page": paging.page(rows, by, where, descending=sort.startswith("-")),
        "benchmarks": benchmarks.known(version.dataset.suite),
        "versions": version.dataset.versions.values_list("number", flat=True),
    }


def _count(version: Version, found: CaseQuerySet, chosen: dict[str, str], words: str) -> int:
    """Count what was found: from the version's summary where that says it, and not far where words matter."""
    if words:
        return found.order_by()[: MOST_COUNTED + 1].count()
    used = [(name, value) for name, value in chosen.items() if value]
    if len(used) > 1:
        return found.count()
    return sum(version.summary[name].get(value, 0) for name, value in used) if used else version.case_count


def _chosen_version(where: QueryDict, datasets: list[Dataset]) -> Version | None:
    """Take the version that is asked for, or the latest of the dataset that is, or of the first."""
    name, number = where.get("dataset", ""), where.get("version", "")
    if not name and not datasets:
        return None
    versions = Version.objects.select_related("dataset").filter(dataset__name=name or datasets[0].name)
    if number.isdecimal() and len(number) < 10:
        versions = versions.filter(number=number)
    version = versions.first()
    if version is None:
        raise Http404("There is no such dataset, or no such version of it.")
    return version


@require_GET
def case_detail(request: Request, pk: int) -> HttpResponse:
    """Show one case, whole, the versions that hold it, and what every run answered."""
    case = get_object_or_404(Case.objects.select_related("dataset"), pk=pk)
    known = benchmarks.known(case.suite)
    answers = Response.objects.filter(case=case).seen_by(request.user).with_runs()
    context = {
        "case": case,
        "benchmark": known.get(case.benchmark),
        "versions": case.versions.order_by("-number"),
        "row": json.dumps(case.fields, indent=2, ensure_ascii=False),
        "others": Case.objects.filter(dataset=case.dataset, key=case.key).exclude(pk=pk),
        "page": paging.newest_first(answers, query(request)),
    }
    return render(request, "scoring/case_detail.html", context)
