"""The address of the small model in the box goes in, the endpoint that runs can choose comes out."""

from __future__ import annotations

import os

from scoring.models import Endpoint

NAME = "SmolLM2 135M (in the box)"


def register() -> None:
    """Say where the small model answers, if it does: its port may be another at each start."""
    url, model = os.environ.get("EVALPORTAL_MODEL_URL"), os.environ.get("EVALPORTAL_MODEL_NAME")
    if not url or not model:
        return
    base_url = url if url.rstrip("/").endswith("/v1") else f"{url.rstrip('/')}/v1"
    values = {"gateway": "openai_compatible", "base_url": base_url, "model": model}
    Endpoint.objects.update_or_create(name=NAME, defaults=values)
