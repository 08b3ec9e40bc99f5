"""What a run shall be."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from scoring import benchmarks, endpoints, phases, questions, registry
from scoring.forms.fields import ListField, choice
from scoring.models import Endpoint, Run, Version


class RunForm(forms.ModelForm[Run]):
    """Which cases, which model, which judge, and how."""

    version = forms.ModelChoiceField(Version.objects.none(), label="Dataset version")
    phase = forms.ChoiceField()
    benchmarks = forms.MultipleChoiceField(
        required=False, help_text="None chosen means all.", widget=forms.SelectMultiple(attrs={"size": 8})
    )
    test_ids = ListField(
        required=False,
        label="Test ids",
        help_text="Only these cases; ids with spaces or commas between them.",
    )
    temperature = forms.FloatField(
        required=False,
        initial=0.0,
        min_value=0,
        max_value=2,
        help_text="Blank: the model's own, or the server's default. Reasoning models may refuse 0.",
    )
    max_tokens = forms.IntegerField(
        required=False,
        initial=512,
        min_value=1,
        max_value=32768,
        label="Answer tokens at most",
        help_text="Blank: the model's own, or the server's default. Reasoning takes tokens too.",
    )
    noise_levels = ListField(
        required=False, help_text="Percent of noise documents, such as 0 20 40 60 80 100. RGB only."
    )

    GROUPS: ClassVar[dict[str, tuple[str, ...]]] = {
        "What is asked": ("name", "version", "test_ids", "benchmarks"),
        "Who answers": (
            "endpoint",
            "temperature",
            "max_tokens",
            "samples",
            "noise_levels",
            "seed",
            "base",
            "use_cache",
        ),
        "Who judges": ("judge", "judge_votes", "reviewers", "validation_share"),
        "What passes": ("phase", "threshold"),
    }

    UNCHOSEN: ClassVar[dict[str, str]] = {
        "version": "Choose a version",
        "endpoint": "Choose a model",
        "judge": "No judge",
        "base": "None",
    }

    class Meta:
        model = Run
        fields = (
            "name", "version", "benchmarks", "test_ids", "endpoint", "samples", "noise_levels", "seed",
            "use_cache", "judge", "judge_votes", "reviewers", "validation_share", "phase", "threshold",
            "base",
        )  # fmt: skip
        labels = {  # noqa: RUF012
            "endpoint": "Model",
            "samples": "Answers per case",
            "judge_votes": "Votes of the judge",
            "reviewers": "Reviewers per answer",
            "validation_share": "Share of verdicts that people validate",
            "use_cache": "Take answers to the same prompt from earlier runs",
            "base": "Base model",
        }
        help_texts = {  # noqa: RUF012
            "samples": "5 for self-BLEU.",
            "judge": "For Tier 3 and for answer quality. Without one, those wait.",
            "threshold": "Instead of the phase's own, 0 to 1.",
            "base": "For the KL shift of a tuned model: both of local weights, which give full logits.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = Version.objects.select_related("dataset").order_by("dataset__name", "-number")
        choice(self, "version").queryset = versions.filter(dataset__retired_at=None)
        choice(self, "base").queryset = Endpoint.objects.filter(gateway=endpoints.LOCAL_WEIGHTS)
        for name, words in self.UNCHOSEN.items():
            choice(self, name).empty_label = words
        choice(self, "phase").choices = [
            (name, f"{name}, {least:.0%}") for name, least in phases.THRESHOLDS.items()
        ]
        choice(self, "benchmarks").choices = [
            (
                registry.label(module),
                [(code, f"{code} {found.name}") for code, found in benchmarks.known(name).items()],
            )
            for name, module in registry.plugins("scoring.suites").items()
        ]

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Lay the fields out under their headings."""
        return [(title, [self[name] for name in names]) for title, names in self.GROUPS.items()]

    def clean_noise_levels(self) -> list[int]:
        """Read percentages."""
        levels = self.cleaned_data["noise_levels"]
        if not all(level.isdecimal() and int(level) <= 100 for level in levels):
            raise forms.ValidationError("Type whole percentages from 0 to 100.")
        return sorted({int(level) for level in levels})

    def clean(self) -> dict[str, Any] | None:
        """Keep what the model gets in one place, and refuse test ids that would be asked for in vain."""
        values = super().clean() or self.cleaned_data
        self._check_test_ids(values)
        self.instance.parameters = {
            name: values[name] for name in ("temperature", "max_tokens") if values.get(name) is not None
        }
        return values

    def _check_test_ids(self, values: dict[str, Any]) -> None:
        version, wanted = values.get("version"), values.get("test_ids")
        if version and wanted and "benchmarks" in values:
            missing = questions.missing(version, values["benchmarks"], wanted)
            if missing:
                self.add_error("test_ids", questions.refusal(missing))
