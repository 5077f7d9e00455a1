"""The guides that an action's page applies to, and how its form finds them again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext
from unfold.admin import ModelAdmin

from companies.admin_base.confirmation import Question, ask
from shipments.models import Guide, Manifest

MOST_GUIDES = 10_000
"""The most guides that one page processes, in a few seconds. Use a command for more: it shows its progress."""

_NAMES = ("action", "select_across", "index", ACTION_CHECKBOX_NAME)


@dataclass(frozen=True, slots=True)
class Selection:
    """The guides of a list or of a manifest, or a single guide.

    way_back: the page the operator came from. again: the hidden fields with which the address finds the guides again.
    subject: the guide or manifest of that page; None for a list.
    """

    guides: QuerySet[Guide]
    way_back: str
    again: Mapping[str, Sequence[str]] = field(default_factory=dict)
    subject: Guide | Manifest | None = None

    def count(self) -> int:
        """Return the number of guides. Counting stops just above `MOST_GUIDES`."""
        return self.guides.order_by()[: MOST_GUIDES + 1].count()

    def is_too_long(self, request: HttpRequest, command: str = "advance_status") -> bool:
        """Return whether there are too many guides for one page; if so, show the operator the alternative."""
        if self.count() <= MOST_GUIDES:
            return False
        text = gettext("A page takes at most %(most)d guides at once: narrow the list, or use the command %(command)s.")
        messages.error(request, text % {"most": MOST_GUIDES, "command": command})
        return True


def ticked(request: HttpRequest, guides: QuerySet[Guide]) -> Selection:
    """Return the guides selected in the list, or everything that matches its filter."""
    again = {name: request.POST.getlist(name) for name in _NAMES if name in request.POST}
    return Selection(guides, request.get_full_path(), again)


def ask_about(
    model_admin: ModelAdmin,
    request: HttpRequest,
    question: Question,
    selection: Selection,
    *,
    template: str = "admin/shipments/confirmation.html",
    **more: Any,  # noqa: ANN401  # as `ask` takes it
) -> TemplateResponse:
    """Ask for confirmation of an action on a selection. more: `form`, and other context for the template."""
    return ask(
        model_admin,
        request,
        question,
        way_back=selection.way_back,
        subject=selection.subject,
        fields=selection.again,
        template=template,
        **more,
    )
