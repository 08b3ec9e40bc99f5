"""A run that has its machine scores goes in; the answers that people mark come out as items.

Every Tier 2 answer is marked by people. Of Tier 3, every verdict that the judge is not sure of or that
cannot be read goes to people (probability 1), and of the others a random share of each benchmark, rounded
up, with its exact probability. Which ones follows from the stored seed alone: nobody chooses.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from reviews import events, rubrics
from reviews.events import Verb
from reviews.items import ReviewError, RunClosedError
from reviews.models import Draw, Event, ReviewItem, Rubric
from scoring import benchmarks, runs, scorings, verdicts
from scoring.models import Response, Run, Verdict

if TYPE_CHECKING:
    from evalportal.models import Person

SURE = 0.8
_SLACK = 1e-9  # Votes that all say 0.8 may come to a hair less.
Kind, Reason = Rubric.Kind, ReviewItem.Reason


class Chosen(NamedTuple):
    """An answer that goes to people, and with what probability it came to that."""

    response: int
    benchmark: str
    kind: str
    reason: str
    probability: float | None = 1.0
    stratum: str = ""


def undrawn() -> QuerySet[Run]:
    """Find the runs that await review and have not been drawn from since they came to that."""
    drawn = Event.objects.filter(run=OuterRef("pk"), verb=Verb.DRAWN).order_by("-pk")
    waiting = Run.objects.filter(state=Run.State.AWAITING_REVIEW)
    dated = waiting.annotate(drawn_at=Subquery(drawn.values("at")[:1]))
    return dated.filter(Q(drawn_at=None) | Q(drawn_at__lt=F("finished_at"))).order_by("pk")


@transaction.atomic
def draw(run: Run, *, seed: int | None = None, flagged: bool = False) -> int:
    """Make items of all answers of a run that people have to mark, and say how many are new.

    Called again, it draws only from what has come in since. With `flagged`, flagged answers of any kind go
    to people as well.
    """
    held = _held(run)
    chosen_seed = held.seed if seed is None else seed
    chosen = [*_tier2(held), *_tier3(held, chosen_seed)]
    if flagged:
        known = {one.response for one in chosen}
        chosen += [one for one in _flagged(held) if one.response not in known]
    count = _insert(held, chosen, chosen_seed)
    after = {"items": count, "seed": chosen_seed, "share": held.validation_share}
    events.record(Verb.DRAWN, None, run=held, after=after)
    return count


@transaction.atomic
def widen(run: Run, share: float, by: Person) -> int:
    """Draw more verdicts of every benchmark, up to a larger share; what was drawn stays drawn."""
    held = _held(run)
    if not held.validation_share < share <= 1:
        raise ReviewError(f"Choose a share above {held.validation_share:.0%}, up to 100 %.")
    chosen: list[Chosen] = []
    for one in held.draws.all():
        order = _shuffled(one.responses, one.seed)
        count = math.ceil(share * len(order) - _SLACK)
        chosen += _drawn(one, order[one.drawn : count], count)
        stratum = held.review_items.filter(stratum=one.stratum, probability__isnull=False)
        stratum.update(probability=count / len(order))
        Draw.objects.filter(pk=one.pk).update(drawn=count, share=share)
    before, held.validation_share = {"share": held.validation_share}, share
    held.save(update_fields=["validation_share"])
    made = _insert(held, chosen, held.seed)
    events.record(Verb.DRAWN, by, run=held, before=before, after={"share": share, "items": made})
    return made


@transaction.atomic
def send(run: Run, responses: Iterable[int], by: Person, why: str = "") -> int:
    """Send chosen answers to people besides those drawn, and say how many are new; a final run reopens.

    They were not drawn, so they have no probability and do not enter the corrected mean.
    """
    held = _held(run, {Run.State.AWAITING_REVIEW, Run.State.FINAL})
    done = held.responses.filter(pk__in=list(responses), state=Response.State.DONE)
    kinds = _kinds(held)
    rows = done.values_list("pk", "case__benchmark")
    chosen = [Chosen(pk, code, kinds[code], Reason.SENT, None) for pk, code in rows]
    count = _insert(held, chosen, held.seed)
    if count and held.state == Run.State.FINAL:
        held.reviewed_at = None
        runs.move(held, Run.State.AWAITING_REVIEW)
        events.record(Verb.REOPENED, by, run=held, why=why)
    events.record(Verb.SENT, by, run=held, after={"items": count}, why=why)
    return count


def flagged_responses(run: Run) -> list[int]:
    """List the answers that the newest scoring flags: possible paraphrases, passes on grounding alone."""
    scoring = scorings.newest(run)
    return list(
        run.responses.filter(scores__scoring=scoring, scores__flags__len__gt=0).values_list("pk", flat=True)
        if scoring
        else ()
    )


def _held(run: Run, allowed: Iterable[str] = (Run.State.AWAITING_REVIEW,)) -> Run:
    held = runs.hold(run.pk)
    if held.state not in allowed:
        raise RunClosedError(held.state)
    return held


def _codes(run: Run, route: str) -> list[str]:
    return [code for code, one in benchmarks.known(run.version.dataset.suite).items() if one.route == route]


def _kinds(run: Run) -> defaultdict[str, str]:
    """Say by which kind of rubric the answers of each benchmark are marked."""
    usual = Kind.QUALITY if run.version.dataset.suite == "cybersec" else Kind.RUBRIC
    return defaultdict(lambda: usual, dict.fromkeys(_codes(run, "tier3"), Kind.VALIDATION))


def _without_item(run: Run, codes: Sequence[str], kind: str) -> QuerySet[Response]:
    items = ReviewItem.objects.filter(response=OuterRef("pk"), kind=kind)
    return run.responses.filter(
        ~Exists(items), state=Response.State.DONE, case__benchmark__in=codes
    ).order_by("position")


def _tier2(run: Run) -> list[Chosen]:
    """Choose all Tier 2 answers but blank ones, which score 0 without anyone's marks."""
    blank = Q(scores__scoring=scorings.newest(run), scores__values__rubric=0.0)
    without = _without_item(run, _codes(run, "tier2"), Kind.RUBRIC)
    rows = without.exclude(pk__in=run.responses.filter(blank, people_marks=[]).values("pk"))
    return [
        Chosen(pk, code, Kind.RUBRIC, Reason.RUBRIC, stratum=code)
        for pk, code in rows.values_list("pk", "case__benchmark")
    ]


