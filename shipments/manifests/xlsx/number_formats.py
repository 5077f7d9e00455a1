"""What the number formats of cells show: `12.5 lb`, `€ 30` or `00042` where the cells hold bare numbers."""

import html
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from openpyxl.utils import column_index_from_string

from shipments.manifests.cells import Cell, Row

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
_LITERAL = re.compile(r"\\(.)|\"([^\"]*)\"")
_PATTERN = re.compile(r"[^\W\d_]{0,5}[-/ .]?[0][-/ .()0]*0")
_FEWEST_ZEROS = 3
_TROUBLES = (zipfile.BadZipFile, OSError, RuntimeError, ValueError, EOFError, NotImplementedError, zlib.error)


def words_in_formats(path: Path) -> Mapping[str, Mapping[int, str]]:
    """Sheet name -> column, from 0 -> the words that the formats of its numbers show. Damaged parts have none.

    path: a workbook that `check_package` let through. Most workbooks have no such formats, and no sheet is unpacked.
    """
    try:
        with zipfile.ZipFile(path) as package:
            parts = {name.lower().lstrip("/"): name for name in package.namelist()}
            styles = _words_of_styles(_text(package, parts, "xl/styles.xml"))
            if not styles:
                return {}
            targets = {
                each.get("Id", ""): each.get("Target", "").lstrip("/").removeprefix("xl/")
                for each in _tags(_RELATION, _text(package, parts, "xl/_rels/workbook.xml.rels"))
            }
            found = {}
            for sheet in _tags(_SHEET, _text(package, parts, "xl/workbook.xml")):
                content = _text(package, parts, f"xl/{targets.get(sheet.get('id', ''), '')}".lower())
                found[html.unescape(sheet.get("name", ""))] = _words_of_columns(content, styles)
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


def _words_of_styles(text: str) -> dict[str, str]:
    """Index of a cell's style -> the words of its format, for styles that have some."""
    words = {}
    for each in _tags(_FORMAT, text):
        code = html.unescape(each.get("formatCode", ""))
        found = (quoted or sign for quoted, sign in _WORDS.findall(code))
        words[each.get("numFmtId", "")] = _pattern_in(code) or " ".join(filter(str.strip, found))
    section = _STYLES.search(text)
    styles = _tags(_STYLE, section[0]) if section and any(words.values()) else []
    return {
        str(index): shown for index, each in enumerate(styles) if (shown := words.get(each.get("numFmtId", ""), ""))
    }


def _pattern_in(code: str) -> str:
    """The digits that a format always shows, as zeros, with what stands between them; empty if it is not of that kind.

    `000-00000000` and `"WH"00000` are; `0.00`, with a decimal point, is not.
    """
    pattern = _LITERAL.sub(r"\1\2", code)
    return pattern if "." not in _LITERAL.sub("", code) and is_pattern(pattern) else ""


def is_pattern(shown: str) -> bool:
    """Whether what a format shows is a pattern of zeros."""
    return shown.count("0") >= _FEWEST_ZEROS and _PATTERN.fullmatch(shown) is not None


class ShownRows:
    """Rows whose whole numbers are texts as their formats show them: with leading zeros, which identifiers need.

    formats: column -> its pattern of zeros, or other words.
    """

    def __init__(self, rows: Iterable[Row], formats: Mapping[int, str]) -> None:
        self._rows = rows
        self._patterns = {column: shown for column, shown in formats.items() if is_pattern(shown)}

    def __iter__(self) -> Iterator[Row]:
        for number, cells in self._rows:
            patterns = self._patterns
            yield number, [_shown(cell, patterns.get(column, "")) for column, cell in enumerate(cells)]


def _shown(cell: Cell, pattern: str) -> Cell:
    if not pattern or type(cell) is not int or cell < 0:
        return cell
    zeros = pattern.count("0")
    digits = str(cell).zfill(zeros)
    first = len(digits) - zeros + 1
    following = iter((digits[:first], *digits[first:]))
    return "".join(next(following) if letter == "0" else letter for letter in pattern)


def _words_of_columns(text: str, styles: Mapping[str, str]) -> dict[int, str]:
    """Column -> the words that most of its numbers show."""
    shown: dict[int, Counter[str]] = defaultdict(Counter)
    for each in _tags(_CELL, text):
        place = _PLACE.fullmatch(each.get("r", ""))
        if place and each.get("t", "n") == "n":
            shown[column_index_from_string(place[1]) - 1][styles.get(each.get("s", ""), "")] += 1
    return {column: words for column, counts in shown.items() if (words := counts.most_common(1)[0][0])}
