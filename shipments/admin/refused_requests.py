"""The requests that the API refused, to tell a client why."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import display

from companies.admin_base.clocks import headed_by_zone, in_list
from companies.models.contact import contact_of
from shipments.admin.filters import CompanyFilter
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.manifests.waybills import normal_mawb
from shipments.models import RefusedRequest
from shipments.wording.refused_words import FOUND, REFUSED

_LISTED_HEADINGS = 3
_LISTED_CHARACTERS = 40
"""Of a heading in the list; the page of the request shows it whole."""
_NOTHING = mark_safe("–")


class CodeFilter(DropdownFilter):
    """Filter by the error code; offers those that occur."""

    title = _("error code")
    parameter_name = "error"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        seen = RefusedRequest.objects.visible_to(request.user).order_by("code").values_list("code", flat=True)
        return [(code, str(REFUSED.get(code, code))) for code in seen.distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[RefusedRequest]) -> QuerySet[RefusedRequest]:  # noqa: ARG002  # as above
        return queryset.filter(code=self.value()) if self.value() else queryset


@admin.register(RefusedRequest)
class RefusedRequestAdmin(ReadOnlyAdmin):
    """Refused requests, newest first. They name codes, counts and headings, and no values of the request."""

    list_display = [
        "shown_time", "company", "endpoint", "shown_error", "shown_what", "mawb", "file_extension", "request_id",
    ]  # fmt: skip
    list_select_related = ["company"]
    list_filter = [CompanyFilter, CodeFilter]
    search_fields = ["request_id"]
    search_help_text = _("request id or MAWB, in full")
    sortable_by = ()
    fields = [
        ("company", "created_at"), "shown_contact", ("endpoint", "status"), ("shown_error", "code"), "mawb",
        "shown_findings", "shown_headings", "file_extension", "file_sha256", "request_id",
    ]  # fmt: skip
    readonly_fields = ["shown_contact", "shown_error", "shown_findings", "shown_headings"]

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

    @display(description=_("contact of the company"))
    def shown_contact(self, refused: RefusedRequest) -> SafeString | str:
        """Whom to answer, or to ask for another file."""
        return contact_of(refused.company) or gettext("None is entered on the company's page.")

    @display(description=_("error"))
    def shown_error(self, refused: RefusedRequest) -> str:
        return str(REFUSED.get(refused.code, refused.code))

    @display(description=_("findings"))
    def shown_findings(self, refused: RefusedRequest) -> SafeString:
        return format_html_join("", "<div>{}</div>", ((each,) for each in _found(refused))) or _NOTHING

    @display(description=_("headings not understood"))
    def shown_headings(self, refused: RefusedRequest) -> SafeString:
        return format_html_join("", "<div>{}</div>", ((each,) for each in refused.headings)) or _NOTHING

    @display(description=_("findings"))
    def shown_what(self, refused: RefusedRequest) -> SafeString:
        """The findings, and the first headings that were not understood."""
        lines = [*_found(refused)]
        if refused.headings:
            short = [Truncator(heading).chars(_LISTED_CHARACTERS) for heading in refused.headings[:_LISTED_HEADINGS]]
            named = ", ".join(f"“{heading}”" for heading in short)
            more = " …" if len(refused.headings) > _LISTED_HEADINGS else ""
            lines.append(gettext("Not understood: %s") % f"{named}{more}")
        return format_html_join("", "<div>{}</div>", ((each,) for each in lines))


def _found(refused: RefusedRequest) -> Iterator[str]:
    """Yield what was found, in words; the name of a refused field is shown as it was sent."""
    for code, count in refused.findings.items():
        yield f"{number_format(count, force_grouping=True)} × {FOUND.get(code, code)}"
