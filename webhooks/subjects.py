"""Where what a delivery speaks of can be looked at. This room knows no shipment: the room that does says where.

subjects.shown_by(page_of)        # once, when the application starts
"""

from collections.abc import Callable

from webhooks.models import Delivery

Finder = Callable[[int, str], str | None]
"""A company's key and a delivery's subject in, the path of the page about it out; None where there is none."""

_finders: list[Finder] = []


def shown_by(finder: Finder) -> None:
    """Ask `finder`, too, for the page of a subject; asked twice for the same one, nothing changes."""
    if finder not in _finders:
        _finders.append(finder)


def page_of(delivery: Delivery) -> str | None:
    """The path of the page about what `delivery` speaks of."""
    if not delivery.subject:
        return None
    return next((page for finder in _finders if (page := finder(delivery.company_id, delivery.subject))), None)
