"""A scoring of RGB goes in; the four abilities and the noise curves come out, beside published figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from django.db import connection

from evalportal.diagnosis import published_figures
from evalportal.diagnosis.published_figures import Curve, Rate
from evalportal.stats import pass_rate
from scoring.models import Run, Scoring
from scoring.rgb import abilities
from scoring.rgb.rules import is_chinese
from scoring.statistic import Statistic

Metric = Literal["answer_correctness", "rejection", "error_detection", "error_correction"]

_FULL = 100
# A question of noise robustness at full noise is one of negative rejection: there is nothing to find.
FULL_NOISE = {"noise": abilities.NOISE, "rejection": abilities.REJECTION}


class Ability(NamedTuple):
    """A rate of the run, and what was published for it, in per cent by model, if anything was."""

    label: str
    rate: Statistic
    published: Rate | None
    note: str = ""


class Level(NamedTuple):
    """One share of noise: the accuracy of the run, and of the published models in their order."""

    noise: int
    rate: Statistic
    published: list[float | None]


class NoiseCurve(NamedTuple):
    """Accuracy by noise: `models` are those published, `table` is where."""

    ability: str
    levels: list[Level]
    models: tuple[str, ...]
    table: str


class Abilities(NamedTuple):
    """All of it, for one language."""

    language: str
    rates: list[Ability]
    curves: list[NoiseCurve]
    source: str = published_figures.SOURCE
    conditions: str = published_figures.CONDITIONS


class _Answer(NamedTuple):
    case: int
    benchmark: str
    noise: int
    answer_correctness: float | None
    rejection: float | None
    error_detection: float | None
    error_correction: float | None


def measure(scoring: Scoring) -> Abilities:
    """Measure the four abilities; questions asked several times count as the one question that they are."""
    answers, language = _read(scoring), _language(scoring.run)
    return Abilities(language, _rates(answers, language), list(_curves(answers, language)))


def _rates(answers: list[_Answer], language: str) -> list[Ability]:
    planted = [one for one in answers if one.benchmark == abilities.COUNTERFACTUAL]
    detected = [one for one in planted if one.error_detection == 1.0]
    asked = [one for one in answers if one.benchmark == abilities.NOISE and one.noise < _FULL]
    joined = [one for one in answers if one.benchmark == abilities.INTEGRATION]
    published = published_figures
    return [
        Ability("Noise robustness: right answers", _rate(asked, "answer_correctness"), None, "see the curve"),
        Ability(
            "Negative rejection: declined",
            _rate(filter(_unanswerable, answers), "rejection"),
            published.NEGATIVE_REJECTION[language],
        ),
        Ability(
            "Information integration: right answers",
            _rate(joined, "answer_correctness"),
            None,
            "see the curve",
        ),
        Ability(
            "Counterfactual robustness: errors detected",
            _rate(planted, "error_detection"),
            published.ERROR_DETECTION[language],
        ),
        Ability("Counterfactual robustness: errors corrected", _rate(planted, "error_correction"), None),
        Ability(
            "Corrected among detected",
            _rate(detected, "error_correction"),
            published.ERROR_CORRECTION[language],
        ),
    ]


def _unanswerable(answer: _Answer) -> bool:
    return answer.benchmark == abilities.REJECTION or (
        answer.benchmark == abilities.NOISE and answer.noise >= _FULL
    )


def _curves(answers: list[_Answer], language: str) -> Iterable[NoiseCurve]:
    for ability, published in (
        (abilities.NOISE, published_figures.NOISE_ROBUSTNESS[language]),
        (abilities.INTEGRATION, published_figures.INFORMATION_INTEGRATION[language]),
    ):
        own: dict[int, list[_Answer]] = {}
        for one in answers:
            if one.benchmark == ability and one.noise < _FULL:
                own.setdefault(one.noise, []).append(one)
        if own:
            levels = [
                _level(noise, own.get(noise, []), published) for noise in sorted({*own, *published.noise})
            ]
            yield NoiseCurve(ability, levels, published_figures.MODELS, published.table)


def _level(noise: int, answers: list[_Answer], published: Curve) -> Level:
    rate = _rate(answers, "answer_correctness") if answers else Statistic(None, reason="not asked")
    known = {}
    if noise in published.noise:
        place = published.noise.index(noise)
        known = {model: rates[place] for model, rates in published.accuracy.items()}
    return Level(noise, rate, [known.get(model) for model in published_figures.MODELS])


def _rate(answers: Iterable[_Answer], metric: Metric) -> Statistic:
    known = [(one.case, getattr(one, metric)) for one in answers]
    known = [(case, value) for case, value in known if value is not None]
    if not known:
        return Statistic(None, reason="No question of the run asks for it.")
    return pass_rate.measure([value == 1.0 for _, value in known], clusters=[case for case, _ in known])


def _language(run: Run) -> str:
    """Say which language most of the first questions are in."""
    rows = run.version.cases.order_by("memberships__position").values_list("fields__language", "question")
    found = [language or ("zh" if is_chinese(question) else "en") for language, question in rows[:50]]
    return max(abilities.LANGUAGES, key=found.count)


def _read(scoring: Scoring) -> list[_Answer]:
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERS, [scoring.pk])
        return [_Answer(*row) for row in cursor.fetchall()]


_ANSWERS = """
SELECT r.case_id, c.benchmark, r.noise,
    (s.values->>'answer_correctness')::float8, (s.values->>'rejection')::float8,
    (s.values->>'error_detection')::float8, (s.values->>'error_correction')::float8
FROM scoring_score AS s
JOIN scoring_response AS r ON r.id = s.response_id
JOIN scoring_case AS c ON c.id = r.case_id
WHERE s.scoring_id = %s ORDER BY r.position
"""
