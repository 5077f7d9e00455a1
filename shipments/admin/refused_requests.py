"""The requests that the API refused, to tell a client why."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import display

from companies.operators.clocks import headed_by_zone, in_list
from shipments.admin.filters import CompanyFilter
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.manifests.waybills import normal_mawb
from shipments.models import RefusedRequest


class CodeFilter(DropdownFilter):
    """Filter by the error code; offers those that occur."""

    title = _("error code")
    parameter_name = "error"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        seen = RefusedRequest.objects.visible_to(request.user).order_by("code").values_list("code", flat=True)
        return [(code, code) for code in seen.distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[RefusedRequest]) -> QuerySet[RefusedRequest]:  # noqa: ARG002  # as above
        return queryset.filter(code=self.value()) if self.value() else queryset


@admin.register(RefusedRequest)
class RefusedRequestAdmin(ReadOnlyAdmin):
    """Refused requests, newest first. They name codes and counts, and no values of the request."""

    list_display = [
        "shown_time", "company", "endpoint", "shown_code", "shown_findings", "mawb", "file_extension", "request_id",
    ]  # fmt: skip
    list_select_related = ["company"]
    list_filter = [CompanyFilter, CodeFilter]
    search_fields = ["request_id"]
    search_help_text = _("request id or MAWB, in full")
    sortable_by = ()
    fields = [
        ("company", "created_at"), ("endpoint", "status"), ("code", "mawb"), "shown_findings",
        ("file_extension", "file_sha256"), "request_id",
    ]  # fmt: skip
    readonly_fields = ["shown_findings"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[RefusedRequest], search_term: str  # noqa: ARG002  # Django's signature
    ) -> tuple[QuerySet[RefusedRequest], bool]:  # fmt: skip
        """By the whole request id, which the client's log has, or by MAWB."""
        text = search_term.replace("\0", "").strip()
        if not text:
            return queryset, False
        mawb = normal_mawb(text)
        return queryset.filter(mawb=mawb) if mawb else queryset.filter(request_id=text), False

    @display(description=headed_by_zone(_("time")))
    def shown_time(self, refused: RefusedRequest) -> str:
        return in_list(refused.created_at)

    @display(description=_("error"))
    def shown_code(self, refused: RefusedRequest) -> SafeString:
        return format_html("{} <code>{}</code>", refused.status, refused.code)

    @display(description=_("findings"))
    def shown_findings(self, refused: RefusedRequest) -> SafeString:
        return format_html_join(
            ", ", "{} × <code>{}</code>", ((count, code) for code, count in refused.findings.items())
        )
