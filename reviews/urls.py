"""Paths of queues, rubrics, agreement and adjudication go in, views come out."""

from __future__ import annotations

from django.urls import path

from reviews.views import agreeing, items, marking, record, rubrics, settling

app_name = "reviews"

urlpatterns = [
    path("queue/", marking.queue, name="queue"),
    path("queue/waiting/", marking.queue_waiting, name="queue-waiting"),
    path("queue/next/", marking.review_next, name="review-next"),
    path("reviews/<int:pk>/", marking.review_detail, name="review-detail"),
    path("reviews/<int:pk>/ahead/", marking.review_ahead, name="review-ahead"),
    path("reviews/<int:pk>/draft/", marking.review_draft, name="review-draft"),
    path("reviews/<int:pk>/submit/", marking.review_submit, name="review-submit"),
    path("reviews/<int:pk>/decide/", marking.review_decide, name="review-decide"),
    path("reviews/<int:pk>/skip/", marking.review_skip, name="review-skip"),
    path("reviews/<int:pk>/decline/", marking.review_decline, name="review-decline"),
    path("reviews/<int:pk>/undo/", marking.review_undo, name="review-undo"),
    path("reviews/<int:pk>/take/", marking.review_take, name="review-take"),
    path("runs/<int:pk>/agreement/", agreeing.agreement_report, name="agreement-report"),
    path(
        "runs/<int:pk>/agreement/<int:one>/<int:other>/",
        agreeing.agreement_differences,
        name="agreement-differences",
    ),
    path("runs/<int:pk>/finish/", agreeing.run_finish, name="run-finish"),
    path("runs/<int:pk>/items/", items.item_list, name="item-list"),
    path("items/<int:pk>/assign/", items.item_assign, name="item-assign"),
    path("runs/<int:pk>/widen/", agreeing.run_widen, name="run-widen"),
    path("runs/<int:pk>/flagged/", agreeing.run_flagged, name="run-flagged"),
    path("runs/<int:pk>/calibrate/", settling.calibration_begin, name="calibration-begin"),
    path("calibrations/<int:pk>/", settling.calibration_detail, name="calibration-detail"),
    path("adjudication/", settling.adjudication_list, name="adjudication-list"),
    path("adjudication/<int:pk>/", settling.adjudication_detail, name="adjudication-detail"),
    path("adjudication/<int:pk>/reviewer/", settling.adjudication_reviewer, name="adjudication-reviewer"),
    path("rubrics/", rubrics.rubric_list, name="rubric-list"),
    path("rubrics/<slug:kind>/", rubrics.rubric_detail, name="rubric-detail"),
    path("audit/", record.event_list, name="event-list"),
    path("audit/export/", record.event_export, name="event-export"),
    path("decisions/<int:pk>/", record.decision_chain, name="decision-chain"),
]
