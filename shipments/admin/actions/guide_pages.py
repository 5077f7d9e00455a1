"""What the actions on guides share: finding the guide, naming the guides a page is about, showing a refusal."""

from collections.abc import Callable, Sequence
from typing import Any

from django.forms import Form
from django.http import Http404, HttpRequest
from django.utils.functional import Promise

from companies.errors import DomainError
from shipments.admin.actions.selections import Selection
from shipments.admin.journals import JournalAdmin
from shipments.models import Guide
from shipments.models.manifests import FINDINGS_OF_MANIFEST

_NAMED = 10


class GuidePages(JournalAdmin):
    """The base of the actions on guides."""

    def guide_or_404(self, request: HttpRequest, object_id: str) -> Guide:
        """The guide that an action's address speaks of."""
        guide: Guide | None = self.get_object(request, object_id)
        if guide is None:
            raise Http404
        return guide

    @staticmethod
    def sample(
        selection: Selection, remarks: Callable[[Guide], Sequence[str | Promise]] = lambda _guide: ()
    ) -> dict[str, Any]:
        """The first guides by name, each with its remarks, and how many there are beside them."""
        count = selection.count()
        guides = selection.guides.order_by("pk").select_related("manifest")
        first = guides.defer(*FINDINGS_OF_MANIFEST)[:_NAMED]
        named = [(guide, remarks(guide)) for guide in first]
        return {"count": count, "named": named, "more": count - len(named)}


def blame(form: Form, refused: DomainError) -> None:
    """Show a refusal where it belongs: beside the fields it names, or above the form."""
    for name, messages in refused.details.items():
        form.add_error(name if name in form.fields else None, messages)
    if not refused.details:
        form.add_error(None, refused.message)
