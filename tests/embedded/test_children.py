"""Children of a supervisor: started again when they die, and gone with everything they started."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalportal.embedded import children
from evalportal.embedded.children import Child, Family
from evalportal.embedded.places import ROOT
from tests.embedded.conftest import eventually, gone, kill

SLEEP = [sys.executable, "-c", "import time; print('awake', flush=True); time.sleep(60)"]
STUBBORN = """
import signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(subprocess.Popen(["sleep", "60"]).pid, flush=True)
time.sleep(60)
"""
SUPERVISOR = """
import sys, time
from pathlib import Path
from evalportal.embedded.children import Child, Family
family = Family(print)
child = Child("a sleeper", ["sleep", "60"], Path(sys.argv[1]))
family.add(child)
print(child.process.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def family(said: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Family]:
    monkeypatch.setattr(children, "_FIRST_DELAY", 0.1)
    family = Family(said.append)
    yield family
    family.stop(5)


def tended(family: Family) -> bool:
    family.tend()
    return True


def test_it_writes_what_a_child_says_into_its_log(family: Family, tmp_path: Path) -> None:
    family.add(Child("a sleeper", SLEEP, tmp_path / "log" / "sleeper.log"))
    eventually(lambda: (tmp_path / "log" / "sleeper.log").read_text() == "awake\n")


def test_it_shows_logs_to_nobody_else(family: Family, tmp_path: Path) -> None:
    new, old = tmp_path / "log" / "new.log", tmp_path / "log" / "old.log"
    family.add(Child("a sleeper", SLEEP, new))
    old.touch(mode=0o644)
    family.add(Child("a sleeper", SLEEP, old))
    assert [oct(path.stat().st_mode & 0o777) for path in (new.parent, new, old)] == [
        "0o700",
        "0o600",
        "0o600",
    ]


def test_it_starts_a_killed_child_again_and_says_so(family: Family, said: list[str], tmp_path: Path) -> None:
    child = Child("a sleeper", SLEEP, tmp_path / "sleeper.log", delay=0.1)
    family.add(child)
    first = child.process
    assert first
    first.kill()
    first.wait()
    family.tend()
    assert said == [f"a sleeper was ended by SIGKILL; starting it again in 0.1 s, see {child.log}"]
    eventually(lambda: tended(family) and child.running())
    assert child.process is not first


def test_it_waits_longer_each_time_that_a_child_fails(
    family: Family, said: list[str], tmp_path: Path
) -> None:
    family.add(Child("a failure", ["false"], tmp_path / "failure.log", delay=0.01))
    eventually(lambda: tended(family) and len(said) == 3)
    assert [words.split("again in ")[1].split(" s,")[0] for words in said] == ["0.01", "0.02", "0.04"]
    assert said[0].startswith("a failure ended with status 1;")


def test_it_kills_a_child_that_does_not_stop_with_all_it_started(family: Family, tmp_path: Path) -> None:
    log = tmp_path / "stubborn.log"
    family.add(Child("a stubborn one", [sys.executable, "-c", STUBBORN], log))
    eventually(lambda: log.read_text().endswith("\n"))
    family.stop(0.1)
    assert gone(int(log.read_text()))


def test_it_lets_children_finish_what_they_are_doing(family: Family, tmp_path: Path) -> None:
    words = "trap 'echo finished; exit' TERM; echo started; while :; do sleep 0.01; done"
    family.add(Child("a careful one", ["sh", "-c", words], tmp_path / "careful.log"))
    eventually(lambda: (tmp_path / "careful.log").read_text() == "started\n")
    family.stop(5)
    assert (tmp_path / "careful.log").read_text() == "started\nfinished\n"


def test_it_sets_a_long_log_aside(family: Family, tmp_path: Path) -> None:
    log = tmp_path / "sleeper.log"
    log.write_bytes(b"x" * 10_000_001)
    family.add(Child("a sleeper", SLEEP, log))
    eventually(lambda: log.read_text() == "awake\n")
    assert (tmp_path / "sleeper.log.1").stat().st_size == 10_000_001


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent is gone")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_it_leaves_no_child_behind_when_the_supervisor_is_killed(
    tmp_path: Path, number: signal.Signals
) -> None:
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert supervisor.stdout
    child = int(supervisor.stdout.readline())
    supervisor.send_signal(number)
    supervisor.communicate()
    eventually(lambda: gone(child))


def test_it_stops_a_family_in_which_someone_is_dead_already(family: Family, tmp_path: Path) -> None:
    child = Child("a sleeper", SLEEP, tmp_path / "sleeper.log")
    family.add(child)
    assert child.process
    kill(child.process.pid)
    family.stop(5)
    assert not child.running()
