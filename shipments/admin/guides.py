"""The guide admin: the list with its work lists, and the page of a guide with its timeline."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.views.main import SEARCH_VAR
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.timesince import timesince
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.activity import log_act
from base.admin.list_exports import ListExports, filters_of
from base.admin.list_filters import StatesFilter
from base.admin.saved_views import SavedViews
from base.db.moments import in_words
from companies.exported_columns import ETA, build_export
from shipments.activity import OPENED, log_list
from shipments.admin.actions.guide_actions import (
    Correct,
    Lift,
    Release,
    Review,
    ReviewAgain,
    Take,
    first_review,
    review_reasons,
)
from shipments.admin.actions.move_actions import Advance, TakeBack
from shipments.admin.actions.note_action import AddNote, notes_of
from shipments.admin.attention import flags, matters, timeline_of
from shipments.admin.badges import status_badge
from shipments.admin.carriers.carriers_admin import EnterNumber, numbers_of
from shipments.admin.carriers.events_admin import carrier_reports
from shipments.admin.columns import (
    amount,
    at_destination,
    column,
    exact_amount,
    exact_weight,
    lines,
    number_column,
    time_column,
)
from shipments.admin.filters import (
    ArrivalFilter,
    BagFilter,
    CompanyFilter,
    CountryFilter,
    MoveFilter,
    PastedFilter,
    TakenFilter,
    VatFilter,
    WorkFilter,
    YearFilter,
    not_found_of,
)
from shipments.admin.guide_paginator import GuidePaginator
from shipments.admin.guide_search import PastedCodes, codes_in, is_broad, missing_codes, read_pasted_list, search_guides
from shipments.admin.read_only_admin import CountedChangeList, ReadOnlyAdmin
from shipments.document_counts import arrival_of, count_documents, most_in_a_year
from shipments.inbound.differences import scans_of
from shipments.labels import CITY_LABELS
from shipments.manifests.countries import rules_for
from shipments.manifests.countries.judgement import is_duty_free
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, EXPORTED_FIELDS, GUIDE_FIELDS
from shipments.models import Guide, GuideTaking, ListedGuides, Manifest
from shipments.models.manifests import FINDINGS_OF_MANIFEST
from shipments.statuses import GuideStatus
from shipments.wording.rendering import reason_in_words

ANONYMISED_GUIDE = _(
    "The consignee, the contents, their value and all free text were erased. The guide, its events "
    "and the manifest's totals stay; reasons entered from now on are not stored."
)

_CONSIGNEE = (
    "consignee_name", ("consignee_document_type", "consignee_document"), "consignee_address",
    ("consignee_city", "consignee_region", "consignee_postal_code"), ("consignee_phone", "consignee_email"),
)  # fmt: skip
_CONTENT = (
    "description_original", "shown_weight_kg", "shown_packages_count", "bag", "shown_product_value", "shipper_name",
    "shipper_address", "shipper_city", "shipper_country", "platform_name",
)  # fmt: skip
_CUSTOMS = (
    "shown_fob_usd", "shown_freight_usd", "shown_insurance_usd", "hs_code", "category", "goods_country",
    "vat_collected", "platform_tax_id", "sale_id",
)  # fmt: skip
"""The lines of a guide's page. A field of the table that is not in any of them gets its own line below."""
_PLACED = {
    name.removeprefix("shown_")
    for line in (*_CONSIGNEE, *_CONTENT, *_CUSTOMS)
    for name in ([line] if isinstance(line, str) else line)
}
_SHOWN_APART = {"hawb", "products", "extra_data"}  # in the header, in its own table, and not needed by operators

_OWN_COLUMNS = (
    "hawb", "tracking_code", "status", *(field for field in EXPORTED_FIELDS if field != "hawb"), "needs_review",
    "retention_required", "created_at",
)  # fmt: skip
EXPORT = build_export(
    "guides",
    _("List of guides"),
    Guide,
    {
        "client_code": "manifest__company__client_code", "mawb": "manifest__mawb", "eta": "manifest__eta",
        **{name: name for name in _OWN_COLUMNS},
    },
    ETA,
    country="manifest__country",
)  # fmt: skip
"""For programs the headings are the contract's names."""


