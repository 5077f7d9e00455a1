"""The guides: the list with its work lists, and the page of one with its timeline."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.dataclasses import UnfoldAction
from unfold.decorators import display

from shipments.admin.actions.advance_actions import AdvanceActions
from shipments.admin.actions.guide_exports import GuideExports
from shipments.admin.actions.retention_actions import RetentionActions
from shipments.admin.actions.review_actions import ReviewActions
from shipments.admin.badges import badge, status_badge
from shipments.admin.filters import ArrivalFilter, CompanyFilter, CountryFilter
from shipments.admin.guide_paginator import GuidePaginator
from shipments.admin.guide_search import search_guides
from shipments.admin.timeline import moments
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, GUIDE_FIELDS
from shipments.models import Guide
from shipments.models.manifests import FINDINGS_OF_MANIFEST
from shipments.statuses import GuideStatus
from shipments.wording.rendering import reason_in_words

ANONYMISED_GUIDE = _(
    "Who the consignee was, what came and what it was worth was erased, with every free text. The guide, its events "
    "and the manifest's totals stay; reasons that are given from now on are not kept."
)

_CONSIGNEE = (
    "consignee_name", ("consignee_document_type", "consignee_document"), "consignee_address",
    ("consignee_city", "consignee_region", "consignee_postal_code"), ("consignee_phone", "consignee_email"),
)  # fmt: skip
_CONTENT = (
    "description_original", ("weight_kg", "packages_count"), ("fob_usd", "product_value"), ("hs_code", "category"),
    ("shipper_name", "platform_name"),
)  # fmt: skip
"""The lines of a guide's page. A field of the table that has no place in one gets a line of its own below."""
_PLACED = {name for line in (*_CONSIGNEE, *_CONTENT) for name in ([line] if isinstance(line, str) else line)}
_SHOWN_APART = {"hawb", "products", "extra_data"}  # the page's head, a table of its own, and what no operator needs


