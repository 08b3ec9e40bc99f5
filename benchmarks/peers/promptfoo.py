"""promptfoo: a configuration of our prompts, evaluated by its command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.peers import prompts

NAME = "promptfoo"
PROGRAM = "promptfoo/node_modules/.bin/promptfoo"
LOG = "promptfoo.log"


def prepare(folder: Path, url: str, most: int) -> tuple[list[str], dict[str, str]]:
    """Write the configuration; return the arguments and the environment that evaluate it."""
    (folder / "promptfooconfig.json").write_text(json.dumps(_configuration(url)))
    return (
        [
            "eval", "--config", "promptfooconfig.json", "--no-cache", "--max-concurrency", str(most),
            "--output", "results.json", "--no-table", "--no-progress-bar",
        ],
        {
            "PROMPTFOO_CONFIG_DIR": str(folder / "home"),
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        },
    )  # fmt: skip


def _configuration(url: str) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": prompts.INSTRUCTION},
        {"role": "user", "content": "{{question}}"},
    ]
    server = {"apiBaseUrl": f"{url}/v1", "apiKey": "none"}
    return {
        "prompts": [json.dumps(messages)],
        "providers": [{"id": f"openai:chat:{prompts.MODEL}", "config": server}],
        "defaultTest": {"assert": [{"type": "icontains", "value": "owner"}]},
        "tests": [{"vars": {"question": question}} for question in prompts.questions()],
    }
