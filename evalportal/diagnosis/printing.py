"""A run goes in; its diagnosis comes out as a PDF, printed by the Chromium of this machine, offline."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string
from django.utils import timezone

from evalportal.diagnosis import diagnosing
from evalportal.exports import files
from scoring.models import Run

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_STATIC = ("site.css", "charts.js", "vendor/echarts.js")
_SECONDS = 120
# The charts are drawn at once; this is how long the page's own clock may run before it is printed.
_MILLISECONDS = 4_000


class PrintingError(Exception):
    """There is no browser to print with, or it did not print; the message says what to do."""


def pdf(run: Run, path: Path, browser: str = "") -> None:
    """Print the diagnosis of a run into a file, which is there whole or not at all."""
    program = find(browser)
    with tempfile.TemporaryDirectory(prefix="evalportal-report-") as folder:
        page, printed = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html(run), encoding="utf-8")
        _print(program, page, printed)
        files.save([printed.read_bytes()], path)


def html(run: Run) -> str:
    """Write the page that the portal shows, with its style and scripts taken from this machine's files."""
    context = {"run": run, "diagnosis": diagnosing.diagnose(run), "made_at": timezone.now()}
    text: str = render_to_string("evalportal/report.html", context)
    for name in _STATIC:
        if found := finders.find(name):
            text = text.replace(
                f'"{staticfiles_storage.url(name)}"', f'"{Path(str(found)).resolve().as_uri()}"'
            )
    return text


def find(browser: str = "") -> str:
    """Find the browser to print with."""
    found = next(filter(None, map(shutil.which, (browser,) if browser else BROWSERS)), None)
    if not found:
        wanted = f"There is no {browser}" if browser else "There is no Chromium or Chrome on this machine"
        raise PrintingError(
            f"{wanted}, which prints the report. Install it, or print the diagnosis from a browser."
        )
    return found


def _print(program: str, page: Path, printed: Path) -> None:
    command = [
        program,
        "--headless",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        # The page holds what models said: it may read the few files it names, and reach nobody.
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={printed.parent / 'browser'}",
        f"--virtual-time-budget={_MILLISECONDS}",
        "--no-pdf-header-footer",
        f"--print-to-pdf={printed}",
        page.as_uri(),
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.insert(1, "--no-sandbox")  # Chromium refuses to run as root with it.
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PrintingError(f"{program} did not print the report: {error}.") from error
    if not printed.exists():
        said = done.stderr.strip().splitlines()
        raise PrintingError(
            f"{program} did not print the report: {said[-1] if said else 'it did not say why'}"
        )
