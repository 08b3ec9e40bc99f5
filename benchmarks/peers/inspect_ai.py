"""inspect-ai: a task of our prompts, evaluated by its command line."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.peers import prompts

NAME = "inspect-ai"
PROGRAM = "venv/bin/inspect"
LOG = "venv.log"

_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import includes
from inspect_ai.solver import generate


@task
def questions() -> Task:
    return Task(dataset=json_dataset("questions.jsonl"), solver=generate(), scorer=includes())
"""


def prepare(folder: Path, url: str, most: int) -> tuple[list[str], dict[str, str]]:
    """Write the task; return the arguments and the environment that evaluate it."""
    (folder / "task.py").write_text(_TASK)
    (folder / "questions.jsonl").write_text("\n".join(map(_line, prompts.questions())))
    return (
        [
            "eval", "task.py", "--model", f"openai-api/mock/{prompts.MODEL}", "--log-dir", "logs",
            "--max-connections", str(most), "--max-samples", str(most), "--display", "none",
        ],
        {"MOCK_API_KEY": "none", "MOCK_BASE_URL": f"{url}/v1"},
    )  # fmt: skip


def _line(question: str) -> str:
    messages = [
        {"role": "system", "content": prompts.INSTRUCTION},
        {"role": "user", "content": question},
    ]
    return json.dumps({"input": messages, "target": "owner"})
