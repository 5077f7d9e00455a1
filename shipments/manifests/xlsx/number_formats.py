"""What cells show and do not hold: `12.5 lb`, `€ 30` or `00042` for bare numbers. And which rows are hidden."""

import html
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from openpyxl.utils import column_index_from_string

MOST_BYTES = 384 * 1024
"""Bytes unpacked of the styles and of each sheet: the first few hundred rows, by which columns are understood."""

_TAG = r"<(?:\w+:)?{name}\b([^>]*)>"
_FORMAT = re.compile(_TAG.format(name="numFmt"))
_STYLES = re.compile(r"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
_STYLE = re.compile(_TAG.format(name="xf"))
_SHEET = re.compile(_TAG.format(name="sheet"))
_RELATION = re.compile(_TAG.format(name="Relationship"))
_CELL = re.compile(_TAG.format(name="c"))
_ATTRIBUTE = re.compile(r"(?:\w+:)?(\w+)=\"([^\"]*)\"")
_PLACE = re.compile(r"([A-Z]{1,3})[0-9]+")
_WORDS = re.compile(r"\"([^\"]*)\"|\[\$([^\]-]*)")
_IDENTIFIER = re.compile(r'((?:"[^"]*"|\\.|[-/ ])*)(0+)')
"""A format that shows leading zeros, or letters before the digits."""
_HIDDEN_ROW = re.compile(r"<(?:\w+:)?row\b[^>]*?\br=\"([0-9]+)\"[^>]*\bhidden=\"(?:1|true)\"")
_TROUBLES = (zipfile.BadZipFile, OSError, RuntimeError, ValueError, EOFError, NotImplementedError, zlib.error)


class Shown(NamedTuple):
    """What a sheet shows. Columns are from 0.

    words: column -> the words that the formats of its numbers show. identifiers: column -> the letters before its whole
    numbers, and to how many digits zeros fill them. hidden_rows: numbers as the spreadsheet shows them.
    """

    words: Mapping[int, str] = {}
    identifiers: Mapping[int, tuple[str, int]] = {}
    hidden_rows: tuple[int, ...] = ()


def what_is_shown(path: Path) -> Mapping[str, Shown]:
    """Sheet name -> what it shows, by its first `MOST_BYTES`. Damaged parts show nothing.

    path: a workbook that `check_package` let through.
    """
    try:
        with zipfile.ZipFile(path) as package:
            parts = {name.lower().lstrip("/"): name for name in package.namelist()}
            styles = _formats_of_styles(_text(package, parts, "xl/styles.xml"))
            targets = {
                each.get("Id", ""): each.get("Target", "").lstrip("/").removeprefix("xl/")
                for each in _tags(_RELATION, _text(package, parts, "xl/_rels/workbook.xml.rels"))
            }
            found = {}
            for sheet in _tags(_SHEET, _text(package, parts, "xl/workbook.xml")):
                content = _text(package, parts, f"xl/{targets.get(sheet.get('id', ''), '')}".lower())
                found[html.unescape(sheet.get("name", ""))] = _shown(content, styles)
            return found
    except _TROUBLES:
        return {}


def _text(package: zipfile.ZipFile, parts: Mapping[str, str], name: str) -> str:
    if name not in parts:
        return ""
    with package.open(parts[name]) as content:
        return content.read(MOST_BYTES).decode("utf-8", "replace")


def _tags(pattern: re.Pattern[str], text: str) -> list[dict[str, str]]:
    return [dict(_ATTRIBUTE.findall(attributes)) for attributes in pattern.findall(text)]


def _formats_of_styles(text: str) -> dict[str, str]:
    """Index of a cell's style -> its format, for formats with words or leading zeros."""
    formats = {each.get("numFmtId", ""): html.unescape(each.get("formatCode", "")) for each in _tags(_FORMAT, text)}
    telling = {key: code for key, code in formats.items() if _words_in(code) or _identifier(code)}
    section = _STYLES.search(text) if telling else None
    styles = _tags(_STYLE, section[0]) if section else []
    return {str(index): telling[key] for index, each in enumerate(styles) if (key := each.get("numFmtId")) in telling}


def _words_in(code: str) -> str:
    return " ".join(filter(str.strip, (quoted or sign for quoted, sign in _WORDS.findall(code))))


def _identifier(code: str) -> tuple[str, int] | None:
    match = _IDENTIFIER.fullmatch(code.split(";", maxsplit=1)[0])
    before = match[1].replace('"', "").replace("\\", "") if match else ""
    is_one = match and (len(match[2]) > 1 or any(map(str.isalpha, before)))
    return (before, len(match[2])) if match and is_one else None


def _shown(text: str, styles: Mapping[str, str]) -> Shown:
    """What a sheet shows; of a column the format of most of its numbers."""
    used: dict[int, Counter[str]] = defaultdict(Counter)
    for each in _tags(_CELL, text) if styles else ():
        place = _PLACE.fullmatch(each.get("r", ""))
        if place and each.get("t", "n") == "n":
            used[column_index_from_string(place[1]) - 1][styles.get(each.get("s", ""), "")] += 1
    formats = {column: code for column, counts in used.items() if (code := counts.most_common(1)[0][0])}
    return Shown(
        {column: words for column, code in formats.items() if (words := _words_in(code))},
        {column: found for column, code in formats.items() if (found := _identifier(code))},
        tuple(map(int, _HIDDEN_ROW.findall(text))) if 'hidden="' in text else (),
    )
