"""How a draft reads its sample: each guide beside its cells, and beside the reading without a format."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from operator import attrgetter
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
from shipments.manifests.mapped.spec import FormatInUse, FormatSpec
from shipments.manifests.sheets.manifest_reader import reader_for
from shipments.manifests.sheets.survey import survey
from shipments.manifests.xlsx import opening, parse_slots
from shipments.wording.rendering import in_operators_words

_SERVES: Mapping[str, str] = {
    "given_name": "consignee_name",
    "middle_name": "consignee_name",
    "surname": "consignee_name",
    "second_surname": "consignee_name",
    "check_digit": "consignee_document",
    "address_number": "consignee_address",
    "address_more": "consignee_address",
    "weight_unit": "weight_kg",
    "currency": "fob_usd",
}
"""Parts of a guide's field -> the field."""

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
    """A column of the sheet that is read. field: of the guide; key: of extra data."""

    place: int
    heading: str
    field: str
    key: str

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


class ReadRow:
    """A guide: its cells, its values, and the problems of its row in words.

    is_own: whether the reading without a format, where there is one, does not find the guide. is_unlike: whether it
    does not, or reads something else. Cells and values are prepared once they are shown: a sample has thousands.
    """

    def __init__(self, guide: GuideRow, other: GuideRow | None, comparison: "_Comparison") -> None:
        self.row_index, self.hawb = guide.row_index, guide.hawb
        self.problems = comparison.problems.get(guide.row_index, ())
        self.is_own = comparison.automatic is not None and other is None
        self.is_unlike = self.is_own or (other is not None and comparison.is_unlike(guide, other))
        self._guide, self._other, self._comparison = guide, other, comparison

    @cached_property
    def _own_cells(self) -> Sequence[Cell]:
        return self._comparison.cells_of(self._guide)

    @cached_property
    def cells(self) -> Sequence[str]:
        """The cells as text."""
        return [text_of(cell) for cell in self._own_cells]

    @cached_property
    def values(self) -> Sequence[ReadValue]:
        """What is read of them."""
        cells = list(zip(self._own_cells, self.cells, strict=True))
        return self._comparison.values_of(self._guide, self._other, cells)

    @property
    def pairs(self) -> Sequence[tuple[str, ReadValue | None]]:
        """Each cell with the value that it serves, or None if an earlier one has it; then values without a cell."""
        return [
            (self.cells[at] if at is not None else "", self.values[to] if to is not None else None)
            for at, to in self._comparison.pairs
        ]


class ReadTotals(NamedTuple):
    """What an operator compares with the waybill."""

    guides: int
    weight_kg: Decimal
    fob_usd: Decimal


@dataclass(frozen=True, slots=True)
class SampleReading:
    """parsed: the manifest; None if it is refused, with the reason in `refusal`. originals: the columns that are read.
    fields: what is shown of each guide. has_automatic: whether the sample can be read without a format.
    """

    parsed: ParsedManifest | None = None
    refusal: DomainError | None = None
    originals: Sequence[Original] = ()
    fields: Sequence[str] = ()
    rows: Sequence[ReadRow] = ()
    has_automatic: bool = False

    @property
    def totals(self) -> ReadTotals:
        guides = self.parsed.guides if self.parsed else ()
        return ReadTotals(
            len(guides),
            sum((guide.weight_kg or Decimal() for guide in guides), Decimal()),
            sum((guide.fob_usd or Decimal() for guide in guides), Decimal()),
        )


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
    parsed = reading.parsed
    if parsed is None:
        return reading
    with parse_slots.parse_slot(_SLOT_SECONDS), opening.reading(path) as book:
        matches = next(iter(recognise(book, [FormatInUse(0, spec.name, 0, spec)]).full), ())
        cells = _cells(book, matches)
        automatic = _automatic(book, spec.country)
    originals = _originals(matches[0]) if matches else []
    fields = _fields(originals, spec.country)
    comparison = _Comparison(originals, fields, _problems(parsed), cells, automatic)
    rows = [comparison.row(guide) for guide in parsed.guides]
    return SampleReading(parsed, None, originals, fields, rows, automatic is not None)


def _cells(book: Workbook, matches: Sequence[Match]) -> Mapping[int, Sequence[Sequence[Cell]]]:
    """Row -> its cells on each sheet that is read."""
    read = {match.sheet for match in matches if match.is_read}
    found: dict[int, list[Sequence[Cell]]] = {}
    for sheet in book.sheets:
        if sheet.name in read:
            for number, cells in sheet.rows:
                found.setdefault(number, []).append(cells)
    return found


def _automatic(book: Workbook, country: str) -> Mapping[str, GuideRow] | None:
    """HAWB -> the guide as it is read without a format; None if the workbook cannot be read so."""
    try:
        parsed = reader_for(country).read(survey(book), FlightFields())
    except DomainError:
        return None
    return {guide.hawb: guide for guide in parsed.guides} or None


def _originals(match: Match) -> list[Original]:
    columns = ((place, match.spec.columns[index]) for index, place in match.places.items())
    return sorted(Original(place, column.name(), column.field, column.key) for place, column in columns if column.field)


def _fields(originals: Sequence[Original], country: str) -> list[str]:
    """What is shown of a guide: what the columns serve, and what follows from it. Extra data by its key, after `+`."""
    served = {_SERVES.get(each.field, each.field) for each in originals}
    derived = {"consignee_document_type"} | ({"category"} if rules_for(country).category else set())
    ordered = [name for name in GuideRow.__dataclass_fields__ if name in served | derived and name != "extra_data"]
    return [*ordered, *(f"+{each.key}" for each in originals if each.field == "extra_data")]


