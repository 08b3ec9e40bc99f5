"""The Celery application: it finds the tasks of the apps and takes its settings from Django's."""

from __future__ import annotations

import os

from celery import Celery

from evalportal import broker
from evalportal.embedded.provide import provide

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalportal.settings")
provide()
broker.install()

app = Celery("evalportal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
