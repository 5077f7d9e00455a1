"""Importing events: each row of a file is matched with its guide and its event is applied, independently of others."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext

from shipments.models import Guide
from shipments.tracking import tracking_codes
from shipments.tracking.advancing import advance_each
from shipments.tracking.batches import Move, Result
from shipments.tracking.bulk import destination_clock
from shipments.tracking.event_files.event_rows import BadRow, EventRow
from shipments.tracking.lookup import Found, guides_by_code, guides_by_house
from shipments.tracking.moves import ReportedEvent


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """The result of one row: that of its move, or the problem because of which it was not tried.

    row: its number as a spreadsheet shows it. guide: the guide as written in the row.
    """

    row: int
    guide: str
    result: Result | None = None
    problem: str = ""

    @property
    def is_refused(self) -> bool:
        """Return whether the row was refused."""
        return self.result is None or self.result.refusal is not None

    @property
    def why(self) -> str:
        """Return why the row was refused, for operators; empty when it was not."""
        refusal = self.result.refusal if self.result else None
        return refusal.in_words if refusal else self.problem


def import_events(
    rows: Sequence[EventRow | BadRow],
    *,
    actor: str,
    dry_run: bool = False,
    after_batch: Callable[[Sequence[Result]], None] | None = None,
    among: QuerySet[Guide] | None = None,
) -> list[ImportedRow]:
    """Apply the event of each valid row to its guide, and return the result of every row, in the order of the file.

    Valid rows are imported even if others are invalid. The invalid ones can be corrected and sent again, alone or with
    the whole file: an event that a guide already has changes nothing. The events of a guide are applied in the order in
    which they happened. A time without an offset is local time at the manifest's destination.

    actor, dry_run and after_batch: as in `tracking.advance_each`.
    among: the guides that the file may refer to, by default all. Other guides are not found.
    """
    known = _Guides(Guide.objects.all() if among is None else among, (row for row in rows if isinstance(row, EventRow)))
    moves: dict[int, Move] = {}
    problems: dict[int, str] = {}
    for position, row in enumerate(rows):
        if isinstance(row, BadRow):
            problems[position] = row.problem
        elif isinstance(found := known.find(row), str):
            problems[position] = found
        else:
            moves[position] = _move(row, found)
    results = advance_each(list(moves.values()), actor=actor, dry_run=dry_run, after_batch=after_batch)
    by_position = dict(zip(moves, results, strict=True))
    return [
        ImportedRow(row.row, row.guide, by_position.get(position), problems.get(position, ""))
        for position, row in enumerate(rows)
    ]


class _Guides:
    """The guides that a file names, looked up in few statements."""

    def __init__(self, guides: QuerySet[Guide], rows: Iterable[EventRow]) -> None:
        codes: set[str] = set()
        houses: set[tuple[str, str]] = set()
        for row in rows:
            if row.tracking_code:
                codes.add(row.tracking_code)
            else:
                houses.add((row.mawb, row.hawb))
        self._by_code = guides_by_code(guides, codes)
        self._by_house = guides_by_house(guides, houses)

    def find(self, row: EventRow) -> Found | str:
        """Return the guide of a row, or the reason why it was not found."""
        if row.tracking_code:
            return self._find_by_code(row)
        found = self._by_house.get((row.mawb, row.hawb), [])
        if len(found) > 1:
            return gettext("Several companies have this MAWB and HAWB; use the guide's tracking code.")
        return found[0] if found else gettext("No guide has this MAWB and HAWB.")

    def _find_by_code(self, row: EventRow) -> Found | str:
        guide = self._by_code.get(row.tracking_code)
        if guide is None:
            if tracking_codes.is_sound(row.tracking_code):
                return gettext("No guide has this tracking code.")
            return gettext("No guide has this tracking code. Its check character is wrong: it was probably mistyped.")
        if (row.hawb and row.hawb != guide.hawb) or (row.mawb and row.mawb != guide.mawb):
            return gettext("The tracking code belongs to another guide than the MAWB or HAWB in the same row.")
        return guide


def _move(row: EventRow, guide: Found) -> Move:
    zone = destination_clock(guide.destination_airport, guide.country)
    occurred_at = row.moment.at(zone) if row.moment else None
    reported = ReportedEvent(row.status, row.source, occurred_at, row.internal_note, row.client_note)
    return Move(guide.id, guide.manifest_id, reported)
