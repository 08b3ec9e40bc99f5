"""What `make` does on machines that lack something: a Python by its plain name, a wheel, a home."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHOW_PYTHON = "show: ; @echo '$(PYTHON)' && true"  # two commands, so that make asks the shell, which has echo
MAKE = shutil.which("make") or pytest.fail("These tests need make.")


def make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [MAKE, "--no-print-directory", "-C", str(folder), "-f", str(ROOT / "Makefile"), *arguments]
    # What an outer make was told is not for this one.
    kept = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "PYTHON"}}
    return subprocess.run(command, env=kept | environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_it_finds_a_python_by_its_full_name(tmp_path: Path, version: str) -> None:
    (tmp_path / f"python{version}").symlink_to(sys.executable)
    shown = make(tmp_path, "--eval", SHOW_PYTHON, "show", PATH=str(tmp_path))
    assert shown.stdout == f"python{version}\n"


def test_it_finds_no_python_that_is_too_old(tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python3").chmod(0o755)
    shown = make(tmp_path, "--eval", SHOW_PYTHON, "show", PATH=str(tmp_path))
    assert shown.stdout == "\n"


def test_it_keeps_the_cache_of_npm_in_the_project_and_says_what_fails(tmp_path: Path) -> None:
    shown = make(tmp_path, "--eval", "show: ; @echo $$npm_config_cache", "show")
    assert shown.stdout == f"{tmp_path}/var/npm\n"
    assert re.findall(r"npm ci .*", (ROOT / "Makefile").read_text()) == [
        "npm ci --loglevel=error --no-progress >/dev/null"
    ]


def test_it_names_the_whole_in_one_file() -> None:
    text = (ROOT / "requirements.txt").read_text()
    for name in re.findall(r"^-r (\S+)$", text, re.MULTILINE):
        text += (ROOT / name).read_text()
    named = set(re.findall(r"^([a-z][a-z-]+)(?:\[\w+\])?==", text, re.MULTILINE))
    assert named >= {"django", "celery", "redis", "psycopg", "httpx", "django-htmx", "sentence-transformers"}
    assert "\ntorch==2.13.0 " in text


def wheel(folder: Path, name: str) -> None:
    """Write the smallest package that pip installs."""
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", "")
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with packages of its own, one of which no index has."""
    for name, content in {
        "requirements.txt": "portal==1.0\n-r requirements-models.txt\n",
        "requirements-models.txt": "--only-binary absent\nabsent==1.0  # far dreams\npresent==1.0  # more\n",
        "requirements-weights.txt": "weights==1.0\n",
        ".venv/bin/pip": "",
        ".venv/bin/python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / ".venv/bin/python").chmod(0o755)
    for name in ("portal", "present", "weights"):
        wheel(tmp_path, name)
    return tmp_path


def _install(project: Path) -> subprocess.CompletedProcess[str]:
    target = {"PIP_TARGET": str(project / "site"), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(project)}
    return make(project, ".venv/.portal", **target)


def test_it_goes_on_without_a_model_that_has_no_wheel_and_says_what_will_be_missing(project: Path) -> None:
    done = _install(project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == [
        "absent==1.0 cannot be installed here, so there will be no far dreams: .venv/models.log says why"
    ]
    assert {path.stem for path in (project / "site").glob("*.py")} == {"portal", "present", "weights"}
    assert "No matching distribution found for absent==1.0" in (project / ".venv/models.log").read_text()


def test_it_says_nothing_where_every_wheel_is_there(project: Path) -> None:
    wheel(project, "absent")
    assert _install(project).stdout.splitlines()[1:] == []
    assert (project / "site" / "absent.py").exists()


def test_it_stops_where_the_portal_itself_cannot_be_installed(project: Path) -> None:
    (project / "portal-1.0-py3-none-any.whl").unlink()
    assert _install(project).returncode != 0
    assert not (project / ".venv/.portal").exists()


def test_it_stops_where_models_fail_for_another_reason(project: Path) -> None:
    (project / "present-1.0-py3-none-any.whl").write_text("not a wheel")
    wheel(project, "absent")
    done = _install(project)
    assert done.returncode != 0
    assert "present" in done.stdout
    assert not (project / ".venv/.portal").exists()
