"""The environment goes in; `DATABASE_URL` and `REDIS_URL` come out, with servers behind them."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from evalportal.embedded import places, sharing
from evalportal.embedded.postgres import Postgres
from evalportal.embedded.redis import Redis
from evalportal.embedded.servers import Server


def provide(var: Path | None = None) -> None:
    """Give this process the services that the environment does not name, for as long as it lives.

    Call it before Django's settings are read. Without any Redis on the machine `REDIS_URL` stays unset.
    """
    for variable, server in offers(var or places.default_var()).items():
        if not os.environ.get(variable) or _names(variable, server):
            sharing.join(server)
            os.environ[variable] = server.url()


def own(var: Path | None = None) -> list[Server]:
    """Return the embedded servers that the environment names."""
    return [
        server for variable, server in offers(var or places.default_var()).items() if _names(variable, server)
    ]


def offers(var: Path, *, throwaway: bool = False) -> dict[str, Server]:
    """Return the servers that this machine can run, under the variable that names each."""
    servers: dict[str, Server] = {"DATABASE_URL": Postgres(places.find(var, "postgres", throwaway=throwaway))}
    if Redis.program():
        servers["REDIS_URL"] = Redis(places.find(var, "redis", throwaway=throwaway))
    return servers


def _names(variable: str, server: Server) -> bool:
    """Say whether a variable names this very server: then a parent process set it, and may end before us."""
    return str(server.place.sockets) in unquote(os.environ.get(variable, ""))
