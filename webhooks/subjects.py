"""Links from deliveries to what they are about. This app does not import `shipments`, which registers the links here.

subjects.shown_by(page_of)        # once, at startup
"""

from collections.abc import Callable

from webhooks.models import Delivery

Finder = Callable[[int, str], str | None]
"""Takes a company's key and a delivery's subject; returns the path of its page, or None."""

_finders: list[Finder] = []


def shown_by(finder: Finder) -> None:
    """Register `finder` for the pages of subjects; registering it twice has no effect."""
    if finder not in _finders:
        _finders.append(finder)


def page_of(delivery: Delivery) -> str | None:
    """Return the path of the page about the subject of `delivery`."""
    if not delivery.subject:
        return None
    return next((page for finder in _finders if (page := finder(delivery.company_id, delivery.subject))), None)