def _tier3(run: Run, seed: int) -> list[Chosen]:
    """Choose every verdict that the judge is not sure of, and draw from the others."""
    earlier = {pk for one in run.draws.all() for pk in one.responses}
    confidence = _confidences(run)
    rest: dict[str, list[int]] = defaultdict(list)
    chosen = []
    rows = _without_item(run, _codes(run, "tier3"), Kind.VALIDATION).values_list("pk", "case__benchmark")
    for pk, code in rows:
        sure = confidence.get(pk)
        if sure is None or sure < SURE - _SLACK:
            reason = Reason.UNREADABLE if sure is None else Reason.UNSURE
            chosen.append(Chosen(pk, code, Kind.VALIDATION, reason, stratum=f"{code}, not sure"))
        elif pk not in earlier:
            rest[code].append(pk)
    for code, responses in rest.items():
        chosen += _draw(run, code, responses, seed)
    return chosen


def _confidences(run: Run) -> dict[int, float | None]:
    """Say how sure the judge is of each answer; None where no verdict can be read."""
    ended = run.verdicts.filter(state__in=(Verdict.State.DONE, Verdict.State.FAILED))
    if run.judge_votes == 1:
        rows = ended.values_list("response_id", "confidence", "marks")
        return {pk: (sure or 0.0) if marks else None for pk, sure, marks in rows.iterator(chunk_size=5000)}
    votes: dict[int, list[Verdict]] = defaultdict(list)
    for vote in ended.only("response_id", "state", "marks", "confidence", "raw").iterator(chunk_size=5000):
        votes[vote.response_id].append(vote)
    opinions = {pk: verdicts.opinion(cast) for pk, cast in votes.items()}
    return {pk: opinion.confidence if opinion.readable else None for pk, opinion in opinions.items()}


