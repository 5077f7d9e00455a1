"""How a draft reads its sample: each guide beside its cells, and beside the reading without a format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from openpyxl.utils import get_column_letter

from companies.errors import DomainError
from companies.models import Company
from shipments.admin.columns import with_offset
from shipments.admin.field_labels import field_label
from shipments.admin.understanding import field_name, left_out_reason
from shipments.errors import NoParserForFormat
from shipments.intake.trial import try_workbook
from shipments.manifests.cells import Cell, Workbook, text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.manifest import FlightFields, GuideRow, Notice, ParsedManifest, RowWarning
from shipments.manifests.mapped.recognise import Match, recognise
from shipments.manifests.mapped.spec import PARTS, FormatInUse, FormatSpec
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from shipments.manifests.xlsx import opening, parse_slots
from shipments.wording.refusals import REFUSALS, key_of
from shipments.wording.rendering import in_operators_words

_SLOT_SECONDS = 10

SHOWN_ROWS = 200
"""The most rows shown on the page. The CSV has all of them."""

_FILTERS: Mapping[str, str | Promise] = {
    "problems": _("With problems"),
    "unlike": _("Unlike the automatic reading"),
    "all": pgettext_lazy("rows", "All"),
}

_ON_THESE_PAGES: Mapping[str, str | Promise] = {
    "mawb_not_found_in_file": _("Choose where it is under “Where things are”."),
    "destination_unresolved": _("Choose it under “Where things are”."),
    "no_rows_parsed": _("Check which column is the HAWB."),
    "no_parser_for_format": _("The sample names a destination in another country than the format's."),
    "workbook_format_changed": _("A heading is repeated, or another column changes the meaning of one that is read."),
}
"""What to do about a refusal on the pages of a draft, where it is not what the others do."""


class ReadColumn(NamedTuple):
    """A column of the sheet that is read, with the field of a guide that it serves, if none before it does; after them
    fields without a column. place: in the sheet, None for the latter. name: extra data has its key after `+`. sources:
    the places of all columns that serve the field.
    """

    place: int | None
    heading: str
    name: str
    sources: Sequence[int] = ()


class ReadValue(NamedTuple):
    """A value as it is read. is_respelled: written otherwise than in the sheet. automatic: what the reading without a
    format gives, where it differs; None where it does not.
    """

    text: str
    is_respelled: bool = False
    automatic: str | None = None


class ReadRow(NamedTuple):
    """A guide beside its cells. pairs: for each column its cell, None without one, and the value, None without a field.
    is_own: whether the reading without a format, where there is one, does not find the guide.
    """

    row_index: int
    pairs: Sequence[tuple[str | None, ReadValue | None]]
    problems: Sequence[str]
    is_own: bool


@dataclass(frozen=True)
class SampleReading:
    """How a format reads a workbook.

    parsed: the manifest; None if it is refused, with the reason in `refusal`. cells: row -> its cells on each sheet
    that is read. automatic: HAWB -> the guide as it is read without a format; None if the workbook cannot be read so.
    """

    parsed: ParsedManifest | None = None
    refusal: DomainError | None = None
    columns: Sequence[ReadColumn] = ()
    cells: Mapping[int, Sequence[Sequence[Cell]]] = field(default_factory=dict)
    automatic: Mapping[str, GuideRow] | None = None

    @property
    def guides(self) -> Sequence[GuideRow]:
        return self.parsed.guides if self.parsed else ()

    @property
    def totals(self) -> tuple[int, Decimal, Decimal]:
        """What an operator compares with the waybill: guides, kilograms, dollars."""
        weight = sum((guide.weight_kg or Decimal() for guide in self.guides), Decimal())
        return len(self.guides), weight, sum((guide.fob_usd or Decimal() for guide in self.guides), Decimal())

    @property
    def headings(self) -> Sequence[tuple[str, str]]:
        """Those of the columns: in the sheet, with the letter, and the field's."""
        return [(each.heading, field_label(each.name) if each.name else "") for each in self.columns]

    @cached_property
    def problems(self) -> Mapping[int | None, Sequence[str]]:
        """Row -> its problems in words; None -> what was noticed on the whole manifest."""
        found: dict[int | None, list[str]] = {}
        noticed: Sequence[RowWarning | Notice] = (*self.parsed.warnings, *self.parsed.notices) if self.parsed else ()
        for each in noticed:
            text = in_operators_words(each.reason.sentence, each.reason.params, field_name, is_created=False)
            found.setdefault(each.row_index, []).append(text)
        return found

    def is_unlike(self, guide: GuideRow) -> bool:
        """Whether the reading without a format does not find the guide, or reads something else."""
        if self.automatic is None:
            return False
        other = self.automatic.get(guide.hawb)
        names = (each.name for each in self.columns if each.name and not each.name.startswith("+"))
        return other is None or any(
            getattr(guide, name) != getattr(other, name) and _shown(guide, name) != _shown(other, name)
            for name in names
        )

    def row(self, guide: GuideRow) -> ReadRow:
        """The guide as the page and the CSV show it."""
        rows = self.cells.get(guide.row_index, [()])
        own = next((each for each in rows if guide.hawb in map(text_of, each)), rows[0])  # several sheets have the row
        other = (self.automatic or {}).get(guide.hawb)

        def cell(place: int) -> Cell:
            return own[place] if place < len(own) else None

        pairs = [
            (
                None if each.place is None else text_of(cell(each.place)),
                _value(guide, other, each.name, [*map(cell, each.sources)]) if each.name else None,
            )
            for each in self.columns
        ]
        is_own = self.automatic is not None and other is None
        return ReadRow(guide.row_index, pairs, self.problems.get(guide.row_index, ()), is_own)