def _problems(parsed: ParsedManifest) -> Mapping[int, Sequence[str]]:
    found: dict[int, list[str]] = {}
    remarks: Iterable[RowWarning | Notice] = (*parsed.warnings, *parsed.notices)
    for remark in (each for each in remarks if each.row_index is not None):
        text = in_operators_words(remark.reason.sentence, remark.reason.params, field_name)
        found.setdefault(remark.row_index or 0, []).append(text)
    return found


class _Comparison:
    """Lays guides beside their cells. What is the same for all rows is prepared once: a sample has thousands."""

    def __init__(
        self,
        originals: Sequence[Original],
        fields: Sequence[str],
        problems: Mapping[int, Sequence[str]],
        cells: Mapping[int, Sequence[Sequence[Cell]]],
        automatic: Mapping[str, GuideRow] | None,
    ) -> None:
        self.problems, self.automatic = problems, automatic
        self.pairs = paired(originals, fields)
        self._originals, self._cells = originals, cells
        self._served = [(name, _served_by(name, originals)) for name in fields]
        self._compared = [name for name in fields if not name.startswith("+")]
        self._raw = attrgetter("hawb", *self._compared)  # of two names at least, so that it gives a tuple

    def row(self, guide: GuideRow) -> ReadRow:
        return ReadRow(guide, self.automatic.get(guide.hawb) if self.automatic else None, self)

    def is_unlike(self, guide: GuideRow, other: GuideRow) -> bool:
        """Whether two readings of a guide differ in what is shown."""
        if self._raw(guide) == self._raw(other):
            return False
        return any(_shown(getattr(guide, name)) != _shown(getattr(other, name)) for name in self._compared)

    def cells_of(self, guide: GuideRow) -> Sequence[Cell]:
        """The cells that are read, in the order of the columns."""
        candidates = self._cells.get(guide.row_index, [()])
        row = candidates[0]
        if len(candidates) > 1:  # rows of several sheets have this number
            row = next((each for each in candidates if guide.hawb in map(text_of, each)), row)
        return [row[each.place] if each.place < len(row) else None for each in self._originals]

    def values_of(
        self, guide: GuideRow, other: GuideRow | None, cells: Sequence[tuple[Cell, str]]
    ) -> Sequence[ReadValue]:
        """What is read of the cells, in the order of the fields."""
        return [self._value(name, guide, other, [cells[at] for at in places]) for name, places in self._served]

    @staticmethod
    def _value(name: str, guide: GuideRow, other: GuideRow | None, cells: Sequence[tuple[Cell, str]]) -> ReadValue:
        if name.startswith("+"):
            text = str(guide.extra_data.get(name[1:], ""))
            return ReadValue(text, is_respelled=bool(text) and text != cells[0][1])
        value = getattr(guide, name)
        shown = _shown(value)
        automatic = _shown(getattr(other, name)) if other is not None else shown
        is_respelled = bool(cells) and not _is_same(value, shown, cells)
        return ReadValue(shown, is_respelled, automatic if automatic != shown else None)


def _served_by(name: str, originals: Sequence[Original]) -> list[int]:
    """The positions of the columns that serve a field, or extra data after `+`."""
    if name.startswith("+"):
        return [at for at, each in enumerate(originals) if each.key == name[1:]]
    return [at for at, each in enumerate(originals) if _SERVES.get(each.field, each.field) == name]


def paired(originals: Sequence[Original], fields: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Positions of the columns with those of the fields they serve, each field once; fields without a column last."""
    pairs: list[tuple[int | None, int | None]] = []
    left = dict(zip(fields, range(len(fields)), strict=True))
    for at, each in enumerate(originals):
        name = f"+{each.key}" if each.field == "extra_data" else _SERVES.get(each.field, each.field)
        pairs.append((at, left.pop(name, None)))
    return [*pairs, *((None, to) for to in left.values())]


def _is_same(value: object, shown: str, cells: Sequence[tuple[Cell, str]]) -> bool:
    """Whether a value is written as in the sheet. shown: the value as text."""
    if len(cells) == 1 and isinstance(value, Decimal | int) and isinstance(cell := cells[0][0], int | float):
        return Decimal(str(cell)) == value
    return " ".join(text for _cell, text in cells if text) == shown


def _shown(value: object) -> str:
    if isinstance(value, Decimal):
        return number_format(value)  # an operator who writes a comma would read 8.350 as thousands
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    return "" if value is None else str(value)


def remarks_of(parsed: ParsedManifest) -> Iterator[str]:
    """What was noticed on the whole manifest, in words."""
    for notice in parsed.notices:
        if notice.row_index is None:
            yield in_operators_words(notice.reason.sentence, notice.reason.params, field_name)


# --- as the page shows it ---------------------------------------------------------------------------------------------


def _label(name: str) -> str:
    return name[1:] if name.startswith("+") else field_label(name)


def _shown_rows(read: SampleReading, wanted: str) -> list[ReadRow]:
    if wanted == "problems":
        return [row for row in read.rows if row.problems]
    return [row for row in read.rows if row.is_unlike] if wanted == "unlike" else list(read.rows)


def reading_context(request: HttpRequest, read: SampleReading) -> dict[str, Any]:
    """What the rows of a reading show: those of the filter that was asked for, and how many each filter has."""
    wanted = request.GET.get("show", "")
    shown = wanted if wanted in _FILTERS else "problems" if any(row.problems for row in read.rows) else "all"
    rows = _shown_rows(read, shown)
    parsed = read.parsed
    account = parsed.rows if parsed else None
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
            for at, to in paired(read.originals, read.fields)
        ],
        "filters": [
            (name, label, len(_shown_rows(read, name)), name == shown)
            for name, label in _FILTERS.items()
            if name != "unlike" or read.has_automatic
        ],
        "remarks": [*remarks_of(parsed)] if parsed else [],
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
