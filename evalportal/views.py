"""Requests go in, the portal's own pages come out: home, signing in, people, health, errors."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.db import connection
from django.db.utils import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evalportal import demo, people, roles, signing_in
from evalportal.forms import InvitationForm, PersonForm, SignInForm
from evalportal.http import Request
from evalportal.models import Person
from evalportal.navigation import THEMES
from evalportal.roles import Role
from scoring.models import Dataset, Endpoint, Upload

YEAR = 365 * 24 * 3600


@require_GET
def home(request: Request) -> HttpResponse:
    """Say what there is to do next, by role."""
    context = {
        "datasets": Dataset.objects.with_latest().order_by("-latest_at")[:5],
        "uploads": Upload.objects.select_related("created_by")[:5] if request.user.is_admin else [],
        "endpoint_count": Endpoint.objects.count(),
        "people_count": Person.objects.filter(is_active=True).count(),
    }
    return render(request, "evalportal/home.html", context)


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Let someone in."""
    if request.user.is_authenticated:
        return redirect("home")
    form, status = SignInForm(request.POST or None), 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and (person := _checked(request, form)):
            login(request, person)
            return redirect(_wanted_page(request))
    context = {
        "form": form,
        "sample_people": demo.PEOPLE if settings.DEMO else [],
        "next": request.GET.get("next", ""),
    }
    return render(request, "evalportal/sign_in.html", context, status=status)


def _checked(request: HttpRequest, form: SignInForm) -> Person | None:
    try:
        person = signing_in.check(request, form.cleaned_data["username"], form.cleaned_data["password"])
    except signing_in.TooManyAttemptsError as error:
        form.add_error(None, str(error))
        return None
    if person is None:
        form.add_error(None, "The user name or the password is wrong.")
    return person


def _wanted_page(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "home"


@require_POST
def sign_out(request: Request) -> HttpResponse:
    """Let someone out."""
    logout(request)
    return redirect("sign-in")


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def welcome(request: HttpRequest, where: str, token: str) -> HttpResponse:
    """Let an invited person choose a password."""
    person = people.invited(where, token)
    if person is None:
        return render(request, "evalportal/welcome.html", {"person": None}, status=410)
    form = SetPasswordForm(person, request.POST or None)
    if form.is_valid():
        form.save()
        login(request, person)
        messages.success(request, "Your password is set.")
        return redirect("home")
    return render(
        request,
        "evalportal/welcome.html",
        {"person": person, "form": form},
        status=422 if form.errors else 200,
    )


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def account(request: Request) -> HttpResponse:
    """Show who one is, and change the password."""
    form = PasswordChangeForm(request.user, request.POST or None)
    if form.is_valid():
        form.save()
        update_session_auth_hash(request, request.user)
        messages.success(request, "Your password is changed.")
        return redirect("account")
    context = {"form": form, "duty": roles.DUTIES[Role(request.user.role)]}
    return render(request, "evalportal/account.html", context, status=422 if form.errors else 200)


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or whatever the system says."""
    wanted = request.POST.get("theme")
    back = request.POST.get("next", "")
    response = redirect(back if url_has_allowed_host_and_scheme(back, {request.get_host()}) else "home")
    if wanted in THEMES:
        response.set_cookie("theme", wanted, max_age=YEAR, samesite="Lax", secure=settings.HTTPS)
    return response


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
        person = people.invite(**form.cleaned_data)
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
            people.change(person, **form.cleaned_data)
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
    link = request.build_absolute_uri(people.invitation_path(person))
    return render(
        request,
        "evalportal/person_link.html",
        {"person": person, "link": link, "days": settings.INVITATION_DAYS},
    )


@login_not_required
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that this process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_GET
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether the database answers too."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError:
        return HttpResponse("the database does not answer\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


def error_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say which role a page is for."""
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def error_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say that nothing is here."""
    return render(request, "404.html", status=404)


def error_500(request: HttpRequest) -> HttpResponseBase:
    """Say that something broke; drawn without the database, which may be what broke."""
    return render(request, "500.html", status=500)
