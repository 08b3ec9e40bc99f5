"""Self-BLEU.

How alike the answers to one question are, when the model is asked it several times (five by default).

Formula: the mean over the answers of BLEU-4, 0 to 100, with all other answers as references. Tokens are
words and single marks, folded and in lower case; the orders 1 to 4 that an answer is long enough for
weigh the same; an order without a match is smoothed exponentially, as by sacreBLEU.

None: there are fewer than two answers.

Bands: high diversity below 20, moderate below 50, low from there.

Weaknesses: it compares wording. Answers that contradict each other in the same words score high, and the
same answer in other words scores low. At temperature 0 all answers are equal, and it says 100 of any
model. It grows with the number of answers: compare runs with as many answers each.

>>> round(measure(EXAMPLE).value, 2)
51.85
>>> measure(Sample("Patch it.")).why
'Self-BLEU needs at least two answers to the question, and there is 1.'
"""

from __future__ import annotations

import math

from scoring.language import bleu
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "lower"
RANGE = (0.0, 100.0)
BANDS = (Band(0.0, "high diversity"), Band(20.0, "moderate diversity"), Band(50.0, "low diversity"))
INPUTS = ("response", "siblings")
EXAMPLE = Sample(
    "A firewall filters network traffic by rules.",
    siblings=("A firewall filters network packets by rules.", "It blocks traffic by rules."),
)


def measure(sample: Sample) -> Measurement:
    """Compare the response and its siblings, the other answers to the same question, with one another."""
    answers = [sample.response, *sample.siblings]
    if len(answers) < 2:
        return Measurement(None, "Self-BLEU needs at least two answers to the question, and there is 1.")
    scored = bleu.each_against_others(answers)
    value = math.fsum(one.score for one in scored) / len(scored)
    own = scored[0]
    return Measurement(
        value,
        f"The mean BLEU of {len(answers)} answers, each against the others; this one's is {own.score:.1f}.",
        {"answers": [{**one._asdict(), "brevity_penalty": one.brevity_penalty} for one in scored]},
        flags=("All answers are the same.",) if len(set(answers)) == 1 else (),
    )
