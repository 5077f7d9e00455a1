"""The rows of a table that are guides, one after the other."""

from collections.abc import Iterator
from itertools import chain

from shipments.errors import ManifestTooLarge
from shipments.manifests.findings import Findings
from shipments.manifests.headings.guide_words import Field
from shipments.manifests.manifest import MAX_GUIDES
from shipments.manifests.workbook.layout import GuideTable, padded
from shipments.manifests.workbook.row_kinds import RowKinds
from shipments.manifests.workbook.row_reader import GuideDraft, RowReader
from shipments.manifests.xlsx.opening import Cell, Row

_REPEATED: tuple[Field, ...] = (
    "hawb",
    "consignee_document",
    "check_digit",
    "consignee_document_type",
    "consignee_city",
    "consignee_region",
    "consignee_postal_code",
    "consignee_phone",
    "consignee_email",
    "shipper_name",
    "weight_kg",
)
"""Fields that a vertically merged cell says for each of its rows; money and counts it says once."""


def read_rows(table: GuideTable, findings: Findings) -> Iterator[GuideDraft]:
    """The guides of a table, row by row and in order; whatever is no guide is passed over.

    Raises ManifestTooLarge at the guide row after the `MAX_GUIDES`th.
    """
    reader = RowReader(table.columns, findings)
    kinds = RowKinds(table.header, table.columns)
    count = 0
    for number, cells in _filled_down(table):
        hawb = reader.hawb(cells)
        kind = kinds.kind(hawb, cells)
        if kind == "guide":
            count += 1
            if count > MAX_GUIDES:
                raise ManifestTooLarge(f"The sheet has more than {MAX_GUIDES:,} guide rows; split the manifest.")
            yield reader.read(number, hawb, cells)
        elif kind == "hawb_missing":
            findings.warn(number, "", "hawb", "hawb_missing")
        elif kind == "example":
            findings.notice("example_row_ignored", row_index=number)
    reader.finish()


def _filled_down(table: GuideTable) -> Iterator[Row]:
    """The rows under the headings, with what vertically merged cells say repeated in each of their rows.

    Money and counts are left alone: they are told once, where the merged range begins.
    """
    width = max(table.header.headings) + 1
    single = table.columns.single
    repeated = {
        column
        for column in (
            *chain.from_iterable(table.columns.names),
            *table.columns.address,
            *(single.get(name) for name in _REPEATED),
        )
        if column is not None
    }
    starts: dict[int, list[tuple[int, int]]] = {}
    for first_row, column, last_row, _ in table.sheet.merged:
        if column in repeated and first_row > table.header.last_row and last_row > first_row:
            starts.setdefault(first_row, []).append((column, last_row))
    open_ranges: dict[int, tuple[int, Cell]] = {}
    for number, cells in table.sheet.rows:
        if number <= table.header.last_row:
            continue
        row = padded(cells, width)
        if open_ranges:
            copy = list(row)
            for column, (last_row, value) in list(open_ranges.items()):
                if number > last_row:
                    del open_ranges[column]
                elif copy[column] is None:
                    copy[column] = value
            row = copy
        for column, last_row in starts.get(number, ()):
            open_ranges[column] = (last_row, row[column])
        yield number, row
