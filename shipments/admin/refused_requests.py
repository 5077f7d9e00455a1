"""The requests that the API refused: why, what to do about it, and what to answer the client."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import display

from companies.models.contact import contact_of
from companies.welcome import in_each_language
from shipments.admin.columns import column, lines, time_column
from shipments.admin.filters import CompanyFilter
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.manifests.waybills import normal_mawb
from shipments.models import Layout, Manifest, RefusedRequest
from shipments.models.uploads import SUBMISSIONS
from shipments.wording.refusals import ANY, FOUND, REFUSALS
from shipments.wording.rendering import amounts_on_page, quote

_LISTED_HEADINGS = 3
_LISTED_CHARACTERS = 40
"""Of a heading in the list; the page of the request shows it whole."""


class CodeFilter(DropdownFilter):
    """Filter by the error code; offers those that occur."""

    title = _("error code")
    parameter_name = "error"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        seen = RefusedRequest.objects.visible_to(request.user).order_by("code").values_list("code", flat=True)
        return [(code, _what(code)) for code in seen.distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[RefusedRequest]) -> QuerySet[RefusedRequest]:  # noqa: ARG002  # as above
        return queryset.filter(code=self.value()) if self.value() else queryset


@admin.register(RefusedRequest)
class RefusedRequestAdmin(ReadOnlyAdmin):
    """Refused requests, newest first. They name codes, counts and headings, and no values of the request."""

    nothing_yet = _("Nothing has been refused")
    how_it_begins = _(
        "What a client sends and is refused appears here, with what to answer. "
        "Try a file that a client is about to send: the preview says what would be refused, and creates nothing."
    )
    list_display = ["shown_time", "company", "shown_refused", "mawb", "shown_answer"]
    list_select_related = ["company"]
    list_filter = [CompanyFilter, CodeFilter]
    search_fields = ["request_id"]
    search_help_text = _("request id or MAWB, in full")
    fieldsets = [
        (None, {"fields": [("company", "created_at"), "shown_contact"]}),
        (_("For support"), {
            "fields": [
                ("endpoint", "status"), ("code", "mawb"), "shown_findings", "shown_headings", "file_extension",
                "file_sha256", "request_id",
            ],
            "classes": ["collapse"],
        }),
    ]  # fmt: skip
    readonly_fields = ["shown_contact", "shown_findings", "shown_headings"]

    def page_context(self, request: HttpRequest, refused: RefusedRequest) -> dict[str, Any]:
        return {"refusal": explain(refused, request.user), "texts": in_each_language(lambda: _answer_to(refused))}

    def search_rows(self, refused: QuerySet[RefusedRequest], text: str) -> QuerySet[RefusedRequest]:
        """By the whole request id, which the client's log has, or by MAWB."""
        mawb = normal_mawb(text)
        return refused.filter(mawb=mawb) if mawb else refused.filter(request_id=text)

    shown_time = time_column(_("time"), "created_at")
    shown_contact = column(
        _("contact of the company"),
        lambda refused: contact_of(refused.company) or gettext("None is entered on the company's page."),
    )
    shown_findings = column(_("findings"), lambda refused: lines(_findings(refused)) or "–")
    shown_headings = column(_("headings not understood"), lambda refused: lines(refused.headings) or "–")
    shown_refused = column(
        _("what was refused"), lambda refused: lines([_what(refused.code), *_findings(refused), *_headings(refused)])
    )

    @display(description=_("What to answer"))
    def shown_answer(self, refused: RefusedRequest) -> SafeString:
        """A button to the text for the client, on the request's page."""
        link = reverse("admin:shipments_refusedrequest_change", args=[refused.pk])
        return format_html('<a class="pa-way" href="{}#answer">{}</a>', link, gettext("What to answer"))


def explain(refused: RefusedRequest, user: Any) -> dict[str, Any]:  # noqa: ANN401  # the operator
    """Return the refusal as its page explains it to `user`: what it names may lie outside of the operator's countries.

    remedy: what the operator can do. lines: findings and headings. manifest: the one that has the MAWB already.
    layout: of the workbook, if an answer about it would have helped.
    """
    words = REFUSALS.get(refused.code, ANY)
    layouts = Layout.objects.visible_to(user) if user.has_perm("shipments.view_layout") else Layout.objects.none()
    manifests = Manifest.objects.visible_to(user).without_findings()
    manifest = manifests.filter(pk=refused.about.get("manifest_id")).first()
    return {
        "what": words.what,
        "remedy": amounts_on_page(str(words.operator)),
        "lines": [*_findings(refused), *_headings(refused, whole=True)],
        "mawb": refused.mawb or (manifest.mawb if manifest else ""),
        "manifest": manifest,
        "layout": layouts.filter(pk=refused.about.get("layout")).first(),
    }


def _answer_to(refused: RefusedRequest) -> str:
    words = REFUSALS.get(refused.code, ANY)
    about = refused.about.get("manifest_id")
    mawb = refused.mawb or (Manifest.objects.filter(pk=about).values_list("mawb", flat=True).first() if about else "")
    params = {"when": date_format(localtime(refused.created_at), "SHORT_DATETIME_FORMAT"), "mawb": mawb}
    if mawb:
        head = gettext("On %(when)s we received your MAWB %(mawb)s and could not accept it.")
    elif refused.endpoint in SUBMISSIONS:
        head = gettext("On %(when)s we received a manifest of yours and could not accept it.")
    else:
        head = gettext("On %(when)s we received a request of yours and could not accept it.")
    lines = [head % params, "", str(words.what), *(f"- {line}" for line in _findings(refused))]
    lines += [f"- {line}" for line in _headings(refused, whole=True)]
    lines += ["", gettext("What to do: %s") % words.client, gettext("None of it was stored.")]
    if refused.request_id:
        lines.append(gettext("Request id: %s") % refused.request_id)
    return "\n".join(lines)


def headings_in_words(refused: RefusedRequest) -> str:
    """Return the missing and the new headings as a line."""
    return " · ".join(_headings(refused))


def _what(code: str) -> str:
    return str(REFUSALS[code].what) if code in REFUSALS else code


def _headings(refused: RefusedRequest, *, whole: bool = False) -> Iterator[str]:
    """Yield the headings that differ, by how. whole: all of them, uncut."""
    new = gettext("New: %s") if refused.code == "workbook_format_changed" else gettext("Not understood: %s")
    of_kinds = (
        (gettext("Missing: %s"), refused.about.get("missing", ())),
        (new, refused.headings),
        (gettext("Repeated: %s"), refused.about.get("repeated", ())),
    )
    for said, headings in of_kinds:
        if headings:
            cut = [Truncator(heading).chars(_LISTED_CHARACTERS) for heading in headings[:_LISTED_HEADINGS]]
            short = headings if whole else cut
            yield said % (", ".join(map(quote, short)) + (" …" if len(short) < len(headings) else ""))


def _findings(refused: RefusedRequest) -> Iterator[str]:
    """Yield what was found, in words; the name of a refused field is shown as it was sent."""
    for code, count in refused.findings.items():
        yield f"{number_format(count, force_grouping=True)} × {FOUND.get(code, code)}"
