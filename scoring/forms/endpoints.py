"""A model, and how to reach it."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from scoring import addresses, endpoints, keys, recordings, registry
from scoring import parameters as asked
from scoring.forms.fields import choice
from scoring.gateway_contract import GatewayError
from scoring.models import Endpoint


class EndpointForm(forms.ModelForm[Endpoint]):
    """A model, and how to reach it."""

    gateway = forms.ChoiceField()

    class Meta:
        model = Endpoint
        fields = (
            "name", "gateway", "base_url", "model", "key_variable", "max_concurrency", "timeout_seconds",
            "parameters", "system_prompt",
        )  # fmt: skip
        labels = {  # noqa: RUF012
            "base_url": "Address",
            "key_variable": "Key variable",
            "max_concurrency": "Requests in flight at most",
            "timeout_seconds": "Seconds to wait for an answer",
        }
        help_texts = {  # noqa: RUF012
            "base_url": "Such as http://127.0.0.1:11434 for Ollama, or http://host:8000/v1 for vLLM.",
            "model": "The name that the server knows it by; for local weights their folder or package.",
            "key_variable": "The environment variable that holds the key, such as OPENAI_API_KEY.",
            "parameters": 'A JSON object, such as {"temperature": 0, "max_tokens": 512, "logprobs": true}.',
            "system_prompt": "Put before the suite's own instructions.",
        }
        widgets = {  # noqa: RUF012
            "parameters": forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
            "system_prompt": forms.Textarea(attrs={"rows": 3}),
            "base_url": forms.TextInput(attrs={"inputmode": "url", "spellcheck": "false"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        gateways = registry.plugins(endpoints.GATEWAYS)
        choice(self, "gateway").choices = [
            (name, registry.label(module)) for name, module in gateways.items()
        ]

    def clean_base_url(self) -> str:
        """Refuse an address that must not be asked."""
        url = str(self.cleaned_data["base_url"])
        try:
            if url:
                addresses.check(url)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return url

    def clean_key_variable(self) -> str:
        """Refuse what looks like a key, and the variables that hold the portal's own secrets."""
        name = str(self.cleaned_data["key_variable"]).strip()
        if name and not re.fullmatch(r"[A-Z_][A-Z0-9_]{0,79}", name):
            raise forms.ValidationError(
                "Type the name of the environment variable, such as OPENAI_API_KEY, never the key itself."
            )
        try:
            if name:
                keys.check(name)
        except keys.KeyVariableError as error:
            raise forms.ValidationError(str(error)) from error
        return name

    def clean_parameters(self) -> dict[str, Any]:
        """Take a JSON object whose values make sense to a gateway."""
        parameters = self.cleaned_data["parameters"] or {}
        if not isinstance(parameters, dict):
            raise forms.ValidationError('Type a JSON object, such as {"temperature": 0}.')
        try:
            asked.read(parameters)
        except GatewayError as error:
            raise forms.ValidationError(error.message) from error
        return parameters

    def clean(self) -> dict[str, Any] | None:
        """Compare the address and the parameters with what the gateway can do with them."""
        values = super().clean() or self.cleaned_data
        gateway = str(values.get("gateway", ""))
        if "base_url" in values and not values["base_url"] and _needs_address(gateway):
            self.add_error("base_url", "This gateway asks a server: type its address.")
        if gateway == endpoints.LOCAL_WEIGHTS and "base" in (values.get("parameters") or {}):
            self.add_error(
                "parameters", "A base model is chosen with the run, among local weights; leave it out."
            )
        return values


def _needs_address(gateway: str) -> bool:
    return bool(getattr(registry.plugins(endpoints.GATEWAYS).get(gateway), "NEEDS_ADDRESS", False))


class RecordingForm(forms.Form):
    """Answers that a model gave elsewhere: JSON lines with a case's id and a response."""

    file = forms.FileField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lines: list[str] = []

    def clean_file(self) -> Any:
        """Read every line, or name those that are wrong."""
        try:
            self.lines = recordings.lines(self.cleaned_data["file"].read().decode("utf-8-sig"))
            recordings.read(self.lines)
        except UnicodeDecodeError:
            raise forms.ValidationError("The file is not UTF-8.") from None
        except recordings.RecordingError as error:
            raise forms.ValidationError(str(error)) from error
        return self.cleaned_data["file"]
