"""Write a workbook anew as spreadsheet programs understand it, for calamine to open.

Spreadsheet programs pass over what they do not know: an error value of another program, merged columns without rows, a
sheet's unknown state, a part in UTF-16. calamine refuses the whole workbook. Here everything but cells, merged ranges
and what they refer to is left out, and whatever calamine could refuse in those is put right or left out as well.

This runs in the child process, under its limits, and only for workbooks that calamine has refused.
"""

import zipfile
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from math import isfinite
from typing import IO, TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from shipments.manifests.xlsx.parts import Package
from shipments.manifests.xlsx.sheet_marks import column_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shipments.manifests.xlsx.parts import Attributes

MOST_NAMED = 20
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
_ERRORS = frozenset({"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"})
_STATES = {"": "visible", "visible": "visible", "hidden": "hidden", "veryhidden": "hidden"}
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

_Write = Callable[[str], None]


def write_mended_copy(path: str) -> tuple[str, list[str]]:
    """Write a mended copy of a workbook beside it. Returns its path, and the places that were mended.

    Raises one of `parts.TROUBLES` if a part that is read is missing or no XML: no spreadsheet program opens it either.
    """
    package = Package(path)
    package.open()
    target = f"{path.rpartition('.')[0]}-mended.xlsx"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        mended = _Mended(package, archive)
        mended.write()
    return target, mended.places()


class _Mended:
    def __init__(self, package: Package, archive: zipfile.ZipFile) -> None:
        self._package = package
        self._archive = archive
        self._places: list[str] = []
        self._read: list[str] = []
        self._strings = 0

    def places(self) -> list[str]:
        """Cells as `sheet!A1`, else sheets; all sheets that are read if what was mended has no place."""
        return list(dict.fromkeys(self._places))[:MOST_NAMED] or self._read[:MOST_NAMED]

    def write(self) -> None:
        self._write_strings()
        self._write_styles()
        sheets, related = [], []
        for number, (name, state, kind, part) in enumerate(self._package.sheets, start=1):
            if kind not in {"", "worksheet"}:
                continue  # charts, dialogs and macros hold no table
            if state not in _STATES:
                self._places.append(name)
            shown = _STATES.get(state, "visible")
            if shown == "visible":
                if not part:
                    raise ValueError("a sheet that is not there")
                self._read.append(name)
                with self._part(f"xl/worksheets/sheet{number}.xml") as write:
                    _Sheet(name, write, self._places, self._strings).copy(self._package, part)
            sheets.append(f'<sheet name={quoteattr(name)} sheetId="{number}" state="{shown}" r:id="rId{number}"/>')
            related.append(
                f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
            )
        dates = '<workbookPr date1904="1"/>' if self._package.is_1904 else ""
        self._archive.writestr(
            "xl/workbook.xml",
            f'<workbook {_MAIN} xmlns:r="{_OFFICE}">{dates}<sheets>{"".join(sheets)}</sheets></workbook>',
        )
        self._archive.writestr("xl/_rels/workbook.xml.rels", _relations(related))
        whole = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        self._archive.writestr("_rels/.rels", _relations([whole]))

    def _write_strings(self) -> None:
        part = self._package.part_of("sharedStrings", "sharedstrings.xml")
        with self._part("xl/sharedStrings.xml") as write:
            write(f"<sst {_MAIN}>")
            if part:
                text = _Text()

                def start(name: str, _: "Attributes") -> None:
                    text.start(name)

                def end(name: str) -> None:
                    text.end(name)
                    if name == "si":
                        self._strings += 1
                        write(f"<si>{text.take()}</si>")

                self._package.parse(part, start, end, text=text.add)
            write("</sst>")

    def _write_styles(self) -> None:
        formats, cells = self._package.styles()
        numbers = "".join(
            f"<numFmt numFmtId={quoteattr(key or '0')} formatCode={quoteattr(code)}/>" for key, code in formats.items()
        )
        styles = "".join(f"<xf numFmtId={quoteattr(key or '0')}/>" for key in cells)
        self._archive.writestr(
            "xl/styles.xml",
            f"<styleSheet {_MAIN}><numFmts>{numbers}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>",
        )

    @contextmanager
    def _part(self, name: str) -> "Iterator[_Write]":
        with self._archive.open(name, "w") as part:
            pieces: list[str] = []

            def write(piece: str) -> None:
                pieces.append(piece)
                if len(pieces) > 1_000:
                    _flush(pieces, part)

            yield write
            _flush(pieces, part)


