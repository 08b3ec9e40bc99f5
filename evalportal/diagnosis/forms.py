"""What people type on the diagnosis goes in, checked values come out."""

from __future__ import annotations

from typing import Any

from django import forms

from scoring.diagnosis_rules import DEFAULT, Limits


class LimitsForm(forms.Form):
    """Below which overall is low, and from which completeness is high."""

    low_overall = forms.FloatField(label="Overall is low below", min_value=0, max_value=1, required=False)
    high_completeness = forms.FloatField(
        label="Completeness is high from", min_value=0, max_value=1, required=False
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, initial=DEFAULT._asdict())
        for field in self.fields.values():
            field.widget.attrs["step"] = "0.01"

    def limits(self) -> Limits:
        """Give the limits that were typed, and those that hold otherwise."""
        typed = {name: value for name, value in self.cleaned_data.items() if value is not None}
        return DEFAULT._replace(**typed)
