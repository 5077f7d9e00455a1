"""What the search of the header finds: guides, manifests, what was refused, flights, companies, operators and pages.

Each kind is searched only if the operator may view it, through the QuerySet of its own pages, which keeps the countries
of the operator. A page is found if the operator's menu has it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext_lazy as _
from django.views.decorators.http import require_http_methods

from base.admin.confirmed_action import MOST_ROWS
from base.admin.lists import badge
from companies.models import Company
from prealerts.documentation.chapters import chapter_address, reading_language
from prealerts.documentation.manual import TITLE
from prealerts.documentation.pages import CHAPTERS
from shipments.activity import log_list
from shipments.admin.badges import status_badge
from shipments.admin.columns import in_local_time, with_offset
from shipments.admin.filters import keep_list
from shipments.admin.guide_paginator import GuidePaginator
from shipments.admin.guide_search import (
    PastedCodes,
    PastedList,
    flight_number,
    guides_of_codes,
    is_broad,
    missing_codes,
    read_pasted_list,
    search_guides,
    search_manifests,
)
from shipments.admin.manifests import status_summary
from shipments.manifests.consignee_words import extract_search_words
from shipments.manifests.waybills import normal_mawb
from shipments.models import Flight, Guide, Manifest, RefusedRequest
from shipments.models.manifests import FINDINGS
from shipments.wording.refusals import ANY, REFUSALS

MOST_TEXT = 20_000
"""The most characters of a search that is not a list of codes."""
SHOWN = 6
"""The most results of one kind. Their list shows all of them."""

_SHORTEST = 2


class Item(NamedTuple):
    """One result. detail: what distinguishes it, in a few words. status: a badge, or empty."""

    title: str
    detail: str
    link: str
    status: SafeString | str = ""


class Kind(NamedTuple):
    """The results of one kind. more: the address of the list with all of them; empty if there are no others.

    guides: the ids of those whose people are shown.
    """

    title: str | Promise
    icon: str
    items: Sequence[Item] = ()
    more: str = ""
    guides: Sequence[int] = ()


def find(request: HttpRequest, text: str) -> Mapping[str, Any]:
    """Return what the operator of `request` may see of what matches `text`.

    kinds: what was found. pasted: what was made of a list of codes, if the text is one. is_too_long: nothing was
    searched, because the text has more than `MOST_TEXT` characters and is not a list.
    """
    text = " ".join(text.replace("\0", "").split())
    if len(text) < _SHORTEST:
        return {}
    guides = _visible(request, Guide)
    if pasted := read_pasted_list(text, Guide.objects.none() if guides is None else guides):
        return {"pasted": None if guides is None else _find_pasted(request, pasted, guides)}
    if len(text) > MOST_TEXT:
        return {"is_too_long": True}
    companies = _visible(request, Company)
    # The kind comes first of which the text is the whole key: a MAWB, or a client code.
    is_code = companies is not None and companies.filter(client_code=text.upper()).exists()
    meant = Manifest if normal_mawb(text) else Company if is_code else None
    kinds = []
    for model in sorted(_FINDERS, key=lambda model: model is not meant):
        rows = _visible(request, model)
        if rows is not None:
            kinds.append(_FINDERS[model](rows, text))
    return {"kinds": [kind for kind in (*kinds, _pages(request, text), _chapters(text)) if kind.items]}


def _visible(request: HttpRequest, model: type[Model]) -> QuerySet[Any] | None:
    """Return the rows that the operator may see; None without the permission to view any."""
    pages = admin.site.get_model_admin(model)
    return pages.get_queryset(request) if pages.has_view_permission(request) else None


def _find_pasted(request: HttpRequest, pasted: PastedList, guides: QuerySet[Guide]) -> PastedCodes:
    keys = list(guides_of_codes(guides, pasted.codes).order_by("-pk").values_list("pk", flat=True)[: MOST_ROWS + 1])
    is_listed = 0 < len(keys) <= MOST_ROWS
    not_found = missing_codes(guides, pasted.codes), pasted.beyond, pasted.others
    link = _list_of(Guide, **keep_list(request, keys, *not_found)) if is_listed else ""
    return PastedCodes(*not_found, len(keys), link)


def _guides(guides: QuerySet[Guide], text: str) -> Kind:
    page = GuidePaginator(search_guides(guides, text), SHOWN, is_broad=is_broad(text)).page(1)
    items = [
        _item(
            guide,
            guide.tracking_code,
            (guide.hawb, guide.manifest.mawb, guide.consignee_name, guide.manifest.company.name),
            status_badge(guide.status),
        )
        for guide in page
    ]
    more = _more(Guide, text) if page.has_next() else ""
    return Kind(_("Guides"), "package_2", items, more, [guide.pk for guide in page])


def _manifests(manifests: QuerySet[Manifest], text: str) -> Kind:
    found = search_manifests(manifests, text).select_related("company").defer(*FINDINGS)
    rows = list(found.order_by("-created_at", "-id")[: SHOWN + 1])
    items = [
        _item(one, one.mawb, (one.company.name, one.get_country_display()), status_summary(one)) for one in rows[:SHOWN]
    ]
    return Kind(_("Manifests"), "inventory_2", items, _more(Manifest, text, rows))


def _refused(refused: QuerySet[RefusedRequest], text: str) -> Kind:
    """Find what was refused under a whole MAWB: a client asks for it by that number."""
    title = _("Refused requests")
    if (mawb := normal_mawb(text)) is None:
        return Kind(title, "block")
    rows = list(refused.filter(mawb=mawb).select_related("company").order_by("-created_at")[: SHOWN + 1])
    items = [
        _item(one, str(REFUSALS.get(one.code, ANY).what), (with_offset(localtime(one.created_at)), one.company.name))
        for one in rows[:SHOWN]
    ]
    return Kind(title, "block", items, _more(RefusedRequest, text, rows))


def _flights(flights: QuerySet[Flight], text: str) -> Kind:
    if not (number := flight_number(text)):
        return Kind(_("Flights"), "flight")
    found = flights.filter(flight_number__startswith=number).select_related("company").order_by("-created_at")
    rows = list(found[: SHOWN + 1])
    items = []
    for one in rows[:SHOWN]:
        way = " → ".join(filter(None, (one.origin_airport, one.destination_airport)))
        departs = in_local_time(one.scheduled_departure, one.country)
        items.append(_item(one, one.flight_number, (way, departs, one.company.name)))
    return Kind(_("Flights"), "flight", items, _more(Flight, number, rows))


def _companies(companies: QuerySet[Company], text: str) -> Kind:
    """Find companies by words of their names, like consignees. There are so few that all are compared."""
    code, wanted = text.upper(), extract_search_words(text)
    rows = [one for one in companies.order_by("name") if one.client_code.startswith(code) or _has_all(one.name, wanted)]
    items = [
        _item(one, one.name, (one.client_code, str(one.get_kind_display())), _inactive(one)) for one in rows[:SHOWN]
    ]
    return Kind(_("Companies"), "apartment", items, _more(Company, text, rows))


def _operators(users: QuerySet[User], text: str) -> Kind:
    """Find operators by words of their names. There are so few that all are compared."""
    wanted = extract_search_words(text)
    rows = [
        one
        for one in users.order_by("username")
        if _has_all(f"{one.username} {one.get_full_name()} {one.email}", wanted)
    ]
    items = [_item(one, one.username, (one.get_full_name(), one.email), _inactive(one)) for one in rows[:SHOWN]]
    return Kind(_("Operators"), "person", items, _more(User, text, rows))


def _inactive(one: Company | User) -> SafeString | str:
    return "" if one.is_active else badge(_("inactive"), "muted")


def _pages(request: HttpRequest, text: str) -> Kind:
    """Find pages of the operator's menu and account by the words of their titles."""
    frame = admin.site.each_context(request)
    menu = [item for group in frame["sidebar_navigation"] for item in group["items"] if item["has_permission"]]
    titles = {str(item["link"]): str(item["title"]) for item in [*menu, *frame["account_links"]]}
    wanted = extract_search_words(text)
    items = [Item(title, "", link) for link, title in titles.items() if _has_all(title, wanted)]
    return Kind(_("Pages"), "web_asset", items[:SHOWN])


