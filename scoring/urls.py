"""Paths of datasets, cases, benchmarks, models and the handbook go in, views come out."""

from __future__ import annotations

from django.urls import path

from scoring.views import benchmarks, cases, datasets, endpoints, handbook, pressing, responses, runs, uploads

app_name = "scoring"

urlpatterns = [
    path("datasets/", datasets.dataset_list, name="dataset-list"),
    path("datasets/<slug:name>/", datasets.dataset_detail, name="dataset-detail"),
    path("datasets/<slug:name>/retire/", datasets.dataset_retire, name="dataset-retire"),
    path("datasets/<slug:name>/bring-back/", datasets.dataset_bring_back, name="dataset-bring-back"),
    path("datasets/<slug:name>/<int:number>/", datasets.version_detail, name="version-detail"),
    path("datasets/<slug:name>/<int:number>/export/", datasets.version_export, name="version-export"),
    # Not below datasets/, where any word may be the name of a dataset.
    path("uploads/new/", uploads.upload_new, name="upload-new"),
    path("uploads/<int:pk>/", uploads.upload_detail, name="upload-detail"),
    path("uploads/<int:pk>/progress/", uploads.upload_progress, name="upload-progress"),
    path("uploads/<int:pk>/problems/", uploads.upload_problems, name="upload-problems"),
    path("uploads/<int:pk>/import/", uploads.upload_import, name="upload-import"),
    path("cases/", cases.case_list, name="case-list"),
    path("cases/<int:pk>/", cases.case_detail, name="case-detail"),
    path("benchmarks/", benchmarks.benchmark_list, name="benchmark-list"),
    path("models/", endpoints.endpoint_list, name="endpoint-list"),
    path("models/new/", endpoints.endpoint_new, name="endpoint-new"),
    path("models/<int:pk>/", endpoints.endpoint_detail, name="endpoint-detail"),
    path("models/<int:pk>/recording/", endpoints.endpoint_recording, name="endpoint-recording"),
    path("models/<int:pk>/probe/", endpoints.endpoint_probe, name="endpoint-probe"),
    path("runs/", runs.run_list, name="run-list"),
    path("runs/new/", runs.run_new, name="run-new"),
    path("runs/estimate/", runs.run_estimate, name="run-estimate"),
    path("runs/<int:pk>/", runs.run_detail, name="run-detail"),
    path("runs/<int:pk>/progress/", runs.run_progress, name="run-progress"),
    path("runs/<int:pk>/responses/", runs.run_responses, name="run-responses"),
    path("runs/<int:pk>/start/", pressing.run_start, name="run-start"),
    path("runs/<int:pk>/delete/", pressing.run_delete, name="run-delete"),
    path("runs/<int:pk>/pause/", pressing.run_pause, name="run-pause"),
    path("runs/<int:pk>/resume/", pressing.run_resume, name="run-resume"),
    path("runs/<int:pk>/cancel/", pressing.run_cancel, name="run-cancel"),
    path("runs/<int:pk>/retry/", pressing.run_retry, name="run-retry"),
    path("runs/<int:pk>/rescore/", pressing.run_rescore, name="run-rescore"),
    path("runs/<int:pk>/repeat/", pressing.run_repeat, name="run-repeat"),
    path("runs/<int:run_pk>/responses/<int:pk>/", responses.response_detail, name="response-detail"),
    path("handbook/", handbook.metric_list, name="metric-list"),
    path("handbook/<slug:name>/", handbook.metric_detail, name="metric-detail"),
]
