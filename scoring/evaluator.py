"""Responses go in, scores come out: every metric under its published name, for scripts and notebooks.

`RGBEvaluator` is for RGB, `CCoPEvaluator` for the CCoP 2.0 baseline methodology, `Evaluator` for the
CyberSecLLM metrics. None of them needs Django, a database or a network. They give plain numbers; for the
evidence behind one, call `measure` of the module in `scoring.metrics` that bears its name.

>>> RGBEvaluator().is_correct("The capital of France is Paris.", "Paris")
True
>>> CCoPEvaluator().label_match("The system is not compliant.", "Non-Compliant")
1.0
>>> round(Evaluator().combined_score(0.450, 0.236, 1.189), 3)
0.202
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring import phases
from scoring.ccop import benchmarks, fabrications, weights
from scoring.language import lexical
from scoring.language_evaluator import Evaluator
from scoring.measurement import Sample
from scoring.metrics import key_fact_recall, label_match, rubric
from scoring.rgb import counterfactual, evaluations, matching, rejection, rules
from scoring.rgb.evaluations import EvaluationResult
from scoring.rgb.matching import Answers

__all__ = ["CCoPEvaluator", "EvaluationResult", "Evaluator", "RGBEvaluator"]


class RGBEvaluator:
    """The four abilities of RGB.

    `rule` is "seed" for the keyword lists and the 80 % overlap, which have the name "keywords" elsewhere, or
    "paper" for the rule of Chen et al. 2024. `literal` compares text as it stands, without folding quotes,
    dashes and the like first.
    """

    def __init__(self, literal: bool = False, rule: str = "seed") -> None:
        self._reading = rules.Reading(
            literal=literal, rule=rules.checked("keywords" if rule == "seed" else rule)
        )

    def normalize_answer(self, answer: str) -> str:
        """Lower the case, drop the punctuation at the end and collapse white space."""
        return matching.normalize_answer(answer, literal=self._reading["literal"])

    def is_correct(self, response: str, ground_truth: Answers, strict: bool = False) -> bool:
        """Say whether the response gives the answer, or every answer of a list."""
        return matching.is_correct(response, ground_truth, strict, **self._reading)

    def is_rejection(self, response: str) -> bool:
        """Say whether the response declines to answer."""
        return rejection.is_rejection(response, **self._reading)

    def detects_error(self, response: str, counterfactual_answer: Answers | None = None) -> bool:
        """Say whether the response notices that the documents are wrong."""
        return counterfactual.detects_error(response, counterfactual_answer, **self._reading)

    def corrects_error(
        self, response: str, correct_answer: Answers, counterfactual_answer: Answers | None = None
    ) -> bool:
        """Say whether the response gives the right answer in place of the planted one."""
        return counterfactual.corrects_error(response, correct_answer, counterfactual_answer, **self._reading)

    def evaluate_noise_robustness(
        self, responses: Sequence[str], ground_truths: Sequence[Answers], model_name: str, noise_ratio: float
    ) -> EvaluationResult:
        """Count the correct responses at one noise level, 0.0 to 1.0."""
        return evaluations.evaluate_noise_robustness(
            responses, ground_truths, model_name, noise_ratio, **self._reading
        )

    def evaluate_negative_rejection(self, responses: Sequence[str], model_name: str) -> EvaluationResult:
        """Count the rejections among responses to questions that the documents do not answer."""
        return evaluations.evaluate_negative_rejection(responses, model_name, **self._reading)

    def evaluate_information_integration(
        self, responses: Sequence[str], ground_truths: Sequence[Answers], model_name: str
    ) -> EvaluationResult:
        """Count the correct responses to questions that need several documents."""
        return evaluations.evaluate_information_integration(
            responses, ground_truths, model_name, **self._reading
        )

    def evaluate_counterfactual_robustness(
        self,
        responses: Sequence[str],
        ground_truths: Sequence[Answers],
        counterfactual_answers: Sequence[Answers | None],
        model_name: str,
    ) -> EvaluationResult:
        """Count the responses that detect, and those that correct, the error planted in the documents."""
        return evaluations.evaluate_counterfactual_robustness(
            responses, ground_truths, counterfactual_answers, model_name, **self._reading
        )


class CCoPEvaluator:
    """The benchmarks B1 to B21 of the CCoP 2.0 baseline methodology."""

    def route(self, benchmark: str) -> benchmarks.Route | None:
        """Tell how a benchmark is scored; None for one that is not of the methodology."""
        return benchmarks.route(benchmark)

    def label_match(self, response: str, expected_label: str | None) -> float | None:
        """Compare the response with a label: 1.0 exact, 0.7 partial, 0.0 wrong, None without a label."""
        return label_match.measure(Sample(_text(response), expected_label=expected_label)).value

    def key_fact_recall(self, response: str, key_facts: Sequence[str]) -> float | None:
        """Give the share of key facts that the response covers; None without facts."""
        return key_fact_recall.measure(
            Sample(_text(response), key_facts=_texts(key_facts, "key_facts"))
        ).value

    def forbidden_claims_found(self, response: str, forbidden_claims: Sequence[str]) -> list[int]:
        """List the indexes of the forbidden claims that stand in the response word for word."""
        claims = _texts(forbidden_claims, "forbidden_claims")
        return [claim.which for claim in fabrications.claims_found(lexical.view(_text(response)), claims)]

    def overall_score(self, metrics: Mapping[str, float | None]) -> float | None:
        """Take the weighted mean of the defined metrics, with the methodology's weights."""
        return weights.overall_score(metrics)

    def passes(self, score: float | None, phase: str, override: float | None = None) -> bool | None:
        """Tell whether a score reaches its phase's threshold, or the one that overrides it."""
        return phases.passes(score, phase, override)

    def rubric_score(self, ratings: Sequence[Mapping[str, float]]) -> float | None:
        """Turn marks from 1 to 5, one mapping of criterion to mark per reviewer, into a score."""
        return rubric.score(ratings)


def _text(response: Any) -> str:
    if not isinstance(response, str):
        raise TypeError(f"response must be a string, not {type(response).__name__}.")
    return response


def _texts(values: Any, field: str) -> Sequence[str]:
    if isinstance(values, str) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{field} must be a list of strings.")
    return list(values)
