"""A model at work goes in; the exact scores of each token that it chooses come out.

Log-probabilities and entropies are those of the model itself, before temperature and the like; divergences
are from the base model, which reads along token by token. Rows of logits are used and dropped at once.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from scoring.gateway_contract import AnswerScores, GatewayError
from scoring.language import distributions
from scoring.weights.loading import Loaded

_DIGITS = 6


class Stopped(Exception):  # noqa: N818 (nothing went wrong)
    """Nobody waits for the answer any more."""


class Watcher:
    """Look at each row of logits and the token that was chosen from it, and stop when it is time."""

    def __init__(
        self,
        loaded: Loaded,
        shadow: Shadow | None,
        stops: Sequence[str],
        *,
        deadline: float,
        unwanted: threading.Event,
    ) -> None:
        self.notes: tuple[str, ...] = ()
        self._model = loaded.model
        self._decode = loaded.tokenizer.decode
        self._shadow = shadow
        self._stops = stops
        self._tail = max(map(len, stops), default=0) + 8  # tokens; few stand for less than a character
        self._deadline = deadline
        self._unwanted = unwanted
        self._row: Any = None
        self._tokens: list[int] = []
        self._logprobs: list[float] = []
        self._entropies: list[float] = []
        self._divergences: list[float] = []

    def attached(self) -> Any:
        """See every row that the model computes, before anything else changes it."""
        return self._model.register_forward_hook(self._see)

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        """Note the token just chosen; say whether to stop."""
        self._tokens.append(int(input_ids[0, -1]))
        if not self.notes:
            self._note(self._tokens[-1])
        late = self._unwanted.is_set() or time.monotonic() > self._deadline
        return input_ids.new_full((1,), late or self._told_to_stop()).bool()

    def check(self) -> None:
        """Raise what cannot be raised from within the model."""
        if self._unwanted.is_set():
            raise Stopped
        if time.monotonic() > self._deadline:
            raise GatewayError("timeout", "The model did not finish in time.", permanent=False)

    def scores(self, count: int) -> AnswerScores | None:
        """Give the scores of the first tokens, if all of them could be read."""
        if self.notes:
            return None
        return AnswerScores(
            logprobs=self._logprobs[:count],
            entropies=self._entropies[:count],
            divergences=self._divergences[:count] if self._shadow else None,
            vocabulary=int(self._row.shape[-1]) if self._row is not None else None,
        )

    def _told_to_stop(self) -> bool:
        """Look for the texts that end an answer in its last few tokens."""
        if not self._stops:
            return False
        said = self._decode(self._tokens[-self._tail :], skip_special_tokens=True)
        return any(stop in said for stop in self._stops)

    def _see(self, _module: Any, _arguments: Any, output: Any) -> None:
        self._row = output.logits[:, -1, :]

    def _note(self, token: int) -> None:
        try:
            row = distributions.read_logits(self._row, "logits")
            self._logprobs.append(_number(distributions.chosen_logprobs(row, [token])))
            self._entropies.append(_number(distributions.entropies(row)))
            if self._shadow:
                other = distributions.read_logits(self._shadow.row(), "base_logits")
                self._divergences.append(_number(distributions.divergences(row, other)))
                self._shadow.follow(token)
        except distributions.TokenScoresError as error:
            self.notes = (f"The token scores were left out: {error}",)


class Shadow:
    """The base model, reading what the other one writes."""

    def __init__(self, base: Loaded, inputs: Mapping[str, Any]) -> None:
        self._model = base.model
        self._seq2seq = base.seq2seq
        self._cache: Any = None
        self._fixed: dict[str, Any] = {}
        self._next = inputs["input_ids"]
        if "logits_to_keep" in signature(base.model.forward).parameters:
            self._fixed["logits_to_keep"] = 1
        if self._seq2seq:
            encoded = base.model.get_encoder()(**inputs)
            self._fixed |= {"encoder_outputs": encoded, "attention_mask": inputs["attention_mask"]}
            start = base.model.generation_config.decoder_start_token_id
            self._next = inputs["input_ids"].new_tensor([[start]])

    def row(self) -> Any:
        """Give the logits for the next token."""
        name = "decoder_input_ids" if self._seq2seq else "input_ids"
        read = {name: self._next, "past_key_values": self._cache, "use_cache": True, **self._fixed}
        output = self._model(**read)
        self._cache = output.past_key_values
        return output.logits[:, -1, :]

    def follow(self, token: int) -> None:
        """Take the token that the other model chose."""
        self._next = self._next.new_tensor([[token]])


def _number(values: distributions.Floats) -> float:
    value = float(values[0])
    if not math.isfinite(value):
        raise distributions.TokenScoresError("one of the models rules out what the other one chose.")
    return round(value, _DIGITS)
