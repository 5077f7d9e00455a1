"""The preview and the results of an action that moves guides, in the template's terms."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.utils.translation import ngettext

from companies.countries import SERVED
from shipments.admin.actions.selections import Selection
from shipments.admin.badges import outcome_badge, outcome_tally, status_badge
from shipments.tracking.announcements import notified_companies
from shipments.tracking.batches import Result
from shipments.tracking.moves import Outcome

_SHOWN_RESULTS = 200
_FIRST_SHOWN = [
    Outcome.REFUSED, Outcome.HISTORY, Outcome.REPEATED, Outcome.UNCHANGED, Outcome.ADVANCED, Outcome.TAKEN_BACK,
]  # fmt: skip


def zone_of(selection: Selection) -> str:
    """Return the name of the clock of one guide's destination."""
    # In an order that an index has for the guides of a manifest, too.
    country = selection.guides.order_by("manifest_id", "hawb").values_list("manifest__country", flat=True).first()
    return SERVED[country].clock.key if country else "UTC"


def who_is_notified(moves: Sequence[Result]) -> str:
    """Say how many clients are sent the changes of status."""
    clients = len(notified_companies(moves))
    return ngettext("%d client is notified by webhook.", "%d clients are notified by webhook.", clients) % clients


def results_context(results: Sequence[Result]) -> dict[str, Any]:
    """Return the template context for results: the tally and the first results, refusals first."""
    tally = Counter(result.outcome for result in results)
    ranked = sorted(results, key=lambda result: _FIRST_SHOWN.index(result.outcome))
    return {
        "tally": [(tally[outcome], outcome_tally(outcome, tally[outcome])) for outcome in Outcome if tally[outcome]],
        "changes": bool(len(results) - tally[Outcome.REFUSED] - tally[Outcome.UNCHANGED]),
        "lines": [_line(result) for result in ranked[:_SHOWN_RESULTS]],
        "more_lines": max(0, len(results) - _SHOWN_RESULTS),
    }


def _line(result: Result) -> dict[str, Any]:
    return {
        "guide_id": result.move.guide_id,
        "tracking_code": result.tracking_code,
        "hawb": result.hawb,
        "mawb": result.manifest.mawb,
        "previous": status_badge(result.previous_status),
        "status": status_badge(result.move.reported.status),
        "outcome": outcome_badge(result.outcome),
        "why": result.refusal.in_words if result.refusal else "",
    }
