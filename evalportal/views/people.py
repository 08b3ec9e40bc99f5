"""People: who may sign in, and as what."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from evalportal import people, roles
from evalportal.forms import InvitationForm, PersonForm
from evalportal.http import Request
from evalportal.models import Person
from evalportal.roles import Role


@roles.only(Role.ADMIN)
@require_GET
def person_list(request: Request) -> HttpResponse:
    """List everyone, the active first."""
    return render(
        request, "evalportal/person_list.html", {"people": Person.objects.order_by("-is_active", "name")}
    )


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def person_invite(request: Request) -> HttpResponse:
    """Invite someone, and show the link to send them."""
    form = InvitationForm(request.POST or None)
    if form.is_valid():
        person = people.invite(**form.cleaned_data, by=request.user)
        messages.success(request, f"{person.name} is invited. Send them the link below.")
        return redirect("person-link", person.pk)
    return render(
        request, "evalportal/person_invite.html", {"form": form}, status=422 if form.errors else 200
    )


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def person_detail(request: Request, pk: int) -> HttpResponse:
    """Change someone's role, or close or reopen the door."""
    person = get_object_or_404(Person, pk=pk)
    initial = {"role": person.role, "is_active": person.is_active}
    form = PersonForm(request.POST or None, initial=initial)
    if form.is_valid():
        try:
            people.change(person, **form.cleaned_data, by=request.user)
        except people.LastAdminError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{person.name} is saved.")
            return redirect("person-list")
    context = {"person": person, "form": form}
    return render(request, "evalportal/person_detail.html", context, status=422 if form.errors else 200)


@roles.only(Role.ADMIN)
@never_cache
@require_GET
def person_link(request: Request, pk: int) -> HttpResponse:
    """Show the link under which someone chooses a password."""
    person = get_object_or_404(Person, pk=pk, is_active=True)
    link = request.build_absolute_uri(people.show_link(person, request.user))
    return render(
        request,
        "evalportal/person_link.html",
        {"person": person, "link": link, "days": settings.INVITATION_DAYS},
    )
