"""The cells of a workbook, and their text: clean, on one line, and complete if it is an identifier."""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache

Cell = str | float | int | bool | datetime | date | time | None
"""An empty cell and an error (#N/A) are None; a whole number is an int; text is as typed, not stripped, but cut after
`LONGEST_CELL` characters."""

Row = tuple[int, Sequence[Cell]]
"""The row's number as the spreadsheet shows it, from 1, and its cells from column A to the last non-empty one."""

MAX_COLUMNS = 256
"""Columns of a sheet that are read."""

LONGEST_CELL = 2_000
"""Characters of a cell that are read, as many as the longest field has. A longer text is cut where it enters, and ends
in an ellipsis: a cell of 32,767 characters would be looked at some thirty times."""

LONGEST_HEADING = 160
"""Characters of a heading or label; a longer text is neither."""

EXACT_DIGITS = 15
"""Significant digits that a numeric cell keeps; a longer number was rounded before it reached us."""

_LARGEST_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Sheet:
    """One visible worksheet.

    rows: the rows that are not empty. They can be iterated repeatedly while the workbook is open.
    merged: (first row, first column, last row, last column), rows from 1 and columns from 0.
    is_cut: whether rows past the 60,000th non-empty one, columns past the 256th or merged ranges past the 100,000th
    were left out.
    may_be_misread: whether its text has the marks of a wrong encoding. If not, the text needs no repair.
    formats: column, from 0 -> the words that the number formats of its cells show (`lb`).
    identifiers: the columns whose whole numbers are read as their formats show them (`YT000042`).
    hidden_rows: by a filter or by hand. They are read as all others.
    uncalculated: (row, column) of formulas without a value, whose cells are None.
    is_seen_whole: whether formats, hidden rows and formulas were looked for up to the end.
    """

    name: str
    rows: Iterable[Row]
    merged: tuple[tuple[int, int, int, int], ...] = ()
    is_cut: bool = False
    may_be_misread: bool = True
    formats: Mapping[int, str] = field(default_factory=dict)
    identifiers: frozenset[int] = frozenset()
    hidden_rows: tuple[int, ...] = ()
    uncalculated: frozenset[tuple[int, int]] = frozenset()
    is_seen_whole: bool = True


@dataclass(frozen=True, slots=True)
class Workbook:
    """sheets: the visible worksheets in the workbook's order, without chart sheets. hidden: the names of the others.

    mended: where it was mended before it could be opened. is_1904: whether its dates are counted from 1904.
    """

    sheets: tuple[Sheet, ...]
    hidden: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    is_1904: bool = False

    def sheet(self, name: str) -> Sheet | None:
        """The visible worksheet of this name."""
        return next((sheet for sheet in self.sheets if sheet.name == name), None)


def cell_at(cells: Sequence[Cell], column: int) -> Cell:
    """The cell of a column that may lie beyond the end of the row."""
    return cells[column] if column < len(cells) else None


_YES = frozenset({"sí", "si", "s", "yes", "y", "x", "1", "true", "verdadero", "✓", "✔"})
_NO = frozenset({"no", "n", "0", "false", "falso"})


def yes_or_no(cell: Cell) -> bool | None:
    """What a cell of a yes-or-no column says; None if it says neither."""
    text = text_of(cell).casefold()
    return True if text in _YES else False if text in _NO else None


def tokens(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def text_of(cell: Cell) -> str:
    """The text of any cell: trimmed, blanks collapsed, NFC, without control, format or surrogate characters.

    A number without a fraction gives its digits alone, never an exponent and never `.0`, so that identifiers typed
    into numeric cells come out whole.
    """
    if type(cell) is str:
        text = cell.strip() if cell.isascii() else unicodedata.normalize("NFC", cell).strip()
        # Nearly every cell: a printable text has no line breaks, NULs, surrogates or odd spaces.
        if text.isprintable() and "  " not in text:
            return text
        return _clean(text)
    if cell is None:
        return ""
    if isinstance(cell, float | int):
        return _digits(cell)
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, date | time) else _clean(cell)


def shape_of(text: str) -> str:
    """How a text is written, without what it says: `Aaaa Aaaa`, `99.999.999-9`."""
    return "".join(map(_shape, text))


def _shape(character: str) -> str:
    if character.isdigit():
        return "9"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return character


def _digits(number: float) -> str:
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        return ""
    if number != int(number):
        return repr(number)
    # A larger float goes through repr: its int has digits that were never typed, where spreadsheets show zeros.
    return str(int(number)) if abs(number) < _LARGEST_EXACT else str(int(Decimal(repr(number))))


@lru_cache(maxsize=MAX_COLUMNS)  # a reader asks some thirty times for the text of each cell of a row
def _clean(text: str) -> str:
    # Controls, format characters (zero widths, directions) and surrogates are never typed.
    odd = (letter for letter in set(text) if not letter.isprintable() and not letter.isspace())
    never_typed = {ord(letter): None for letter in odd if unicodedata.category(letter) in {"Cc", "Cf", "Cs"}}
    return " ".join((text.translate(never_typed) if never_typed else text).split())
