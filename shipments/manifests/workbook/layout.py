"""Find one's way in a workbook nobody has seen before: where the guides stand, where the MAWB, where the flight.

`survey` goes through every visible sheet once and keeps no more of it than its first rows. It never raises for what a
sheet holds: whoever reads the guides decides what to do without a MAWB or a table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from shipments.errors import MawbNotFoundInFile
from shipments.manifests.findings import shortened
from shipments.manifests.headings.columns import Columns, assign
from shipments.manifests.headings.guide_words import Field
from shipments.manifests.headings.header_rows import SEARCHED_ROWS, HeaderBlock, find_header
from shipments.manifests.headings.labelled_cells import FLIGHT_FIELDS, Labelled, find_labelled, reads
from shipments.manifests.manifest import Notice
from shipments.manifests.reason import Reason
from shipments.manifests.waybills import labelled_mawbs, unlabelled_mawbs
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.workbook.flight_values import read_place
from shipments.manifests.workbook.row_kinds import is_total
from shipments.manifests.xlsx.opening import Cell, Row, Sheet, Workbook

SAMPLED_ROWS = 500
"""Guide rows whose values settle which column serves which field."""

_GUIDE_CELLS = 3
_SPARSE_CELLS = 6
_MOST_SPARSE_ROWS = 500
_MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class GuideTable:
    """A sheet with guides: its headings and the columns that serve."""

    sheet: Sheet
    header: HeaderBlock
    columns: Columns


@dataclass(frozen=True, slots=True)
class FoundMawbs:
    """The different MAWBs of a workbook by how sure their labels are, in the order found.

    master: labelled as the master, beside the cell or over the column. hinted: labelled `AWB` or `GUIA`. loose: not
    labelled, but with the hyphen. unread: how often a label of the master has something beside it that is no MAWB.
    """

    master: tuple[str, ...] = ()
    hinted: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    unread: int = 0

    def the_one(self) -> str:
        """The workbook's MAWB.

        Raises MawbNotFoundInFile when there is none, or when equally good ones disagree; the message names them.
        """
        for mawbs in (self.master, self.hinted, self.loose):
            if len(mawbs) > 1:
                raise MawbNotFoundInFile(
                    f"The workbook names more than one MAWB: {' and '.join(mawbs[:5])}. Send one MAWB per workbook."
                )
            if mawbs:
                return mawbs[0]
        if self.unread:
            raise MawbNotFoundInFile(
                "What stands beside the MAWB's label is no MAWB: write three digits, a hyphen and eight digits, "
                "such as 045-12345675."
            )
        raise MawbNotFoundInFile


@dataclass(frozen=True, slots=True)
class Survey:
    """What a workbook turned out to be.

    table: the first visible sheet with headings and guides under them; None when there is none.
    flight: field -> cells, best first, that can be read as its value. unread: field -> cells beside its label that
    cannot. destination_country: alpha-2, None when the workbook does not tell it. has_headings: whether any sheet has a
    row of headings that are known, with or without guides.
    """

    table: GuideTable | None
    mawbs: FoundMawbs
    flight: Mapping[Field, tuple[Cell, ...]]
    unread: Mapping[Field, tuple[Cell, ...]]
    destination_country: str | None
    notices: tuple[Notice, ...]
    has_headings: bool


@dataclass(slots=True)
class _SheetSurvey:
    """One sheet while it is gone through."""

    sheet: Sheet
    header: HeaderBlock | None = None
    columns: Columns | None = None
    guides: int = 0
    distinct: dict[int, dict[Cell, None]] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Columns up to the last heading."""
        return max(self.header.headings) + 1 if self.header else 0

    def names_consignees(self) -> bool:
        """Whether its guides have consignees; a summary that counts HAWBs has none."""
        return self.columns is not None and bool(self.columns.names or "consignee_document" in self.columns.single)

    def table(self) -> GuideTable | None:
        """The sheet's table, when it has guides."""
        if self.header and self.columns and self.guides:
            return GuideTable(self.sheet, self.header, self.columns)
        return None


def survey(workbook: Workbook) -> Survey:
    """Go through a workbook's visible sheets and tell what stands where; see `Survey`."""
    labelled = Labelled()
    sheets = [_survey_sheet(sheet, labelled) for sheet in workbook.sheets]
    tables = [found for found in sheets if found.table()]
    for found in tables or sheets:
        _add_mawb_columns(found, labelled)
    # A cover sheet may count HAWBs in columns of its own; guides have consignees.
    manifests = [found for found in tables if found.names_consignees()] or tables[:1]
    for found in (manifests or sheets)[:1]:
        _add_flight_columns(found, labelled)
    if not (labelled.master or labelled.hinted or labelled.loose):
        _add_sheet_names(workbook, labelled)
    flight = {name: tuple(cells) for name, cells in labelled.flight.items()}
    return Survey(
        table=manifests[0].table() if manifests else None,
        mawbs=FoundMawbs(
            _different(labelled.master),
            _different(labelled.hinted),
            _different(labelled.loose),
            len(labelled.unread.get("mawb", [])),
        ),
        flight=flight,
        unread={name: tuple(cells) for name, cells in labelled.unread.items() if name not in flight},
        destination_country=_destination_country(flight.get("destination", ())),
        notices=tuple(_ignored(found.sheet, manifests[0].sheet) for found in manifests[1:]),
        has_headings=any(found.header for found in sheets),
    )


