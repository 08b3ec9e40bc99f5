"""The portal as a Django app: every process that uses it knows the broker that tasks are sent to."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """Make the Celery application before anyone sends a task, and after the settings are read."""

    name = "evalportal"

    def ready(self) -> None:
        import_module("evalportal.celery")
