"""The list of 100,000 cases: how long its pages take on the server, first and deep, filtered and searched."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks import bench_import, many_cases, private_portal
from benchmarks.table import Row

CASES = 100_000
TIMES = 12
MOST_MS = 100

# One query of each kind that people ask, and pages from the first to the last.
PAGES = {
    "first page": "",
    "page 1,000": "after=50000",
    "page 2,000": "after=99900",
    "back from page 1,000": "before=50000",
}
FILTERS = {
    "one benchmark": "benchmark=B77",
    "one difficulty": "difficulty=Critical",
    "one difficulty, deep": "difficulty=Critical&after=90000",
    "benchmark and domain": "benchmark=B98&domain=OT",
    "a filter that nothing matches": "benchmark=B98&category=Nothing",
}
SORTS = {
    "by id": "sort=id",
    "by difficulty, deep": "sort=difficulty&after=90000",
    "from the last benchmark": "sort=-benchmark",
    "one domain by difficulty": "sort=-difficulty&domain=OT",
    "one benchmark by id": "sort=-id&benchmark=B77",
    "a word by difficulty": "sort=difficulty&q=access",
    "a rare word by id": "sort=id&q=radiology",
}
SEARCHES = {
    "a frequent word": "q=access",
    "a frequent word, deep": "q=access&after=90000",
    "a rare word": "q=radiology",
    "two words": "q=disaster+recovery",
    "a phrase": "q=%22disaster+recovery%22",
    "a word and a filter": "q=vendor&benchmark=B98",
    "one without another": "q=vendor+-access",
    "a word that is nowhere": "q=xylophone",
    "the beginning of an id": "q=B98-0",
    "the beginning of an id, in small letters": "q=b98-0",
    "the beginning of a word": "q=radiolo",
    "the beginning of many words": "q=co",
    "a word and a beginning": "q=disaster+reco",
    "a stretch of Chinese": "q=%E5%8B%92%E7%B4%A2",
}


def measure() -> list[Row]:
    """Ask for pages through Django, as a signed-in reviewer."""
    return private_portal.rows_of("benchmarks.bench_case_list")


def main() -> None:
    """Import, then measure every kind of page."""
    var = private_portal.set_up()
    client = _client(var)
    times = {
        group: {name: _times(client, query) for name, query in queries.items()}
        for group, queries in (
            ("pages", PAGES),
            ("filters", FILTERS),
            ("orders", SORTS),
            ("search", SEARCHES),
        )
    }
    private_portal.give([*(_row(group, found) for group, found in times.items()), _flat(times["pages"])])


def _client(var: Path) -> Any:
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from evalportal.models import Person
    from scoring import searching

    path = var / "cases.jsonl"
    many_cases.write(path, CASES)
    bench_import.register_benchmarks()
    bench_import.import_file(path)
    searching.prepare()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as PostgreSQL does by itself within a minute
    call_command("collectstatic", interactive=False, verbosity=0)
    client = Client()
    client.force_login(Person.objects.create_user("bob", name="Bob", role="reviewer"))
    return client


def _times(client: Any, query: str) -> list[float]:
    """Ask for a page again and again; milliseconds, without the first time."""
    found = []
    for _ in range(TIMES + 1):
        started = time.perf_counter()
        response = client.get(f"/cases/?dataset=many&{query}", headers={"host": "localhost"})
        found.append((time.perf_counter() - started) * 1000)
        assert response.status_code == 200, response.status_code
    return found[1:]


def _row(group: str, found: dict[str, list[float]]) -> Row:
    p95 = quantiles([one for times in found.values() for one in times], n=20)[-1]
    slowest = max(found, key=lambda name: median(found[name]))
    figure = f"p95 {p95:.0f} ms (slowest: {slowest}, {median(found[slowest]):.0f} ms)"
    return Row(f"case list of {CASES:,}: {group}", figure, f"p95 <= {MOST_MS} ms", p95 <= MOST_MS)


def _flat(pages: dict[str, list[float]]) -> Row:
    first, last = median(pages["first page"]), median(pages["page 2,000"])
    figure = f"{first:.0f} ms, {last:.0f} ms"
    return Row("case list: page 1 and page 2,000", figure, "the same, + 50 %", last <= 1.5 * first)


if __name__ == "__main__":
    main()
