"""The guides that a page of the desk is about, and the way in which its form finds them again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext

from shipments.models import Guide, Manifest

MOST_GUIDES = 10_000
"""Guides that one page takes: a few seconds. More is work for a command, which shows how far it is."""

_NAMES = ("action", "select_across", "index", ACTION_CHECKBOX_NAME)


@dataclass(frozen=True, slots=True)
class Selection:
    """Guides of a list, of a manifest, or a single one.

    way_back: the page from which the operator came. again: hidden fields with which the address finds them again.
    subject: the one guide or manifest whose page that is; None for a list.
    """

    guides: QuerySet[Guide]
    way_back: str
    again: Mapping[str, Sequence[str]] = field(default_factory=dict)
    subject: Guide | Manifest | None = None

    def count(self) -> int:
        """How many there are; more than `MOST_GUIDES` are not counted on."""
        return self.guides.order_by()[: MOST_GUIDES + 1].count()

    def is_too_long(self, request: HttpRequest) -> bool:
        """Whether there are more guides than one page takes; then the operator is told what to do instead."""
        if self.count() <= MOST_GUIDES:
            return False
        text = gettext("A page takes at most %d guides at once: narrow the list, or use the command advance_status.")
        messages.error(request, text % MOST_GUIDES)
        return True


def ticked(request: HttpRequest, guides: QuerySet[Guide]) -> Selection:
    """What is ticked in the list, or the whole of its filter."""
    again = {name: request.POST.getlist(name) for name in _NAMES if name in request.POST}
    return Selection(guides, request.get_full_path(), again)
