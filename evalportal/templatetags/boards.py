"""Statistics go in; what boards show of them comes out: value, interval and n, or why it is unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from evalportal import board_entries
from scoring.models import Run
from scoring.statistic import Statistic

register = template.Library()

_SHADES = 5


@register.simple_tag
def statistic(found: Any, kind: str = "score") -> SafeString:
    """Write a statistic: as a score, a share in per cent, a signed difference, or a plain number."""
    known = _mapping(found)
    if known is None or known["value"] is None:
        reason = known["reason"] if known else ""
        return (
            format_html('– <small class="quiet interval">{}</small>', reason) if reason else SafeString("–")
        )
    write = _WRITERS[kind]
    n = f"n\u00a0{known['n']:,}".replace(",", "\u202f")
    if known["low"] is None:
        said = (write(known["value"]), n, known["reason"])
        return format_html('{} <small class="quiet interval">{}. {}</small>', *said)
    ends = f"{write(known['low'])} to {write(known['high'])}"
    return mark_safe(f'{write(known["value"])} <small class="quiet interval">{ends}, {n}</small>')  # noqa: S308


@register.simple_tag
def kept_figures(run: Run) -> Mapping[str, Any]:
    """Find what boards keep of a run: its means with their intervals, or nothing for the moment."""
    return board_entries.kept(run) or {}


@register.simple_tag
def bounds(found: Any) -> SafeString:
    """Write a statistic as attributes of a table's cell, from which its chart is drawn."""
    known = _mapping(found) or {}
    ends = {"value": known.get("value"), "low": known.get("low"), "high": known.get("high")}
    written = (f'data-{name}="{"" if end is None else f"{end:.6g}"}"' for name, end in ends.items())
    return mark_safe(" ".join(written))  # noqa: S308


@register.simple_tag
def heat(cells: Iterable[Any]) -> SafeString:
    """Draw a row of a heat map: means, each with its n, its interval on hover, and a shade for its fifth."""
    return mark_safe("".join(map(_heat, cells)))  # noqa: S308


def _heat(cell: Mapping[str, Any] | None) -> str:
    if cell is None or cell["value"] is None:
        reason = escape(cell["reason"]) if cell else "This run has no case of this category."
        return f'<td class="num" title="{reason}">–</td>'
    value, n = cell["value"], cell["n"]
    shade = min(max(int(value * _SHADES), 0), _SHADES - 1)
    about = f"n {n}" if cell["low"] is None else f"{cell['low']:.2f} to {cell['high']:.2f}, n {n}"
    return f'<td class="num shade-{shade}" title="{about}">{value:.2f}<small>n {n}</small></td>'


@register.filter
def difference(number: float | None) -> str:
    """Write a difference with its sign."""
    return "–" if number is None else _WRITERS["difference"](number)


@register.filter
def points(number: float) -> str:
    """Write a score as points of a hundred."""
    return f"{100 * number:.1f}"


@register.filter
def probability(number: float | None) -> str:
    """Write a p-value as people read it."""
    return "–" if number is None else "< 0.001" if number < 0.001 else f"{number:.3f}"


def _mapping(found: Any) -> Mapping[str, Any] | None:
    return asdict(found) if isinstance(found, Statistic) else found


def _written(number: float, form: str) -> str:
    """Write a number; what rounds to nothing has no sign."""
    text = format(number, form)
    return text.replace("-", "").replace("+", "") if not any(digit in text for digit in "123456789") else text


_WRITERS: Mapping[str, Callable[[float], str]] = {
    "score": lambda number: _written(number, ".2f"),
    "share": lambda number: f"{_written(100 * number, '.0f')} %",
    "difference": lambda number: _written(number, "+.3f"),
    "number": lambda number: _written(number, ".3f"),
}
