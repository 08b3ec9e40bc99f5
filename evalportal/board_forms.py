"""What people type on boards goes in, checked values come out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from evalportal.leaderboard import Filters
from scoring.models import Version
from scoring.phases import THRESHOLDS

_DATE = forms.DateInput(attrs={"type": "date"})


class LeaderboardForm(forms.Form):
    """What the leaderboard is narrowed to, and ordered by."""

    suite = forms.ChoiceField(required=False)
    version = forms.TypedChoiceField(label="Dataset version", required=False, coerce=int, empty_value=None)
    phase = forms.ChoiceField(
        required=False, choices=[("", "Every phase"), *((name, name) for name in THRESHOLDS)]
    )
    model = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    since = forms.DateField(label="Finished since", required=False, widget=_DATE)
    as_of = forms.DateField(label="As of the end of", required=False, widget=_DATE)
    sort = forms.CharField(required=False, max_length=20, widget=forms.HiddenInput)

    def __init__(self, data: Any, versions: Iterable[Version], models: Iterable[tuple[int, str]]) -> None:
        super().__init__(data)
        listed = list(versions)
        suites = sorted({version.dataset.suite for version in listed})
        self.fields["suite"].choices = [("", "Every suite"), *((name, name) for name in suites)]  # type: ignore[attr-defined]
        self.fields["version"].choices = [("", "The latest"), *((one.pk, str(one)) for one in listed)]  # type: ignore[attr-defined]
        self.fields["model"].choices = [("", "Every model"), *models]  # type: ignore[attr-defined]

    def filters(self) -> Filters:
        """Give what was asked for; what is wrong is left open."""
        self.is_valid()
        return Filters(**{name: value for name, value in self.cleaned_data.items() if value})


class WidthForm(forms.Form):
    """How narrow an interval should be, in points."""

    points = forms.FloatField(label="± points", min_value=0.1, max_value=50, initial=3)


class PowerForm(forms.Form):
    """How small a difference should still be seen, in points."""

    points = forms.FloatField(label="Difference in points", min_value=0.1, max_value=100, initial=2)
