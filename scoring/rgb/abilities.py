"""A row goes in; the ability it tests and its language come out, as given or as deduced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.rgb.rules import is_chinese

NOISE = "noise_robustness"
REJECTION = "negative_rejection"
INTEGRATION = "information_integration"
COUNTERFACTUAL = "counterfactual_robustness"
ABILITIES = (NOISE, REJECTION, INTEGRATION, COUNTERFACTUAL)
LANGUAGES = ("en", "zh")


def ability(fields: Mapping[str, Any]) -> str:
    """Say which ability a row tests.

    Documents with a planted answer test counterfactual robustness, documents nested by sub-question
    information integration, no relevant documents at all negative rejection, any others noise robustness.

    >>> ability({"ability": "Negative rejection"}), ability({"positive": [["a"], ["b"]]})
    ('negative_rejection', 'information_integration')
    """
    if fields.get("ability"):
        return canonical(fields["ability"])
    if fields.get("positive_wrong") or fields.get("fakeanswer"):
        return COUNTERFACTUAL
    positive = fields.get("positive")
    if isinstance(positive, list) and any(isinstance(part, list) for part in positive):
        return INTEGRATION
    return NOISE if positive else REJECTION


def canonical(name: object) -> str:
    """Bring the spellings of an ability together."""
    return "_".join(str(name).lower().replace("-", " ").replace("_", " ").split())


def language(fields: Mapping[str, Any]) -> str:
    """Say which language a row is in: Chinese if its question has a Chinese character, else English.

    >>> language({"query": "哪个端口用于SSH？"}), language({"query": "Which port is for SSH?"})
    ('zh', 'en')
    """
    return str(fields.get("language") or ("zh" if is_chinese(fields["query"]) else "en"))