@admin.register(Guide)
class GuideAdmin(AdvanceActions, RetentionActions, ReviewActions, GuideExports):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """Guides are read, and acted upon by verbs; no field and no event is edited."""

    list_display = [
        "tracking_code", "hawb", "shown_mawb", "shown_company", "consignee_name", "shown_status", "shown_flags",
    ]  # fmt: skip
    list_select_related = ["manifest__company"]
    paginator = GuidePaginator
    list_filter = [
        ("status", ChoicesDropdownFilter),
        "needs_review",
        "retention_required",
        CompanyFilter,
        CountryFilter,
        ArrivalFilter,
    ]
    linked_lookups = {"manifest__id__exact"}  # from the manifest's page
    ordering = ["-id"]
    sortable_by = ()  # no order but the newest first is answered by an index
    search_fields = ["tracking_code"]
    search_help_text = _("MAWB, tracking code, or the start of a HAWB, name or document")
    actions: Any = [
        *AdvanceActions.actions, *ReviewActions.actions, *RetentionActions.actions, *GuideExports.actions,
    ]  # fmt: skip
    actions_detail: Any = [
        *AdvanceActions.actions_detail, *RetentionActions.actions_detail, *ReviewActions.actions_detail,
    ]  # fmt: skip
    fieldsets = [
        (None, {"fields": [("tracking_code", "hawb"), ("manifest", "status_text")]}),
        (_("Consignee"), {"fields": [
            *_CONSIGNEE, *(name for name in CONSIGNEE_FIELDS if name not in _PLACED),
        ]}),
        (_("Content"), {"fields": [
            *_CONTENT,
            *(field.name for field in GUIDE_FIELDS if field.name not in {*_PLACED, *CONSIGNEE_FIELDS, *_SHOWN_APART}),
        ]}),
        (_("Review and retention"), {"fields": [
            ("shown_needs_review", "shown_reasons"), ("reviewed_at", "reviewed_by"),
            ("shown_retention", "shown_retention_reason"),
            ("retention_lifted_at", "retention_lifted_by", "shown_lifted_reason"),
        ]}),
    ]  # fmt: skip

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        fieldsets = list(super().get_fieldsets(request, obj))
        if obj is not None and obj.anonymised_at:
            fieldsets.insert(0, (_("Anonymised"), {"fields": ["anonymised_at"], "description": ANONYMISED_GUIDE}))
        return fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Guide | None = None) -> list[str]:  # noqa: ARG002  # the signature is Django's
        shown = ["shown_needs_review", "shown_reasons", "shown_retention", "shown_retention_reason"]
        return ["status_text", *shown, "shown_lifted_reason"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Guide]:
        return super().get_queryset(request).defer("extra_data", *FINDINGS_OF_MANIFEST)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Guide], search_term: str  # noqa: ARG002  # Django's signature
    ) -> tuple[QuerySet[Guide], bool]:  # fmt: skip
        """Search by what an operator has in hand; `search_fields` only makes Django show the box."""
        return search_guides(queryset, search_term), False

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Leave out what the guide does not ask for."""
        actions: list[UnfoldAction] = super().get_actions_detail(request, object_id)
        guide = self.get_object(request, str(object_id))
        if guide is None:
            return []
        pointless: set[str] = set()
        if not guide.retention_required:
            pointless.add("lift-retention")
        if not guide.needs_review:
            pointless |= {"mark-reviewed", "correct"}
        if GuideStatus(guide.status).is_terminal:
            pointless.add("advance")
        return [one for one in actions if one.path not in pointless]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The list, with the ways out of it for those who may take them."""
        ways: dict[str, Any] = {
            "may_operate": self.has_operate_permission(request),
            "exports": [("csv", "CSV"), ("xlsx", "XLSX")],
        }
        return super().changelist_view(request, {**(extra_context or {}), **ways})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one guide, and remember who opened it: it holds a person's data."""
        guide = self.get_object(request, object_id)
        shown = {"moments": moments(guide), "products": guide.products} if guide else {}
        response = super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})
        if guide is not None and response.status_code == 200:
            self.log_change(request, guide, gettext("Opened."))
        response["Cache-Control"] = "no-store"
        return response

    @display(description="MAWB")
    def shown_mawb(self, guide: Guide) -> str:
        return guide.manifest.mawb

    @display(description=_("company"))
    def shown_company(self, guide: Guide) -> str:
        return guide.manifest.company.name

    @display(description=_("status"))
    def shown_status(self, guide: Guide) -> SafeString:
        return status_badge(guide.status)

    @display(description=_("to look at"))
    def shown_flags(self, guide: Guide) -> SafeString:
        flags = [(guide.needs_review, _("review")), (guide.retention_required, _("retention"))]
        badges = [badge(text, "warning") for is_set, text in flags if is_set]
        if guide.anonymised_at:
            badges.append(badge(_("anonymised"), "muted"))
        return format_html_join(" ", "{}", ((one,) for one in badges))

    @display(description=_("status"))
    def status_text(self, guide: Guide) -> SafeString:
        return status_badge(guide.status)

    @display(description=_("needs review"))
    def shown_needs_review(self, guide: Guide) -> SafeString | str:
        return _yes_or_no(is_set=guide.needs_review)

    @display(description=_("under retention"))
    def shown_retention(self, guide: Guide) -> SafeString | str:
        return _yes_or_no(is_set=guide.retention_required)

    @display(description=_("retention reason"))
    def shown_retention_reason(self, guide: Guide) -> str:
        return reason_in_words(guide.retention_reason)

    @display(description=_("reason for lifting"))
    def shown_lifted_reason(self, guide: Guide) -> str:
        return reason_in_words(guide.retention_lifted_reason)

    @display(description=_("review reasons"))
    def shown_reasons(self, guide: Guide) -> SafeString | str:
        return format_html_join(
            "", "<div>{}</div>", ((reason_in_words(reason),) for reason in guide.review_reasons)
        ) or gettext("None.")


def _yes_or_no(*, is_set: bool) -> SafeString | str:
    """unfold's red cross would call a guide that asks for nothing a failure."""
    return badge(_("Yes"), "warning") if is_set else gettext("No")
