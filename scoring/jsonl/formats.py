"""The first bytes or the first line of a file go in; what keeps it from being JSON lines comes out, or ""."""

from __future__ import annotations

import codecs

UTF8_BOM = codecs.BOM_UTF8

_UTF16 = "is UTF-16 text: save it as UTF-8."
_UTF32 = "is UTF-32 text: save it as UTF-8."
_UNPACK = "is {}: unpack it, and upload the JSON lines inside."
_CONVERT = "is {}: give a file with one JSON object on each line."

# The order matters: the marks of UTF-32 begin with those of UTF-16.
_BEGINNINGS = (
    (codecs.BOM_UTF32_LE, _UTF32),
    (codecs.BOM_UTF32_BE, _UTF32),
    (codecs.BOM_UTF16_LE, _UTF16),
    (codecs.BOM_UTF16_BE, _UTF16),
    (b"\x1f\x8b", _UNPACK.format("a gzip archive")),
    (b"PK\x03\x04", _UNPACK.format("a zip archive or an office document")),
    (b"PK\x05\x06", _UNPACK.format("an empty zip archive")),
    (b"BZh", _UNPACK.format("a bzip2 archive")),
    (b"\xfd7zXZ\x00", _UNPACK.format("an xz archive")),
    (b"\x28\xb5\x2f\xfd", _UNPACK.format("a zstandard archive")),
    (b"\x04\x22\x4d\x18", _UNPACK.format("an lz4 archive")),
    (b"7z\xbc\xaf\x27\x1c", _UNPACK.format("a 7-Zip archive")),
    (b"Rar!\x1a\x07", _UNPACK.format("a rar archive")),
    (b"PAR1", _CONVERT.format("a Parquet file")),
    (b"SQLite format 3\x00", _CONVERT.format("a SQLite database")),
    (b"%PDF-", _CONVERT.format("a PDF document")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _CONVERT.format("an old office document")),
)
_TAR_MARK = (257, b"ustar")
_MARKUP = (b"<!doctype", b"<html", b"<?xml")


def refusal(head: bytes) -> str:
    """Name what a file is by its first 512 bytes, if it cannot be JSON lines in UTF-8."""
    for beginning, reason in _BEGINNINGS:
        if head.startswith(beginning):
            return reason
    place, mark = _TAR_MARK
    if head.startswith(mark, place):
        return _UNPACK.format("a tar archive")
    if head.lstrip()[:9].lower().startswith(_MARKUP):
        return _CONVERT.format("a web page or an XML file")
    return _wide_text(head[:4])


def shape(first_line: str, *, broken_at_end: bool) -> str:
    """Name the shape of JSON that is wrapped in a list or spread over lines, and how to convert it."""
    text = first_line.strip()
    if text.startswith("["):
        return (
            "is a JSON array: give one object a line, without brackets and commas around them; "
            "convert it with: jq -c '.[]' FILE"
        )
    if text.startswith("{") and text.endswith(("{", "[", ",")) and broken_at_end:
        return "spreads an object over several lines: put each on one line; convert it with: jq -c . FILE"
    return ""


def _wide_text(head: bytes) -> str:
    """Recognise UTF-16 and UTF-32 without a mark by the zeros beside each ASCII character."""
    zeros = [byte == 0 for byte in head]
    if zeros in ([True, True, True, False], [False, True, True, True]):
        return _UTF32
    if zeros in ([True, False, True, False], [False, True, False, True]):
        return _UTF16
    return ""