def _survey_sheet(sheet: Sheet, labelled: Labelled) -> _SheetSurvey:
    """Go through a sheet once: the labels around and between its guides, and what the columns hold."""
    rows = iter(sheet.rows)
    head = list(islice(rows, SEARCHED_ROWS))
    header = find_header(head, sheet.merged)
    if header is None:
        find_labelled([*head, *islice(filter(_is_sparse, rows), _MOST_SPARSE_ROWS)], labelled)
        return _SheetSurvey(sheet)
    find_labelled((row for row in head if row[0] < header.first_row), labelled)
    _add_mawb_beside(head, header, labelled)
    width = max(header.headings) + 1
    below = ((number, padded(cells, width)) for number, cells in chain(head, rows) if number > header.last_row)
    first = list(islice(below, SAMPLED_ROWS))
    sample = [cells for _, cells in first if _filled(cells) >= _GUIDE_CELLS]
    columns = assign(header.headings, sample, labelled.master or labelled.hinted)
    found = _SheetSurvey(sheet, header, columns)
    find_labelled(_not_guides(found, chain(first, below)), labelled)
    for column in columns.loose:
        texts = {text_of(cells[column]) for cells in sample} - {""}
        if len(texts) == 1:
            labelled.loose.extend(unlabelled_mawbs(texts.pop()))
    return found


def _add_mawb_beside(head: Iterable[Row], header: HeaderBlock, labelled: Labelled) -> None:
    """A MAWB in a box to the right of the headings; nothing below counts, for there the guides stand."""
    for row in head:
        if header.first_row <= row[0] <= header.last_row:
            beside = Labelled()
            find_labelled([row], beside)
            labelled.master.extend(beside.master)
            labelled.hinted.extend(beside.hinted)


def padded(cells: Sequence[Cell], width: int) -> Sequence[Cell]:
    """A row's cells, made as long as the headings reach."""
    return cells if len(cells) >= width else (*cells, *(None,) * (width - len(cells)))


def _not_guides(found: _SheetSurvey, rows: Iterable[Row]) -> list[Row]:
    """Count a table's guides and note what some columns hold; give the other rows that may hold labels."""
    columns = found.columns
    if columns is None:
        return []
    house = columns.single.get("hawb")
    watched = [*columns.mawb, *(columns.single[name] for name in FLIGHT_FIELDS if name in columns.single)]
    found.distinct = {column: {} for column in watched}
    others: list[Row] = []
    for number, cells in rows:
        hawb = text_of(cells[house]) if house is not None else ""
        if not hawb or is_total(hawb) or _filled(cells) < _GUIDE_CELLS:
            if _is_sparse((number, cells)) and len(others) < _MOST_SPARSE_ROWS:
                others.append((number, cells))
            continue
        if len(cells) > found.width and len(others) < _MOST_SPARSE_ROWS:
            others.append((number, (*(None,) * found.width, *cells[found.width :])))  # a box beside the guides
        found.guides += 1
        for column in watched:
            values = found.distinct[column]
            if cells[column] is not None and len(values) < _MOST_VALUES:
                values[cells[column]] = None
    return others


def _filled(cells: Sequence[Cell]) -> int:
    return len(cells) - cells.count(None)


def _is_sparse(row: Row) -> bool:
    return _filled(row[1]) <= _SPARSE_CELLS


def _add_mawb_columns(found: _SheetSurvey, labelled: Labelled) -> None:
    if found.header is None or found.columns is None:
        return
    for column in found.columns.mawb:
        meanings = found.header.headings[column].meanings
        is_master = any(meaning.field == "mawb" and meaning.rank == 0 for meaning in meanings)
        for value in found.distinct.get(column, {}):
            mawbs = labelled_mawbs(text_of(value))
            (labelled.master if is_master else labelled.hinted).extend(mawbs)
            if not mawbs:
                labelled.unread.setdefault("mawb", []).append(value)


def _add_flight_columns(found: _SheetSurvey, labelled: Labelled) -> None:
    for name in FLIGHT_FIELDS:
        column = found.columns.single.get(name) if found.columns else None
        for value in found.distinct.get(column, {}) if column is not None else {}:
            if reads(name, value):
                labelled.flight.setdefault(name, []).append(value)
            elif name != "destination":  # what is no place there belongs to the address
                labelled.unread.setdefault(name, []).append(value)


def _add_sheet_names(workbook: Workbook, labelled: Labelled) -> None:
    """A MAWB that stands nowhere but on a sheet's tab."""
    for sheet in workbook.sheets:
        find_labelled([(1, [sheet.name])], labelled)


def _different(mawbs: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mawbs))


def _destination_country(cells: Iterable[Cell]) -> str | None:
    countries = {place.country for cell in cells if (place := read_place(cell))}
    return countries.pop() if len(countries) == 1 else None


def _ignored(sheet: Sheet, taken: Sheet) -> Notice:
    params = {"sheet": shortened(text_of(sheet.name)), "taken": shortened(text_of(taken.name))}
    return Notice("sheet_ignored", Reason("sheet_ignored", params))
