"""The file with which a client's parcels move in from another system: a manifest with their codes and their past.

JSON: the canonical manifest, with `guides[].tracking_code` and `guides[].events`. XLSX: the client's workbook with
three more columns, for the code, the status and its time; they are taken out before it is read as any other.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from django.utils.translation import gettext, ngettext

from base.errors import DomainError, ValidationFailed
from companies.country_names import country_name
from companies.errors import CompanyIsCourier
from companies.models import Company
from companies.scope import Scope
from shipments.activity import field_label
from shipments.carriers.guides import number_keys
from shipments.errors import NoRowsParsed
from shipments.intake.posting import body_of_file, holds_json
from shipments.intake.workbook_reading import ReadWorkbook, WorkbookReading
from shipments.manifests import flights
from shipments.manifests.cells import EXACT_DIGITS, Cell, Row, Sheet, Workbook, cell_at, text_of
from shipments.manifests.destinations import destination_clock
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest, Reason
from shipments.manifests.moments import read_moment
from shipments.manifests.payload.body import destination, read_manifest
from shipments.manifests.payload.unknown_fields import unknown_field
from shipments.statuses import GuideStatus, Source
from shipments.tracking.event_files.words import STATUSES, fold_word
from shipments.tracking.moves import ReportedEvent, text_problem
from shipments.tracking.tracking_codes import may_be_taken_over

MOST_EVENTS = 200
"""The most events of one guide."""

_NAMED = 20
_SHOWN = 64
_EVENT_FIELDS = ("status", "occurred_at", "source", "reason")
_HEADINGS: Mapping[str, str] = {
    fold_word(heading): name
    for name, headings in {
        "code": ("Tracking code", "Código de seguimiento"),
        "status": ("Status", "Estado del envío"),
        "status_at": ("Status at", "Fecha del estado"),
    }.items()
    for heading in headings
}


class Past(NamedTuple):
    """What a guide brings from the other system: its code, and its events in the order of time.

    The first event is `registered`; there are none if nothing is known.
    """

    code: str
    events: Sequence[ReportedEvent]


class MovingFile(NamedTuple):
    """A file as it was read. pasts: of the manifest's guides, in their order. sha256: of the file."""

    read: ReadWorkbook
    pasts: Sequence[Past]
    sha256: str

    @property
    def parsed(self) -> ParsedManifest:
        return self.read.parsed


def read_moving_file(company: Company, path: Path, scope: Scope, country: str = "") -> MovingFile:
    """Read the file of a client that moves in. It stores nothing.

    scope: of the operator. country: alpha-2, of the destination, where it was named; a workbook need not say it then.

    Rows are read as an upload's: what is wrong with a guide is flagged. Raises what `receive_upload` raises for a
    workbook and `receive_json` for a JSON manifest as a whole; `ValidationFailed` for codes, events and a workbook
    in doubt; OSError if the file does not exist.
    """
    if company.is_courier:
        raise CompanyIsCourier
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        read_file = _read_json if holds_json(file) else _read_workbook
    return MovingFile(*read_file(company, path, scope, country), sha256)


class _Problems:
    """What is wrong with codes and events. A refusal names the first, and how many there are."""

    def __init__(self) -> None:
        self._found: list[str] = []
        self._seen: set[str] = set()

    def add(self, problem: str) -> None:
        self._found.append(problem)

    def code(self, value: object, hawb: str) -> str:
        """Return a guide's code in capitals, after adding what is wrong with it."""
        code = text_of(value).upper() if isinstance(value, str | int | float) else ""
        if not code:
            self.add(gettext("The guide %s has no tracking code.") % hawb)
        elif not isinstance(value, str) and len(code) > EXACT_DIGITS:
            text = gettext("The tracking code of the guide %s is a number that was rounded: write it as text.")
            self.add(text % hawb)
        elif not may_be_taken_over(code):
            text = gettext("%s is not a tracking code: 6 to 32 of A-Z, 0-9 and hyphens, and no MAWB.")
            self.add(text % code[:_SHOWN])
        elif code in self._seen:
            self.add(gettext("%s is the tracking code of two guides.") % code)
        self._seen.add(code)
        return code

    def refuse(self) -> None:
        """Raises `ValidationFailed` if anything is wrong."""
        if self._found:
            raise refusal(self._found)


def refusal(problems: Sequence[str]) -> ValidationFailed:
    """Return the refusal of a file, with its first problems."""
    more = len(problems) - _NAMED
    rest = [ngettext("%d more problem.", "%d more problems.", more) % more] if more > 0 else []
    return ValidationFailed(problems[0], details={"file": [*problems[:_NAMED], *rest]})


