"""Selections over several companies and countries: said to the operator, and timed by each destination's clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from django.db.models import QuerySet
from django.utils.translation import gettext

from companies.countries import SERVED
from companies.country_names import country_name
from shipments.admin.forms import EACH_DESTINATION
from shipments.models import Guide
from shipments.tracking.batches import Move
from shipments.tracking.event_files.importing import destination_clock
from shipments.tracking.moves import ReportedEvent

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Spread:
    """The companies and countries of the selected guides, by name, and the clocks of their destinations."""

    companies: Sequence[str]
    countries: Sequence[str]
    clocks: Sequence[tzinfo]

    @property
    def zone(self) -> str:
        """Return the choice of a clock that fits: the only one, or that of each destination."""
        keys = {str(clock) for clock in self.clocks}
        offered = {country.clock.key for country in SERVED.values()}
        return keys.pop() if len(keys) == 1 and keys <= offered else EACH_DESTINATION

    @property
    def in_words(self) -> list[str]:
        """Return a sentence if there are several companies, one if there are several countries."""
        said = []
        if len(self.companies) > 1:
            said.append(gettext("The guides belong to several companies: %s.") % _listed(self.companies))
        if len(self.countries) > 1:
            said.append(gettext("They go to several countries: %s.") % _listed(self.countries))
        return said


def spread_of(guides: QuerySet[Guide]) -> Spread:
    """Return what the guides of a selection have in common, or not."""
    manifests = guides.order_by().values_list(
        "manifest__company__name", "manifest__country", "manifest__flight__destination_airport"
    )
    found = set(manifests.distinct())
    return Spread(
        sorted({company for company, _country, _airport in found}),
        sorted({country_name(country) for _company, country, _airport in found}),
        [destination_clock(airport, country) for _company, country, airport in found],
    )


def moves_by_clock(guides: QuerySet[Guide], event_at: Callable[[tzinfo], ReportedEvent]) -> list[Move]:
    """Return the moves that apply one event to each of `guides`. fact_at: the event for a destination's clock."""
    rows = guides.order_by("manifest_id", "id").values_list(
        "id", "manifest_id", "manifest__flight__destination_airport", "manifest__country"
    )
    reported_events: dict[tuple[str, str], ReportedEvent] = {}
    moves = []
    for guide_id, manifest_id, airport, country in rows:
        place = (airport, country)
        if place not in reported_events:
            reported_events[place] = event_at(destination_clock(airport, country))
        moves.append(Move(guide_id, manifest_id, reported_events[place]))
    return moves


def _listed(names: Sequence[str]) -> str:
    """Return the first names, and how many others there are."""
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED])
    return gettext("%(names)s and %(more)d more") % {"names": shown, "more": more} if more > 0 else shown