def read_sample(company: Company, spec: FormatSpec, path: Path) -> SampleReading:
    """Read a workbook by a format that is not saved yet, as an upload would. Stores nothing. Raises `ParserBusy`."""
    known = [FormatInUse(0, spec.name, 0, spec)]
    trial = try_workbook(company, path, FlightFields(), known=known, is_new=False)
    if trial.refusal or trial.read is None:
        return SampleReading(refusal=trial.refusal)
    if trial.read.form is None:  # its destination is in another country, so the format did not read it
        return SampleReading(refusal=NoParserForFormat())
    with parse_slots.parse_slot(_SLOT_SECONDS), opening.reading(path) as book:
        matches = next(iter(recognise(book, known).full), ())
        cells = _cells(book, matches)
        automatic = _automatic(book, spec.country)
    columns = _columns(matches[0]) if matches else []
    return SampleReading(trial.read.parsed, None, columns, cells, automatic)


def _cells(book: Workbook, matches: Sequence[Match]) -> Mapping[int, Sequence[Sequence[Cell]]]:
    read = {match.sheet for match in matches if match.is_read}
    found: dict[int, list[Sequence[Cell]]] = {}
    for sheet in book.sheets:
        if sheet.name in read:
            for number, cells in sheet.rows:
                found.setdefault(number, []).append(cells)
    return found


def _automatic(book: Workbook, country: str) -> Mapping[str, GuideRow] | None:
    try:
        parsed = read_survey(country, survey(book), FlightFields())
    except DomainError:
        return None
    return {guide.hawb: guide for guide in parsed.guides} or None


def _columns(match: Match) -> list[ReadColumn]:
    found, serving = [], dict[str, list[int]]()
    for index, place in sorted(match.places.items(), key=itemgetter(1)):
        column = match.spec.columns[index]
        if column.field:
            name = f"+{column.key}" if column.key else PARTS.get(column.field, column.field)
            sources = serving.setdefault(name, [])
            is_first = not sources and (column.key or name in GuideRow.__dataclass_fields__)
            sources.append(place)
            heading = f"{get_column_letter(place + 1)} · {column.name()}"
            found.append(ReadColumn(place, heading, name if is_first else "", sources))
    derived = ["consignee_document_type", *(["category"] if rules_for(match.spec.country).category else [])]
    return [*found, *(ReadColumn(None, "", name) for name in derived if name not in serving)]


