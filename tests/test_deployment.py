"""What the container files name exists: commands, paths, queues, services and variables."""

from __future__ import annotations

import fnmatch
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from celery.bin.celery import celery as celery_commands
from celery.utils.imports import symbol_by_name
from django.core.management import get_commands

from evalportal.management.commands import serve

ROOT = Path(__file__).resolve().parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")


def instructions(name: str) -> list[list[str]]:
    """Return the words of every instruction of one kind in the Dockerfile."""
    lines = re.findall(rf"^{name}\s+(.*)$", DOCKERFILE, re.MULTILINE)
    return [yaml.safe_load(line) if line.startswith("[") else shlex.split(line) for line in lines]


def calls(service: dict[str, Any]) -> list[list[str]]:
    """Return the commands that a service runs, those of its health check included."""
    command = service.get("command") or instructions("CMD")[0]
    check = service.get("healthcheck", {}).get("test", ["CMD", "true"])
    lines = (
        [command] if command[:2] != ["sh", "-c"] else [shlex.split(part) for part in command[2].split("&&")]
    )
    return [*lines, check[1:] if check[0] == "CMD" else shlex.split(check[1].replace("$$", "$"))]


def everything_called() -> list[list[str]]:
    return [call for service in OURS.values() for call in calls(service)]


def options(call: list[str]) -> dict[str, str]:
    return dict(word[2:].split("=", 1) for word in call if word.startswith("--") and "=" in word)


def test_it_has_the_services_of_the_portal() -> None:
    assert SERVICES.keys() >= {
        "web",
        "worker-inference",
        "worker-scoring",
        "beat",
        "postgres",
        "redis",
        "migrate",
    }


@pytest.mark.parametrize("name", SERVICES)
def test_it_runs_nothing_as_root(name: str) -> None:
    user = SERVICES[name].get("user") or instructions("USER")[-1][0]
    assert user not in {"root", "0"}


@pytest.mark.parametrize("name", sorted(SERVICES.keys() - {"migrate"}))
def test_it_checks_the_health_of_every_service_that_stays(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


@pytest.mark.parametrize("name", SERVICES)
def test_it_waits_only_for_services_that_can_become_what_it_waits_for(name: str) -> None:
    for other, wanted in SERVICES[name].get("depends_on", {}).items():
        stays = SERVICES[other].get("restart") != "no"
        assert wanted["condition"] == ("service_healthy" if stays else "service_completed_successfully")


def test_it_declares_every_volume() -> None:
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", [])]
    assert {mount.split(":")[0] for mount in mounts} == COMPOSE["volumes"].keys()


@pytest.mark.parametrize("call", everything_called(), ids=" ".join)
def test_it_calls_programs_that_exist(call: list[str]) -> None:
    beside_python = Path(sys.executable).parent / call[0]
    assert beside_python.exists() or shutil.which(call[0])


def test_it_calls_management_commands_that_exist() -> None:
    called = {call[2] for call in everything_called() if call[:2] == ["python", "manage.py"]}
    assert called >= {"migrate"}
    assert called <= get_commands().keys()


def test_it_names_a_celery_application_and_commands_that_exist() -> None:
    called = [call for call in everything_called() if call[0] == "celery"]
    assert {options(call)["app"] for call in called} == {"evalportal.celery:app"}
    assert symbol_by_name("evalportal.celery:app").main == "evalportal"
    assert {call[2] for call in called} <= celery_commands.commands.keys()


def test_it_listens_to_the_same_queues_as_on_one_machine() -> None:
    in_containers = {options(call).get("queues") for call in everything_called()}
    on_one_machine = {options(child.command).get("queues") for child in serve.children(3)}
    assert in_containers == on_one_machine


def test_it_names_a_web_application_that_exists() -> None:
    program, application, *_ = instructions("CMD")[0]
    assert program == "gunicorn"
    assert callable(symbol_by_name(application))


def test_it_gives_options_that_the_web_server_knows() -> None:
    words = instructions("CMD")[0]
    known = subprocess.run(
        [sys.executable, "-m", "gunicorn", *words[1:], "--check-config"], check=False, cwd=ROOT
    )
    assert known.returncode == 0


def test_it_sets_variables_that_the_portal_reads() -> None:
    rooms = (ROOT / "evalportal", ROOT / "scoring")
    code = "".join(path.read_text() for room in rooms for path in room.rglob("*.py"))
    given = {name for service in OURS.values() for name in service["environment"]} - {"PGPASSWORD"}
    assert given <= set(re.findall(r"[\"']([A-Z][A-Z_]+)[\"']", code))


def _documented() -> list[str]:
    """Return every variable in README's table."""
    rows = [line.split("|")[1] for line in (ROOT / "README.md").read_text().splitlines() if line[:3] == "| `"]
    return [name for row in rows for name in re.findall(r"`([A-Z][A-Z_]+)`", row)]


@pytest.mark.parametrize("variable", _documented())
def test_it_hands_every_documented_variable_to_every_process(variable: str) -> None:
    assert all(variable in service["environment"] for service in OURS.values())


def test_it_documents_variables() -> None:
    assert {"DATABASE_URL", "EMAIL_HOST_PASSWORD", "EVALPORTAL_PROXIES", "TIME_ZONE"} <= set(_documented())


@pytest.mark.parametrize("name", OURS)
def test_it_takes_keys_of_any_name_from_a_file_that_may_be_missing(name: str) -> None:
    assert OURS[name]["env_file"] == [{"path": ".env", "required": False}]


@pytest.mark.parametrize("rules", [".gitignore", ".dockerignore"])
@pytest.mark.parametrize("secrets", [".env", ".env.production"])
def test_it_keeps_secrets_out_of_the_repository_and_the_image(rules: str, secrets: str) -> None:
    patterns = (ROOT / rules).read_text().split()
    assert any(fnmatch.fnmatch(secrets, pattern) for pattern in patterns)


def test_it_says_how_to_make_the_first_admin_in_a_container() -> None:
    (line,) = re.findall(
        r"docker compose run --rm (\S+) python manage.py (\S+)", (ROOT / "README.md").read_text()
    )
    assert (line[0] in OURS, line[1] in get_commands()) == (True, True)


def test_it_holds_no_secret_and_demands_each_of_them() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    values = re.findall(r"(?:SECRET_KEY|PASSWORD): (.*)", text)
    assert values
    assert all(re.fullmatch(r"\$\{(SECRET_KEY|POSTGRES_PASSWORD):\?.+\}", value) for value in values)


def test_it_copies_files_that_exist_and_are_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    sources = [
        source for words in instructions("COPY") if not words[0].startswith("--from") for source in words[:-1]
    ]
    assert sources
    for source in sources:
        assert (ROOT / source).exists()
        assert not any(fnmatch.fnmatch(source, pattern) for pattern in ignored)


def test_it_leaves_out_what_is_made_on_this_machine() -> None:
    made_here = {line.strip("/") for line in (ROOT / ".gitignore").read_text().split() if line.endswith("/")}
    ignored = {line.removeprefix("**/") for line in (ROOT / ".dockerignore").read_text().split()}
    assert made_here <= ignored
