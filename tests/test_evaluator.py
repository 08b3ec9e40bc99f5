"""The evaluators for scripts: published names, published examples, and the same numbers as the metrics."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.evaluator import CCoPEvaluator, EvaluationResult, Evaluator, RGBEvaluator
from scoring.measurement import TokenScores
from scoring.metrics import coherence, repetition

FIREWALLS = coherence.EXAMPLE.response
KNOWN = TokenScores(logprobs=[math.log(0.5)] * 2, logits=np.zeros((2, 8)), base_logits=np.zeros((2, 8)))


@pytest.mark.parametrize(
    ("kind", "method", "arguments"),
    [
        (RGBEvaluator, "__init__", "self literal rule"),
        (RGBEvaluator, "normalize_answer", "self answer"),
        (RGBEvaluator, "is_correct", "self response ground_truth strict"),
        (RGBEvaluator, "is_rejection", "self response"),
        (RGBEvaluator, "detects_error", "self response counterfactual_answer"),
        (RGBEvaluator, "corrects_error", "self response correct_answer counterfactual_answer"),
        (RGBEvaluator, "evaluate_noise_robustness", "self responses ground_truths model_name noise_ratio"),
        (RGBEvaluator, "evaluate_negative_rejection", "self responses model_name"),
        (RGBEvaluator, "evaluate_information_integration", "self responses ground_truths model_name"),
        (
            RGBEvaluator,
            "evaluate_counterfactual_robustness",
            "self responses ground_truths counterfactual_answers model_name",
        ),
        (CCoPEvaluator, "route", "self benchmark"),
        (CCoPEvaluator, "label_match", "self response expected_label"),
        (CCoPEvaluator, "key_fact_recall", "self response key_facts"),
        (CCoPEvaluator, "forbidden_claims_found", "self response forbidden_claims"),
        (CCoPEvaluator, "overall_score", "self metrics"),
        (CCoPEvaluator, "passes", "self score phase override"),
        (CCoPEvaluator, "rubric_score", "self ratings"),
        (Evaluator, "repetition_score", "text n"),
        (Evaluator, "prompt_copying_score", "question answer"),
        (Evaluator, "length_deviation_score", "answer expected_length"),
        (Evaluator, "self_bleu_score", "answers"),
        (Evaluator, "kl_divergence_shift", "tuned_logits base_logits"),
        (Evaluator, "combined_score", "coherence hallucination perplexity"),
        (Evaluator, "split_sentences", "text"),
    ],
)
def test_it_keeps_the_published_names_of_methods_and_arguments(
    kind: type, method: str, arguments: str
) -> None:
    assert list(inspect.signature(getattr(kind, method)).parameters) == arguments.split()


def test_it_runs_without_django() -> None:
    code = "import sys; sys.modules['django'] = None; sys.modules['celery'] = None; import scoring.evaluator"
    root = Path(__file__).resolve().parent.parent
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


def test_it_judges_the_published_examples_of_rgb() -> None:
    rgb = RGBEvaluator()
    assert rgb.normalize_answer("The capital is Paris!!!") == "the capital is paris"
    assert rgb.is_correct("The capital of France is Paris.", "Paris")
    assert not rgb.is_correct("The capital is Paris.", "Paris", strict=True)
    assert rgb.is_rejection("Based on the provided documents, I cannot determine the answer.")
    assert rgb.detects_error("The documents are wrong - the capital is Tokyo.", "London")
    assert not rgb.corrects_error("The documents are wrong - the capital is Tokyo.", "Paris", "London")


def test_it_folds_typography_unless_told_to_be_literal() -> None:
    assert RGBEvaluator().is_rejection("I can’t say.")
    assert not RGBEvaluator(literal=True).is_rejection("I can’t say.")


def test_it_offers_the_rule_of_the_paper() -> None:
    paper = RGBEvaluator(rule="paper")
    assert not paper.is_rejection("I cannot determine it.")
    assert paper.is_rejection("There is insufficient information in the documents.")
    with pytest.raises(ValueError, match="no rule 'guess'"):
        RGBEvaluator(rule="guess")


def test_it_counts_the_four_abilities_of_rgb() -> None:
    rgb = RGBEvaluator()
    robust = rgb.evaluate_noise_robustness(["Paris.", "Rome."], ["Paris", "Oslo"], "m", 0.4)
    assert isinstance(robust, EvaluationResult)
    assert (robust.task_type, robust.accuracy) == ("noise_robustness_40%", 50.0)
    assert rgb.evaluate_negative_rejection(["I cannot answer."], "m").rejection_rate == 100.0
    assert rgb.evaluate_information_integration(["80, 443"], [["80", "443"]], "m").accuracy == 100.0
    against = rgb.evaluate_counterfactual_robustness(["Wrong: Paris"], ["Paris"], ["London"], "m")
    assert (against.error_detection_rate, against.error_correction_rate) == (100.0, 100.0)


def test_it_routes_and_scores_ccop() -> None:
    ccop = CCoPEvaluator()
    assert [ccop.route(name) for name in ("B21", "b07", "B12", "B3", "B22")] == [
        "tier1",
        "tier2",
        "tier3",
        "reasoning",
        None,
    ]
    assert ccop.label_match("It is not compliant.", "Compliant") == 0.0
    assert ccop.label_match("Anything.", None) is None
    assert (
        ccop.key_fact_recall("Access rights are reviewed.", ["Access rights reviewed", "Keys rotate"]) == 0.5
    )
    assert ccop.forbidden_claims_found("You must encrypt, always.", ["weekly", "must encrypt always"]) == [1]


def test_it_brings_ccop_scores_together() -> None:
    ccop = CCoPEvaluator()
    overall = ccop.overall_score({"accuracy": 0.7, "completeness": 0.5, "grounding": 1.0, "concision": 0.1})
    assert overall == pytest.approx(2.1 / 2.8)
    assert ccop.passes(0.15, "baseline")
    assert not ccop.passes(overall, "deployment")
    assert ccop.passes(overall, "deployment", override=0.7)
    assert ccop.rubric_score([{"accuracy": 5, "clarity": 3}, {"accuracy": 1}]) == 0.375


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: RGBEvaluator().is_rejection(None), "response must be"),  # type: ignore[arg-type]
        (lambda: CCoPEvaluator().label_match(None, "Compliant"), "response must be"),  # type: ignore[arg-type]
        (lambda: CCoPEvaluator().key_fact_recall("Yes", "a fact"), "key_facts must be"),
        (lambda: Evaluator.repetition_score(None), "text must be a string, not NoneType"),  # type: ignore[arg-type]
        (lambda: Evaluator().coherence_score_batch(["a", None]), r"answers\[1\] must be"),  # type: ignore[list-item]
        (lambda: Evaluator().coherence_score_batch("one"), "answers must be a list"),
        (lambda: Evaluator.prompt_copying_score(None, "a"), "question must be"),  # type: ignore[arg-type]
    ],
)
def test_it_names_what_is_not_text(call: Any, named: str) -> None:
    with pytest.raises(TypeError, match=named):
        call()


def test_it_gives_the_numbers_of_the_metrics() -> None:
    assert Evaluator().coherence_score(FIREWALLS) == pytest.approx(coherence.measure(coherence.EXAMPLE).value)
    assert Evaluator.repetition_score(repetition.EXAMPLE.response) == 0.4
    assert Evaluator.repetition_score("a b a b", n=2) == pytest.approx(2 / 3)
    assert Evaluator.prompt_copying_score("What is TLS?", "TLS is a protocol.") == pytest.approx(2 / 3)
    assert Evaluator.semantic_richness_score("a b a b") == 0.5
    assert Evaluator.invalid_token_score("aaaa") == 0.25
    assert Evaluator.uncertainty_score("Maybe.") == pytest.approx(1 / 3)
    assert Evaluator.length_deviation_score("one two", 4) == 0.5
    assert Evaluator.self_bleu_score(["a b c d", "a b c d"]) == pytest.approx(100)
    assert Evaluator.split_sentences("Use TLS 1.2. Now!") == ["Use TLS 1.2.", "Now!"]
    assert Evaluator.combined_score(0.450, 0.236, 1.189) == pytest.approx(0.20211)


def test_it_is_none_where_a_metric_is_undefined() -> None:
    assert Evaluator().hallucination_score("Why?", "So.") is None
    assert Evaluator().perplexity("So.") is None
    assert Evaluator().perplexity() is None
    assert Evaluator.self_bleu_score(["alone"]) is None
    assert Evaluator.length_deviation_score("a", 0) is None
    assert Evaluator.semantic_richness_score("") is None
    assert Evaluator.kl_divergence_shift([[0.0, 0.0]], [[0.0, -math.inf]]) is None
    assert Evaluator.combined_score(0.5, None, 1.0) is None


def test_it_reads_logits_and_log_probabilities() -> None:
    evaluator = Evaluator()
    assert evaluator.hallucination_score("Why?", "So.", logits=np.zeros((3, 5))) == pytest.approx(0.7)
    assert evaluator.hallucination_score("Why?", "So.", top_logprobs=[[0.0]], vocabulary=9) == 0.0
    assert evaluator.perplexity([math.log(0.25)] * 3) == pytest.approx(4.0)
    assert evaluator.perplexity("So.", logprobs=np.log([0.25, 0.25])) == pytest.approx(4.0)
    assert evaluator.perplexity(logits=np.zeros((2, 6)), token_ids=[1, 5]) == pytest.approx(6.0)
    assert evaluator.kl_divergence_shift(np.log([[0.5, 0.5]]), np.log([[0.25, 0.75]])) == pytest.approx(
        0.14384, 1e-4
    )


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: Evaluator().perplexity([-0.1, math.nan]), r"logprobs\[1\] is nan"),
        (lambda: Evaluator().perplexity(logprobs=[-math.inf]), r"logprobs\[0\] is -inf"),
        (lambda: Evaluator().perplexity(logits=np.zeros((2, 6))), "token_ids has 0 tokens"),
        (
            lambda: Evaluator().hallucination_score("?", "So.", logits=[[0.0, math.nan]]),
            r"logits\[0\]\[1\] is nan",
        ),
        (
            lambda: Evaluator.kl_divergence_shift([[math.inf, 0.0]], [[0.0, 0.0]]),
            r"tuned_logits\[0\]\[0\] is inf",
        ),
        (lambda: Evaluator.combined_score(math.nan, 0.0, 1.0), "coherence must be a finite number"),
        (lambda: Evaluator().hallucination_score_batch(["?"], ["a", "b"]), "questions has 1, answers has 2"),
        (lambda: Evaluator().evaluate(["?"]), "answers are missing"),
        (lambda: Evaluator(model=object()), "model and tokenizer go together"),
    ],
)
def test_it_refuses_what_is_no_number_by_its_name(call: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        call()


def test_it_gives_lists_for_batches() -> None:
    evaluator = Evaluator()
    together = evaluator.coherence_score_batch([FIREWALLS, "One.", "One. One."])
    assert together == pytest.approx([evaluator.coherence_score(FIREWALLS), 0.0, 1.0])
    assert evaluator.hallucination_score_batch(["?", "?"], ["So.", "Maybe."], [KNOWN, None]) == [
        pytest.approx(0.7),
        None,
    ]
    assert evaluator.coherence_score_batch([]) == []


def test_it_evaluates_answers_by_every_metric() -> None:
    results = Evaluator().evaluate(
        ["What is a firewall?", "What is TLS?"],
        [FIREWALLS, "It is a protocol."],
        tokens=[KNOWN, None],
        siblings=[["Firewalls filter traffic."], []],
        expected_lengths=[15, 4],
    )
    first, second = results["per_question"]
    assert first["combined_score"] == first["coherence"] - first["hallucination"] - 0.01 * first["perplexity"]
    assert results["combined_score"] == first["combined_score"]
    assert (second["combined_score"], second["self_bleu"], second["length_deviation"]) == (None, None, 0.0)
    assert results["coherence"] == pytest.approx(first["coherence"] / 2)
    assert results["kl_shift"] == 0.0


def test_it_evaluates_nothing_to_nothing() -> None:
    results = Evaluator().evaluate([], [])
    assert results["coherence"] is None
    assert results["per_question"] == []


def test_it_asks_the_model_for_answers_and_for_what_it_thinks_of_them() -> None:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = ["<s>", "what", "is", "tls", "a", "protocol", ".", "?"]
    plain = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<s>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<s>", pad_token="<s>")  # type: ignore[no-untyped-call]
    torch.manual_seed(5)
    shape: dict[str, Any] = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 64}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=8, bos_token_id=0, eos_token_id=0, **shape))  # type: ignore[no-untyped-call]
    evaluator = Evaluator(model, tokenizer, {"max_new_tokens": 5}, base_model=model)
    results = evaluator.evaluate(["what is tls ?"])
    (one,) = results["per_question"]
    assert len(one["answer"].split()) <= 5
    assert results["kl_shift"] == pytest.approx(0.0, abs=1e-6)
    assert evaluator.perplexity("tls is a protocol .") == pytest.approx(8.0, rel=0.2)
    given = evaluator.hallucination_score("what is tls ?", "tls is a protocol .")
    assert given is not None
    assert 0.6 < given <= 0.7