def _value(guide: GuideRow, other: GuideRow | None, name: str, cells: Sequence[Cell]) -> ReadValue:
    """A value of a guide. other: the guide as it is read without a format. cells: those that it is read from."""
    shown = _shown(guide, name)
    if name.startswith("+"):
        return ReadValue(shown, is_respelled=bool(shown) and shown != text_of(cells[0]))
    automatic = _shown(other, name) if other is not None else shown
    is_respelled = bool(cells) and not _is_same(getattr(guide, name), shown, cells)
    return ReadValue(shown, is_respelled, automatic if automatic != shown else None)


def _is_same(value: object, shown: str, cells: Sequence[Cell]) -> bool:
    """Whether a value is written as in the sheet. shown: the value as text."""
    if len(cells) == 1 and isinstance(value, Decimal | int) and isinstance(cell := cells[0], int | float):
        return Decimal(str(cell)) == value
    return " ".join(filter(None, map(text_of, cells))) == shown


def _shown(guide: GuideRow, name: str) -> str:
    value = guide.extra_data.get(name[1:]) if name.startswith("+") else getattr(guide, name)
    if isinstance(value, Decimal):
        return number_format(value)  # an operator who writes a comma would read 8.350 as thousands
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    return "" if value is None else str(value)


def reading_context(request: HttpRequest, read: SampleReading) -> dict[str, Any]:
    """What the rows of a reading show: those of the filter that was asked for, and how many each filter has."""
    found = {
        "problems": [guide for guide in read.guides if guide.row_index in read.problems],
        "unlike": [guide for guide in read.guides if read.is_unlike(guide)],
        "all": read.guides,
    }
    wanted = request.GET.get("show", "")
    shown = wanted if wanted in found else "problems" if found["problems"] else "all"
    account = read.parsed.rows if read.parsed else None
    arrival = read.parsed.flight.scheduled_arrival if read.parsed else None
    return {
        "read": read,
        "arrival": with_offset(arrival) if arrival else "",
        "refusal": refusal_in_words(read.refusal) if read.refusal else "",
        "refusal_detail": read.refusal.message if read.refusal else "",
        "rows": [read.row(guide) for guide in found[shown][:SHOWN_ROWS]],
        "total": len(found[shown]),
        "filters": [
            (name, label, len(found[name]), name == shown)
            for name, label in _FILTERS.items()
            if name != "unlike" or read.automatic is not None
        ],
        "remarks": read.problems.get(None, ()),
        "left_out": [(each, left_out_reason(each.reason)) for each in account.named] if account else [],
    }


def csv_of(read: SampleReading) -> tuple[list[str], Iterator[list[Any]]]:
    """The headings and the lines of a reading as CSV: each column of the sheet, and beside it what is read of it."""
    headings = [text for pair in read.headings for text in pair if text]
    lines = (
        [row.row_index, *(text for pair in row.pairs for text in _texts(*pair)), " ".join(row.problems)]
        for row in map(read.row, read.guides)
    )
    return [gettext("Row"), *headings, gettext("Problems")], lines


def _texts(cell: str | None, value: ReadValue | None) -> list[str]:
    return [*([] if cell is None else [cell]), *([value.text] if value else [])]


def refusal_in_words(refused: DomainError) -> str:
    """Why a workbook or a format is refused, and what to do, in the operator's language."""
    key = key_of(refused)
    if key not in REFUSALS:
        return str(refused.message)
    return f"{REFUSALS[key].what} {_ON_THESE_PAGES.get(key, REFUSALS[key].operator)}"
