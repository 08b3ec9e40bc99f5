"""Files that are no JSON lines, and how they are named."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile

import pytest

from scoring.jsonl.formats import refusal, shape


def _zip() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("b1.jsonl", "{}\n")
    return content.getvalue()


def _tar() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("b1.jsonl"))
    return content.getvalue()


def _sqlite() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE cases (id)")
        return database.serialize()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (gzip.compress(b"{}\n", mtime=0), "a gzip archive"),
        (bz2.compress(b"{}\n"), "a bzip2 archive"),
        (lzma.compress(b"{}\n"), "an xz archive"),
        (_zip(), "a zip archive or an office document"),
        (_tar(), "a tar archive"),
        (_sqlite(), "a SQLite database"),
        (b"PAR1\x15\x04", "a Parquet file"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\n<!DOCTYPE html><html>", "a web page or an XML file"),
    ],
)
def test_it_names_a_file_by_its_first_bytes(content: bytes, name: str) -> None:
    assert refusal(content[:512]).startswith(f"is {name}: ")


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1}\n', "{“ä”".encode(), b"\xef\xbb\xbf{}"])
def test_it_lets_text_pass(content: bytes) -> None:
    assert refusal(content) == ""


def test_it_says_how_to_convert_an_array() -> None:
    assert "jq -c '.[]'" in shape('[{"a": 1},', broken_at_end=True)


def test_it_says_how_to_convert_an_object_over_several_lines() -> None:
    assert "jq -c ." in shape("{", broken_at_end=True)


def test_it_does_not_take_a_damaged_line_for_an_object_over_several_lines() -> None:
    assert shape('{"a": "cut in the mid', broken_at_end=True) == ""
