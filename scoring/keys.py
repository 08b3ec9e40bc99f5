"""The name of an environment variable goes in; the model server's key that it holds comes out.

The portal's own secrets stand in the same environment, and a key goes to whatever address an endpoint has: so
only a name that is plainly a model server's key is ever looked up, and never one of the portal's own.
"""

from __future__ import annotations

import os
import re

# Names that fit no rule below and hold a model server's key all the same, with commas between them.
LISTED = "EVALPORTAL_KEY_VARIABLES"
_OF_A_MODEL = re.compile(r"[A-Z][A-Z0-9_]*_API_(KEY|TOKEN)", re.ASCII)
_OUR_OWN = re.compile(
    r"EVALPORTAL_.*|DJANGO_.*|CELERY_.*|EMAIL_.*|PG.*|POSTGRES.*|REDIS.*|DATABASE.*|SECRET_KEY.*",
    re.IGNORECASE,
)


class KeyVariableError(ValueError):
    """A variable that is no model server's key, or holds none; the message says what to do."""


def take(variable: str) -> str:
    """Take the key out of the environment, without the line break that files of secrets end with."""
    check(variable)
    key = os.environ.get(variable, "").strip()
    if not key:
        raise KeyVariableError(
            f"The environment variable {variable} holds no key on this machine: set it for the portal and "
            "its workers, and restart them."
        )
    return key


def check(variable: str) -> None:
    """Refuse a name that may hold anything but a model server's key.

    >>> check("OPENAI_API_KEY")
    >>> check("SECRET_KEY")
    Traceback (most recent call last):
    scoring.keys.KeyVariableError: SECRET_KEY is the portal's own and goes to no model server.
    """
    if _OUR_OWN.fullmatch(variable):
        raise KeyVariableError(f"{variable} is the portal's own and goes to no model server.")
    if not _OF_A_MODEL.fullmatch(variable) and variable not in _listed():
        raise KeyVariableError(
            f"“{variable}” is not plainly the name of a model server's key: take one that ends in _API_KEY "
            f"or _API_TOKEN, such as OPENAI_API_KEY, or have it listed in the environment variable {LISTED}."
        )


def _listed() -> set[str]:
    return {name.strip() for name in os.environ.get(LISTED, "").split(",")} - {""}
