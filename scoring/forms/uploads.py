"""Which files, of which suite, into which dataset."""

from __future__ import annotations

from typing import Any

from django import forms

from scoring import registry
from scoring.forms.fields import ManyFilesField, choice
from scoring.models import Dataset


class UploadForm(forms.Form):
    """Which files, of which suite, into which dataset."""

    files = ManyFilesField(  # type: ignore[assignment]
        label="Files", help_text="One or more .jsonl files: one JSON object a line, in UTF-8."
    )
    suite = forms.ChoiceField(label="Suite", widget=forms.RadioSelect)
    dataset_name = forms.SlugField(
        label="Dataset",
        max_length=80,
        help_text="An existing name makes a new version of it; a new name makes a new dataset.",
        widget=forms.TextInput(attrs={"list": "dataset-names", "autocomplete": "off", "spellcheck": "false"}),
        error_messages={"invalid": "Use lower-case letters, digits and dashes only."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        suites = registry.plugins("scoring.suites")
        choice(self, "suite").choices = [(name, registry.label(module)) for name, module in suites.items()]
        self.fields["suite"].initial = "ccop"

    def clean_dataset_name(self) -> str:
        return str(self.cleaned_data["dataset_name"]).lower()

    def clean(self) -> dict[str, Any] | None:
        """Refuse a suite that the dataset does not have."""
        name, suite = self.cleaned_data.get("dataset_name"), self.cleaned_data.get("suite")
        known = Dataset.objects.filter(name=name).first()
        if known and suite and known.suite != suite:
            self.add_error("suite", f"The dataset {name} holds cases of the suite {known.suite}.")
        if known and known.retired_at:
            reason = f"The dataset {name} is retired: choose another name, or bring it back on its page."
            self.add_error("dataset_name", reason)
        return self.cleaned_data