def _chapters(text: str) -> Kind:
    """Find chapters of the manual by the words of their titles and occasions."""
    spoken, wanted = reading_language(), extract_search_words(text)
    items = [
        Item(each.title_in(spoken), "", chapter_address(each))
        for each in CHAPTERS.values()
        if _has_all(f"{TITLE} {each.title_in(spoken)} {each.occasion(spoken)}", wanted)
    ]
    return Kind(TITLE, "help", items[:SHOWN])


def _has_all(name: str, wanted: Sequence[str]) -> bool:
    """Return whether each of the words begins a word of `name`; False if there are none."""
    words = extract_search_words(name)
    return bool(wanted) and all(any(word.startswith(each) for word in words) for each in wanted)


_FINDERS: dict[type[Model], Callable[[QuerySet[Any], str], Kind]] = {
    Guide: _guides,
    Manifest: _manifests,
    RefusedRequest: _refused,
    Flight: _flights,
    Company: _companies,
    User: _operators,
}
"""In the order of the results."""


def _item(row: Model, title: str, details: Sequence[str], status: SafeString | str = "") -> Item:
    page = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    return Item(title, " · ".join(filter(None, details)), page, status)


def _list_of(model: type[Model], **query: str) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist", query=query)


def _more(model: type[Model], text: str, rows: Sequence[Model] | None = None) -> str:
    """Return the address of the list; empty if `rows` are not more than are shown."""
    is_all = rows is not None and len(rows) <= SHOWN
    return "" if is_all else _list_of(model, q=text)


@require_http_methods(["GET", "HEAD", "POST"])
def search(request: HttpRequest) -> HttpResponse:
    """Show what was found; on GET a page to search on, for whoever comes by the address.

    The text is posted, so that names and documents are in no address and no proxy's log.
    """
    if request.method == "POST":
        text = request.POST.get("s", "")
        found = find(request, text)
        for kind in found.get("kinds", ()):
            log_list(request, kind.guides, filters="q")
        response = render(request, "prealerts/search_results.html", {"found": found, "is_asked": text.strip()})
    else:
        frame = {**admin.site.each_context(request), "title": gettext("Search")}
        response = render(request, "prealerts/search_page.html", frame)
    response["Cache-Control"] = "no-store"
    return response
