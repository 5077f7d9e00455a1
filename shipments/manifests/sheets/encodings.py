"""Text read in the wrong encoding before it reached us: `JosÃ©` for `José`.

`spelling.repair` restores what it can exactly. Other cells are left unchanged. Both cases are reported once.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from shipments.manifests.cells import Cell, Row, Sheet, text_of
from shipments.manifests.manifest import Notice, Reason
from shipments.manifests.words.headings import read_heading
from shipments.manifests.words.spelling import repair

_LONGEST_QUOTED = 8
_FEWEST_HEADINGS = 3

_DAMAGED = re.compile("\ufffd|\u00ef\u00bf\u00bd|[a-z]\u00c3|[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac")
_ODD_LETTERS = re.compile("[^\x00-\x7f]+")
_LOST = "\ufffd"
_MAY_HAVE_BEEN = "oaeiunº"


class Repairs:
    """What was repaired in a workbook and what could not be: how many cells, with the first odd letters as an example.

    Never a whole word, which may be a person's name.
    """

    def __init__(self) -> None:
        self.count = 0
        self._found: dict[str, dict[str, str | int]] = {}

    def note(self, cell: Cell) -> None:
        """Count a cell that was misread, repaired or not."""
        if not isinstance(cell, str) or cell.isascii():
            return
        found = repair(cell)
        if found is not cell:
            self._add("text_encoding_repaired", misread=_odd_letters(cell), example=_odd_letters(found))
        elif _DAMAGED.search(cell):
            self._add("text_encoding_damaged", example=_odd_letters(cell))

    def _add(self, code: str, **example: str) -> None:
        self.count += 1
        params = self._found.setdefault(code, {"count": 0, **example})
        params["count"] = int(params["count"]) + 1

    def notices(self) -> tuple[Notice, ...]:
        """The notices on both."""
        return tuple(Notice(code, Reason(code, params)) for code, params in sorted(self._found.items(), reverse=True))


def repair_sheet(sheet: Sheet, repairs: Repairs) -> Sheet:
    """The sheet with its text repaired, or the same sheet if no text was misread. Repairs are added to `repairs`."""
    if not sheet.may_be_misread:
        return sheet
    before = repairs.count
    for _, cells in sheet.rows:
        for cell in cells:
            repairs.note(cell)
    return sheet if repairs.count == before else replace(sheet, rows=_RepairedRows(sheet.rows))


@dataclass(frozen=True, slots=True)
class _RepairedRows:
    """Rows that are repaired again by every iteration."""

    rows: Iterable[Row]

    def __iter__(self) -> Iterator[Row]:
        for number, cells in self.rows:
            row = [repair(cell) if isinstance(cell, str) else cell for cell in cells]
            has_lost = any(isinstance(cell, str) and _LOST in cell for cell in row)
            yield number, _guess_headings(row) if has_lost else row


def _guess_headings(cells: list[Cell]) -> Sequence[Cell]:
    """A row of headings with its lost letters restored. Other rows are unchanged, because values are never guessed."""
    guessed = [_guess(cell) if isinstance(cell, str) and _LOST in cell else cell for cell in cells]
    texts = [cell for cell in guessed if isinstance(cell, str)]
    known = sum(bool(read_heading(text_of(text)).meanings) for text in texts)
    return guessed if known >= _FEWEST_HEADINGS and known * 2 > len(cells) - cells.count(None) else cells


def _guess(text: str) -> str:
    """The first spelling that is a known heading, with one letter in place of all lost ones."""
    spellings = (text.replace(_LOST, letter) for letter in _MAY_HAVE_BEEN)
    return next((spelling for spelling in spellings if read_heading(spelling).meanings), text)


def _odd_letters(text: str) -> str:
    found = _ODD_LETTERS.search(text)
    return found[0][:_LONGEST_QUOTED] if found else ""
