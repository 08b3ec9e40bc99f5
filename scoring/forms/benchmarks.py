"""A benchmark of the users' own."""

from __future__ import annotations

from django import forms

from scoring.models import CustomBenchmark


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
