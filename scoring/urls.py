"""Paths of datasets, cases, benchmarks and models go in, views come out."""

from __future__ import annotations

from django.urls import path

from scoring import views

app_name = "scoring"

urlpatterns = [
    path("datasets/", views.dataset_list, name="dataset-list"),
    path("datasets/upload/", views.upload_new, name="upload-new"),
    path("datasets/uploads/<int:pk>/", views.upload_detail, name="upload-detail"),
    path("datasets/uploads/<int:pk>/progress/", views.upload_progress, name="upload-progress"),
    path("datasets/uploads/<int:pk>/problems/", views.upload_problems, name="upload-problems"),
    path("datasets/uploads/<int:pk>/import/", views.upload_import, name="upload-import"),
    path("datasets/<slug:name>/", views.dataset_detail, name="dataset-detail"),
    path("datasets/<slug:name>/<int:number>/", views.version_detail, name="version-detail"),
    path("datasets/<slug:name>/<int:number>/export/", views.version_export, name="version-export"),
    path("cases/", views.case_list, name="case-list"),
    path("cases/<int:pk>/", views.case_detail, name="case-detail"),
    path("benchmarks/", views.benchmark_list, name="benchmark-list"),
    path("models/", views.endpoint_list, name="endpoint-list"),
]
