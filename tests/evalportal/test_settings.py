"""What the settings make of a fresh folder."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from evalportal import settings


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that does not exist yet."""
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setattr(settings, "VAR", tmp_path / "var")
    return tmp_path / "var"


def test_it_makes_a_key_and_keeps_it_to_itself(var: Path) -> None:
    key = settings._secret_key()
    assert (len(key) > 50, settings._secret_key()) == (True, key)
    assert stat.S_IMODE((var / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE(var.stat().st_mode) == 0o700
    assert [path.name for path in var.iterdir()] == ["secret_key"]


def test_it_shows_no_command_a_key_that_is_not_written_yet(
    var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let a second command start while the first one is at it."""
    keys = iter(["the first one's", "the second one's"])
    seconds: list[str] = []

    def slowly(length: int) -> str:
        key = next(keys)
        if key == "the first one's":
            seconds.append(settings._secret_key())
        return key

    monkeypatch.setattr("secrets.token_urlsafe", slowly)
    assert [settings._secret_key()] == seconds == ["the second one's"]