def _city(label: Any) -> Callable[[Guide], str]:  # noqa: ANN401  # lazy
    @admin.display(description=label)
    def consignee_city(guide: Guide) -> str:
        return guide.consignee_city

    return consignee_city


_CITIES = {country: _city(label) for country, label in CITY_LABELS.items()}


def _rename_city(fields: Sequence[Any], guide: Guide) -> list[Any]:
    """Return the lines of fields with the city under the name that it has in the guide's country."""
    name = _CITIES.get(guide.manifest.country, "consignee_city")
    return [
        tuple(name if each == "consignee_city" else each for each in line) if isinstance(line, tuple) else line
        for line in fields
    ]


class GuideChangeList(CountedChangeList):
    """The list of guides, which says what a pasted list of codes does not find in it."""

    def oldest(self) -> str:
        """Say how long the first guide of a work list has waited, which begins with the oldest; empty for others."""
        if self.asked.GET.get("work") not in dict(WorkFilter.options) or not self.result_list:
            return ""
        first = min(guide.created_at for guide in self.result_list)
        return gettext("The oldest was received %(time)s ago; it comes first.") % {"time": timesince(first)}

    def pasted(self) -> PastedCodes | None:
        """Return what the list, with its filters, lacks of the codes that are searched for; None if none are."""
        pasted = read_pasted_list(self.query, self.queryset)
        if pasted is None and (kept := not_found_of(self.asked)):
            missing, beyond, others = kept
            return PastedCodes(missing, beyond, others)
        if pasted is None:
            return None
        return PastedCodes(missing_codes(self.queryset, pasted.codes), pasted.beyond, pasted.others)


