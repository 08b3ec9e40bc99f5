#!/usr/bin/env python
"""A command of the portal goes in and is carried out: `python manage.py help` lists them."""

from __future__ import annotations

import os
import sys

from evalportal.embedded.places import ServiceError
from evalportal.embedded.provide import provide

_WITHOUT_SERVICES = {"", "--help", "--version", "-h", "help", "version"} | {
    "check",
    "collectstatic",
    "compilemessages",
    "diffsettings",
    "findstatic",
    "makemessages",
}


def main(arguments: list[str]) -> None:
    """Carry out one command, with the services that it needs."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalportal.settings")
    if arguments[:1] == ["serve"] and "--demo" in arguments:
        os.environ["EVALPORTAL_DEMO"] = "1"  # the settings, read next, depend on it
    try:
        if _needs_services(arguments):
            provide()
        _execute(arguments)
    except ServiceError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _needs_services(arguments: list[str]) -> bool:
    command = arguments[0] if arguments else ""
    return command not in _WITHOUT_SERVICES and not {"--help", "-h"} & set(arguments)


def _execute(arguments: list[str]) -> None:
    from django.core.management import execute_from_command_line  # noqa: PLC0415 (after the environment is set)

    execute_from_command_line([sys.argv[0], *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
