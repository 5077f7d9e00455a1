"""Importing events: each row of a file is matched with its guide and its event is applied, independently of others."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext

from shipments.manifests.destinations import destination_clock
from shipments.models import Guide
from shipments.tracking.advancing import advance_each
from shipments.tracking.event_files.event_rows import BadRow, EventRow
from shipments.tracking.lookup import Found, guides_by_code, guides_by_house, prefixes_of
from shipments.tracking.moves import Move
from shipments.tracking.tracking_codes import is_mistyped


def find_moves(rows: Sequence[EventRow | BadRow], among: QuerySet[Guide]) -> list[Move | BadRow]:
    """Return the move of the guide that each row names, or why there is none, in the order of the file.

    A time without an offset is local time at the manifest's destination.

    among: the guides that the file may refer to. Others are not found.
    """
    valid = [row for row in rows if isinstance(row, EventRow)]
    codes = guides_by_code(among, {row.tracking_code for row in valid if row.tracking_code})
    unknown = {row.tracking_code for row in valid} - codes.keys()
    prefixes = prefixes_of(among, unknown)
    mistyped = {code for code in unknown if is_mistyped(code, prefixes)}
    houses = guides_by_house(among, {(row.mawb, row.hawb) for row in valid if not row.tracking_code})

    def find(row: EventRow | BadRow) -> Move | BadRow:
        if isinstance(row, BadRow):
            return row
        if row.tracking_code:
            guide = _match_code(row, codes.get(row.tracking_code), is_mistyped=row.tracking_code in mistyped)
        else:
            guide = _match_house(houses.get((row.mawb, row.hawb), ()))
        if isinstance(guide, str):
            return BadRow(row.row, row.guide, guide)
        clock = destination_clock(guide.destination_airport, guide.country)
        return Move(guide.id, guide.manifest_id, row.reported.at(clock), row=row.row)

    return [find(row) for row in rows]


def import_events(rows: Sequence[EventRow | BadRow], *, actor: str, dry_run: bool = False) -> list[Move | BadRow]:
    """Apply the event of each valid row to its guide, and return what became of every row, in the order of the file.

    Valid rows are imported even if others are invalid. The invalid ones can be corrected and sent again, alone or with
    the whole file: an event that a guide already has changes nothing. The events of a guide are applied in the order in
    which they happened.

    actor and dry_run: as in `tracking.advance_each`.
    """
    found = find_moves(rows, Guide.objects.all())
    advance_each([row for row in found if isinstance(row, Move)], actor=actor, dry_run=dry_run)
    return found


def _match_code(row: EventRow, guide: Found | None, *, is_mistyped: bool) -> Found | str:
    """Return the guide with a row's tracking code, or the reason why it is not the row's."""
    if guide is None:
        if not is_mistyped:
            return gettext("No guide has this tracking code.")
        return gettext("No guide has this tracking code. Its check character is wrong: it was probably mistyped.")
    if (row.hawb and row.hawb != guide.hawb) or (row.mawb and row.mawb != guide.mawb):
        return gettext("The tracking code belongs to another guide than the MAWB or HAWB in the same row.")
    return guide


def _match_house(guides: Sequence[Found]) -> Found | str:
    """Return the only guide with a row's MAWB and HAWB, or the reason why there is none."""
    if len(guides) > 1:
        return gettext("Several companies have this MAWB and HAWB; use the guide's tracking code.")
    return guides[0] if guides else gettext("No guide has this MAWB and HAWB.")
