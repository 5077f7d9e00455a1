"""Find the guides, the MAWB and the flight in a workbook of unknown layout.

`survey` reads every visible sheet once and keeps only its first rows. It raises nothing for the contents of a sheet:
the caller decides what to do without a MAWB or a table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from types import MappingProxyType

from shipments.manifests.cells import Cell, Row, Sheet, Workbook, text_of
from shipments.manifests.destinations import is_town_abroad
from shipments.manifests.findings import shortened
from shipments.manifests.places import read_destination
from shipments.manifests.sheets.encodings import Repairs, repaired
from shipments.manifests.sheets.headers import (
    SEARCHED_ROWS,
    HeaderBlock,
    find_header,
    hint_in,
    nearest_headings,
    with_remarks,
)
from shipments.manifests.sheets.measures import stated_in
from shipments.manifests.sheets.sections import MOST_SPARSE_ROWS, Given, Section, is_sparse, sections_of
from shipments.manifests.sheets.sheet_choice import Candidate, Choice, choose
from shipments.manifests.sheets.surveys import Destination, FoundMawbs, GuideTable, NearHeadings, SheetTables, Survey
from shipments.manifests.waybills import labelled_mawbs, unlabelled_mawbs
from shipments.manifests.words.labels import FLIGHT_FIELDS, LabelledValues, find_labelled, reads
from shipments.manifests.words.lexicon import words_of


@dataclass(slots=True)
class _SheetSurvey:
    """One sheet after it has been read."""

    sheet: Sheet
    header: HeaderBlock | None = None
    sections: list[Section] = field(default_factory=list)
    near: HeaderBlock | None = None
    hint: str = ""

    def has_guides(self) -> bool:
        """Whether any row on it may be a guide."""
        return any(section.guides for section in self.sections)

    def has_no_house(self) -> bool:
        """Whether rows are below its headings and no column was found for the HAWB."""
        return any(section.is_others and section.sample for section in self.sections)

    def candidate(self) -> Candidate:
        """This sheet, which has guides, as a candidate for reading."""
        read = [section for section in self.sections if section.guides]
        return Candidate(
            SheetTables(self.sheet, tuple(section.table() for section in self.sections)),
            hawbs=frozenset().union(*(section.hawbs for section in read)),
            names_consignees=any(section.names_consignees() for section in read),
        )


def survey(workbook: Workbook, given: Mapping[str, Given] = MappingProxyType({})) -> Survey:
    """Read a workbook's visible sheets and report what each contains; see `Survey`.

    given: name of a sheet -> its headings and columns, where a client's own format gives them.
    """
    labelled = LabelledValues()
    repairs = Repairs()
    sheets = [_survey_sheet(repaired(sheet, repairs), labelled, given.get(sheet.name)) for sheet in workbook.sheets]
    filled_sheets = [found for found in sheets if found.has_guides()]
    choice = choose([found.candidate() for found in filled_sheets])
    for found in filled_sheets or sheets:
        _add_mawb_columns(found, labelled)
    read = {id(tables.sheet) for tables in choice.sheets}
    for found in [found for found in sheets if id(found.sheet) in read] or sheets[:1]:
        _add_flight_columns(found, labelled)
    if not (labelled.master or labelled.hinted or labelled.loose):
        _add_sheet_names(workbook, labelled)
    return _summed_up(sheets, choice, labelled, repairs)


def _summed_up(sheets: Sequence[_SheetSurvey], choice: Choice, labelled: LabelledValues, repairs: Repairs) -> Survey:
    flight = {name: tuple(cells) for name, cells in labelled.flight.items()}
    return Survey(
        sheets=choice.sheets,
        unread_guides=choice.refusal or next(filter(None, map(_unread_section, choice.sheets)), ""),
        mawbs=FoundMawbs(
            _different(labelled.master),
            _different(labelled.hinted),
            _different(labelled.loose),
            tuple(text_of(cell) for cell in labelled.unread.get("mawb", ())),
            tuple(labelled.bare),
        ),
        flight=flight,
        unread={name: tuple(cells) for name, cells in labelled.unread.items() if name not in flight},
        destination=_destination(flight.get("destination", ()), labelled.unread.get("destination", ())),
        notices=(*choice.notices, *repairs.notices()),
        has_headings=any(found.header for found in sheets),
        unknown_headings=_unknown_headings(found.header for found in sheets if found.header),
        times=labelled.times,
        near=next(filter(None, map(_near, sheets)), None),
    )


def _unknown_headings(headers: Iterable[HeaderBlock]) -> tuple[str, ...]:
    headings = (heading for header in headers for _column, heading in sorted(header.headings.items()))
    return tuple(dict.fromkeys(each.text for each in headings if not each.meanings and words_of(each.text)))


def _survey_sheet(sheet: Sheet, labelled: LabelledValues, given: Given | None) -> _SheetSurvey:
    """Read a sheet once: the labels around and between its guides, and the contents of its columns."""
    rows = iter(sheet.rows)
    head = list(islice(rows, SEARCHED_ROWS))
    header = with_remarks(given.header, head) if given else find_header(head, sheet.merged)
    if header is None:
        find_labelled([*head, *islice(filter(is_sparse, rows), MOST_SPARSE_ROWS)], labelled)
        return _SheetSurvey(sheet, near=nearest_headings(head, sheet.merged), hint=hint_in(head))
    find_labelled((row for row in head if row[0] < header.first_row), labelled)
    _add_mawb_beside(head, header, labelled)
    below = (row for row in chain(head, rows) if row[0] > header.last_row)
    sections = sections_of(sheet, header, below, labelled.master or labelled.hinted, given)
    above = (row for row in head if row[0] < header.first_row)
    stated = stated_in(chain(above, *(section.others for section in sections)), text_of(sheet.name))
    for section in sections:
        section.settle_measures(stated)
        find_labelled(section.others, labelled)
        _add_loose(section, labelled)
    return _SheetSurvey(sheet, header, sections)


def _add_loose(section: Section, labelled: LabelledValues) -> None:
    """MAWBs in unused columns that have the same value on every row."""
    for column in section.columns.loose if section.columns else ():
        texts = {text_of(cells[column]) for cells in section.sample} - {""}
        if len(texts) == 1:
            labelled.loose.extend(unlabelled_mawbs(texts.pop()))


def _add_mawb_beside(head: Iterable[Row], header: HeaderBlock, labelled: LabelledValues) -> None:
    """A MAWB in a box to the right of the headings. Rows below the headings do not count, because they hold guides."""
    for row in head:
        if header.first_row <= row[0] <= header.last_row:
            beside = LabelledValues()
            find_labelled([row], beside)
            labelled.master.extend(beside.master)
            labelled.hinted.extend(beside.hinted)


def _add_mawb_columns(found: _SheetSurvey, labelled: LabelledValues) -> None:
    for section in found.sections:
        for column in section.columns.mawb if section.columns else ():
            meanings = section.header.headings[column].meanings
            is_master = any(meaning.field == "mawb" and meaning.rank == 0 for meaning in meanings)
            for value in section.distinct.get(column, {}):
                mawbs = labelled_mawbs(text_of(value))
                (labelled.master if is_master else labelled.hinted).extend(mawbs)
                if not mawbs:
                    labelled.unread.setdefault("mawb", []).append(value)


def _add_flight_columns(found: _SheetSurvey, labelled: LabelledValues) -> None:
    for section in found.sections:
        for name in FLIGHT_FIELDS:
            column = section.columns.single.get(name) if section.columns else None
            values = section.distinct.get(column, {}) if column is not None else {}
            for value in values:
                if reads(name, value):
                    labelled.flight.setdefault(name, []).append(value)
                elif name != "destination" or _is_destination(value, is_only=len(values) == 1 and section.guides > 1):
                    labelled.unread.setdefault(name, []).append(value)


def _is_destination(value: Cell, *, is_only: bool) -> bool:
    """Whether a text that cannot be read as a place is still the manifest's destination, and not part of an address.

    is_only: whether every guide has the same text.
    """
    return isinstance(value, str) and (is_only or is_town_abroad(text_of(value)))


def _add_sheet_names(workbook: Workbook, labelled: LabelledValues) -> None:
    """A MAWB that appears only in a sheet's name."""
    for sheet in workbook.sheets:
        find_labelled([(1, [sheet.name])], labelled)


