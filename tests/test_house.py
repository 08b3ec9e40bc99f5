"""The rules of the house: who may import whom, what is pure, and one name for one page."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("evalportal", "scoring", "reviews")
MODULES = sorted(
    path
    for app in APPS
    for path in (ROOT / app).rglob("*.py")
    if "migrations" not in path.parts and "__pycache__" not in path.parts
)
PURE = (
    "scoring.addresses",
    "scoring.aggregation",
    "scoring.diagnosis_rules",
    "scoring.endings",
    "scoring.gateway_contract",
    "scoring.judging",
    "scoring.keys",
    "scoring.mark_text",
    "scoring.ordering",
    "scoring.parameters",
    "scoring.phases",
    "scoring.recordings",
    "scoring.statistic",
    "scoring.suite_contract",
    "scoring.summaries",
    "scoring.verdict_text",
    "scoring.weights",
    "scoring.wire",
    "reviews.stats",
    "evalportal.stats",
    "scoring.ccop",
    "scoring.language",
    "scoring.evaluator",
    "scoring.gateways",
    "scoring.measurement",
    "scoring.metrics",
    "scoring.registry",
    "scoring.rgb",
    "scoring.rows",
    "scoring.suites",
    "scoring.uploads",
    "evalportal.embedded",
)
LEAVES = {"evalportal.http", "evalportal.roles"}
FORBIDDEN_NAMES = {
    "utils", "helpers", "common", "misc", "functions", "mixins", "base", "services", "manager", "signals",
}  # fmt: skip
EDGES = {"views", "forms", "tasks", "urls"}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path) -> set[str]:
    """List what a module imports, also inside its functions, but not for type checking alone."""
    found: set[str] = set()
    for node in ast.walk(_without_type_checking(ast.parse(path.read_text()))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _without_type_checking(tree: ast.Module) -> ast.Module:
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    ]
    return tree


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_it_opens_every_module_with_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree) or not tree.body, f"{_name(path)} does not say what it is for"


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_it_gives_every_module_a_name_that_says_something(path: Path) -> None:
    assert path.stem not in FORBIDDEN_NAMES


@pytest.mark.parametrize("app", APPS)
def test_it_keeps_the_first_file_of_an_app_free_of_imports(app: str) -> None:
    tree = ast.parse((ROOT / app / "__init__.py").read_text())
    assert [type(node) for node in tree.body] == [ast.Expr]


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_it_lets_imports_run_from_the_portal_to_reviews_to_scoring_only(path: Path) -> None:
    above = {"scoring": ("reviews", "evalportal"), "reviews": ("evalportal",), "evalportal": ()}
    app = path.relative_to(ROOT).parts[0]
    wrong = {
        name
        for name in _imports(path)
        if name.split(".")[0] in above[app] and name not in LEAVES and name.rpartition(".")[0] not in LEAVES
    }
    # `from evalportal import roles` names the package too; what matters is what is taken from it.
    assert wrong <= {"evalportal"}


@pytest.mark.parametrize("path", [p for p in MODULES if p.parent.name in APPS], ids=_name)
def test_it_keeps_steps_away_from_views_forms_and_tasks(path: Path) -> None:
    if path.stem in EDGES | {"celery", "settings", "middleware", "navigation"}:
        return
    wrong = {name for name in _imports(path) if name.split(".")[0] in APPS and name.split(".")[-1] in EDGES}
    assert not wrong


def test_it_imports_pure_code_without_django_or_celery() -> None:
    code = f"""
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {{"django", "celery"}}:
            raise ImportError(name + " is out of bounds")

sys.meta_path.insert(0, Refuse())
for name in {PURE!r}:
    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), name + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert result.returncode == 0, result.stderr


def test_it_gives_a_page_one_name() -> None:
    from django.urls import URLPattern, URLResolver, get_resolver

    def patterns(resolver: URLResolver) -> list[URLPattern]:
        return [
            found
            for entry in resolver.url_patterns
            for found in (patterns(entry) if isinstance(entry, URLResolver) else [entry])
        ]

    for pattern in patterns(get_resolver()):
        assert pattern.name
        assert pattern.callback.__name__ == pattern.name.replace("-", "_")
