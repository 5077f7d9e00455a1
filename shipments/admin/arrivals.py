"""Times of flights and arrivals, as operators read them: by the destination's clock."""

from datetime import UTC, datetime

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from companies.countries import SERVED
from shipments.models import Manifest


def at_destination(moment: datetime, country: str) -> datetime:
    """Return a time by the clock of the destination's capital; in UTC without a country."""
    return moment.astimezone(SERVED[country].clock if country else UTC)


def in_local_time(moment: datetime | None, country: str) -> str:
    """Return the same as text, with its offset; empty without a time."""
    if moment is None:
        return ""
    local = at_destination(moment, country)
    return f"{local:%Y-%m-%d %H:%M} {local.isoformat()[-6:]}"


def headed_by_destination(title: str | Promise) -> Promise:
    """Return the heading of a column of such times, which names the clock."""
    return format_lazy("{title}, {clock}", title=title, clock=_("destination's time"))


def eta_text(manifest: Manifest) -> str:
    """Return the estimated arrival; empty if unknown."""
    return in_local_time(manifest.eta, manifest.country)
