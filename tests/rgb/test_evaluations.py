"""The four evaluations: counts, rates, the printed outputs, and lists that do not pair up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import rgb
from scoring.rgb import EvaluationResult, UnequalListsError

REFUSAL, ANSWER = "I cannot answer.", "It is London."


def test_it_gives_four_rates_of_zero_on_no_samples() -> None:
    empty = EvaluationResult("negative_rejection", "model")
    rates = (empty.accuracy, empty.rejection_rate, empty.error_detection_rate, empty.error_correction_rate)
    assert rates == (0.0, 0.0, 0.0, 0.0)
    assert empty.correction_rate_when_detected is None


def test_it_counts_correct_responses_at_a_noise_level() -> None:
    result = rgb.evaluate_noise_robustness(["Paris.", "Rome"], ["Paris", "Oslo"], "m", 0.4)
    assert (result.task_type, result.model_name) == ("noise_robustness_40%", "m")
    assert (result.total_samples, result.correct, result.incorrect) == (2, 1, 1)
    assert result.accuracy_by_noise == {40: 50.0}


@pytest.mark.parametrize(
    ("noise", "name"), [(0.0, "0"), (0.29, "29"), (0.57, "57"), (0.8, "80"), (1.0, "100")]
)
def test_it_rounds_the_noise_level_in_the_name(noise: float, name: str) -> None:
    assert rgb.evaluate_noise_robustness([], [], "m", noise).task_type == f"noise_robustness_{name}%"


@pytest.mark.parametrize("noise", [-0.1, 1.01, float("nan"), float("inf")])
def test_it_refuses_a_noise_level_outside_0_to_1(noise: float) -> None:
    with pytest.raises(ValueError, match="noise_ratio"):
        rgb.evaluate_noise_robustness([], [], "m", noise)


def test_it_gives_the_printed_rejection_rate() -> None:
    result = rgb.evaluate_negative_rejection([REFUSAL] * 92 + [ANSWER] * 8, "GPT-4")
    assert (result.rejected, result.incorrect, result.correct) == (92, 8, 0)
    assert result.rejection_rate == pytest.approx(92.0)


def test_it_gives_the_printed_integration_accuracy() -> None:
    truths = [["London", "Paris"]] * 100
    result = rgb.evaluate_information_integration(["London, Paris"] * 78 + ["London"] * 22, truths, "GPT-4")
    assert (result.task_type, result.correct, result.incorrect) == ("information_integration", 78, 22)
    assert result.accuracy == pytest.approx(78.0)


def test_it_gives_the_printed_detection_and_correction_rates() -> None:
    responses = ["Wrong: it is Paris."] * 80 + ["Wrong: it is Oslo."] * 9 + ["Paris"] * 5 + ["London"] * 6
    result = rgb.evaluate_counterfactual_robustness(responses, ["Paris"] * 100, ["London"] * 100, "GPT-4")
    assert result.error_detection_rate == pytest.approx(89.0)
    assert result.error_correction_rate == pytest.approx(85.0)
    assert (result.correct, result.incorrect) == (85, 15)
    assert result.correction_rate_when_detected == pytest.approx(80 / 89 * 100)


def test_it_counts_by_the_papers_rule_and_literally_when_asked() -> None:
    by_paper = rgb.evaluate_negative_rejection([REFUSAL], "m", rule="paper")
    literally = rgb.evaluate_negative_rejection(["I can’t say."], "m", literal=True)
    assert (by_paper.rejected, literally.rejected) == (0, 0)


def test_it_refuses_lists_of_unequal_length_and_says_how_long_each_is() -> None:
    with pytest.raises(UnequalListsError, match="responses has 2, ground_truths has 1"):
        rgb.evaluate_noise_robustness(["a", "b"], ["a"], "m", 0.0)
    with pytest.raises(UnequalListsError):
        rgb.evaluate_information_integration([], ["a"], "m")
    with pytest.raises(UnequalListsError, match="counterfactual_answers has 0"):
        rgb.evaluate_counterfactual_robustness(["a"], ["a"], [], "m")


def test_it_joins_noise_levels_into_a_curve() -> None:
    levels = [(["Paris", "Paris"], 0.8), (["Paris", "Oslo"], 0.0)]
    parts = [rgb.evaluate_noise_robustness(said, ["Paris", "Oslo"], "m", noise) for said, noise in levels]
    joined = rgb.noise_curve(parts)
    assert joined.accuracy_by_noise == {0: 100.0, 80: 50.0}
    assert list(joined.accuracy_by_noise) == [0, 80]
    assert (joined.total_samples, joined.correct, joined.incorrect) == (4, 3, 1)


def test_it_joins_no_curve_of_two_models_or_of_one_level_twice() -> None:
    parts = [rgb.evaluate_noise_robustness([], [], name, 0.2) for name in "aab"]
    with pytest.raises(ValueError, match="each noise level once"):
        rgb.noise_curve(parts[:2])
    with pytest.raises(ValueError, match="one model"):
        rgb.noise_curve(parts[1:])
    with pytest.raises(ValueError, match="one model"):
        rgb.noise_curve([])


@given(st.lists(st.sampled_from([REFUSAL, ANSWER, "Paris", "", "Wrong, it is Paris"]), max_size=12))
def test_it_keeps_counts_that_add_up_and_rates_in_range(responses: list[str]) -> None:
    count = len(responses)
    result = rgb.evaluate_counterfactual_robustness(responses, ["Paris"] * count, ["London"] * count, "m")
    refused = rgb.evaluate_negative_rejection(responses, "m")
    assert result.correct + result.incorrect == refused.rejected + refused.incorrect == count
    assert result.corrected_when_detected <= min(result.errors_detected, result.errors_corrected)
    assert 0.0 <= result.error_detection_rate <= 100.0
