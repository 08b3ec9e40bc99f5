"""Local weights (transformers).

The model is a folder, a .gguf file or an installed package of weights on this machine, causal or seq2seq, and
runs inside this process: one answer at a time, in a thread. It always gives exact token scores; with
`Target.extra["base"]`, the weights it was tuned from, divergences too. `Target.extra["cache"]` is a folder
where a GGUF file is converted once; the parameter `threads` says how many threads compute (1).
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx

from scoring import parameters
from scoring.gateway_contract import GatewayError, Probe, Prompt, Reply, Target
from scoring.weights import answering, finding, loading, watching
from scoring.weights.loading import Loaded

# One thread answers: others would wait in line for it, which is no fault of theirs.
MOST_IN_FLIGHT = 1
KEEPS_TIME = True
_worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transformers_local")


def client(target: Target) -> None:
    """Nothing to open."""


async def ask(client: httpx.AsyncClient | None, target: Target, prompt: Prompt) -> Reply:
    """Wait for the model to be free and loaded, then for its answer; only the answer counts as its time."""
    unwanted = threading.Event()
    work = asyncio.get_running_loop().run_in_executor(_worker, _work, target, prompt, unwanted)
    try:
        return await work
    finally:
        unwanted.set()  # a thread cannot be ended from outside: it looks here after every token


async def models(client: httpx.AsyncClient | None, target: Target) -> list[str]:
    """List the one that there is, if it is there."""
    finding.find(target.model)
    return [target.model]


async def probe(client: httpx.AsyncClient | None, target: Target) -> Probe:
    """Look whether all is there, without loading it: who tests a connection may not be who runs models."""
    try:
        weights = finding.find(target.model)
        loading.check(weights)
    except GatewayError as error:
        return Probe(False, False, error.message)
    size = sum(file.stat().st_size for file in weights.folder.iterdir() if file.is_file())
    words = f"The weights are there ({size / 1e6:,.0f} MB), and are loaded for the first answer."
    return Probe(True, True, words, models=(target.model,), logprobs=True)


def _work(target: Target, prompt: Prompt, unwanted: threading.Event) -> Reply:
    settings = parameters.read(target.parameters)
    threads = settings.rest.get("threads", 1)
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 256:
        raise GatewayError("bad_parameters", "The parameter threads must be a whole number from 1 to 256.")
    settings = replace(settings, rest={k: v for k, v in settings.rest.items() if k != "threads"})
    if unwanted.is_set():
        raise watching.Stopped
    loaded = _loaded(target, target.model, threads)
    base = _loaded(target, target.extra["base"], threads) if target.extra.get("base") else None
    if base and base.tokenizer.get_vocab() != loaded.tokenizer.get_vocab():
        raise GatewayError("bad_parameters", "The base model has another vocabulary: there is no divergence.")
    return answering.answer(loaded, base, settings, prompt, seconds=target.timeout_seconds, unwanted=unwanted)


def _loaded(target: Target, name: str, threads: int) -> Loaded:
    cache = target.extra.get("cache")
    return loading.load(finding.find(name), threads=threads, cache=Path(cache) if cache else None)
