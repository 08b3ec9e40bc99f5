"""Paths go in, views come out."""

from __future__ import annotations

from django.urls import include, path

from evalportal import views

handler403 = "evalportal.views.error_403"
handler404 = "evalportal.views.error_404"
handler500 = "evalportal.views.error_500"

urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("welcome/<str:where>/<str:token>/", views.welcome, name="welcome"),
    path("account/", views.account, name="account"),
    path("theme/", views.theme, name="theme"),
    path("people/", views.person_list, name="person-list"),
    path("people/invite/", views.person_invite, name="person-invite"),
    path("people/<int:pk>/", views.person_detail, name="person-detail"),
    path("people/<int:pk>/link/", views.person_link, name="person-link"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("", include("scoring.urls")),
]
