"""VAT still to be paid at customs, where a country lets platforms charge it at the sale: a filter and a figure."""

from typing import Any, cast

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter

from shipments.manifests.countries import COUNTRIES
from shipments.models import Guide, GuideEvent
from shipments.statuses import IN_CUSTOMS, GuideStatus

TO_PAY = "to_pay"


class VatFilter(DropdownFilter):
    """Filter by VAT that is still to be paid."""

    title = _("VAT")
    parameter_name = "vat"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return [(TO_PAY, _("VAT to be paid"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        return with_vat_to_pay(cast("QuerySet[Guide]", queryset)) if self.value() == TO_PAY else queryset


def with_vat_to_pay(guides: QuerySet[Guide]) -> QuerySet[Guide]:
    """Return those of `guides` on which customs will charge VAT.

    Their value is within the country's limit, nothing says that VAT was charged at the sale, and customs has not
    released them.
    """
    small = Q(pk__in=[])
    for country, rules in COUNTRIES.items():
        if rules.vat_at_sale:
            small |= Q(manifest__country=country, fob_usd__lte=rules.vat_at_sale.most_usd)
    released = GuideEvent.objects.valid().filter(guide=OuterRef("pk"), status=GuideStatus.CUSTOMS_RELEASED)
    before_release = Q(status__in=[GuideStatus.REGISTERED, *IN_CUSTOMS])
    on_the_way = Q(status__in=[GuideStatus.IN_TRANSIT, GuideStatus.ON_HOLD]) & ~Exists(released)
    return guides.filter(small, before_release | on_the_way).exclude(vat_collected=True)


def charges_vat_at_sale(country: str) -> bool:
    """Return whether platforms may charge the country's VAT at the sale."""
    return COUNTRIES[country].vat_at_sale is not None
