"""The WSGI application that the web server calls."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from evalportal.embedded.provide import provide

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalportal.settings")
provide()

application = get_wsgi_application()
