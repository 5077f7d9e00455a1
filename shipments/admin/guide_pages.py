"""What the actions on guides share: finding the guide, and naming the guides a page is about."""

from typing import Any

from django.http import Http404, HttpRequest

from shipments.admin.journals import JournalAdmin
from shipments.admin.selections import Selection
from shipments.models import Guide

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
    def sample(selection: Selection) -> dict[str, Any]:
        """The first guides by name, and how many there are beside them."""
        count = selection.count()
        named = list(selection.guides.order_by("pk").select_related("manifest")[:_NAMED])
        return {"count": count, "named": named, "more": count - len(named)}
