"""Paths go in, views come out."""

from __future__ import annotations

from django.urls import include, path

from evalportal.views import boards, bundles, diagnosis, doors, exports, health, home, people

handler400 = "evalportal.views.errors.error_400"
handler403 = "evalportal.views.errors.error_403"
handler404 = "evalportal.views.errors.error_404"
handler500 = "evalportal.views.errors.error_500"

urlpatterns = [
    path("", home.home, name="home"),
    path("sign-in/", doors.sign_in, name="sign-in"),
    path("sign-out/", doors.sign_out, name="sign-out"),
    path("welcome/<str:where>/<str:token>/", doors.welcome, name="welcome"),
    path("account/", doors.account, name="account"),
    path("theme/", doors.theme, name="theme"),
    path("people/", people.person_list, name="person-list"),
    path("people/invite/", people.person_invite, name="person-invite"),
    path("people/<int:pk>/", people.person_detail, name="person-detail"),
    path("people/<int:pk>/link/", people.person_link, name="person-link"),
    path("leaderboard/", boards.leaderboard, name="leaderboard"),
    path("leaderboard/export/", boards.leaderboard_export, name="leaderboard-export"),
    path("compare/", boards.compare, name="compare"),
    path("compare/cases/<int:pk>/", boards.compare_case, name="compare-case"),
    path("runs/<int:pk>/judge/", boards.judge, name="judge"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("runs/<int:pk>/diagnosis/", diagnosis.diagnosis, name="diagnosis"),
    path("runs/<int:pk>/export/", exports.run_export, name="run-export"),
    path("runs/<int:pk>/bundle/", exports.run_bundle, name="run-bundle"),
    path("runs/<int:pk>/export/order/", exports.export_new, name="export-new"),
    path("exports/<int:pk>/", exports.export_detail, name="export-detail"),
    path("exports/<int:pk>/progress/", exports.export_progress, name="export-progress"),
    path("exports/<int:pk>/file/", exports.export_file, name="export-file"),
    path("runs/import/", bundles.bundle_new, name="bundle-new"),
    path("runs/import/<int:pk>/", bundles.bundle_detail, name="bundle-detail"),
    path("runs/import/<int:pk>/progress/", bundles.bundle_progress, name="bundle-progress"),
    path("", include("scoring.urls")),
    path("", include("reviews.urls")),
]
