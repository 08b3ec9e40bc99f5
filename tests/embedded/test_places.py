"""Where services live: apart from each other, short enough for a socket, never in somebody else's folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from evalportal.embedded import places, programs
from evalportal.embedded.places import Account, ServiceError
from tests.embedded.conftest import as_root

pytestmark = pytest.mark.usefixtures("roots")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_gives_the_same_folder_the_same_place_and_other_folders_others(tmp_path: Path) -> None:
    here = places.find(tmp_path / "one" / "var", "postgres")
    assert places.find(tmp_path / "one" / ".." / "one" / "var", "postgres") == here
    assert places.find(tmp_path / "two" / "var", "postgres").home != here.home


@pytest.mark.parametrize("name", ["plain", "x" * 120, "with, comma", "naïve café"])
def test_it_names_a_socket_folder_that_every_system_takes(tmp_path: Path, name: str) -> None:
    sockets = places.find(tmp_path / name / "var", "postgres").sockets
    assert len(os.fsencode(sockets / ".s.PGSQL.5432")) <= 103
    assert not set(str(sockets)) & set(", %?")


def test_it_closes_data_and_sockets_to_everybody_else(tmp_path: Path) -> None:
    place = places.find(tmp_path / "var", "redis", throwaway=True)
    place.make()
    place.make_for_server(place.data)
    assert {mode(place.data), mode(place.sockets)} == {0o700}
    assert not mode(place.home) & 0o067


def test_it_gives_a_demo_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("EVALPORTAL_VAR")
    monkeypatch.delenv("EVALPORTAL_DEMO", raising=False)
    assert places.default_var() == places.ROOT / "var"
    monkeypatch.setenv("EVALPORTAL_DEMO", "1")
    assert places.default_var() == places.ROOT / "var" / "demo"
    monkeypatch.setenv("EVALPORTAL_VAR", str(tmp_path))
    assert places.default_var() == tmp_path.resolve()


def test_it_closes_the_portals_own_folder_to_everybody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_VAR", tmp_path / "var")
    (tmp_path / "var").mkdir(mode=0o755)
    for folder in (tmp_path / "var", tmp_path / "new" / "var"):
        places.find(folder, "redis", throwaway=True).make()
        assert {mode(folder), mode(folder / "log")} == {0o700}


def test_it_leaves_a_folder_that_it_is_given_as_open_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    places.make_var(tmp_path)
    assert mode(tmp_path) == 0o750


def test_it_refuses_a_folder_that_somebody_else_prepared(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").symlink_to(tmp_path / "theirs")
    with pytest.raises(ServiceError, match="belongs to somebody else"):
        places.make_folder(tmp_path / "ours", 0o700)


def test_it_says_in_plain_words_that_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file where a folder should be")
    with pytest.raises(ServiceError, match="EVALPORTAL_VAR"):
        places.find(tmp_path / "var", "postgres").make()


@as_root
def test_it_runs_nothing_as_root(tmp_path: Path) -> None:
    account = places.find(tmp_path, "postgres").account
    assert account
    assert account.uid != 0
    assert account.gid != 0


@as_root
def test_it_copies_programs_that_the_account_cannot_reach(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "program").write_text("#!/bin/sh\n")
    (closed / "program").chmod(0o700)
    copy = programs.within_reach(closed, ("program",), Account(65534, 65534)) / "program"
    assert copy.read_text() == "#!/bin/sh\n"
    assert mode(copy) == 0o755


def test_it_leaves_programs_where_they_are_for_an_ordinary_user(tmp_path: Path) -> None:
    assert programs.within_reach(tmp_path, ("program",), None) == tmp_path
