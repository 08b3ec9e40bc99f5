"""The tables, in the order of the flow: datasets, uploads, benchmarks, endpoints, runs, workers."""

from __future__ import annotations

from scoring.models.benchmarks import CustomBenchmark
from scoring.models.datasets import Case, Dataset, Membership, SearchEntry, Version
from scoring.models.endpoints import Endpoint
from scoring.models.recordings import Recording
from scoring.models.runs import Response, Run, Score, Scoring, Verdict
from scoring.models.uploads import Upload, UploadFile, UploadPiece
from scoring.models.workers import Worker

__all__ = [
    "Case",
    "CustomBenchmark",
    "Dataset",
    "Endpoint",
    "Membership",
    "Recording",
    "Response",
    "Run",
    "Score",
    "Scoring",
    "SearchEntry",
    "Upload",
    "UploadFile",
    "UploadPiece",
    "Verdict",
    "Version",
    "Worker",
]
