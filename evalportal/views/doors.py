"""Doors: signing in and out, choosing a password, one's own account, and the colours."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from evalportal import demo, people, roles, signing_in
from evalportal.forms import SignInForm
from evalportal.http import Request
from evalportal.models import Person
from evalportal.navigation import THEMES
from evalportal.roles import Role

YEAR = 365 * 24 * 3600
# Stands in a path for a token that the session holds, out of the reach of logs and histories.
IN_SESSION = "choose-a-password"


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
        "nobody_yet": not Person.objects.exists(),
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
    known = request.session.get("invitation", "") if token == IN_SESSION else token
    person = people.invited(where, known)
    if person is None:
        return render(request, "evalportal/welcome.html", {"person": None}, status=410)
    if token != IN_SESSION:
        request.session["invitation"] = token
        return redirect("welcome", where, IN_SESSION)
    form = SetPasswordForm(person, request.POST or None)
    if form.is_valid():
        form.save()
        request.session.pop("invitation")
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
