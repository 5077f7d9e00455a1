"""The list of past imports of event files: who uploaded what, and the result."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.safestring import SafeString

from companies.scope import Viewer
from shipments.admin.badges import outcome_tally
from shipments.admin.numbers import plain_number
from shipments.models import EventImport
from shipments.tracking.moves import Outcome

SHOWN_IMPORTS = 20


class PastImport(NamedTuple):
    """One line of the list. rows: how many the file has, grouped. has_page: the import is the viewer's
    own, so its page can be opened.
    """

    event_import: EventImport
    rows: str
    tally: Sequence[tuple[SafeString, str]]
    has_page: bool


def recent_imports(user: Viewer) -> Sequence[PastImport]:
    """Return the newest imports visible to `user`, including waiting ones, newest first."""
    newest = EventImport.objects.visible_to(user).defer("lines").order_by("-created_at")[:SHOWN_IMPORTS]
    return [
        PastImport(each, plain_number(each.total_rows), tally_of(each), each.operator_id == user.pk) for each in newest
    ]


def tally_of(event_import: EventImport) -> Sequence[tuple[SafeString, str]]:
    """Return the badge and the number of rows of each outcome; empty until the import is done."""
    counted = ((outcome, event_import.tally.get(outcome.value, 0)) for outcome in Outcome)
    return [(outcome_tally(outcome, count), plain_number(count)) for outcome, count in counted if count]
