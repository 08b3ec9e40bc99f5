"""Questions and answers go in, the CyberSecLLM metrics come out: one by one, in batches, or all at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.language import bleu, distributions, embeddings
from scoring.language.logits import answer_scores, generate
from scoring.language.text import sentences
from scoring.measurement import Embed, Sample, TokenScores
from scoring.metrics import (
    coherence,
    combined,
    hallucination,
    invalid_tokens,
    kl_shift,
    length_deviation,
    perplexity,
    prompt_copying,
    repetition,
    self_bleu,
    semantic_richness,
)

Numbers = Sequence[float] | NDArray[Any]

_METRICS = {
    "coherence": coherence,
    "hallucination": hallucination,
    "perplexity": perplexity,
    "repetition": repetition,
    "prompt_copying": prompt_copying,
    "semantic_richness": semantic_richness,
    "invalid_tokens": invalid_tokens,
    "self_bleu": self_bleu,
    "length_deviation": length_deviation,
    "kl_shift": kl_shift,
}


class Evaluator:
    """The CyberSecLLM metrics; a value is None where it is undefined.

    `model` and `tokenizer`, of transformers, serve the metrics that need the model's own view of an answer
    (hallucination, perplexity, KL shift) and may write the answers too; without them, pass that view along.
    `base_model` is the model before fine-tuning. `config` may set `max_new_tokens` and `expected_length`.
    """

    def __init__(
        self,
        model: Any = None,
        tokenizer: Any = None,
        config: Any = None,
        *,
        base_model: Any = None,
        embed: Embed = embeddings.embed,
    ) -> None:
        if (model is None) != (tokenizer is None):
            raise ValueError("model and tokenizer go together: give both or neither.")
        self._model, self._tokenizer, self._base_model, self._embed = model, tokenizer, base_model, embed
        self._max_new_tokens = int(_setting(config, "max_new_tokens", 128))
        self._expected_length = float(_setting(config, "expected_length", length_deviation.DEFAULT_LENGTH))

    def coherence_score(self, answer: str) -> float | None:
        """Average the cosines of neighbouring sentences; 0.0 for fewer than two."""
        return self.coherence_score_batch([answer])[0]

    def coherence_score_batch(self, answers: Sequence[str]) -> list[float | None]:
        """Score several answers, with all their sentences embedded in one go."""
        samples = [Sample(answer) for answer in _texts(answers, "answers")]
        known = self._embedded([sentence for sample in samples for sentence in coherence.texts(sample)])
        return [coherence.measure(Sample(sample.response, embed=known)).value for sample in samples]

    def hallucination_score(
        self,
        question: str,
        answer: str,
        tokens: TokenScores | None = None,
        *,
        logits: Any = None,
        top_logprobs: Sequence[Sequence[float]] | None = None,
        vocabulary: int | None = None,
    ) -> float | None:
        """Weigh token entropy, repetition and uncertain phrases.

        Without a model, give the answer's full logits, or its top log-probabilities with the size of the
        vocabulary; None if nothing is known of the tokens.
        """
        if logits is not None or top_logprobs is not None:
            tokens = TokenScores(logits=logits, top_logprobs=top_logprobs, vocabulary=vocabulary)
        question, answer = _text(question, "question"), _text(answer, "answer")
        return hallucination.score(answer, self._tokens(question, answer, tokens))

    def hallucination_score_batch(
        self,
        questions: Sequence[str],
        answers: Sequence[str],
        tokens: Sequence[TokenScores | None] | None = None,
    ) -> list[float | None]:
        """Score several answers; `tokens` holds what is known of each, if there is no model to ask."""
        asked, said = _texts(questions, "questions"), _texts(answers, "answers")
        rows = _rows(questions=asked, answers=said, tokens=tokens)
        return [self.hallucination_score(*row.values()) for row in rows]

    def perplexity(
        self,
        answer: str | Numbers | None = None,
        *,
        logprobs: Numbers | None = None,
        logits: Any = None,
        token_ids: Sequence[int] | None = None,
    ) -> float | None:
        """Find the perplexity of an answer by the model, with the answer as both input and labels.

        Without a model, give the log-probabilities of the answer's tokens in its place, or full logits with
        the ids of the tokens.
        """
        if logits is not None:
            rows = distributions.read_logits(logits, "logits")
            return perplexity.score(
                distributions.chosen_logprobs(rows, () if token_ids is None else token_ids)
            )
        if isinstance(answer, str) and logprobs is None and self._model is not None:
            logprobs = answer_scores(self._model, self._tokenizer, answer).logprobs
        elif not isinstance(answer, str) and logprobs is None:
            logprobs = answer
        return (
            None if logprobs is None else perplexity.score(distributions.read_logprobs(logprobs, "logprobs"))
        )

    @staticmethod
    def repetition_score(text: str, n: int = 3) -> float | None:
        """Give the share of n-grams that occur more than once."""
        return repetition.score(_text(text, "text"), n)

    @staticmethod
    def prompt_copying_score(question: str, answer: str) -> float | None:
        """Give the share of the question's words that are in the answer."""
        sample = Sample(_text(answer, "answer"), question=_text(question, "question"))
        return prompt_copying.measure(sample).value

    @staticmethod
    def semantic_richness_score(text: str) -> float | None:
        """Give the share of distinct words."""
        return semantic_richness.measure(Sample(_text(text, "text"))).value

    @staticmethod
    def invalid_token_score(text: str) -> float | None:
        """Give a quarter for each sign of corruption."""
        return invalid_tokens.measure(Sample(_text(text, "text"))).value

    @staticmethod
    def uncertainty_score(text: str) -> float:
        """Count the distinct uncertain phrases / 3, at most 1."""
        return hallucination.uncertainty(_text(text, "text"))

    @staticmethod
    def length_deviation_score(
        answer: str, expected_length: float = length_deviation.DEFAULT_LENGTH
    ) -> float | None:
        """Compare the number of words with the expected one."""
        return length_deviation.measure(
            Sample(_text(answer, "answer"), expected_length=expected_length)
        ).value

    @staticmethod
    def self_bleu_score(answers: Sequence[str]) -> float | None:
        """Average the BLEU of each answer against the others, 0 to 100."""
        answers = _texts(answers, "answers")
        return fmean(one.score for one in bleu.each_against_others(answers)) if len(answers) > 1 else None

    @staticmethod
    def kl_divergence_shift(tuned_logits: Any, base_logits: Any) -> float | None:
        """Average KL(tuned || base) over the positions, in nats."""
        tuned = distributions.read_logits(tuned_logits, "tuned_logits")
        shifts = distributions.divergences(tuned, distributions.read_logits(base_logits, "base_logits"))
        return distributions.mean(shifts) if shifts.size and np.isfinite(shifts).all() else None

    @staticmethod
    def combined_score(
        coherence: float | None, hallucination: float | None, perplexity: float | None
    ) -> float | None:
        """Combine the three core metrics; None if one of them is."""
        parts = {"coherence": coherence, "hallucination": hallucination, "perplexity": perplexity}
        for name, value in parts.items():
            if value is not None and not math.isfinite(value):
                raise ValueError(f"{name} must be a finite number, not {value}.")
        return combined.score(**parts)

    @staticmethod
    def split_sentences(text: str) -> list[str]:
        """Split text into sentences; "TLS 1.2" and "10.0.0.1" hold together."""
        return sentences(_text(text, "text"))

    def evaluate(
        self,
        questions: Sequence[str],
        answers: Sequence[str] | None = None,
        *,
        tokens: Sequence[TokenScores | None] | None = None,
        siblings: Sequence[Sequence[str]] | None = None,
        expected_lengths: Sequence[float] | None = None,
    ) -> dict[str, Any]:
        """Measure every answer by every metric: the means over what is defined, and each answer's values.

        `siblings` are, for each question, the other answers to it, for Self-BLEU. Without answers the model
        writes them.
        """
        asked = _texts(questions, "questions")
        said = self._written(asked) if answers is None else _texts(answers, "answers")
        lists = {"tokens": tokens, "siblings": siblings, "expected_lengths": expected_lengths}
        rows = _rows(questions=asked, answers=said, **lists)
        known = self._embedded([sentence for answer in said for sentence in sentences(answer)])
        each = [self._evaluated(row, known) for row in rows]
        means = {name: _mean([values[name] for values in each]) for name in [*_METRICS, "combined_score"]}
        told = [{"question": row["questions"], "answer": row["answers"]} for row in rows]
        return {**means, "per_question": [one | values for one, values in zip(told, each, strict=True)]}

    def _evaluated(self, row: Mapping[str, Any], known: Embed) -> dict[str, float | None]:
        question, answer = row["questions"], row["answers"]
        length = row["expected_lengths"]
        sample = Sample(
            answer,
            question=question,
            expected_length=self._expected_length if length is None else length,
            siblings=row["siblings"] or (),
            tokens=self._tokens(question, answer, row["tokens"]),
            embed=known,
        )
        values = {name: metric.measure(sample).value for name, metric in _METRICS.items()}
        if self._model is not None and row["tokens"] is None:
            values["perplexity"] = self.perplexity(answer)
        core = (values["coherence"], values["hallucination"], values["perplexity"])
        return {**values, "combined_score": combined.score(*core)}

    def _embedded(self, texts: Sequence[str]) -> Embed:
        """Embed many texts in one go, and give an embedder that knows them all."""
        distinct = list(dict.fromkeys(texts))
        known = dict(zip(distinct, self._embed(distinct), strict=True)) if distinct else {}
        return lambda some: np.stack([known[text] for text in some])

    def _tokens(self, question: str, answer: str, given: TokenScores | None) -> TokenScores | None:
        if given is not None or self._model is None:
            return given
        return answer_scores(
            self._model, self._tokenizer, answer, question=question, base_model=self._base_model
        )

    def _written(self, questions: Sequence[str]) -> list[str]:
        if self._model is None:
            raise ValueError("answers are missing: give them, or a model and tokenizer that write them.")
        asked = {"max_new_tokens": self._max_new_tokens}
        return [generate(self._model, self._tokenizer, question, **asked)[0] for question in questions]


def _setting(config: Any, name: str, default: float) -> Any:
    """Read a setting from a mapping or an object; None, as transformers leaves it, is not set."""
    found = config.get(name) if isinstance(config, Mapping) else getattr(config, name, None)
    return default if found is None else found


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None


def _rows(**lists: Sequence[Any] | None) -> list[dict[str, Any]]:
    """Turn lists of one length into rows; a list that is not given is None in every row."""
    given = {name: values for name, values in lists.items() if values is not None}
    if len({len(values) for values in given.values()}) > 1:
        lengths = ", ".join(f"{name} has {len(values)}" for name, values in given.items())
        raise ValueError(f"The lists must be of the same length: {lengths}.")
    empty = dict.fromkeys(lists)
    return [empty | dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{field} must be a string, not {type(value).__name__}.")
    return value


def _texts(values: Any, field: str) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{field} must be a list of strings, not one string.")
    return [_text(value, f"{field}[{index}]") for index, value in enumerate(values)]
