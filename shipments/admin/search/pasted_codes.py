"""Lists of guides from pasted codes: kept in the operator's session and opened with a filter of the guide list."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.contrib.filters.admin import DropdownFilter

from shipments.models import Guide

_PARAMETER = "pasted"
_SESSION_KEY = "pasted_guides"
_KEPT = 5
"""The newest lists of a session that are kept."""


@dataclass(frozen=True, slots=True)
class PastedCodes:
    """What was found of a pasted list. link: the list of the guides; empty if there are none, or too many for a list.

    missing: codes that no guide has. beyond, others: what was not looked for, as in `PastedList`.
    """

    missing: Sequence[str]
    beyond: Sequence[str]
    others: Sequence[str]
    guides: int = 0
    link: str = ""


def keep_list(request: HttpRequest, guide_ids: Sequence[int]) -> dict[str, str]:
    """Keep a list in the session. Returns the parameter of the guide list that opens it."""
    lists = _lists_of(request)
    same = next((key for key, kept in lists.items() if kept == list(guide_ids)), None)
    if same is None:
        same = secrets.token_hex(4)
        newest = [*lists.items(), (same, list(guide_ids))][-_KEPT:]
        request.session[_SESSION_KEY] = dict(newest)
    return {_PARAMETER: same}


def _lists_of(request: HttpRequest) -> dict[str, list[int]]:
    lists: dict[str, list[int]] = request.session.get(_SESSION_KEY, {})
    return lists


class PastedFilter(DropdownFilter):
    """Filter by a list of pasted codes. A list that is no longer kept has no guides."""

    title = _("pasted codes")
    parameter_name = _PARAMETER

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        self._lists: dict[str, list[int]] = _lists_of(request)
        choices = [
            (key, ngettext("%d guide", "%d guides", len(guides)) % len(guides)) for key, guides in self._lists.items()
        ]
        asked = request.GET.get(_PARAMETER)
        if asked and asked not in self._lists:
            choices.append((asked, str(_("A list that is no longer kept"))))
        return choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Guide]) -> QuerySet[Guide]:  # noqa: ARG002  # as above
        return queryset.filter(pk__in=self._lists.get(str(self.value()), ())) if self.value() else queryset
