"""Every statistic is documented, shows a worked example that holds, and says when it is not known."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("reviews.stats", "evalportal.stats")
MODULES = [
    import_module(f"{package}.{module.name}")
    for package in PACKAGES
    for module in iter_modules(import_module(package).__path__)
]
STATISTICS = [module for module in MODULES if not module.__name__.endswith(".panel")]


@pytest.mark.parametrize("module", [*MODULES, import_module("scoring.statistic")], ids=lambda m: m.__name__)
def test_it_keeps_its_worked_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("module", STATISTICS, ids=lambda module: module.__name__)
def test_it_documents_its_formula_and_when_it_is_none(module: ModuleType) -> None:
    text = module.__doc__ or ""
    assert "\nFormula: " in text
    assert "\nNone: " in text
    assert text.splitlines()[0].endswith(".")


def test_it_needs_nothing_but_numpy() -> None:
    code = f"""
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {{"django", "celery", "scipy", "sklearn", "statsmodels", "pandas"}}:
            raise ImportError(name + " is out of bounds")

sys.meta_path.insert(0, Refuse())
for name in {PACKAGES!r}:
    for found in pkgutil.iter_modules(importlib.import_module(name).__path__):
        importlib.import_module(name + "." + found.name)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert result.returncode == 0, result.stderr
