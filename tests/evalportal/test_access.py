"""Every page: open to whom it is for, refused to the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

EVERYONE = {"admin", "reviewer", "manager"}
ADMIN = {"admin"}
MANAGERS = {"admin", "manager"}
REVIEWER = {"reviewer"}
BOARDS = {"admin", "manager"}
# Page → who may open it, and an argument list for its path. None: no sign-in needed.
ACCESS: dict[str, tuple[set[str] | None, list[Any]]] = {
    "home": (EVERYONE, []),
    "sign-in": (None, []),
    "sign-out": (EVERYONE, []),
    "welcome": (None, ["MQ", "made-up"]),
    "account": (EVERYONE, []),
    "theme": (None, []),
    "person-list": (ADMIN, []),
    "person-invite": (ADMIN, []),
    "person-detail": (ADMIN, [999]),
    "person-link": (ADMIN, [999]),
    "leaderboard": (MANAGERS, []),
    "leaderboard-export": (MANAGERS, []),
    "compare": (MANAGERS, []),
    "compare-case": (MANAGERS, [999]),
    "judge": (MANAGERS, [999]),
    "healthz": (None, []),
    "readyz": (None, []),
    "diagnosis": ({"admin", "manager"}, [999]),
    "run-export": (EVERYONE, [999]),
    "run-bundle": ({"admin", "manager"}, [999]),
    "export-new": (EVERYONE, [999]),
    "export-detail": (EVERYONE, [999]),
    "export-progress": (EVERYONE, [999]),
    "export-file": (EVERYONE, [999]),
    "bundle-new": (ADMIN, []),
    "bundle-detail": (ADMIN, [999]),
    "bundle-progress": (ADMIN, [999]),
    "scoring:dataset-list": (EVERYONE, []),
    "scoring:dataset-detail": (EVERYONE, ["missing"]),
    "scoring:dataset-retire": (ADMIN, ["missing"]),
    "scoring:dataset-bring-back": (ADMIN, ["missing"]),
    "scoring:version-detail": (EVERYONE, ["missing", 1]),
    "scoring:version-export": (EVERYONE, ["missing", 1]),
    "scoring:upload-new": (ADMIN, []),
    "scoring:upload-detail": (ADMIN, [999]),
    "scoring:upload-progress": (ADMIN, [999]),
    "scoring:upload-problems": (ADMIN, [999]),
    "scoring:upload-import": (ADMIN, [999]),
    "scoring:case-list": (EVERYONE, []),
    "scoring:case-detail": (EVERYONE, [999]),
    "scoring:benchmark-list": (EVERYONE, []),
    "scoring:endpoint-list": (ADMIN, []),
    "reviews:queue": (REVIEWER, []),
    "reviews:queue-waiting": (REVIEWER, []),
    "reviews:review-next": (REVIEWER, []),
    **{
        f"reviews:review-{name}": (REVIEWER, [999])
        for name in ("detail", "ahead", "draft", "submit", "decide", "skip", "decline", "undo", "take")
    },
    "reviews:agreement-report": (BOARDS, [999]),
    "reviews:agreement-differences": (BOARDS, [999, 1, 2]),
    "reviews:run-finish": (ADMIN, [999]),
    "reviews:run-flagged": (ADMIN, [999]),
    "reviews:run-widen": (ADMIN, [999]),
    "reviews:item-list": (BOARDS, [999]),
    "reviews:item-assign": (ADMIN, [999]),
    "reviews:calibration-begin": (ADMIN, [999]),
    "reviews:calibration-detail": ({"admin", "reviewer"}, [999]),
    "reviews:adjudication-list": (ADMIN, []),
    "reviews:adjudication-detail": (ADMIN, [999]),
    "reviews:adjudication-reviewer": (ADMIN, [999]),
    "reviews:rubric-list": (BOARDS, []),
    "reviews:rubric-detail": (ADMIN, ["rubric"]),
    "reviews:event-list": (ADMIN, []),
    "reviews:event-export": (ADMIN, []),
    "reviews:decision-chain": (EVERYONE, [999]),
    "scoring:endpoint-new": (ADMIN, []),
    "scoring:endpoint-detail": (ADMIN, [999]),
    "scoring:endpoint-recording": (ADMIN, [999]),
    "metrics": (None, []),
    "scoring:endpoint-probe": (ADMIN, [999]),
    "scoring:run-list": (EVERYONE, []),
    "scoring:run-new": (ADMIN, []),
    "scoring:run-estimate": (ADMIN, []),
    "scoring:run-detail": (EVERYONE, [999]),
    "scoring:run-progress": (EVERYONE, [999]),
    "scoring:run-responses": (EVERYONE, [999]),
    "scoring:run-start": (ADMIN, [999]),
    "scoring:run-delete": (ADMIN, [999]),
    "scoring:run-pause": (ADMIN, [999]),
    "scoring:run-resume": (ADMIN, [999]),
    "scoring:run-cancel": (ADMIN, [999]),
    "scoring:run-retry": (ADMIN, [999]),
    "scoring:run-rescore": (ADMIN, [999]),
    "scoring:run-repeat": (ADMIN, [999]),
    "scoring:response-detail": (EVERYONE, [999, 999]),
    "scoring:metric-list": (EVERYONE, []),
    "scoring:metric-detail": (EVERYONE, ["repetition"]),
}


def _names(resolver: URLResolver, prefix: str = "") -> list[str]:
    names: list[str] = []
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            names.append(f"{prefix}{entry.name}")
        else:
            names += _names(entry, f"{entry.namespace}:" if entry.namespace else prefix)
    return names


def test_it_says_of_every_page_whom_it_is_for() -> None:
    assert sorted(_names(get_resolver())) == sorted(ACCESS)


@pytest.mark.django_db
@pytest.mark.parametrize("page", [page for page, (whom, _) in ACCESS.items() if whom is not None])
def test_it_sends_a_stranger_to_the_sign_in_page(page: str) -> None:
    path = reverse(page, args=ACCESS[page][1])
    response = Client().get(path)
    assert (response.status_code, response["Location"].split("?")[0]) == (302, reverse("sign-in"))


@pytest.mark.django_db
@pytest.mark.parametrize("role", sorted(EVERYONE))
@pytest.mark.parametrize("page", [page for page, (whom, _) in ACCESS.items() if whom is not None])
def test_it_refuses_a_page_to_the_wrong_role(
    page: str, role: str, alice: Any, bob: Any, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    whom, arguments = ACCESS[page]
    client = signed_in({"admin": alice, "reviewer": bob, "manager": dan}[role])
    status = client.get(reverse(page, args=arguments)).status_code
    assert whom is not None
    assert (status == 403) == (role not in whom)
    assert status < 500
