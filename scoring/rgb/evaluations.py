"""Responses and answers of one ability go in, an EvaluationResult with its rates comes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scoring.rgb.counterfactual import corrects_error, detects_error
from scoring.rgb.matching import Answers, is_correct
from scoring.rgb.rejection import is_rejection
from scoring.rgb.rules import Rule


class UnequalListsError(ValueError):
    """Responses and answers that do not pair up; the message gives the length of each list."""


@dataclass
class EvaluationResult:
    """The counts of one evaluation; the rates follow from them, in per cent."""

    task_type: str
    model_name: str
    total_samples: int = 0
    correct: int = 0
    incorrect: int = 0
    rejected: int = 0
    errors_detected: int = 0
    errors_corrected: int = 0
    accuracy_by_noise: dict[int, float] = field(default_factory=dict)
    corrected_when_detected: int = 0

    @property
    def accuracy(self) -> float:
        """Correct responses among all, in per cent."""
        return self._share(self.correct)

    @property
    def rejection_rate(self) -> float:
        """Rejections among all responses, in per cent."""
        return self._share(self.rejected)

    @property
    def error_detection_rate(self) -> float:
        """Responses that detect the error among all, in per cent."""
        return self._share(self.errors_detected)

    @property
    def error_correction_rate(self) -> float:
        """Responses that correct the error among all, in per cent."""
        return self._share(self.errors_corrected)

    @property
    def correction_rate_when_detected(self) -> float | None:
        """The paper's CR: corrected responses among those that detect the error; None if none does."""
        return self.corrected_when_detected / self.errors_detected * 100 if self.errors_detected else None

    def _share(self, count: int) -> float:
        return count / self.total_samples * 100 if self.total_samples else 0.0


def evaluate_noise_robustness(
    responses: Sequence[str],
    ground_truths: Sequence[Answers],
    model_name: str,
    noise_ratio: float,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> EvaluationResult:
    """Count the correct responses at one noise level, 0.0 to 1.0.

    >>> result = evaluate_noise_robustness(["Paris.", "Rome"], ["Paris", "Oslo"], "model", 0.29)
    >>> result.task_type, result.accuracy, result.accuracy_by_noise
    ('noise_robustness_29%', 50.0, {29: 50.0})
    """
    if not 0.0 <= noise_ratio <= 1.0:
        raise ValueError(f"noise_ratio must lie between 0.0 and 1.0, not {noise_ratio}.")
    percent = round(noise_ratio * 100)
    result = _count_correct(
        f"noise_robustness_{percent}%", responses, ground_truths, model_name, literal=literal, rule=rule
    )
    result.accuracy_by_noise[percent] = result.accuracy
    return result


def evaluate_negative_rejection(
    responses: Sequence[str], model_name: str, *, literal: bool = False, rule: Rule = "keywords"
) -> EvaluationResult:
    """Count the rejections among responses to questions that the documents do not answer.

    >>> evaluate_negative_rejection(["I cannot answer.", "It is 42."], "model").rejection_rate
    50.0
    """
    result = EvaluationResult("negative_rejection", model_name, len(responses))
    result.rejected = sum(is_rejection(response, literal=literal, rule=rule) for response in responses)
    result.incorrect = result.total_samples - result.rejected
    return result


def evaluate_information_integration(
    responses: Sequence[str],
    ground_truths: Sequence[Answers],
    model_name: str,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> EvaluationResult:
    """Count the correct responses to questions that need several documents.

    >>> evaluate_information_integration(["80 and 443"], [["80", "443"]], "model").accuracy
    100.0
    """
    return _count_correct(
        "information_integration", responses, ground_truths, model_name, literal=literal, rule=rule
    )


def evaluate_counterfactual_robustness(
    responses: Sequence[str],
    ground_truths: Sequence[Answers],
    counterfactual_answers: Sequence[Answers | None],
    model_name: str,
    *,
    literal: bool = False,
    rule: Rule = "keywords",
) -> EvaluationResult:
    """Count the responses that detect, and those that correct, the error planted in the documents.

    >>> result = evaluate_counterfactual_robustness(
    ...     ["That is wrong: it is Tokyo.", "Paris"], ["Paris", "Paris"], ["London", "London"], "model")
    >>> result.error_detection_rate, result.error_correction_rate, result.correction_rate_when_detected
    (50.0, 50.0, 0.0)
    """
    _check_lengths(
        responses=responses, ground_truths=ground_truths, counterfactual_answers=counterfactual_answers
    )
    result = EvaluationResult("counterfactual_robustness", model_name, len(responses))
    for response, truth, fake in zip(responses, ground_truths, counterfactual_answers, strict=True):
        detected = detects_error(response, fake, literal=literal, rule=rule)
        corrected = corrects_error(response, truth, fake, literal=literal, rule=rule)
        result.errors_detected += detected
        result.errors_corrected += corrected
        result.corrected_when_detected += detected and corrected
    result.correct = result.errors_corrected
    result.incorrect = result.total_samples - result.correct
    return result


def noise_curve(results: Iterable[EvaluationResult]) -> EvaluationResult:
    """Join the results of one model at several noise levels: counts added, one accuracy per level.

    >>> levels = [evaluate_noise_robustness(["Paris"], [truth], "model", noise)
    ...           for truth, noise in [("Paris", 0.0), ("Oslo", 0.4)]]
    >>> noise_curve(levels).accuracy_by_noise
    {0: 100.0, 40: 0.0}
    """
    parts = list(results)
    if len({part.model_name for part in parts}) != 1:
        raise ValueError("results must be of one model.")
    levels = sorted(level for part in parts for level in part.accuracy_by_noise)
    if len(set(levels)) != len(levels):
        raise ValueError("results must hold each noise level once.")
    joined = EvaluationResult(
        "noise_robustness", parts[0].model_name, sum(part.total_samples for part in parts)
    )
    joined.correct = sum(part.correct for part in parts)
    joined.incorrect = sum(part.incorrect for part in parts)
    accuracies = {level: value for part in parts for level, value in part.accuracy_by_noise.items()}
    joined.accuracy_by_noise = {level: accuracies[level] for level in levels}
    return joined


def _count_correct(
    task_type: str,
    responses: Sequence[str],
    ground_truths: Sequence[Answers],
    model_name: str,
    *,
    literal: bool,
    rule: Rule,
) -> EvaluationResult:
    _check_lengths(responses=responses, ground_truths=ground_truths)
    pairs = zip(responses, ground_truths, strict=True)
    result = EvaluationResult(task_type, model_name, len(responses))
    result.correct = sum(is_correct(response, truth, literal=literal, rule=rule) for response, truth in pairs)
    result.incorrect = result.total_samples - result.correct
    return result


def _check_lengths(**lists: Sequence[object]) -> None:
    if len({len(items) for items in lists.values()}) > 1:
        lengths = ", ".join(f"{name} has {len(items)}" for name, items in lists.items())
        raise UnequalListsError(f"The lists must be of the same length: {lengths}.")
