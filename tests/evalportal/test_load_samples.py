"""The samples of the demo: cases, people, and the small model."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from evalportal.demo import PEOPLE
from evalportal.models import Person
from scoring.models import Dataset, Endpoint, Version

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DEMO = True
    monkeypatch.delenv("EVALPORTAL_MODEL_URL", raising=False)
    monkeypatch.delenv("EVALPORTAL_MODEL_NAME", raising=False)


def _load(*arguments: str, **options: Any) -> str:
    words = io.StringIO()
    call_command("load_samples", *arguments, stdout=words, **options)
    return words.getvalue()


def test_it_loads_the_cases_of_every_suite(demo: None) -> None:
    _load()

    found = {version.dataset.name: version for version in Version.objects.select_related("dataset")}
    assert set(found) == {"ccop-samples", "rgb-samples", "cybersec-samples"}
    ccop, rgb = found["ccop-samples"].summary, found["rgb-samples"].summary
    assert set(ccop["benchmark"]) == {f"B{number}" for number in range(1, 22)}
    assert min(ccop["benchmark"].values()) >= 4
    assert set(ccop["difficulty"]) == {"Low", "Medium", "High", "Critical"}
    assert set(ccop["domain"]) == {"IT", "OT", "IT/OT"}
    assert (len(rgb["benchmark"]), min(rgb["benchmark"].values()) >= 12) == (4, True)
    assert found["cybersec-samples"].case_count >= 25


def test_it_makes_people_who_can_sign_in(demo: None) -> None:
    _load()

    roles = dict(Person.objects.values_list("username", "role"))
    assert roles == {"alice": "admin", "bob": "reviewer", "carol": "reviewer", "dan": "manager"}
    assert all(Person.objects.get(username=one.username).check_password(one.password) for one in PEOPLE)


def test_it_changes_nothing_the_second_time(demo: None, django_assert_max_num_queries: Any) -> None:
    _load()
    Person.objects.filter(username="bob").update(name="Robert")
    with django_assert_max_num_queries(50):
        assert _load() == ""

    assert (Version.objects.count(), Person.objects.count()) == (3, 4)
    assert Person.objects.get(username="bob").name == "Robert"


def test_it_refuses_to_make_people_with_known_passwords_outside_a_demo(settings: Any) -> None:
    settings.DEMO = False

    with pytest.raises(CommandError, match="only for a demo"):
        _load()
    assert not Person.objects.exists()


def test_it_can_be_forced(settings: Any) -> None:
    settings.DEMO = False
    _load("--force")

    assert Dataset.objects.count() == 3
    assert not Person.objects.exists()


def test_it_leaves_a_newer_version_that_somebody_uploaded(demo: None) -> None:
    _load()
    first = Version.objects.get(dataset__name="rgb-samples")
    alice = Person.objects.get(username="alice")
    Version.objects.create(
        dataset=first.dataset, number=2, digest="x", case_count=0, summary={}, changes={}, created_by=alice
    )
    _load()

    assert first.dataset.versions.count() == 2


def test_it_refuses_a_database_that_other_people_use(demo: None) -> None:
    Person.objects.create_user("root", "a-secret", name="Root", role="admin")

    with pytest.raises(CommandError, match="people of its own"):
        _load()
    assert Person.objects.count() == 1


def test_it_goes_on_with_people_whom_a_demo_has_invited(demo: None) -> None:
    _load()
    Person.objects.create_user("eve", "a-secret", name="Eve", role="manager")
    _load()

    assert Person.objects.count() == 5


def test_it_registers_the_small_model_where_it_answers_now(
    demo: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALPORTAL_MODEL_NAME", "small")
    for url in ("http://127.0.0.1:1111/v1", "http://127.0.0.1:2222/"):
        monkeypatch.setenv("EVALPORTAL_MODEL_URL", url)
        _load()

    (endpoint,) = Endpoint.objects.all()
    assert (endpoint.gateway, endpoint.model) == ("openai_compatible", "small")
    assert endpoint.base_url == "http://127.0.0.1:2222/v1"


def test_it_registers_no_model_where_there_is_none(demo: None) -> None:
    _load()

    assert not Endpoint.objects.exists()


def test_it_says_more_when_asked(demo: None) -> None:
    assert "cases imported as rgb-samples version 1" in _load(verbosity=2)


def test_it_leaves_samples_alone_that_somebody_has_retired(demo: None) -> None:
    _load()
    Dataset.objects.filter(name="ccop-samples").update(retired_at=timezone.now())
    _load()

    assert Dataset.objects.retired().get().name == "ccop-samples"
