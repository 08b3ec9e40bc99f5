"""The contract of every gateway: a Target and a Prompt go in, a Reply or a GatewayError comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from scoring.measurement import TokenScores

if TYPE_CHECKING:
    import httpx

Kind = Literal[
    "bad_parameters",  # what we were told to send makes no sense
    "bad_reply",  # not what the interface promises
    "connection",  # refused, reset, unresolved, broken off
    "missing_answer",  # a recording has nothing for this case
    "not_installed",  # the weights are not on this machine, or cannot be read
    "out_of_quota",  # paid up to here
    "rate_limited",
    "redirect",
    "refused",  # the server does not take this request
    "server_error",
    "timeout",
    "too_long",  # the prompt does not fit into the model's context
    "unauthorised",
    "unknown_model",
    "wrong_address",  # nothing of the kind there, or not to be asked
]

# These would meet every other prompt alike: pause the run rather than fail its cases one by one.
_OF_THE_ENDPOINT: frozenset[Kind] = frozenset(
    {
        "bad_parameters",
        "connection",
        "not_installed",
        "out_of_quota",
        "redirect",
        "unauthorised",
        "unknown_model",
        "wrong_address",
    }
)


@dataclass(frozen=True, slots=True)
class Target:
    """A model and how to reach it.

    Every gateway reads these `parameters`, where its server has them: `temperature`, `top_p`, `max_tokens`,
    `seed`, `stop`, `logprobs` (true or false), `top_logprobs` (how many), `completion` (true: continue the
    text, without a chat template), `context_tokens` and `vocabulary` (the number of tokens the model knows).
    A server gets any other as it is. The caller takes `key` from the environment; `extra` holds what only
    one gateway wants and no server gets.
    """

    model: str
    base_url: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    timeout_seconds: float = 120.0
    key: str = field(default="", repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Prompt:
    """Chat messages of `role` and `content`, and which case, sample and noise level they belong to.

    Samples count from 1. Where the target has a `seed`, the n-th takes `seed + n - 1`: each its own answer.
    """

    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any] | None = None
    case_key: str = ""
    sample: int = 1
    noise: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerScores(TokenScores):
    """Token scores as plain numbers, so that they can be stored: never logits, but what follows from them.

    `entropies` and `divergences` (from the base model) are exact, in nats, one per token of the answer.
    """

    entropies: Sequence[float] | None = None
    divergences: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer; all of it can be stored in PostgreSQL as it is.

    An empty `content` is an answer too. `finish_reason` is the server's own word ("length": the model ran
    into `max_tokens`). `truncated`: the answer was longer than we read, and cut. `notes` are sentences for
    people on whatever was changed or left out. `reasoning` is what a server gives apart from the answer, and
    has no part in `tokens`. `token_texts` are the texts of the tokens that `tokens` scores, where known.
    """

    content: str
    latency_seconds: float
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens: AnswerScores | None = None
    token_texts: Sequence[str] | None = None
    reasoning: str = ""
    truncated: bool = False
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Probe:
    """What a test of the connection found; `message` says it in a sentence or two.

    `reachable`: something of the kind answers there. `answers`: the model itself did. `loading`: the server
    knows the model, which has not answered within its time, as one that is still being loaded. `logprobs`
    and `vocabulary` are None where that is not known.
    """

    reachable: bool
    answers: bool
    message: str
    latency_seconds: float | None = None
    models: tuple[str, ...] = ()
    logprobs: bool | None = None
    vocabulary: int | None = None
    loading: bool = False

    @property
    def startable(self) -> bool:
        """Say whether a run may be started: a model that is being loaded will answer in a while."""
        return self.answers or self.loading


class GatewayError(Exception):
    """No answer; the message says why and what to do, and never holds the key.

    `permanent`: asking the same again is useless. `retry_after`: seconds that the server asks us to wait.
    """

    def __init__(
        self, kind: Kind, message: str, *, permanent: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.permanent = permanent
        self.retry_after = retry_after

    @property
    def of_endpoint(self) -> bool:
        """Say whether every other prompt would meet the same fault."""
        return self.kind in _OF_THE_ENDPOINT


class Gateway(Protocol):
    """What a file in `scoring/gateways/` offers; its docstring's first line is its label.

    One client is one connection: open one for every request that shall be in flight at a time, keep it for
    the next, and close it in the end. Gateways that need no network give None and take None.

    A gateway may say more of itself by constants, which all have a default:
    `NEEDS_ADDRESS` (False): its targets have a base_url. `MOST_IN_FLIGHT` (None: as many as one likes): more
    requests than these only wait for one another. `KEEPS_TIME` (False): its requests may have to wait for
    others, or for weights that are being loaded, which is not the question's time; it counts the target's
    seconds by itself, from the moment that the model begins, and whoever waits for it must not.
    """

    __doc__: str | None

    @staticmethod
    def client(target: Target) -> httpx.AsyncClient | None:
        """Open a connection of one's own, or raise GatewayError if the address may not be asked."""

    @staticmethod
    async def ask(client: httpx.AsyncClient | None, target: Target, prompt: Prompt) -> Reply:
        """Ask once, within the target's time."""

    @staticmethod
    async def models(client: httpx.AsyncClient | None, target: Target) -> list[str]:
        """List what is served there."""

    @staticmethod
    async def probe(client: httpx.AsyncClient | None, target: Target) -> Probe:
        """Find out whether the target answers, and what it gives; faults are told, not raised."""
