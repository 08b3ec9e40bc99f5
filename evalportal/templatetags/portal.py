"""Values go in; icons, times and sizes as people read them come out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

import nh3
from django import template
from django.utils import timezone
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince
from markdown_it import MarkdownIt

from evalportal.vendor import PACKAGES

register = template.Library()


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Draw a Lucide icon in the line; without a label it is mere decoration."""
    role = format_html('role="img" aria-label="{}"', label) if label else 'aria-hidden="true"'
    return mark_safe(f'<svg class="icon" viewBox="0 0 24 24" {role}>{_shapes(name)}</svg>')  # noqa: S308


@cache
def _shapes(name: str) -> str:
    """Read what an icon's file draws, without its comment and its outer element."""
    path = PACKAGES / "lucide-static" / "icons" / f"{name}.svg"
    if not path.exists():
        return ""
    return "".join(
        re.findall(r"<(?:path|circle|rect|line|polyline|polygon|ellipse)\b[^>]*/>", path.read_text())
    )


@register.filter
def ago(moment: datetime | None) -> SafeString:
    """Say how long ago something was, with the exact time on hover."""
    if moment is None:
        return SafeString("–")
    local = timezone.localtime(moment)
    seconds = (timezone.now() - moment).total_seconds()
    words = "just now" if -5 < seconds < 60 else f"{timesince(moment, depth=1)} ago"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', local.isoformat(), f"{local:%d %B %Y, %H:%M:%S %Z}", words
    )


@register.filter
def thousands(number: Any) -> str:
    """Set off thousands with a thin space: 100 000."""
    return f"{number:,}".replace(",", "\u202f") if isinstance(number, int | float) else "–"


@register.filter
def percent(part: Any, whole: Any = 1) -> str:
    """Write a share as a percentage without decimals."""
    return "–" if part is None or not whole else f"{100 * part / whole:.0f}"


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """Look a key up in a mapping."""
    return mapping.get(key) if mapping else None


@register.filter
def is_list(value: Any) -> bool:
    """Tell a list from a single value."""
    return isinstance(value, list | tuple)


@register.filter
def parts(answer: Any) -> list[list[str]]:
    """Lay out an answer as its required parts, each with its interchangeable spellings."""
    outer = answer if isinstance(answer, list) else [answer]
    return [[str(one) for one in (part if isinstance(part, list) else [part])] for part in outer]


@register.filter
def is_mapping(value: Any) -> bool:
    """Tell a mapping from other values."""
    return isinstance(value, Mapping)


@register.filter
def is_table(value: Any) -> bool:
    """Tell a list of mappings with the same keys, which reads best as a table."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(row, Mapping) and row.keys() == value[0].keys() for row in value)
    )


@register.filter
def value(thing: Any) -> str:
    """Write a number with up to four digits after the point, yes or no, a dash for None, text as it is."""
    if thing is None or isinstance(thing, bool):
        return {None: "–", True: "yes", False: "no"}[thing]
    if isinstance(thing, float):
        return f"{thing:.4f}".rstrip("0").rstrip(".") if abs(thing) < 1e6 else f"{thing:.4g}"
    return str(thing)


@register.filter
def listed(things: Any) -> str:
    """Write a list with commas, and an inner list as alternatives."""
    return ", ".join(" or ".join(map(value, one)) if is_list(one) else value(one) for one in things) or "none"


@register.filter
def prose(text: str) -> SafeString:
    """Set a docstring's paragraph as prose: a capital first, and `names` as code."""
    pieces = conditional_escape(" ".join(text.split())).split("`")
    inner = "".join(f"<code>{piece}</code>" if odd % 2 else piece for odd, piece in enumerate(pieces))
    return mark_safe(inner[:1].upper() + inner[1:])  # noqa: S308


@register.filter
def bound(number: float) -> str:
    """Write an end of a range; an infinite one has a sign of its own."""
    return ("∞" if number > 0 else "-∞") if math.isinf(number) else f"{number:g}"


@register.filter
def words(name: str) -> str:
    """Turn a field's name into words: key_facts is "key facts"."""
    return str(name).replace("_", " ")


@register.filter
def score(number: float | None) -> str:
    """Write a score with two digits after the point; an unknown one is a dash, never a zero."""
    return f"{number:.2f}" if isinstance(number, int | float) else "–"


@register.filter
def seconds(number: float | None) -> str:
    """Write a latency."""
    return "–" if number is None else f"{number:.2f} s" if number < 100 else duration(number)


@register.filter
def duration(number: float) -> str:
    """Write a stretch of time as people say it: 45 s, 12 min, 3 h 20 min."""
    if number < 90:
        return f"{number:.0f} s"
    minutes = round(number / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


@register.filter
def markdown(text: str) -> SafeString:
    """Render a model's Markdown, with nothing in it that could load, link or run."""
    return mark_safe(nh3.clean(_MARKDOWN.render(text), tags=_TAGS, attributes={}))  # noqa: S308


@register.filter
def at(things: Any, index: int) -> Any:
    """Give the thing at a place of a list, or nothing."""
    return things[index] if things and index < len(things) else ""


@register.filter
def tenths(share: float) -> int:
    """Give a share from 0 to 1 as a step from 0 to 10, to colour a cell by."""
    return max(0, min(10, int(share * 10 + 1e-9)))