@admin.register(Guide)
class GuideAdmin(SavedViews, ListExports, ReadOnlyAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """Guides are read-only. They change through actions; fields and events are never edited."""

    list_display = [
        "tracking_code", "hawb", "shown_mawb", "shown_country", "shown_company", "consignee_name", "shown_status",
        "shown_flags", "shown_last_move", "shown_received",
    ]  # fmt: skip
    list_select_related = ["manifest__company"]
    paginator = GuidePaginator
    change_list = GuideChangeList
    list_filter = [
        ("status", StatesFilter), WorkFilter, YearFilter, TakenFilter, CompanyFilter, CountryFilter, ArrivalFilter,
        BagFilter, VatFilter, PastedFilter, MoveFilter,
    ]  # fmt: skip
    linked_lookups = {  # from the manifest's page; and from bookmarks
        "manifest__id__exact", "needs_review__exact", "retention_required__exact",
    }  # fmt: skip
    exported = EXPORT
    passing_lookups = {PastedFilter.parameter_name}
    ordering = ["-id"]
    sortable_by = ("shown_mawb", "shown_status", "shown_received")  # an index supports each of these orders
    search_fields = ["tracking_code"]
    search_help_text = _("tracking code, HAWB, MAWB, bag, document, name, e-mail or phone; or a list of codes")
    actions: Any = ["export_ticked_as_csv", "export_ticked_as_xlsx"]
    confirmed_actions = (Advance, Lift, Correct, Review, ReviewAgain, Take, Release, AddNote, EnterNumber, TakeBack)
    fieldsets = [
        (_("Guide"), {"fields": ["tracking_code", "hawb", "manifest"]}),
        (_("Consignee"), {"fields": [
            *_CONSIGNEE, *(name for name in CONSIGNEE_FIELDS if name not in _PLACED),
        ]}),
        (_("Content"), {"fields": [
            *_CONTENT,
            *(field.name for field in GUIDE_FIELDS if field.name not in {*_PLACED, *CONSIGNEE_FIELDS, *_SHOWN_APART}),
        ]}),
        (_("Customs"), {"fields": [
            *_CUSTOMS, "shown_retention_reason", "retention_lifted_at", "retention_lifted_by", "shown_lifted_reason",
        ]}),
        (_("Review"), {"fields": ["shown_reasons", "reviewed_at", "reviewed_by"]}),
    ]  # fmt: skip

    shown_weight_kg = column(_("weight (kg)"), lambda guide: exact_weight(guide.weight_kg))
    shown_packages_count = number_column(Guide, "packages_count")
    shown_fob_usd = number_column(Guide, "fob_usd")
    shown_product_value = number_column(Guide, "product_value")
    shown_freight_usd = number_column(Guide, "freight_usd")
    shown_insurance_usd = number_column(Guide, "insurance_usd")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        fieldsets = list(super().get_fieldsets(request, obj))
        if obj is not None:
            fieldsets = [
                (title, {**options, "fields": _rename_city(options["fields"], obj)}) for title, options in fieldsets
            ]
        if obj is not None and obj.anonymised_at:
            fieldsets.insert(0, (_("Anonymised"), {"fields": ["anonymised_at"], "description": ANONYMISED_GUIDE}))
        return fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Guide | None = None) -> list[Any]:  # noqa: ARG002  # the signature is Django's
        numbers = [name for name in (*_CONTENT, *_CUSTOMS) if name.startswith("shown_")]
        return ["shown_reasons", "shown_retention_reason", "shown_lifted_reason", *numbers, *_CITIES.values()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Guide]:
        return super().get_queryset(request).defer("extra_data", *FINDINGS_OF_MANIFEST)

    def search_rows(self, guides: QuerySet[Guide], text: str) -> QuerySet[Guide]:
        return search_guides(guides, text)

    def get_paginator(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature
        """Tell the paginator what it cannot see in the query."""
        if queryset.model is not Guide:
            return super().get_paginator(request, queryset, *args, **kwargs)
        text, in_status = request.GET.get(SEARCH_VAR, ""), bool(request.GET.get("status__exact"))
        codes = codes_in(text, queryset)
        broad, code = not codes and is_broad(text), any(map(str.isdigit, text)) or bool(codes)
        return GuidePaginator(queryset, *args, is_broad=broad, is_of_a_code=code, has_one_status=in_status, **kwargs)

    def has_take_back_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # Django's signature
        """Only administrators: no role has it."""
        return bool(request.user.is_active and request.user.is_superuser)

    def has_export_permission(self, request: HttpRequest) -> bool:
        """An export contains personal data: it needs the permission to act on guides."""
        return self.has_operate_permission(request)

    def log_export(self, request: HttpRequest, kind: str, queryset: QuerySet[Guide]) -> LogEntry:
        """Record an export, and beside it whose guides they are."""
        entry = super().log_export(request, kind, queryset)
        ListedGuides.objects.create(entry=entry, guides=list(queryset.order_by().values_list("pk", flat=True)))
        return entry

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show a page of the list, and record whose people it shows."""
        is_reviewing = request.GET.get("work") == "review" and self.has_operate_permission(request)
        reviews = {"first_review": first_review(request)} if is_reviewing else {}
        response = super().changelist_view(request, {**reviews, **(extra_context or {})})
        shown = getattr(response, "context_data", {}).get("cl")  # an action redirects
        if shown is not None:
            log_list(request, [guide.pk for guide in shown.result_list], filters=filters_of(request))
        return response

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401  # Django's signature
        """Show one guide and record who opened it, because it contains personal data."""
        response = super().render_change_form(request, context, *args, **kwargs)
        log_act(request, kwargs["obj"], OPENED)
        response["Cache-Control"] = "no-store"
        return response

    def page_context(self, request: HttpRequest, guide: Guide) -> dict[str, Any]:
        timeline = timeline_of(guide)
        reasons = [each.event.internal_note or each.event.client_note for each in timeline if each.is_last_move]
        may_operate = self.has_operate_permission(request)
        deliveries = f"{reverse('admin:webhooks_delivery_changelist')}?{urlencode({'q': guide.tracking_code})}"
        return {
            "taking": GuideTaking.objects.filter(pk=guide.pk).select_related("operator").first(),
            "may_take": may_operate and not GuideStatus(guide.status).is_terminal,
            **notes_of(guide, self.addresses(guide)["add_note"], may_note=may_operate),
            "matters": matters(guide, may_operate=may_operate, last_reason="".join(reasons)),
            "moments": timeline,
            "reported": carrier_reports(guide),
            "numbers": numbers_of(guide),
            "products": [_format_product(each) for each in guide.products],
            "corrections": [
                {**row, "labels": [str(Guide._meta.get_field(name).verbose_name) for name in row["fields"]]}  # type: ignore[union-attr]  # columns
                for row in guide.corrections.order_by("-id").values("corrected_at", "actor", "fields", "password_hint")
            ],
            "deliveries_link": deliveries if request.user.has_perm("webhooks.view_delivery") else "",
            "eta": in_words(at_destination(guide.manifest.eta, guide.manifest.country)) if guide.manifest.eta else "",
            **_by_law(guide),
            "arrivals": scans_of(guide) if request.user.has_perm("shipments.view_inboundbatch") else (),
            "status": status_badge(guide.status),
        }

    def get_ordering(self, request: HttpRequest) -> Any:  # noqa: ANN401  # Django's own hint is longer than the method
        """Work waits in a queue, the oldest first, which is also the order of "Save and next"."""
        return ["id"] if request.GET.get("work") in dict(WorkFilter.options) else super().get_ordering(request)

    shown_mawb = column("MAWB", lambda guide: guide.manifest.mawb, ordering="manifest__mawb")
    shown_country = column(_("country"), lambda guide: guide.manifest.country)
    shown_company = column(_("company"), lambda guide: guide.manifest.company.client_code)
    shown_status = column(_("status"), lambda guide: status_badge(guide.status), ordering="status")
    shown_last_move = time_column(_("last move"), "last_event_at")  # the list's paginator reads it
    shown_received = time_column(_("received"), "created_at", ordering="pk")
    shown_flags = column(
        _("needs attention"), lambda guide: format_html_join(" ", "{}", ((one,) for one in flags(guide)))
    )
    shown_retention_reason = column(
        _("retention reason"), lambda guide: reason_in_words(guide.retention_reason, on_page=True)
    )
    shown_lifted_reason = column(
        _("reason for lifting"), lambda guide: reason_in_words(guide.retention_lifted_reason, on_page=True)
    )
    shown_reasons = column(_("review reasons"), lambda guide: lines(review_reasons(guide)))


def _by_law(guide: Guide) -> dict[str, Any]:
    """Return what the law of its day says of a guide that only operators are told."""
    rules = rules_for(guide.manifest.country, guide.manifest.arrival_day)
    (count,) = count_documents([arrival_of(guide)], timezone.now())
    most = most_in_a_year(guide.manifest.country, guide.manifest.arrival_day, guide.consignee_document_type)
    return {
        "document_count": count,
        "most_in_a_year": most,
        "is_beyond_most": bool(count and most and count["guides"] > most),
        "duty_free": is_duty_free(rules, guide.fob_usd, guide.extra_data),
    }


def _format_product(product: Mapping[str, Any]) -> dict[str, Any]:
    value, weight, quantity = (
        None if product.get(name) is None else Decimal(str(product[name]))
        for name in ("unit_value", "weight_kg", "quantity")
    )
    return {
        **product,
        "quantity": "" if quantity is None else exact_amount(quantity),
        "unit_value": "" if value is None else amount(value) if value == round(value, 2) else exact_amount(value),
        "weight_kg": exact_weight(weight),
    }


def page_of(company_id: int, subject: str) -> str | None:
    """Return the path of the page; None if the subject is not found, such as a voided manifest whose data is gone."""
    guide = Guide.objects.filter(tracking_code=subject).values_list("pk", flat=True).first()
    if guide is not None:
        return reverse("admin:shipments_guide_change", args=[guide])
    manifests = Manifest.objects.filter(company_id=company_id, mawb=subject).order_by("-created_at")
    manifest = manifests.values_list("pk", flat=True).first()
    return None if manifest is None else reverse("admin:shipments_manifest_change", args=[manifest])
