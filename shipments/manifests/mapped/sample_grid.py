"""The first rows of a sample's sheet as a grid, before anything in them is replaced."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from shipments.manifests.cells import Cell, Row, Sheet, Workbook
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.mapped.kept_grid import cell_as_json
from shipments.manifests.mapped.recognise import Match
from shipments.manifests.mapped.spec import MAX_TEST_ROWS
from shipments.manifests.sheets.encodings import Repairs, repaired

_MOST_BLANKS = 2
"""Empty rows in a row that are kept."""

_REPEATED = frozenset({*(each.name for each in GUIDE_FIELDS if each.repeats), "check_digit"})


def grid_of(match: Match, book: Workbook) -> list[list[Any]]:
    """The first rows of the matched sheet, in their right encoding and without merged cells and long gaps."""
    sheet = next(sheet for sheet in book.sheets if sheet.name == match.sheet)
    grid: list[list[Any]] = []
    last = 0
    for number, cells in islice(_unmerged(sheet, match), MAX_TEST_ROWS):
        grid += [[] for _ in range(min(number - last - 1, _MOST_BLANKS))]
        grid.append([cell_as_json(cell) for cell in cells])
        last = number
    return grid[:MAX_TEST_ROWS]


def _unmerged(sheet: Sheet, match: Match) -> Iterator[Row]:
    """The rows, with the value of a merged cell in each of its cells where reading repeats it."""
    fills = _fills(sheet, match)
    for number, cells in repaired(sheet, Repairs()).rows:
        row = list(cells)
        for column, value in fills.get(number, ()):
            row += [None] * (column + 1 - len(row))
            if row[column] is None:
                row[column] = value
        yield number, row


def _fills(sheet: Sheet, match: Match) -> dict[int, list[tuple[int, Cell]]]:
    """Row -> the columns that a merged cell covers, with its value: groups of headings, and fields that repeat."""
    repeating = {place for index, place in match.places.items() if match.spec.columns[index].field in _REPEATED}
    fills: dict[int, list[tuple[int, Cell]]] = {}
    starts = {first_row for first_row, *_ in sheet.merged}
    firsts = {number: cells for number, cells in repaired(sheet, Repairs()).rows if number in starts} if starts else {}
    for first_row, first_column, last_row, last_column in sheet.merged:
        cells = firsts.get(first_row, ())
        value = cells[first_column] if first_column < len(cells) else None
        if match.first_row <= first_row <= match.last_row:
            fills.setdefault(first_row, []).extend(
                (column, value) for column in range(first_column + 1, last_column + 1)
            )
        elif first_row > match.last_row and first_column in repeating:
            for row in range(first_row + 1, min(last_row, first_row + MAX_TEST_ROWS) + 1):
                fills.setdefault(row, []).append((first_column, value))
    return fills
