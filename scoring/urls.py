"""Paths of datasets, cases, benchmarks, models and the handbook go in, views come out."""

from __future__ import annotations

from django.urls import path

from scoring.views import benchmarks, cases, datasets, endpoints, handbook, uploads

app_name = "scoring"

urlpatterns = [
    path("datasets/", datasets.dataset_list, name="dataset-list"),
    path("datasets/upload/", uploads.upload_new, name="upload-new"),
    path("datasets/uploads/<int:pk>/", uploads.upload_detail, name="upload-detail"),
    path("datasets/uploads/<int:pk>/progress/", uploads.upload_progress, name="upload-progress"),
    path("datasets/uploads/<int:pk>/problems/", uploads.upload_problems, name="upload-problems"),
    path("datasets/uploads/<int:pk>/import/", uploads.upload_import, name="upload-import"),
    path("datasets/<slug:name>/", datasets.dataset_detail, name="dataset-detail"),
    path("datasets/<slug:name>/<int:number>/", datasets.version_detail, name="version-detail"),
    path("datasets/<slug:name>/<int:number>/export/", datasets.version_export, name="version-export"),
    path("cases/", cases.case_list, name="case-list"),
    path("cases/<int:pk>/", cases.case_detail, name="case-detail"),
    path("benchmarks/", benchmarks.benchmark_list, name="benchmark-list"),
    path("models/", endpoints.endpoint_list, name="endpoint-list"),
    path("handbook/", handbook.metric_list, name="metric-list"),
    path("handbook/<slug:name>/", handbook.metric_detail, name="metric-detail"),
]
