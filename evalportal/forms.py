"""What people type on the portal's own pages goes in, checked values come out."""

from __future__ import annotations

from django import forms

from evalportal.models import Person
from evalportal.roles import DUTIES, Role


class SignInForm(forms.Form):
    """A user name and a password."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class InvitationForm(forms.ModelForm[Person]):
    """Whom to invite, and as what."""

    role = forms.ChoiceField(
        choices=[(role.value, f"{role.label}. {DUTIES[role]}") for role in Role], widget=forms.RadioSelect
    )

    class Meta:
        model = Person
        fields = ("name", "username", "email", "role")
        labels = {"username": "User name", "email": "E-mail"}  # noqa: RUF012


class PersonForm(forms.Form):
    """A person's role, and whether they may sign in."""

    role = forms.ChoiceField(choices=Role.choices)
    is_active = forms.BooleanField(label="May sign in", required=False)


class BundleForm(forms.Form):
    """Which bundle to import."""

    file = forms.FileField(
        help_text="A file that ends in .bundle.zip, as another portal exports it.",
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
