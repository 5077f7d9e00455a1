"""The rows of new worksheets, written as XML. openpyxl takes ten times as long for each cell."""

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, time
from io import BytesIO
from shutil import copyfileobj
from typing import Any, BinaryIO, Literal, cast
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook as NewWorkbook
from openpyxl.cell import Cell as NewCell
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.utils.datetime import to_excel

from shipments.manifests.cells import Cell, text_of

Look = Literal["", "heading", "refused", "warned", "unknown"]
"""How a cell looks; the last three are the colours of problems."""

_FILLS: Mapping[str, PatternFill] = {
    "refused": PatternFill("solid", start_color="F8B4B4"),
    "warned": PatternFill("solid", start_color="FFE08A"),
    "unknown": PatternFill("solid", start_color="B7D4F5"),
}
_NEEDS_TEXT_STYLE = frozenset("=+-@#\t\r")
"""What makes a text a formula or an error once the cell is edited."""
_FIRST_YEAR = 1900
"""Of the dates that spreadsheets have."""
_LONGEST_TEXT = 32_767
"""Characters that a cell may have."""
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ROWS = re.compile(rb"<sheetData ?/>|<sheetData>.*</sheetData>", re.DOTALL)
_SIZE = re.compile(rb"<dimension [^>]*>")
_IN_MEMORY = 1 << 20


def without_control_characters(text: str) -> str:
    return _NOT_IN_XML.sub("", text)


class AnnotatedBook:
    """A new .xlsx. Its frame, styles and comments are openpyxl's."""

    def __init__(self, files: ExitStack) -> None:
        """files: closes the temporary files."""
        self._frame = NewWorkbook()
        self._frame.remove(self._frame.worksheets[0])
        self._rows: list[BinaryIO] = []
        self._styles: dict[tuple[type, bool, Look], str] = {}
        self._files = files

    def add_sheet(self, title: str, widths: Mapping[int, int], *, frozen_rows: int = 0) -> "AnnotatedSheet":
        """Add a sheet; equal titles get a number. widths: column, from 0 -> characters."""
        frame: Any = self._frame.create_sheet(title)
        for column, width in widths.items():
            frame.column_dimensions[get_column_letter(column + 1)].width = width
        if frozen_rows:
            frame.freeze_panes = f"A{frozen_rows + 1}"
        file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # closed with the others
        rows = cast("BinaryIO", self._files.enter_context(file))
        self._rows.append(rows)
        return AnnotatedSheet(self, frame, rows)

    def content(self) -> bytes:
        """The file. Sheets are numbered in the order in which they were added."""
        framed, output = BytesIO(), BytesIO()
        self._frame.save(framed)
        rows = {f"xl/worksheets/sheet{number}.xml": file for number, file in enumerate(self._rows, start=1)}
        with ZipFile(framed) as source, ZipFile(output, "w", ZIP_DEFLATED, compresslevel=3) as target:
            for name in source.namelist():
                if name in rows:
                    before, after = _ROWS.split(source.read(name), maxsplit=1)
                    with target.open(name, "w") as part:
                        part.write(_SIZE.sub(b"", before) + b"<sheetData>")
                        rows[name].seek(0)
                        copyfileobj(rows[name], part)
                        part.write(b"</sheetData>" + after)
                else:
                    target.writestr(name, source.read(name))
        return output.getvalue()

    def style(self, value: Cell, look: Look, *, is_quoted: bool) -> str:
        """The attribute of a cell that names its style; each style is made once. is_quoted: it remains text."""
        key = (type(value), is_quoted, look)
        if key not in self._styles:
            cell: Any = NewCell(self._frame.worksheets[0], 1, 1)
            if isinstance(value, date | time):
                cell.value = value  # sets the format of dates
            if is_quoted:
                cell.quotePrefix = True
            if look == "heading":
                cell.font = Font(bold=True)
            elif look:
                cell.fill = _FILLS[look]
            self._styles[key] = f' s="{cell.style_id}"' if cell.has_style else ""
        return self._styles[key]


class AnnotatedSheet:
    """A sheet that is being written."""

    def __init__(self, book: AnnotatedBook, frame: Any, rows: BinaryIO) -> None:  # noqa: ANN401  # openpyxl's stub lacks its columns
        self._book, self._frame, self._rows = book, frame, rows

    def append(self, number: int, cells: Sequence[Cell], looks: Mapping[int, Look] | None = None) -> None:
        """Write a row; the numbers ascend. looks: column, from 0, also past the last cell -> how it looks."""
        looks = looks or {}
        filled = "".join(self._cells(number, cells, looks))
        self._rows.write(f'<row r="{number}">{filled}</row>'.encode())

    def comment(self, number: int, column: int, comment: Comment) -> None:
        """Comment a cell, whether it has been written or not."""
        self._frame.cell(number, column + 1).comment = comment

    def _cells(self, number: int, cells: Sequence[Cell], looks: Mapping[int, Look]) -> Iterable[str]:
        for column, value in enumerate(cells):
            look = looks.get(column, "")
            if value is not None or look:
                yield self._cell(f"{get_column_letter(column + 1)}{number}", value, look)
        for column in sorted(column for column in looks if column >= len(cells)):
            yield self._cell(f"{get_column_letter(column + 1)}{number}", None, looks[column])

    def _cell(self, place: str, value: Cell, look: Look) -> str:
        if isinstance(value, date) and value.year < _FIRST_YEAR:
            value = text_of(value)
        if isinstance(value, str):
            text = _NOT_IN_XML.sub("", value)[:_LONGEST_TEXT]
            style = self._book.style("", look, is_quoted=text[:1] in _NEEDS_TEXT_STYLE)
            space = "" if text == text.strip() else ' xml:space="preserve"'
            return f'<c r="{place}"{style} t="inlineStr"><is><t{space}>{escape(text)}</t></is></c>'
        style = self._book.style(value, look, is_quoted=False)
        if value is None:
            return f'<c r="{place}"{style}/>'
        if isinstance(value, bool):
            return f'<c r="{place}"{style} t="b"><v>{value:d}</v></c>'
        number = to_excel(value) if isinstance(value, date | time) else value  # type: ignore[no-untyped-call]  # openpyxl
        return f'<c r="{place}"{style}><v>{number}</v></c>'