def _draw(run: Run, code: str, responses: list[int], seed: int) -> list[Chosen]:
    last = run.draws.filter(benchmark=code).aggregate(last=Max("number"))["last"] or 0
    count = math.ceil(run.validation_share * len(responses) - _SLACK)
    draw = Draw.objects.create(
        run=run,
        benchmark=code,
        number=last + 1,
        seed=seed,
        share=run.validation_share,
        drawn=count,
        responses=sorted(responses),
    )
    return _drawn(draw, _shuffled(responses, seed)[:count], count)


def _drawn(draw: Draw, responses: Sequence[int], count: int) -> list[Chosen]:
    share, stratum = count / len(draw.responses), draw.stratum
    return [Chosen(pk, draw.benchmark, Kind.VALIDATION, Reason.DRAWN, share, stratum) for pk in responses]


def _shuffled(responses: Iterable[int], seed: int) -> list[int]:
    """Put answers into an order that follows from the seed alone; a longer draw begins like a shorter one."""
    return sorted(responses, key=lambda pk: (hashlib.sha256(f"{seed}:{pk}".encode()).digest(), pk))


def _flagged(run: Run) -> list[Chosen]:
    kinds = _kinds(run)
    rows = Response.objects.filter(pk__in=flagged_responses(run)).values_list("pk", "case__benchmark")
    return [Chosen(pk, code, kinds[code], Reason.FLAGGED, None) for pk, code in rows]


def _insert(run: Run, chosen: Sequence[Chosen], seed: int) -> int:
    """Store items in an order that mixes benchmarks and kinds, behind those that are there already."""
    if not chosen:
        return 0
    position = {pk: place for place, pk in enumerate(_shuffled({one.response for one in chosen}, seed))}
    ordered = sorted(chosen, key=lambda one: position[one.response])
    used = {kind: rubrics.use_in(run, kind) for kind in {one.kind for one in chosen}}
    slots = {kind: run.reviewers if kind == Kind.RUBRIC else used[kind].reviewers for kind in used}
    groups = list(dict.fromkeys(one[1:] for one in ordered))
    number = {group: at for at, group in enumerate(groups)}
    known: dict[str, Any] = {
        "run": run.pk,
        "seed": seed,
        "last": run.review_items.aggregate(last=Max("turn"))["last"] or 0,
        "responses": [one.response for one in ordered],
        "groups": [number[one[1:]] for one in ordered],
        "numbers": list(range(len(groups))),
        "rubrics": [used[kind].pk for _, kind, *_ in groups],
        "slots": [slots[kind] for _, kind, *_ in groups],
    }
    names = ("benchmarks", "kinds", "reasons", "probabilities", "strata")
    known |= {name: [group[at] for group in groups] for at, name in enumerate(names)}
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, known)
        return int(cursor.rowcount)


_INSERT = """
INSERT INTO reviews_reviewitem (
    run_id, response_id, rubric_id, kind, benchmark, reason, slots, taken, turn, returned, probability,
    stratum, mandatory, seed, state, created_at
)
SELECT %(run)s, response, rubric, kind, benchmark, reason, slots, 0, %(last)s + place, false, probability,
    stratum, reason IN ('rubric', 'unsure', 'unreadable'), %(seed)s, 'open', now()
FROM unnest(%(responses)s::bigint[], %(groups)s::integer[]) WITH ORDINALITY AS chosen(response, number, place)
JOIN unnest(
    %(numbers)s::integer[], %(benchmarks)s::text[], %(kinds)s::text[], %(reasons)s::text[],
    %(probabilities)s::float8[], %(strata)s::text[], %(rubrics)s::bigint[], %(slots)s::smallint[]
) AS alike(number, benchmark, kind, reason, probability, stratum, rubric, slots) USING (number)
ORDER BY place
-- What was sent by hand and is drawn afterwards counts as drawn.
ON CONFLICT (response_id, kind) DO UPDATE SET
    probability = excluded.probability, stratum = excluded.stratum, seed = excluded.seed
    WHERE reviews_reviewitem.probability IS NULL AND excluded.probability IS NOT NULL
"""
