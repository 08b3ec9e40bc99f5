"""Boards: which model is best, how two of them differ, and how far to rely on the judge."""

from __future__ import annotations

from hashlib import sha256

from django.core.cache import cache
from django.forms import Form
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from evalportal import board_table, comparison, judge_reports, power, profiles, reading, roles
from evalportal import leaderboard as leaderboards
from evalportal.board_forms import LeaderboardForm, PowerForm, WidthForm
from evalportal.comparison import ComparisonError
from evalportal.exports import formats
from evalportal.http import Request
from evalportal.leaderboard import Filters
from evalportal.roles import Role
from scoring.models import Case, Endpoint, Run

# The columns of the board: how each is set, and what it shows, with the key in the address to order it by.
_COLUMNS = (
    ("num", (("rank", "Rank"),)),
    ("", (("run", "Run"), ("model", "model"), ("phase", "phase"), ("finished", "finished"))),
    ("", (("", "State"),)),
    ("num", (("overall", "Overall"),)),
    ("num", (("pass", "Pass rate"),)),
    ("num", (("tier3", "Tier 3"),)),
    ("num", (("validated", "Validated"),)),
    ("", (("", "Agreement"),)),
)
_KEPT_SECONDS = 3600


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def leaderboard(request: Request) -> HttpResponse:
    """Rank the runs on one dataset version."""
    form = _leaderboard_form(request)
    context = {"form": form, "board": _drawn(request, form.filters()), "formats": formats.FORMATS}
    return render(request, "evalportal/leaderboard.html", context, status=422 if form.errors else 200)


def _drawn(request: Request, wanted: Filters) -> SafeString:
    """Draw a board, or take it as it was drawn before if nothing of it has changed: so no figure is read."""
    name = f"board:{leaderboards.state(wanted)}:{sha256(request.GET.urlencode().encode()).hexdigest()}"
    found: SafeString | None = cache.get(name)
    if found is None:
        context = {
            "board": leaderboards.board(wanted),
            "as_of": wanted.as_of,
            "columns": _COLUMNS,
            "sorted_by": wanted.sort.removeprefix("-"),
            "descending": wanted.sort.startswith("-"),
        }
        found = render_to_string("evalportal/_leaderboard.html", context, request)
        cache.set(name, found, timeout=_KEPT_SECONDS)
    return found


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def leaderboard_export(request: Request) -> HttpResponseBase:
    """Give the board as it is shown, in the format that is asked for."""
    name = request.GET.get("format", "csv")
    if name not in formats.FORMATS:
        raise Http404(f"There is no format {name!r}; there are: {', '.join(formats.FORMATS)}.")
    board = leaderboards.board(_leaderboard_form(request).filters())
    pieces = formats.write(name, {"board": board_table.about(board)}, "runs", board_table.table(board))
    response = StreamingHttpResponse(pieces, content_type=formats.FORMATS[name].content_type)
    response["Content-Disposition"] = f'attachment; filename="leaderboard.{name}"'
    return response


def _leaderboard_form(request: Request) -> LeaderboardForm:
    models = Endpoint.objects.filter(runs__isnull=False).distinct().values_list("pk", "name")
    return LeaderboardForm(request.GET, leaderboards.versions(), models)


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def compare(request: Request) -> HttpResponse:
    """Compare two to five runs on the questions they have in common."""
    form = PowerForm(request.GET if "points" in request.GET else None)
    try:
        runs = _runs(request)
        counted = comparison.scorings(runs)
        found = comparison.compare(runs, counted)
    except ComparisonError as error:
        return _refused(request, error)
    context = {
        "form": form,
        "comparison": found,
        "chosen": _numbers(runs),
        "speeds": profiles.speeds(found, counted),
        "changes": list(zip(runs[1:], profiles.changes(found, counted), strict=True)),
        "first": reading.first(found),
        "flips": [(one, reading.flipped(found, row)) for row, one in enumerate(found.against, 1)],
        "needs": power.cases(found, _points(form)),
    }
    return render(request, "evalportal/compare.html", context, status=422 if form.errors else 200)


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def compare_case(request: Request, pk: int) -> HttpResponse:
    """Put the answers of the compared runs to one question side by side."""
    case = get_object_or_404(Case, pk=pk)
    try:
        runs = _runs(request)
        counted = comparison.scorings(runs)
    except ComparisonError as error:
        return _refused(request, error)
    context = {
        "case": case,
        "noise": _noise(request),
        "chosen": _numbers(runs),
        "answers": reading.answers(counted, case, _noise(request)),
    }
    return render(request, "evalportal/compare_case.html", context)


def _refused(request: Request, error: ComparisonError) -> HttpResponse:
    """Say why runs cannot be compared, and let others be chosen."""
    context = {"problem": str(error), "runs": comparison.comparable()}
    status = 422 if "runs" in request.GET else 200
    return render(request, "evalportal/compare.html", context, status=status)


def _runs(request: Request) -> list[Run]:
    return comparison.chosen(",".join(request.GET.getlist("runs")))


def _numbers(runs: list[Run]) -> str:
    return ",".join(str(run.pk) for run in runs)


def _noise(request: Request) -> int:
    given = request.GET.get("noise", "")
    return int(given) if given.isdecimal() and len(given) < 4 else 0


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def judge(request: Request, pk: int) -> HttpResponse:
    """Hold the judge of a run against the people who marked the same answers blind."""
    run = get_object_or_404(Run.objects.select_related("version__dataset", "endpoint", "judge"), pk=pk)
    form = WidthForm(request.GET if "points" in request.GET else None)
    found = judge_reports.report(run)
    context = {
        "run": run,
        "form": form,
        "report": found,
        "points": _points(form),
        "needs": power.more_validations(found.rows, _points(form)),
    }
    return render(request, "evalportal/judge.html", context, status=422 if form.errors else 200)


def _points(form: Form) -> float:
    """Take what was asked for, or what the form begins with."""
    given = form.cleaned_data.get("points") if form.is_valid() else None
    return float(given if given is not None else form.fields["points"].initial)