def _require_country(country: str, scope: Scope, named: str) -> None:
    """Raises `ValidationFailed` for another destination than the one that was named, or than the operator may see."""
    if named and country != named:
        text = gettext("The file is for %(country)s, and not for %(named)s.")
        raise refusal([text % {"country": country_name(country), "named": country_name(named)}])
    if not scope.covers([country]):
        raise refusal([gettext("The file is for a country that is not yours: %s.") % country_name(country)])


def _in_order(events: Iterable[ReportedEvent]) -> Sequence[ReportedEvent]:
    """Return events with a time in its order, and `registered` before them."""
    ordered = sorted(events, key=lambda each: (each.occurred_at, each.status is not GuideStatus.REGISTERED))
    if ordered and ordered[0].status is not GuideStatus.REGISTERED:
        ordered.insert(0, ReportedEvent(GuideStatus.REGISTERED, Source.PRE_ALERT, ordered[0].occurred_at))
    return ordered


# --- JSON -------------------------------------------------------------------------------------------------------------


def _read_json(company: Company, path: Path, scope: Scope, named_country: str) -> tuple[ReadWorkbook, Sequence[Past]]:
    body = body_of_file(company, path)
    mode, country = destination(body)
    _require_country(country, scope, named_country)
    company.require_country(country)
    guides = body.get("guides")
    sent = [
        (each.pop("tracking_code", None), each.pop("events", None)) if isinstance(each, dict) else (None, None)
        for each in (guides if isinstance(guides, list) else ())
    ]
    parsed = read_manifest(body, mode, country, number_keys=number_keys(country), is_lenient=True)
    problems, unknown = _Problems(), Counter[str]()
    pasts = []
    for guide, (code, events) in zip(parsed.guides, sent, strict=True):
        named = problems.code(code, guide.hawb)
        pasts.append(Past(named, _in_order(_events(named or guide.hawb, events, problems, unknown))))
    problems.refuse()
    notices = [
        unknown_field("guide", f"events.{name}", _EVENT_FIELDS, count) for name, count in unknown.most_common(_NAMED)
    ]
    return ReadWorkbook(_with_notices(parsed, notices)), pasts


def _events(code: str, sent: object, problems: _Problems, unknown: Counter[str]) -> Iterator[ReportedEvent]:
    if sent is None:
        return
    if not isinstance(sent, list) or len(sent) > MOST_EVENTS or not all(isinstance(each, dict) for each in sent):
        problems.add(gettext("%(code)s: events is not an array of at most %(most)d objects.") % {
            "code": code, "most": MOST_EVENTS
        })  # fmt: skip
        return
    for number, event in enumerate(cast("list[dict[str, Any]]", sent)):
        unknown.update(event.keys() - {*_EVENT_FIELDS})
        try:
            yield _event(event)
        except ValueError as problem:
            problems.add(f"{code}: events[{number}]: {problem}")


def _event(sent: Mapping[str, Any]) -> ReportedEvent:
    """Raises ValueError, with what is wrong."""
    status, moment = sent.get("status"), sent.get("occurred_at")
    source, reason = sent.get("source"), sent.get("reason")
    if status not in list(GuideStatus):
        raise ValueError(gettext("the status is unknown; use one such as in_transit or delivered."))
    usual = Source.PRE_ALERT if status == GuideStatus.REGISTERED else Source.OPERATOR
    if source is not None and source not in list(Source):
        raise ValueError(gettext("The source is unknown; use one of: %s.") % ", ".join(Source))
    if problem := text_problem(reason or "") if isinstance(reason, str | None) else gettext("reason is not a text."):
        raise ValueError(problem)
    occurred_at = flights.moment(moment if isinstance(moment, str) else "")
    return ReportedEvent(GuideStatus(status), Source(source or usual), occurred_at, client_note=reason or "")


def _with_notices(parsed: ParsedManifest, notices: Sequence[Notice]) -> ParsedManifest:
    count = parsed.notices_count + len(notices)
    return replace(parsed, notices=(*notices, *parsed.notices), notices_count=count)


# --- XLSX -------------------------------------------------------------------------------------------------------------


