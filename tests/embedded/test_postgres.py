"""The embedded PostgreSQL: shared by its users, gone with the last, back after a crash, closed to others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.embedded.conftest import Service, as_root, eventually, gone, kill, refused


def postmaster(service: Service) -> int:
    return int((service.place.data / "postmaster.pid").read_text().split()[0])


def write_down(url: str, words: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS notes (words text)")
        connection.execute("INSERT INTO notes VALUES (%s)", [words])


def read_back(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {words for (words,) in connection.execute("SELECT words FROM notes")}


def answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def test_it_gives_a_database_in_utf_8_and_utc_that_loses_nothing(postgres: Service) -> None:
    with psycopg.connect(postgres.user().url) as connection:
        row = connection.execute(
            "SELECT current_setting('server_encoding'), current_setting('timezone'),"
            " current_setting('fsync'), lower('ÄÖÜ'), usesuper FROM pg_user WHERE usename = current_user"
        ).fetchone()
    assert row == ("UTF8", "UTC", "on", "äöü", False)


def test_it_is_one_server_for_many_users(postgres: Service) -> None:
    users = [postgres.user() for _ in range(4)]
    urls = {user.url for user in users}
    assert len(urls) == 1
    assert answers(urls.pop())


def test_it_stays_while_one_user_is_left_and_stops_with_the_last(postgres: Service) -> None:
    first, last = postgres.user(), postgres.user()
    url = last.url
    server, guardian = postmaster(postgres), postgres.guardian()
    first.leave()
    assert answers(url)
    last.leave()
    eventually(lambda: gone(server) and gone(guardian))


def test_it_keeps_what_was_written(postgres: Service) -> None:
    user = postgres.user()
    write_down(user.url, "kept")
    user.leave()
    assert "kept" in read_back(postgres.user().url)


def test_it_stops_when_its_users_are_killed(postgres: Service) -> None:
    user = postgres.user()
    assert answers(user.url)
    server, guardian = postmaster(postgres), postgres.guardian()
    user.kill()
    eventually(lambda: gone(server) and gone(guardian))


def test_it_stops_when_its_guardian_is_killed(postgres: Service) -> None:
    assert answers(postgres.user().url)
    server = postmaster(postgres)
    kill(postgres.guardian())
    eventually(lambda: gone(server))


def test_it_gets_a_new_guardian_from_the_next_user(postgres: Service) -> None:
    write_down(postgres.user().url, "before the guardian was killed")
    first = postgres.guardian()
    kill(first)
    assert "before the guardian was killed" in read_back(postgres.user().url)
    assert postgres.guardian() != first


def test_it_comes_back_by_itself_when_the_server_is_killed(postgres: Service) -> None:
    url = postgres.user().url
    write_down(url, "before the server was killed")
    kill(postmaster(postgres))
    eventually(lambda: answers(url))
    assert "before the server was killed" in read_back(url)


def test_it_recovers_when_everything_is_killed_at_once(postgres: Service) -> None:
    user = postgres.user()
    write_down(user.url, "before the lights went out")
    os.kill(postgres.guardian(), 9)
    os.kill(postmaster(postgres), 9)
    user.kill()
    assert "before the lights went out" in read_back(postgres.user().url)


def test_it_is_not_misled_by_a_lock_file_that_names_another_program(postgres: Service) -> None:
    assert answers(postgres.user().url)
    left_behind = (postgres.place.data / "postmaster.pid").read_text().split("\n", 1)[1]
    postgres.clear()
    (postgres.place.data / "postmaster.pid").write_text(f"{os.getpid()}\n{left_behind}")
    assert answers(postgres.user().url)


def test_it_starts_anew_for_a_user_who_comes_while_it_stops(postgres: Service) -> None:
    for _ in range(3):
        user = postgres.user()
        assert answers(user.url)
        user.leave()


def test_it_does_not_hold_its_first_users_output_open(postgres: Service) -> None:
    first = postgres.user()
    second = postgres.user()
    assert second.url
    first.leave()  # returns when the pipe is closed by everyone


def test_it_refuses_a_wrong_password(postgres: Service) -> None:
    url = postgres.user().url
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url.replace("://evalportal:", "://evalportal:not-"))


@as_root
@pytest.mark.parametrize("stranger", ["65533", "nobody"])
def test_it_is_closed_to_other_users_of_the_machine(postgres: Service, stranger: str) -> None:
    assert answers(postgres.user().url)
    assert refused(postgres.place.sockets / ".s.PGSQL.5432", stranger)
    assert refused(postgres.place.data / "PG_VERSION", stranger)


def test_it_opens_no_network_port(postgres: Service) -> None:
    with psycopg.connect(postgres.user().url) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_it_works_below_a_long_path_with_spaces_and_quotes(tmp_path: Path) -> None:
    folder = tmp_path / ("a long name, with 'spaces' and \"quotes\" " * 3) / "var"
    folder.mkdir(parents=True)
    service = Service(folder, "DATABASE_URL")
    try:
        assert answers(service.user().url)
    finally:
        service.clear()
        shutil.rmtree(service.place.home.parent)


def test_it_refuses_data_of_another_version_in_plain_words(postgres: Service) -> None:
    assert answers(postgres.user().url)
    postgres.clear()
    version = postgres.place.data / "PG_VERSION"
    version.write_text("16\n")
    said = subprocess.run(
        [sys.executable, "manage.py", "showmigrations"],
        env={**os.environ, "EVALPORTAL_VAR": str(postgres.var), "DATABASE_URL": "", "REDIS_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    version.write_text("18\n")
    assert said.returncode == 1
    assert said.stderr.startswith("error: ")
    assert "was made by PostgreSQL 16" in said.stderr