class _Text:
    """The text of `t` elements, without the readings of Chinese characters beside them."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._is_text = self._is_reading = False

    def start(self, name: str) -> None:
        self._is_reading = self._is_reading or name == "rPh"
        self._is_text = name == "t" and not self._is_reading

    def end(self, name: str) -> None:
        self._is_text = False
        self._is_reading = self._is_reading and name != "rPh"

    def add(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)

    def take(self) -> str:
        """The text so far as an element; then there is none."""
        text = escape("".join(self._pieces))
        self._pieces.clear()
        return f'<t xml:space="preserve">{text}</t>'


class _Sheet:
    """Copies the cells and merged ranges of one sheet. places: where what is mended is noted. strings: how many."""

    def __init__(self, name: str, write: _Write, places: list[str], strings: int) -> None:
        self._name = name
        self._write = write
        self._places = places
        self._strings = strings
        self._row = self._column = 0
        self._cell: Attributes = {}
        self._value: list[str] = []
        self._is_value = False
        self._text = _Text()
        self._merged: list[str] = []

    def copy(self, package: Package, part: str) -> None:
        self._write(f"<worksheet {_MAIN}><sheetData>")
        package.parse(part, self._start, self._end, text=self._add)
        merged = "".join(f'<mergeCell ref="{each}"/>' for each in self._merged)
        self._write(f"</sheetData>{f'<mergeCells>{merged}</mergeCells>' if merged else ''}</worksheet>")

    def _start(self, name: str, attributes: "Attributes") -> None:
        if name == "c":
            place = attributes.get("r", "")
            column, row = _position(place)
            if place and (column < 0 or row < 0):
                self._note(place)
            self._column = column if column >= 0 else self._column + 1
            self._cell = attributes
            self._value.clear()
        elif name == "v":
            self._is_value = True
        elif name == "row":
            number = attributes.get("r", "")
            self._row = int(number) if number.isascii() and number.isdecimal() and len(number) < 8 else self._row + 1
            self._column = -1
            self._write(f'<row r="{self._row}">')
        elif name == "dimension":
            places = attributes.get("ref", "").split(":")
            if len(places) > 2 or any(min(_position(each)) < 0 for each in places):
                self._places.append(self._name)
        elif name == "mergeCell":
            self._merge(attributes.get("ref", ""))
        else:
            self._text.start(name)

    def _end(self, name: str) -> None:
        if name == "c":
            if 0 < self._row <= LAST_ROW and self._column < LAST_COLUMN:
                self._write_cell()
        elif name == "v":
            self._is_value = False
        elif name == "row":
            self._write("</row>")
        else:
            self._text.end(name)

    def _add(self, text: str) -> None:
        if self._is_value:
            self._value.append(text)
        else:
            self._text.add(text)

    def _write_cell(self) -> None:
        kind, style = self._cell.get("t", "n"), self._cell.get("s", "")
        value, text = "".join(self._value), self._text.take()
        place = f"{_letters(self._column)}{self._row}"
        about = f'r="{place}" s="{style}"' if style.isascii() and style.isdecimal() else f'r="{place}"'
        plain = value.strip()
        if kind == "inlineStr":
            self._write(f'<c {about} t="inlineStr"><is>{text}</is></c>')
        elif kind == "e" or not plain:
            if kind == "e" and plain not in _ERRORS:
                self._note(place)  # an error of a program that we do not know; the cell shows no value either way
        elif kind == "s":
            if not (plain.isascii() and plain.isdecimal() and int(plain) < self._strings):
                raise ValueError("a text that is not there")  # more than an oddity: texts are lost
            self._write(f'<c {about} t="s"><v>{plain}</v></c>')
        elif kind in {"n", "b"} and _is_number(plain):
            self._write(f'<c {about} t="{kind}"><v>{plain}</v></c>')
        elif kind == "b":
            self._write(f'<c {about} t="b"><v>{int(plain.lower() == "true")}</v></c>')
        else:
            if kind not in {"str", "d"}:
                self._note(place)
            if kind not in {"n", "str", "d"} and _is_number(plain):
                self._write(f"<c {about}><v>{plain}</v></c>")
            else:
                self._write(f'<c {about} t="{"d" if kind == "d" else "str"}"><v>{escape(value)}</v></c>')

    def _merge(self, ref: str) -> None:
        """Keep a merged range. One of whole columns or rows ends where the sheet does."""
        first, _, last = ref.partition(":")
        (left, top), (right, bottom) = _position(first), _position(last or first)
        if min(left, top, right, bottom) < 0:
            self._places.append(f"{self._name}!{ref[:20]}" if ref.replace(":", "").isalnum() else self._name)
        left, top = max(left, 0), max(top, 1)
        right = right if right >= 0 else LAST_COLUMN - 1
        bottom = bottom if bottom >= 0 else LAST_ROW
        if ref.replace(":", "").isalnum() and left <= right and top <= bottom:
            self._merged.append(f"{_letters(left)}{top}:{_letters(right)}{bottom}")

    def _note(self, place: str) -> None:
        if len(self._places) < MOST_NAMED:
            self._places.append(f"{self._name}!{place[:20]}" if place.isalnum() else self._name)


def _position(place: str) -> tuple[int, int]:
    """The column, from 0, and the row, from 1, that a place names; -1 for what it does not name."""
    place = place.replace("$", "")
    digits = place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    column = column_of(place) if len(place) - len(digits) <= 3 else -1
    is_number = digits.isascii() and digits.isdecimal() and len(digits) < 8
    row = int(digits) if is_number and 0 < int(digits) <= LAST_ROW else -1
    return (column if column < LAST_COLUMN else -1), row


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _is_number(text: str) -> bool:
    try:
        return "_" not in text and isfinite(float(text))
    except ValueError:
        return False


def _relations(related: Iterable[str]) -> str:
    return f'<Relationships xmlns="{_RELATIONSHIPS}">{"".join(related)}</Relationships>'


def _flush(pieces: list[str], part: IO[bytes]) -> None:
    part.write("".join(pieces).encode())
    pieces.clear()
