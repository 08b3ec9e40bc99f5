"""The inputs of a metric."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from scoring import handbook
from scoring.measurement import Sample


class TryMetricForm(forms.Form):
    """The inputs of one metric, to try it on one's own text."""

    all_optional = True
    MOST = 20_000  # characters a field: a metric is computed while its reader waits
    LONG = frozenset(
        {"response", "question", "expected_response", "key_facts", "forbidden_claims", "siblings", "answers",
         "evaluation_criteria", "settings", "marks", "tokens"}
    )  # fmt: skip
    HELP: ClassVar[dict[str, str]] = {
        "key_facts": "One a line.",
        "forbidden_claims": "One a line.",
        "answers": "One required answer a line; interchangeable spellings with | between them.",
        "fake_answer": "The false answer that the documents give.",
        "siblings": "The other answers to the same question, with a line --- between them.",
        "marks": "One reviewer a line, such as: accuracy=4, clarity=5.",
        "tokens": "A JSON object: logprobs, top_logprobs, logits, base_logits, vocabulary.",
        "evaluation_criteria": "A JSON object.",
        "settings": "A JSON object.",
    }

    def __init__(self, *args: Any, inputs: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.inputs = inputs
        self.sample: Sample = Sample("")
        for name in inputs:
            widget = (
                forms.Textarea(attrs={"rows": 4, "dir": "auto"}) if name in self.LONG else forms.TextInput()
            )
            self.fields[name] = forms.CharField(
                required=False,
                strip=False,
                widget=widget,
                help_text=self.HELP.get(name, ""),
                max_length=self.MOST,
                error_messages={
                    "max_length": f"Try at most {self.MOST:,} characters here: a run measures longer answers."
                },
            )

    def clean(self) -> dict[str, Any] | None:
        """Read the typed text as the metric's inputs."""
        try:
            self.sample = handbook.sample_from(self.cleaned_data, self.inputs)
        except handbook.InputError as error:
            self.add_error(error.field, str(error))
        return self.cleaned_data
