"""lm-eval: a task of our prompts, evaluated by its command line over the interface for chats."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.peers import prompts

NAME = "lm-eval"
PROGRAM = "venv/bin/lm_eval"
LOG = "venv.log"

_TASK = {
    "task": "questions",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": "questions.jsonl"}},
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{question}}",
    "doc_to_target": "{{target}}",
    "generation_kwargs": {"until": [], "max_gen_toks": 512, "do_sample": False},
    "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
}


def prepare(folder: Path, url: str, most: int) -> tuple[list[str], dict[str, str]]:
    """Write the task; return the arguments and the environment that evaluate it."""
    lines = [json.dumps({"question": question, "target": "owner"}) for question in prompts.questions()]
    (folder / "questions.jsonl").write_text("\n".join(lines))
    (folder / "questions.yaml").write_text(json.dumps(_TASK))  # JSON is YAML, too.
    model = f"model={prompts.MODEL},base_url={url}/v1/chat/completions,num_concurrent={most},max_retries=1"
    return (
        [
            "run", "--model", "local-chat-completions", "--model_args", model, "--tasks", "questions",
            "--include_path", ".", "--apply_chat_template", "--system_instruction", prompts.INSTRUCTION,
            "--output_path", "results", "--log_samples",
        ],
        {"OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home")},
    )  # fmt: skip
