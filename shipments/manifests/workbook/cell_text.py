"""The text of a spreadsheet cell: clean, on one line, and complete if it is an identifier."""

import math
import unicodedata
from datetime import date, datetime, time
from decimal import Decimal

from shipments.manifests.xlsx.opening import Cell

EXACT_DIGITS = 15
"""Significant digits that a numeric cell keeps; a longer number was rounded before it reached us."""

_LARGEST_EXACT = 2**53


def text_of(cell: Cell) -> str:
    """The text of any cell: trimmed, blanks collapsed, without control, format or surrogate characters.

    A number without a fraction gives its digits alone, never an exponent and never `.0`, so that identifiers typed
    into numeric cells come out whole.
    """
    if type(cell) is str:
        text = cell.strip()
        # Nearly every cell: a printable text has no line breaks, NULs, surrogates or odd spaces.
        if text.isprintable() and "  " not in text:
            return text
        return _cleaned(text)
    if cell is None:
        return ""
    if isinstance(cell, float | int):
        return _digits(cell)
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, date | time) else _cleaned(cell)


def _digits(number: float) -> str:
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        return ""
    if number != int(number):
        return repr(number)
    # A larger float goes through repr: its int has digits that were never typed, where spreadsheets show zeros.
    return str(int(number)) if abs(number) < _LARGEST_EXACT else str(int(Decimal(repr(number))))


def _cleaned(text: str) -> str:
    kept = [
        " " if character.isspace() else character
        for character in text
        # Controls, format characters (zero widths, directions) and surrogates are never typed.
        if character.isspace() or unicodedata.category(character) not in {"Cc", "Cf", "Cs"}
    ]
    return " ".join("".join(kept).split())