def _different(mawbs: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mawbs))


def _destination(read: Sequence[Cell], unread: Sequence[Cell]) -> Destination:
    places = [(place.country, text_of(cell)) for cell in read if (place := read_destination(cell))]
    return Destination(
        countries=_different(country for country, _ in places),
        quoted=_different(text for _, text in places),
        unread=_different(text_of(cell) for cell in unread if isinstance(cell, str)),
    )


def _unread_section(tables: SheetTables) -> str:
    """Why rows of a sheet would be left unread; empty when none would."""
    for table in tables.tables:
        if not isinstance(table, GuideTable) and table.guide_row is not None:
            if tables.is_mapped():
                return (
                    f"Row {table.header.first_row} of the sheet {text_of(tables.sheet.name)[:40]!r} has other headings "
                    f"than the format agreed on, and row {table.guide_row} looks like a guide under them. Put all "
                    "guides under the same headings."
                )
            return (
                f"Row {table.header.first_row} of the sheet {text_of(tables.sheet.name)[:40]!r} has other headings, "
                f"under which no guide can be read: they have no HAWB. Row {table.guide_row} looks like one. Give "
                "that table a HAWB column, or delete it."
            )
    return ""


def _near(found: _SheetSurvey) -> NearHeadings | None:
    """The headings that come nearest, on a sheet without guides."""
    near = found.near or (found.header if found.has_no_house() else None)
    if near is None or found.has_guides():
        return NearHeadings("", 0, (), hint=found.hint) if found.hint else None
    lacks = near.lacks() if found.header is None else ("HAWB",)
    headings = tuple(shortened(text_of(heading.text)) for _, heading in sorted(near.headings.items()))
    return NearHeadings(
        text_of(found.sheet.name)[:40], near.first_row, lacks, tuple(filter(None, headings)), found.hint
    )
