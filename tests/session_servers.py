"""A test session goes in; a PostgreSQL and a Redis of its own come out, before Django reads its settings."""

from __future__ import annotations

import os

from evalportal.embedded import throwaway

(throwaway.start() / "static").mkdir(exist_ok=True)
os.environ["DEBUG"] = "1"  # Static files come straight from their folders.
os.environ["HF_HUB_OFFLINE"] = "1"
