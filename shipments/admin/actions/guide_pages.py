"""Shared by the actions on guides: finding the guide, listing a page's guides, showing a refusal."""

from collections.abc import Callable, Sequence
from typing import Any

from django.forms import Form
from django.http import Http404, HttpRequest
from django.utils.functional import Promise

from companies.errors import DomainError
from shipments.admin.actions.selections import MOST_GUIDES, Selection
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.models import Guide
from shipments.models.manifests import FINDINGS_OF_MANIFEST

_NAMED = 10


class GuidePages(ReadOnlyAdmin):
    """Base class of the actions on guides."""

    def guide_or_404(self, request: HttpRequest, object_id: str) -> Guide:
        """Return the guide in an action's address. Raises `Http404`."""
        guide: Guide | None = self.get_object(request, object_id)
        if guide is None:
            raise Http404
        return guide

    @staticmethod
    def sample(
        selection: Selection, remarks: Callable[[Guide], Sequence[str | Promise]] = lambda _guide: ()
    ) -> dict[str, Any]:
        """Return the first guides, each with its remarks, and the number of guides not listed."""
        # Asked for the first guides of a manifest by their keys, PostgreSQL reads all guides that are older.
        keys = sorted(selection.guides.order_by().values_list("pk", flat=True)[: MOST_GUIDES + 1])
        first = selection.guides.filter(pk__in=keys[:_NAMED]).order_by("pk").select_related("manifest")
        named = [(guide, remarks(guide)) for guide in first.defer(*FINDINGS_OF_MANIFEST)]
        return {"rows": named, "more": len(keys) - len(named)}


def blame(form: Form, refused: DomainError) -> None:
    """Add a refusal to the form: to the fields it names, or else to the form as a whole."""
    for name, messages in refused.details.items():
        form.add_error(name if name in form.fields else None, messages)
    if not refused.details:
        form.add_error(None, refused.message)
