"""What the environment names is used; what it does not name is provided."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalportal.embedded import provide, sharing
from evalportal.embedded.redis import Redis
from evalportal.embedded.servers import Server

pytestmark = pytest.mark.usefixtures("roots")


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which services would be joined, and start none."""
    services: list[str] = []

    def join(server: Server) -> None:
        services.append(server.place.service)
        server.place.make()
        (server.place.home / "password").write_text("secret")

    monkeypatch.setattr(sharing, "join", join)
    return services


def test_it_starts_nothing_when_both_are_named(
    joined: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/portal")
    monkeypatch.setenv("REDIS_URL", "redis://broker.example/0")
    provide.provide(tmp_path)
    assert joined == []


def test_it_provides_what_is_not_named(
    joined: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/portal")
    monkeypatch.setenv("REDIS_URL", "")
    provide.provide(tmp_path)
    assert joined == ["redis"]


def test_it_joins_the_server_that_a_parent_process_named(
    joined: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "")
    monkeypatch.setenv("REDIS_URL", "redis://broker.example/0")
    provide.provide(tmp_path)
    provide.provide(tmp_path)
    assert joined == ["postgres", "postgres"]
    assert [server.place.service for server in provide.own(tmp_path)] == ["postgres"]


def test_it_sets_no_broker_where_there_is_no_redis(
    joined: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Redis, "program", staticmethod(lambda: None))
    monkeypatch.delenv("REDIS_URL", raising=False)
    provide.provide(tmp_path)
    assert "redis" not in joined
    assert provide.offers(tmp_path).keys() == {"DATABASE_URL"}
