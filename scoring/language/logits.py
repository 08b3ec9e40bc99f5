"""A transformers model, its tokenizer and an answer go in; what the model thinks of each token comes out.

The model and its tokenizer are the caller's: nothing is loaded here, and nothing fetched. Causal and
sequence-to-sequence models are both read in one pass over the answer as it was given.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.language import distributions
from scoring.measurement import TokenScores


class AnswerTooLongError(ValueError):
    """More tokens than the model reads; the message gives both numbers."""


class _Passage(NamedTuple):
    """What goes into the model, the answer's tokens, and where in the output their rows begin."""

    inputs: dict[str, list[int]]
    answer: list[int]
    start: int


def answer_scores(
    model: Any, tokenizer: Any, answer: str, *, question: str = "", base_model: Any = None
) -> TokenScores:
    """Score the tokens of an answer, given its question or alone, with full logits.

    Alone, the answer is both input and labels: a causal model then says nothing of the first token unless
    its tokenizer puts one before it, and a sequence-to-sequence model reads the answer it is to give.
    With a base model, of the same tokenizer, its logits on the same tokens come along.
    """
    whole = _paired if model.config.is_encoder_decoder else _continued
    passage = whole(tokenizer, answer, question)
    logits = _rows(model, passage)
    return TokenScores(
        logprobs=distributions.chosen_logprobs(logits, passage.answer).tolist(),
        logits=logits,
        base_logits=None if base_model is None else _rows(base_model, passage),
        vocabulary=logits.shape[1],
    )


def generate(
    model: Any, tokenizer: Any, question: str, *, max_new_tokens: int = 128, count: int = 1, seed: int = 0
) -> list[str]:
    """Let the model answer: its likeliest words for one answer, drawn at random with a seed for several."""
    import torch  # noqa: PLC0415 - heavy, and only wanted with a model

    prompt = (
        _prompt(tokenizer, question) if not model.config.is_encoder_decoder else tokenizer(question).input_ids
    )
    ids = torch.tensor([prompt], device=model.device)
    drawn = {"do_sample": True, "num_return_sequences": count} if count > 1 else {"do_sample": False}
    with torch.random.fork_rng(), _at_rest(model):
        torch.manual_seed(seed)
        out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=max_new_tokens, **drawn)
    start = 0 if model.config.is_encoder_decoder else len(prompt)
    answers = tokenizer.batch_decode(out[:, start:], skip_special_tokens=True)
    return [answer.strip() for answer in answers]


def _continued(tokenizer: Any, answer: str, question: str) -> _Passage:
    """Lay an answer out for a causal model: each token is foretold by the row before it."""
    if question:
        before = _prompt(tokenizer, question)
        tokens = tokenizer(answer, add_special_tokens=False).input_ids
    else:
        first, *tokens = tokenizer(answer).input_ids or [None]
        before = [] if first is None else [first]
    return _Passage({"input_ids": before + tokens}, tokens, max(len(before) - 1, 0))


def _paired(tokenizer: Any, answer: str, question: str) -> _Passage:
    """Lay an answer out for a sequence-to-sequence model, which foretells the labels row by row."""
    labels = tokenizer(text_target=answer).input_ids
    return _Passage({"input_ids": tokenizer(question or answer).input_ids, "labels": labels}, labels, 0)


def _prompt(tokenizer: Any, question: str) -> list[int]:
    if getattr(tokenizer, "chat_template", None):
        messages = [{"role": "user", "content": question}]
        text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        ids: list[int] = tokenizer(text, add_special_tokens=False).input_ids
    else:
        ids = tokenizer(f"{question}\n").input_ids
    return ids


def _rows(model: Any, passage: _Passage) -> NDArray[np.float32]:
    import torch  # noqa: PLC0415

    if not passage.answer:
        return np.empty((0, model.config.vocab_size), np.float32)
    _check_length(model, passage)
    inputs = {name: torch.tensor([ids], device=model.device) for name, ids in passage.inputs.items()}
    with torch.inference_mode(), _at_rest(model):
        logits = model(**inputs).logits[0, passage.start : passage.start + len(passage.answer)]
    rows: NDArray[np.float32] = logits.float().cpu().numpy()
    return rows


def _check_length(model: Any, passage: _Passage) -> None:
    limit = getattr(model.config, "max_position_embeddings", None)
    longest = max(map(len, passage.inputs.values()))
    if limit and longest > limit:
        raise AnswerTooLongError(f"Question and answer have {longest} tokens, and the model reads {limit}.")


@contextmanager
def _at_rest(model: Any) -> Iterator[None]:
    """Switch off what is only for training, such as dropout, and leave the model as it was found."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)
