"""`/admin/help/`: the operators' manual, for whoever is logged in. Each page of the admin links to its chapter."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from base.admin.pages import AdminPage
from prealerts.documentation.pages import CHAPTERS, LANGUAGES, Chapter

TITLE = _("Operations manual")


def urls() -> list[URLPattern]:
    page = admin.site.admin_view(ManualPage.as_view())
    return [
        path("", page, name="manual"),
        path("<slug:slug>/", page, name="manual-chapter"),
        path("<slug:slug>/<slug:picture>.webp", admin.site.admin_view(picture), name="manual-picture"),
    ]


class ManualPage(AdminPage):
    """A chapter, or the list of all of them."""

    permission_required = ()
    template_name = "prealerts/manual.html"
    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, slug: str = "") -> HttpResponseBase:
        from prealerts.documentation.rendering import rendered  # noqa: PLC0415  # as for the guides

        spoken = reading_language()
        context: dict[str, Any] = {"title": TITLE, "here": slug, "manual": TITLE}
        if slug:
            chapter = CHAPTERS.get(slug)
            if chapter is None:
                raise Http404
            context["title"] = chapter.title_in(spoken)
            context["body"], _contents = rendered(chapter, spoken, request.build_absolute_uri("/").rstrip("/"))
        context["chapters"] = [(each, each.title_in(spoken), each.occasion(spoken)) for each in CHAPTERS.values()]
        return self.render_to_response(self.get_context_data(**context))


def picture(_request: HttpRequest, slug: str, picture: str) -> HttpResponse:
    """A picture as the chapter names it: relative to its own address, in the reader's language."""
    if slug not in CHAPTERS or picture not in CHAPTERS:
        raise Http404
    kept = CHAPTERS[picture].path(reading_language()).with_suffix(".webp")
    return HttpResponse(kept.read_bytes(), content_type="image/webp")


_OF_PAGES: Mapping[str, str] = {
    "index": "morning",
    "clock": "morning",
    "search": "find-a-parcel",
    "shipments_guide": "find-a-parcel",
    "shipments_guide_advance": "moves",
    "shipments_guide_take_back": "moves",
    "shipments_guide_lift_retention": "customs",
    "shipments_guide_correct_consignee": "reviews",
    "shipments_guide_mark_reviewed": "reviews",
    "shipments_guide_review_again": "reviews",
    "shipments_guide_take": "exceptions",
    "shipments_guide_release": "exceptions",
    "shipments_guide_enter_carrier_number": "carrier-reports",
    "shipments_manifest": "find-a-parcel",
    "shipments_manifest_advance_guides": "moves",
    "shipments_manifest_broker": "customs",
    "shipments_flight": "find-a-parcel",
    "shipments_bulkmove": "moves",
    "import-events": "moves",
    "shipments_inboundbatch": "receiving",
    "receive": "receiving",
    "reports": "month-end",
    "rules-in-force": "reviews",
    "enter-manifest": "strange-workbook",
    "shipments_layout": "strange-workbook",
    "shipments_refusedrequest": "strange-workbook",
    "shipments_uploadjob": "strange-workbook",
    "shipments_outgoinglayout": "customs",
    "companies_company": "new-client",
    "companies_company_rotate_api_password": "leaked-password",
    "companies_company_end_old_password": "leaked-password",
    "move-in": "new-client",
    "privacy": "personal-data",
    "shipments_erasure": "personal-data",
    "shipments_carrier": "carrier-reports",
    "webhooks_": "stopped-webhooks",
    "webhooks_subscription_rotate_secret": "leaked-password",
    "auth_": "colleagues",
    "companies_operatoraccess": "colleagues",
    "admin_logentry": "colleagues",
    "auditlog_logentry": "colleagues",
    "own-password": "leaked-password",
    "password_change": "leaked-password",
    "second-factor": "leaked-password",
}
"""How the names of addresses begin, and the chapter about their pages; of several, the longest one counts."""
_OF_WORK = {"review": "reviews", "retention": "customs", "customs": "exceptions"}
"""Of the lists of guides that wait for somebody."""


def chapter_of(request: HttpRequest) -> Chapter | None:
    """Return the chapter about the page; None where there is none, and the whole manual helps."""
    name = (request.resolver_match and request.resolver_match.url_name) or ""
    if name == "shipments_guide_changelist" and (slug := _OF_WORK.get(request.GET.get("work", ""))):
        return CHAPTERS[slug]
    beginnings = [beginning for beginning in _OF_PAGES if name.startswith(beginning)]
    return CHAPTERS[_OF_PAGES[max(beginnings, key=len)]] if beginnings else None


def reading_language() -> str:
    """Return the reader's, or English where there is no manual in it."""
    spoken = str(get_language())
    return spoken if spoken in LANGUAGES else "en"


def chapter_address(chapter: Chapter) -> str:
    return reverse("manual-chapter", args=[chapter.slug])
