"""Token scores of given answers: the loss that transformers finds, causal and sequence to sequence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from scoring.language import logits
from scoring.measurement import Sample
from scoring.metrics import hallucination, kl_shift, perplexity

ANSWER = "firewalls filter network traffic by rules ."
QUESTION = "what is a firewall ?"
WORDS = list(dict.fromkeys(["<pad>", "</s>", "<unk>", *ANSWER.split(), *QUESTION.split()]))


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    words = Tokenizer(WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = Whitespace()
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=words, unk_token="<unk>", pad_token="<pad>", eos_token="</s>"
    )


def causal(seed: int) -> Any:
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(WORDS), n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=1
    )
    return GPT2LMHeadModel(config)  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def paired() -> Any:
    torch.manual_seed(3)
    sizes: dict[str, Any] = {
        "d_model": 16,
        "d_kv": 8,
        "d_ff": 32,
        "num_layers": 2,
        "num_heads": 2,
        "decoder_start_token_id": 0,
    }
    return T5ForConditionalGeneration(T5Config(vocab_size=len(WORDS), **sizes))


def perplexity_of(tokens: Any) -> float | None:
    return perplexity.measure(Sample(ANSWER, tokens=tokens)).value


def test_it_finds_the_loss_of_a_causal_model(tokenizer: Any) -> None:
    model = causal(1).eval()
    ids = torch.tensor([tokenizer(ANSWER).input_ids])
    loss = model(input_ids=ids, labels=ids).loss.item()
    assert perplexity_of(logits.answer_scores(model, tokenizer, ANSWER)) == pytest.approx(
        math.exp(loss), rel=1e-5
    )


def test_it_finds_the_loss_of_a_causal_model_on_the_answer_alone_given_the_question(tokenizer: Any) -> None:
    model = causal(1).eval()
    asked, said = tokenizer(f"{QUESTION}\n").input_ids, tokenizer(ANSWER).input_ids
    ids, labels = torch.tensor([asked + said]), torch.tensor([[-100] * len(asked) + said])
    loss = model(input_ids=ids, labels=labels).loss.item()
    scores = logits.answer_scores(model, tokenizer, ANSWER, question=QUESTION)
    assert perplexity_of(scores) == pytest.approx(math.exp(loss), rel=1e-5)
    assert scores.logits.shape == (len(said), len(WORDS))


def test_it_finds_the_loss_of_a_sequence_to_sequence_model(tokenizer: Any, paired: Any) -> None:
    paired.eval()
    asked, said = (torch.tensor([tokenizer(text).input_ids]) for text in (QUESTION, ANSWER))
    for question, source in (("", said), (QUESTION, asked)):
        loss = paired(input_ids=source, labels=said).loss.item()
        scores = logits.answer_scores(paired, tokenizer, ANSWER, question=question)
        assert perplexity_of(scores) == pytest.approx(math.exp(loss), rel=1e-5)


def test_it_brings_the_base_models_logits_along(tokenizer: Any) -> None:
    tuned, base = causal(1), causal(2)
    shifted = logits.answer_scores(tuned, tokenizer, ANSWER, question=QUESTION, base_model=base)
    same = logits.answer_scores(tuned, tokenizer, ANSWER, question=QUESTION, base_model=tuned)
    assert kl_shift.measure(Sample(ANSWER, tokens=same)).value == pytest.approx(0.0, abs=1e-9)
    found = kl_shift.measure(Sample(ANSWER, tokens=shifted)).value
    assert found is not None
    assert found > 0.001


def test_it_uses_the_chat_template_where_there_is_one(tokenizer: Any) -> None:
    model = causal(1)
    plain = logits.answer_scores(model, tokenizer, ANSWER, question="a firewall")
    tokenizer.chat_template = "what is {{ messages[0]['content'] }} ?"
    try:
        chatted = logits.answer_scores(model, tokenizer, ANSWER, question="a firewall")
    finally:
        tokenizer.chat_template = None
    asked = logits.answer_scores(model, tokenizer, ANSWER, question="what is a firewall ?")
    assert np.allclose(chatted.logits, asked.logits)
    assert not np.allclose(plain.logits, asked.logits)


def test_it_switches_dropout_off_and_leaves_the_model_as_it_was(tokenizer: Any) -> None:
    model = causal(1).train()
    first, second = (logits.answer_scores(model, tokenizer, ANSWER).logits for _ in range(2))
    assert (first == second).all()
    assert model.training


def test_it_has_nothing_to_say_of_an_empty_answer(tokenizer: Any) -> None:
    tokens = logits.answer_scores(causal(1), tokenizer, "", question=QUESTION)
    assert perplexity.measure(Sample("", tokens=tokens)).why == "The answer has no tokens."
    assert hallucination.measure(Sample("", tokens=tokens)).value is None
    assert logits.answer_scores(causal(1), tokenizer, "").logprobs == []


def test_it_refuses_more_than_the_model_reads(tokenizer: Any) -> None:
    with pytest.raises(logits.AnswerTooLongError, match="have 70 tokens, and the model reads 32"):
        logits.answer_scores(causal(1), tokenizer, ANSWER * 10)


def test_it_lets_either_kind_of_model_answer(tokenizer: Any, paired: Any) -> None:
    model = causal(1)
    assert logits.generate(model, tokenizer, QUESTION, max_new_tokens=4) == logits.generate(
        model, tokenizer, QUESTION, max_new_tokens=4, seed=9
    )
    several = logits.generate(model, tokenizer, QUESTION, max_new_tokens=8, count=3, seed=4)
    assert len(several) == 3
    assert several == logits.generate(model, tokenizer, QUESTION, max_new_tokens=8, count=3, seed=4)
    assert QUESTION not in several[0]
    assert len(logits.generate(paired, tokenizer, QUESTION, max_new_tokens=4)) == 1
