"""The rows of an event file below its heading: each an event, or invalid with the reason. Pure.

Statuses and sources may be the contract's own words or those in `words`, in Spanish and English.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timezone

from django.utils.translation import gettext

from shipments.errors import EventFileUnreadable
from shipments.manifests import waybills
from shipments.manifests.cells import Cell, text_of
from shipments.manifests.moments import Moment, read_moment
from shipments.statuses import Source
from shipments.tracking.event_files.column_headings import Header, Rows
from shipments.tracking.event_files.words import SOURCES, STATUSES, Column, fold_word
from shipments.tracking.moves import ReportedEvent, text_problem

MAX_ROWS = 50_000
"""The most event rows in one file. Larger files are refused and can be split."""

_TOTAL = re.compile(r"(?:gran |sub)?total(?:es)?\b", re.IGNORECASE)
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class EventRow:
    """One row: an event of the guide identified by `tracking_code`, or by `mawb` and `hawb`.

    row: its number as a spreadsheet shows it. reported: its time is naive if the file gives no offset.
    """

    row: int
    tracking_code: str
    mawb: str
    hawb: str
    reported: ReportedEvent

    @property
    def guide(self) -> str:
        return self.tracking_code or f"{self.mawb} {self.hawb}"


@dataclass(frozen=True, slots=True)
class BadRow:
    """An invalid row, and why. guide: the text of the cells that should identify the guide."""

    row: int
    guide: str
    problem: str


def read_rows(rows: Rows, header: Header) -> Sequence[EventRow | BadRow]:
    """Return the rows below the heading, without empty rows, totals and repeated headings.

    Raises `EventFileUnreadable` if there are more than MAX_ROWS rows of any kind.
    """
    found: list[EventRow | BadRow] = []
    count = 0
    for number, cells in rows:
        if number <= header.row:
            continue
        values = {column: cells[position] for column, position in header.columns.items() if position < len(cells)}
        words = {column: text_of(value) for column, value in values.items()}
        if not any(words.values()):
            continue
        count += 1
        if count > MAX_ROWS:
            raise EventFileUnreadable(too_many_rows())
        if _is_total(words):
            continue
        row = _row(number, values, words, header.offset)
        if isinstance(row, EventRow) or not header.is_repeated_by(cells):
            found.append(row)
    return found


def _is_total(words: Mapping[Column, str]) -> bool:
    """Return whether a row is a total: it has a word for one in place of the guide, and no time."""
    named = (words.get(column, "") for column in ("tracking_code", "mawb", "hawb"))
    return not words.get("occurred_at") and any(_TOTAL.match(word) for word in named)


def _row(
    number: int, values: Mapping[Column, Cell], words: Mapping[Column, str], offset: timezone | None
) -> EventRow | BadRow:
    tracking_code, hawb = words.get("tracking_code", "").upper(), words.get("hawb", "").upper()
    written = values.get("mawb")
    mawb = waybills.normal_mawb(written if isinstance(written, int | float) else words.get("mawb", "")) or ""
    status = STATUSES.get(fold_word(words.get("status", "")))
    source = SOURCES.get(fold_word(words["source"])) if words.get("source") else Source.OPERATOR
    moment = _moment(values, offset)
    internal_note, client_note = words.get("internal_note", ""), words.get("client_note", "")
    problem = (
        _guide_problem(tracking_code, mawb, hawb, written_mawb=words.get("mawb", ""))
        or _moment_problem(moment, is_written=bool(words.get("occurred_at") or words.get("time")))
        or text_problem(internal_note)
        or text_problem(client_note)
    )
    if status is None:
        problem = problem or _status_problem(words.get("status", ""))
    if source is None:
        problem = problem or gettext("The source is unknown; use one of: %s.") % ", ".join(Source)
    if problem or status is None or source is None:
        guide = tracking_code or f"{words.get('mawb', '')} {hawb}".strip()
        return BadRow(number, guide, problem)
    occurred_at = moment.value if moment else None
    reported = ReportedEvent(status, source, occurred_at, internal_note, client_note)
    return EventRow(number, tracking_code, mawb, hawb, reported)


def _moment(values: Mapping[Column, Cell], offset: timezone | None) -> Moment | None:
    """Return a row's time, from one cell or from a date and a time of day. offset: the one in its heading."""
    cell = values.get("occurred_at")
    if text_of(values.get("time")):
        cell = f"{text_of(cell)} {text_of(values.get('time'))}"
    moment = read_moment(cell)
    if moment is None or offset is None or moment.value.tzinfo:
        return moment
    return replace(moment, value=moment.value.replace(tzinfo=offset))


def _guide_problem(tracking_code: str, mawb: str, hawb: str, *, written_mawb: str) -> str:
    if tracking_code or (mawb and hawb):
        return ""
    if written_mawb and not mawb:
        return gettext("Not a valid MAWB: enter three digits, a hyphen and eight digits.")
    return gettext("Enter the guide's tracking code, or its MAWB and HAWB.")


def _moment_problem(moment: Moment | None, *, is_written: bool) -> str:
    if is_written and moment is None:
        return gettext("The time cannot be read; use a format such as 2026-11-20 14:30 or 20/11/2026 14:30.")
    if moment and not moment.has_time:
        return gettext("The date has no time of day, which is needed to order a guide's events.")
    return ""


def _status_problem(word: str) -> str:
    if not word:
        return gettext("The status is missing; enter one such as in_transit or delivered.")
    message = gettext('The status "%s" is unknown; use one such as in_transit or delivered.')
    return message % (word if len(word) <= _MOST_SHOWN else f"{word[:_MOST_SHOWN]}…")


def unread_time(header: Header) -> str:
    """Return why a heading that may be a time's stops the file; empty if another column has the time, or none is."""
    if "occurred_at" in header.columns or not header.unread_times:
        return ""
    message = gettext(
        'No column has the time of the events. If it is "%s", rename that to occurred_at; if not, remove it.'
    )
    return message % header.unread_times[0][:_MOST_SHOWN]


def too_many_rows() -> str:
    return gettext("The file has more than %d rows; send it in parts.") % MAX_ROWS
