"""Fields that more than one form uses."""

from __future__ import annotations

import re
from typing import Any

from django import forms


class ManyFilesInput(forms.ClearableFileInput):
    """A file field in which one may choose several."""

    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """One or more files."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, list | tuple) else [data]
        cleaned, wrong = [], []
        for file in files or [None]:
            try:
                cleaned.append(super().clean(file, initial))
            except forms.ValidationError as error:
                wrong += [f"{file.name}: {message}" if file else message for message in error.messages]
        if wrong:
            raise forms.ValidationError(wrong)
        return cleaned


class ListField(forms.CharField):
    """Several words with spaces or commas between them."""

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        return [word for word in re.split(r"[\s,;]+", str(value or "")) if word]

    def prepare_value(self, value: Any) -> str:
        return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")


def choice(form: forms.BaseForm, name: str) -> Any:
    """Give a field whose choices are filled in when the form is made."""
    return form.fields[name]