def _read_workbook(
    company: Company, path: Path, scope: Scope, named_country: str
) -> tuple[ReadWorkbook, Sequence[Past]]:
    reading = WorkbookReading(company, FlightFields(), assumed_country=named_country)
    try:
        with reading.open(path) as opened:
            book, kept = _take_out(opened)
            read = reading.read(book)
    except DomainError as found:
        refused = reading.not_read or found
        if isinstance(refused, NoRowsParsed):
            raise refusal([refused.message, _no_house()]) from None
        if asked := cast("Sequence[Mapping[str, Any]]", refused.extras.get("questions", ())):
            raise refusal(_ask(asked)) from None
        raise refused from None
    parsed = read.parsed
    _require_country(parsed.country, scope, named_country)
    if parsed.questions:
        raise refusal(_ask([asdict(question) for question in parsed.questions]))
    problems = _Problems()
    clock = destination_clock(parsed.flight.destination_airport, parsed.country)
    pasts, told = [], dict[str, list[Cell]]()
    doubts = defaultdict[str, list[tuple[str, datetime]]](list)
    for guide in parsed.guides:
        code, status, moment = kept.pop(guide.row_index, (None, None, None))
        named = problems.code(code, guide.hawb)
        told[named] = [status, moment]
        events = []
        if text_of(status) or text_of(moment):
            known, at = STATUSES.get(fold_word(text_of(status))), read_moment(moment)
            if known and at:
                source = Source.PRE_ALERT if known is GuideStatus.REGISTERED else Source.OPERATOR
                events.append(ReportedEvent(known, source, at.at(clock)))
                if doubt := at.doubt(clock):
                    doubts[doubt].append((named, at.value))
            else:
                problems.add(gettext("%s: the status or its time cannot be read; both are needed.") % named)
        pasts.append(Past(named, _in_order(events)))
    for row, (code, *event) in kept.items():  # further rows of a guide may repeat what its first row has
        named = text_of(code).upper()
        if named not in told:
            text = gettext("%(code)s is in row %(row)d, which is not a guide.")
            problems.add(text % {"code": named or text_of(event[0]) or text_of(event[1]), "row": row})
        elif any(map(text_of, event)) and event != told[named]:
            text = gettext(
                "%(code)s has another status or time in row %(row)d: a workbook has one event for each guide. "
                "Leave the others out, or send the guides as JSON with all their events."
            )
            problems.add(text % {"code": named, "row": row})
    problems.refuse()
    notices = [
        Notice(
            "occurred_at_unclear",
            Reason(f"status_{doubt}", {"code": code, "time": f"{moment:%Y-%m-%d %H:%M}", "count": len(found)}),
        )
        for doubt, found in doubts.items()
        for code, moment in found[:1]  # the first, and how many there are
    ]
    return replace(read, parsed=_with_notices(parsed, notices)), pasts


def _no_house() -> str:
    return gettext(
        "Guides need a separate column with the heading HAWB: the tracking code is not used as the HAWB. If the other"
        " system has one number for both, write it in both columns."
    )


def _ask(questions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what a person has to say about a workbook. questions: as the API has them."""
    text = gettext(
        "We cannot tell which column is the %(field)s: %(columns)s. Write its usual heading above it, or upload the "
        "workbook as a sample of a layout and choose the column there."
    )
    found = [
        text % {
            "field": field_label(question["field"]),
            "columns": ", ".join(f"{each['column']} “{each['heading']}”" for each in question["columns"]) or "–",
        }
        for question in questions
    ]  # fmt: skip
    return [*found, _no_house()] if any(question["field"] == "hawb" for question in questions) else found


_Kept = dict[int, tuple[Cell, Cell, Cell]]


class _Rows:
    """The rows of a sheet without the cells of some columns, from the row of their headings on."""

    def __init__(self, rows: Iterable[Row], first: int, columns: Sequence[int]) -> None:
        self._rows, self._first, self._columns = rows, first, columns

    def __iter__(self) -> Iterator[Row]:
        for number, cells in self._rows:
            if number < self._first:
                yield number, cells
                continue
            left = [None if column in self._columns else cell for column, cell in enumerate(cells)]
            while left and left[-1] is None:
                left.pop()
            if left:
                yield number, left


def _take_out(book: Workbook) -> tuple[Workbook, _Kept]:
    """Return the workbook without the columns of codes and statuses, and their cells by row: code, status, time.

    Raises `ValidationFailed` if none of the sheets has the column of codes, or several have.
    """
    sheets, kept = [], dict[int, tuple[Cell, Cell, Cell]]()
    headed = 0
    for sheet in book.sheets:
        first, columns = _headings(sheet)
        sheets.append(replace(sheet, rows=_Rows(sheet.rows, first, [*columns.values()])) if columns else sheet)
        if not columns:
            continue
        headed += 1
        for number, cells in sheet.rows:
            found = [
                cell_at(cells, columns[name]) if name in columns else None for name in ("code", "status", "status_at")
            ]
            if number > first and fold_word(text_of(found[0])) not in _HEADINGS and any(map(text_of, found)):
                kept[number] = (found[0], found[1], found[2])
    if headed != 1:
        raise refusal([gettext("One sheet has to have the tracking codes, under the heading “Tracking code”.")])
    return replace(book, sheets=tuple(sheets)), kept


def _headings(sheet: Sheet) -> tuple[int, Mapping[str, int]]:
    """Return the row with the heading of the codes, and its columns by name; 0 and none if there is no such row."""
    for number, cells in sheet.rows:
        columns: dict[str, int] = {}
        for column, cell in enumerate(cells):
            if isinstance(cell, str) and (name := _HEADINGS.get(fold_word(cell))):
                columns.setdefault(name, column)
        if "code" in columns:
            return number, columns
    return 0, {}
