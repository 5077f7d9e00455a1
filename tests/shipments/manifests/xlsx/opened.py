"""The rows of a workbook on disk."""

from pathlib import Path

from shipments.manifests.cells import Row
from shipments.manifests.xlsx.opening import reading


def rows_of(path: Path) -> list[list[Row]]:
    with reading(path) as book:
        return [list(sheet.rows) for sheet in book.sheets]
