"""RGB (Chen et al. 2024): responses and answers go in; correctness, rejection, detection, rates come out.

`literal=True` compares the characters as they are; otherwise both sides are folded first, so that
a typographic apostrophe matches a plain one. `rule="paper"` gives the paper's own containment rule.
"""

from scoring.rgb.counterfactual import corrects_error, detects_error
from scoring.rgb.evaluations import (
    EvaluationResult,
    UnequalListsError,
    evaluate_counterfactual_robustness,
    evaluate_information_integration,
    evaluate_negative_rejection,
    evaluate_noise_robustness,
    noise_curve,
)
from scoring.rgb.matching import is_correct, normalize_answer
from scoring.rgb.rejection import is_rejection

__all__ = [
    "EvaluationResult",
    "UnequalListsError",
    "corrects_error",
    "detects_error",
    "evaluate_counterfactual_robustness",
    "evaluate_information_integration",
    "evaluate_negative_rejection",
    "evaluate_noise_robustness",
    "is_correct",
    "is_rejection",
    "noise_curve",
    "normalize_answer",
]
