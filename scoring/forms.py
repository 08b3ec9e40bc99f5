"""What people type on the scoring pages goes in, checked values come out."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.files.uploadedfile import UploadedFile

from scoring import handbook, registry
from scoring.measurement import Sample
from scoring.models import CustomBenchmark, Dataset

SUITES = "scoring.suites"


class ManyFilesInput(forms.ClearableFileInput):
    """A file field in which one may choose several."""

    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """One or more files."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:  # type: ignore[override]
        files = data if isinstance(data, list | tuple) else [data]
        return [super(ManyFilesField, self).clean(file, initial) for file in files or [None]]


class UploadForm(forms.Form):
    """Which files, of which suite, into which dataset."""

    files = ManyFilesField(
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
        suites = registry.plugins(SUITES)
        self.fields["suite"].choices = [(name, registry.label(module)) for name, module in suites.items()]  # type: ignore[attr-defined]
        self.fields["suite"].initial = "ccop"

    def clean_dataset_name(self) -> str:
        return str(self.cleaned_data["dataset_name"]).lower()

    def clean(self) -> dict[str, Any] | None:
        """Refuse a suite that the dataset does not have."""
        name, suite = self.cleaned_data.get("dataset_name"), self.cleaned_data.get("suite")
        known = Dataset.objects.filter(name=name).first()
        if known and suite and known.suite != suite:
            self.add_error("suite", f"The dataset {name} holds cases of the suite {known.suite}.")
        return self.cleaned_data


class BenchmarkForm(forms.ModelForm[CustomBenchmark]):
    """A benchmark of one's own."""

    class Meta:
        model = CustomBenchmark
        fields = ("code", "name", "category", "route")
        widgets = {  # noqa: RUF012
            "code": forms.TextInput(attrs={"placeholder": "B22", "autocomplete": "off"}),
            "category": forms.TextInput(attrs={"list": "categories", "autocomplete": "off"}),
        }

    def clean_code(self) -> str:
        return str(self.cleaned_data["code"]).strip().upper()


class TryMetricForm(forms.Form):
    """The inputs of one metric, to try it on one's own text."""

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
        "tokens": "The log-probability of each token, with spaces between them.",
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
                max_length=1_000_000,
            )

    def clean(self) -> dict[str, Any] | None:
        """Read the typed text as the metric's inputs."""
        try:
            self.sample = handbook.sample_from(self.cleaned_data, self.inputs)
        except handbook.InputError as error:
            self.add_error(error.field, str(error))
        return self.cleaned_data
