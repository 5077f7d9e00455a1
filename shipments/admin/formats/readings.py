"""How a draft reads its sample: each guide beside its cells, and beside the reading without a format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
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
from shipments.admin.field_labels import field_label
from shipments.admin.understanding import field_name, left_out_reason
from shipments.errors import (
    DestinationUnresolved,
    GuidesLeftUnread,
    ManifestTooLarge,
    MawbNotFoundInFile,
    NoParserForFormat,
    NoRowsParsed,
    ParserBusy,
    WorkbookFormatChanged,
    WorkbookUnreadable,
)
from shipments.intake.trial import try_workbook
from shipments.manifests.cells import Cell, Workbook, text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.manifest import FlightFields, GuideRow, Notice, ParsedManifest, RowWarning
from shipments.manifests.mapped.recognise import Match, recognise
from shipments.manifests.mapped.spec import PARTS, FormatInUse, FormatSpec
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from shipments.manifests.xlsx import opening, parse_slots
from shipments.wording.rendering import in_operators_words

_SLOT_SECONDS = 10

SHOWN_ROWS = 200
"""The most rows shown on the page. The CSV has all of them."""

_FILTERS: Mapping[str, str | Promise] = {
    "problems": _("With problems"),
    "unlike": _("Unlike the automatic reading"),
    "all": pgettext_lazy("rows", "All"),
}

_REFUSALS: Mapping[type[DomainError], str | Promise] = {
    WorkbookUnreadable: _(
        "The file cannot be read as a workbook. Open it in Excel or LibreOffice, save it as .xlsx, and upload it again."
    ),
    ParserBusy: _("Too many workbooks are being read at once; try again in a moment."),
    MawbNotFoundInFile: _("No MAWB was found. Choose where it is under “Where things are”."),
    NoRowsParsed: _("No row under the headings could be read as a guide. Check which column is the HAWB."),
    GuidesLeftUnread: _("Guides were found outside the headings that the format reads, such as on another sheet."),
    ManifestTooLarge: _("The sample has more rows or columns than a manifest may have."),
    DestinationUnresolved: _("The destination is not clear. Choose it under “Where things are”."),
    NoParserForFormat: _("The sample names a destination in another country, so this format would not read it."),
    WorkbookFormatChanged: _("A heading is repeated, or another column changes the meaning of one that is read."),
}


class Original(NamedTuple):
    """A column of the sheet that is read. serves: a field of a guide, or a key of extra data after `+`."""

    place: int
    heading: str
    serves: str

    @property
    def letter(self) -> str:
        return get_column_letter(self.place + 1)


class ReadValue(NamedTuple):
    """A value as it is read. is_respelled: written otherwise than in the sheet. automatic: what the reading without a
    format gives, where it differs; None where it does not.
    """

    text: str
    is_respelled: bool = False
    automatic: str | None = None


class ReadTotals(NamedTuple):
    """What an operator compares with the waybill."""

    guides: int
    weight_kg: Decimal
    fob_usd: Decimal


@dataclass(frozen=True)
class SampleReading:
    """How a format reads a workbook.

    parsed: the manifest; None if it is refused, with the reason in `refusal`. originals: the columns that are read.
    fields: what is shown of each guide, extra data by its key after `+`. cells: row -> its cells on each sheet that is
    read. automatic: HAWB -> the guide as it is read without a format; None if the workbook cannot be read so.
    """

    parsed: ParsedManifest | None = None
    refusal: DomainError | None = None
    originals: Sequence[Original] = ()
    fields: Sequence[str] = ()
    cells: Mapping[int, Sequence[Sequence[Cell]]] = field(default_factory=dict)
    automatic: Mapping[str, GuideRow] | None = None

    @property
    def totals(self) -> ReadTotals:
        guides = self.parsed.guides if self.parsed else ()
        return ReadTotals(
            len(guides),
            sum((guide.weight_kg or Decimal() for guide in guides), Decimal()),
            sum((guide.fob_usd or Decimal() for guide in guides), Decimal()),
        )

    @cached_property
    def rows(self) -> Sequence["ReadRow"]:
        return [ReadRow(guide, self) for guide in self.parsed.guides] if self.parsed else []

    @cached_property
    def pairs(self) -> Sequence[tuple[int | None, int | None]]:
        """Positions of the columns with those of the fields they serve, each once; fields without a column last."""
        left = {name: to for to, name in enumerate(self.fields)}
        pairs = [(at, left.pop(each.serves, None)) for at, each in enumerate(self.originals)]
        return [*pairs, *((None, to) for to in left.values())]

    @cached_property
    def problems(self) -> Mapping[int, Sequence[str]]:
        """Row -> its problems in words."""
        found: dict[int, list[str]] = {}
        for row, text in self._remarks():
            if row is not None:
                found.setdefault(row, []).append(text)
        return found

    @property
    def remarks(self) -> Sequence[str]:
        """What was noticed on the whole manifest, in words."""
        return [text for row, text in self._remarks() if row is None]

    def _remarks(self) -> Iterator[tuple[int | None, str]]:
        found: Sequence[RowWarning | Notice] = (*self.parsed.warnings, *self.parsed.notices) if self.parsed else ()
        for each in found:
            yield each.row_index, in_operators_words(each.reason.sentence, each.reason.params, field_name)


class ReadRow:
    """A guide beside its cells, and the problems of its row in words.

    is_own: whether the reading without a format, where there is one, does not find the guide. Cells and values are
    prepared once they are shown: a sample has thousands.
    """

    def __init__(self, guide: GuideRow, reading: SampleReading) -> None:
        self.row_index = guide.row_index
        self.problems = reading.problems.get(guide.row_index, ())
        self._guide, self._reading = guide, reading
        self._other = (reading.automatic or {}).get(guide.hawb)
        self.is_own = reading.automatic is not None and self._other is None

    @cached_property
    def is_unlike(self) -> bool:
        """Whether the reading without a format does not find the guide, or reads something else."""
        if self._other is None:
            return self.is_own
        names = (name for name in self._reading.fields if not name.startswith("+"))
        both = ((getattr(self._guide, name), getattr(self._other, name)) for name in names)
        return any(value != other and _shown(value) != _shown(other) for value, other in both)

    @cached_property
    def _cells(self) -> Sequence[Cell]:
        """The cells that are read, in the order of the columns."""
        candidates = self._reading.cells.get(self._guide.row_index, [()])
        row = candidates[0]
        if len(candidates) > 1:  # rows of several sheets have this number
            row = next((each for each in candidates if self._guide.hawb in map(text_of, each)), row)
        return [row[each.place] if each.place < len(row) else None for each in self._reading.originals]

    @cached_property
    def cells(self) -> Sequence[str]:
        """The cells as text."""
        return [text_of(cell) for cell in self._cells]

    @cached_property
    def values(self) -> Sequence[ReadValue]:
        """What is read of them, in the order of the fields."""
        return [self._value(name) for name in self._reading.fields]

    def _value(self, name: str) -> ReadValue:
        cells = [cell for each, cell in zip(self._reading.originals, self._cells, strict=True) if each.serves == name]
        if name.startswith("+"):
            text = str(self._guide.extra_data.get(name[1:], ""))
            return ReadValue(text, is_respelled=bool(text) and text != text_of(cells[0]))
        value = getattr(self._guide, name)
        shown = _shown(value)
        automatic = _shown(getattr(self._other, name)) if self._other is not None else shown
        is_respelled = bool(cells) and not _is_same(value, shown, cells)
        return ReadValue(shown, is_respelled, automatic if automatic != shown else None)

    @property
    def pairs(self) -> Sequence[tuple[str, ReadValue | None]]:
        """Each cell with the value that it serves, or None if an earlier one has it; then values without a cell."""
        return [
            (self.cells[at] if at is not None else "", self.values[to] if to is not None else None)
            for at, to in self._reading.pairs
        ]


def parse_sample(company: Company, spec: FormatSpec, path: Path) -> SampleReading:
    """Read a workbook by a format that is not saved yet, as an upload would. Stores nothing.

    Raises `ParserBusy`.
    """
    trial = try_workbook(company, path, FlightFields(), known=[FormatInUse(0, spec.name, 0, spec)], is_new=False)
    if trial.refusal or trial.read is None:
        return SampleReading(refusal=trial.refusal)
    if trial.read.form is None:  # its destination is in another country, so the format did not read it
        return SampleReading(refusal=NoParserForFormat())
    return SampleReading(trial.read.parsed)


def read_sample(company: Company, spec: FormatSpec, path: Path) -> SampleReading:
    """As `parse_sample`, with each guide beside its cells."""
    reading = parse_sample(company, spec, path)
    if reading.parsed is None:
        return reading
    with parse_slots.parse_slot(_SLOT_SECONDS), opening.reading(path) as book:
        matches = next(iter(recognise(book, [FormatInUse(0, spec.name, 0, spec)]).full), ())
        cells = _cells(book, matches)
        automatic = _automatic(book, spec.country)
    originals = _originals(matches[0]) if matches else []
    fields = _fields(originals, spec.country)
    return SampleReading(reading.parsed, None, originals, fields, cells, automatic)


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


def _originals(match: Match) -> list[Original]:
    columns = ((place, match.spec.columns[index]) for index, place in match.places.items())
    return sorted(
        Original(place, column.name(), f"+{column.key}" if column.key else PARTS.get(column.field, column.field))
        for place, column in columns
        if column.field
    )


def _fields(originals: Sequence[Original], country: str) -> list[str]:
    """What the columns serve, and what follows from it."""
    served = [each.serves for each in originals]
    derived = ["consignee_document_type", *(["category"] if rules_for(country).category else [])]
    names = [name for name in GuideRow.__dataclass_fields__ if name in {*served, *derived}]
    return [*names, *(name for name in served if name.startswith("+"))]


def _is_same(value: object, shown: str, cells: Sequence[Cell]) -> bool:
    """Whether a value is written as in the sheet. shown: the value as text."""
    if len(cells) == 1 and isinstance(value, Decimal | int) and isinstance(cell := cells[0], int | float):
        return Decimal(str(cell)) == value
    return " ".join(filter(None, map(text_of, cells))) == shown


def _shown(value: object) -> str:
    if isinstance(value, Decimal):
        return number_format(value)  # an operator who writes a comma would read 8.350 as thousands
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    return "" if value is None else str(value)


# --- as the page shows it ---------------------------------------------------------------------------------------------


def _label(name: str) -> str:
    return name[1:] if name.startswith("+") else field_label(name)


def reading_context(request: HttpRequest, read: SampleReading) -> dict[str, Any]:
    """What the rows of a reading show: those of the filter that was asked for, and how many each filter has."""
    found = {
        "problems": [row for row in read.rows if row.problems],
        "unlike": [row for row in read.rows if row.is_unlike],
        "all": read.rows,
    }
    wanted = request.GET.get("show", "")
    shown = wanted if wanted in found else "problems" if found["problems"] else "all"
    rows = found[shown]
    account = read.parsed.rows if read.parsed else None
    return {
        "read": read,
        "refusal": refusal_in_words(read.refusal) if read.refusal else "",
        "refusal_detail": read.refusal.message if read.refusal else "",
        "rows": rows[:SHOWN_ROWS],
        "total": len(rows),
        "headings": [
            (
                f"{read.originals[at].letter} · {read.originals[at].heading}" if at is not None else "",
                _label(read.fields[to]) if to is not None else "",
            )
            for at, to in read.pairs
        ],
        "filters": [
            (name, label, len(found[name]), name == shown)
            for name, label in _FILTERS.items()
            if name != "unlike" or read.automatic is not None
        ],
        "remarks": read.remarks,
        "left_out": [(each, left_out_reason(each.reason)) for each in account.named] if account else [],
    }


def csv_of(read: SampleReading) -> tuple[list[str], Iterator[list[Any]]]:
    """The headings and the lines of a reading as CSV."""
    headings = [
        gettext("Row"),
        *(f"{each.letter}: {each.heading}" for each in read.originals),
        *(_label(name) for name in read.fields),
        gettext("Problems"),
    ]
    lines = (
        [row.row_index, *row.cells, *(value.text for value in row.values), " ".join(row.problems)] for row in read.rows
    )
    return headings, lines


def refusal_in_words(refused: DomainError) -> str:
    """Why a workbook cannot be read, in the operator's language."""
    sentence = next((text for kind, text in _REFUSALS.items() if isinstance(refused, kind)), None)
    return str(sentence) if sentence else str(refused.message)
