"""Which chapter of the operators' manual is about a page of the admin."""

from collections.abc import Mapping

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language

from prealerts.documentation.pages import CHAPTERS, LANGUAGES, Chapter

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
    "shipments_chore": "morning",
    "webhooks_": "stopped-webhooks",
    "webhooks_subscription_rotate_secret": "leaked-password",
    "auth_": "colleagues",
    "companies_operatoraccess": "colleagues",
    "companies_mail": "colleagues",
    "notifications": "morning",
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
