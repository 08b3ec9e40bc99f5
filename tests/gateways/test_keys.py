"""Which variables may hold a model server's key, and what is taken out of them."""

from __future__ import annotations

import pytest

from scoring import keys
from scoring.keys import KeyVariableError


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "HF_API_TOKEN", "VLLM_2_API_KEY"])
def test_it_takes_names_that_are_plainly_a_model_servers_key(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "sk-1")
    assert keys.take(name) == "sk-1"


@pytest.mark.parametrize(
    "name",
    [
        "SECRET_KEY",
        "DATABASE_URL",
        "REDIS_URL",
        "PGPASSWORD",
        "POSTGRES_PASSWORD",
        "EMAIL_HOST_PASSWORD",
        "EVALPORTAL_METRICS_TOKEN",
        "EVALPORTAL_API_KEY",
        "DJANGO_API_KEY",
    ],
)
def test_it_never_takes_the_portals_own_even_if_they_are_listed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(keys.LISTED, name)
    monkeypatch.setenv(name, "sesame-open-7")
    with pytest.raises(KeyVariableError, match="portal's own") as caught:
        keys.take(name)
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["HOME", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "openai_api_key", "_API_KEY"]
)
def test_it_takes_other_names_only_if_they_are_listed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "sk-1")
    monkeypatch.delenv(keys.LISTED, raising=False)
    with pytest.raises(KeyVariableError, match="_API_KEY"):
        keys.take(name)
    monkeypatch.setenv(keys.LISTED, f"OTHER, {name} ,")
    assert keys.take(name) == "sk-1"


def test_it_drops_the_line_break_that_a_file_of_secrets_ends_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " sk-1\n")
    assert keys.take("OPENAI_API_KEY") == "sk-1"


@pytest.mark.parametrize("value", ["", " \n"])
def test_it_says_when_there_is_no_key(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(KeyVariableError, match="OPENAI_API_KEY holds no key"):
        keys.take("OPENAI_API_KEY")
