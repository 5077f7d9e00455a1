"""What the search of the header finds: guides, manifests, flights, companies and operators, and the admin's pages.

Each kind is searched only if the operator may view it, through the QuerySet of its own pages, which keeps the countries
of the operator. A page is found if the operator's menu has it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from companies.admin_base.confirmed_action import MOST_ROWS
from companies.admin_base.lists import badge
from companies.models import Company
from shipments.admin.badges import status_badge
from shipments.admin.columns import in_local_time
from shipments.admin.filters import keep_list
from shipments.admin.guide_paginator import GuidePaginator
from shipments.admin.guide_search import (
    PastedCodes,
    PastedList,
    flight_number,
    guides_of_codes,
    is_broad,
    missing_codes,
    pasted_list,
    search_guides,
    search_manifests,
)
from shipments.admin.manifests import status_summary
from shipments.manifests.consignee_words import searched_words
from shipments.manifests.waybills import normal_mawb
from shipments.models import Flight, Guide, Manifest
from shipments.models.manifests import FINDINGS

MOST_TEXT = 20_000
"""The most characters of a search that is not a list of codes."""
SHOWN = 6
"""The most results of one kind. Their list shows all of them."""

_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class Item:
    """One result. detail: what distinguishes it, in a few words. status: a badge, or empty."""

    title: str
    detail: str
    link: str
    status: SafeString | str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """The results of one kind. more: the address of the list with all of them; empty if there are no others."""

    title: str | Promise
    icon: str
    items: Sequence[Item]
    more: str = ""


@dataclass(slots=True)
class Found:
    """Everything found. pasted: what was made of a list of codes, if the text is one. is_too_long: nothing was
    searched, because the text has more than `MOST_TEXT` characters and is not a list.
    """

    kinds: list[Kind] = field(default_factory=list)
    pasted: PastedCodes | None = None
    is_too_long: bool = False


def find(request: HttpRequest, text: str) -> Found:
    """Return what the operator of `request` may see of what matches `text`."""
    text = " ".join(text.replace("\0", "").split())
    found = Found()
    if len(text) < _SHORTEST:
        return found
    if pasted := pasted_list(text):
        found.pasted = _pasted(request, pasted)
        return found
    if len(text) > MOST_TEXT:
        found.is_too_long = True
        return found
    meant = _meant(request, text)
    for model in sorted(_FINDERS, key=lambda model: model is not meant):
        rows = _visible(request, model)
        if rows is not None and (kind := _FINDERS[model](rows, text)).items:
            found.kinds.append(kind)
    if (pages := _pages(request, text)).items:
        found.kinds.append(pages)
    return found


def _meant(request: HttpRequest, text: str) -> type[Model] | None:
    """Return the kind that comes first, because `text` is the whole key of one: a MAWB, or a client code."""
    if normal_mawb(text):
        return Manifest
    companies = _visible(request, Company)
    return Company if companies is not None and companies.filter(client_code=text.upper()).exists() else None


def _visible(request: HttpRequest, model: type[Model]) -> QuerySet[Any] | None:
    """Return the rows that the operator may see; None without the permission to view any."""
    pages = admin.site.get_model_admin(model)
    return pages.get_queryset(request) if pages.has_view_permission(request) else None


def _pasted(request: HttpRequest, pasted: PastedList) -> PastedCodes | None:
    guides = _visible(request, Guide)
    if guides is None:
        return None
    keys = list(guides_of_codes(guides, pasted.codes).order_by("-pk").values_list("pk", flat=True)[: MOST_ROWS + 1])
    is_listed = 0 < len(keys) <= MOST_ROWS
    link = f"{_list_of(Guide)}?{urlencode(keep_list(request, keys))}" if is_listed else ""
    return PastedCodes(missing_codes(guides, pasted.codes), pasted.beyond, pasted.others, len(keys), link)


def _guides(guides: QuerySet[Guide], text: str) -> Kind:
    page = GuidePaginator(search_guides(guides, text), SHOWN, is_broad=is_broad(text)).page(1)
    items = [
        Item(
            guide.tracking_code,
            _joined(guide.hawb, guide.manifest.mawb, guide.consignee_name, guide.manifest.company.name),
            _page_of(guide),
            status_badge(guide.status),
        )
        for guide in page
    ]
    return Kind(_("Guides"), "package_2", items, _more(Guide, text) if page.has_next() else "")


def _manifests(manifests: QuerySet[Manifest], text: str) -> Kind:
    found = search_manifests(manifests, text).select_related("company").defer(*FINDINGS)
    rows = list(found.order_by("-created_at", "-id")[: SHOWN + 1])
    items = [
        Item(one.mawb, _joined(one.company.name, one.get_country_display()), _page_of(one), status_summary(one))
        for one in rows[:SHOWN]
    ]
    return Kind(_("Manifests"), "inventory_2", items, _more(Manifest, text) if len(rows) > SHOWN else "")


def _flights(flights: QuerySet[Flight], text: str) -> Kind:
    number = flight_number(text)
    if not number:
        return Kind(_("Flights"), "flight", ())
    found = flights.filter(flight_number__startswith=number).select_related("company").order_by("-created_at")
    rows = list(found[: SHOWN + 1])
    items = [
        Item(
            one.flight_number,
            _joined(
                " → ".join(filter(None, (one.origin_airport, one.destination_airport))),
                in_local_time(one.scheduled_departure, one.country),
                one.company.name,
            ),
            _page_of(one),
        )
        for one in rows[:SHOWN]
    ]
    return Kind(_("Flights"), "flight", items, _more(Flight, number) if len(rows) > SHOWN else "")


def _companies(companies: QuerySet[Company], text: str) -> Kind:
    """Find companies by words of their names, like consignees. There are so few that all are compared."""
    wanted = [word for word, _is_whole in searched_words(text)]
    keys = [
        key
        for key, name, code in companies.order_by("name").values_list("pk", "name", "client_code")
        if code.startswith(text.upper()) or (wanted and _has_all(name, wanted))
    ]
    rows = companies.filter(Q(pk__in=keys[:SHOWN])).order_by("name")
    items = [
        Item(
            one.name,
            _joined(one.client_code, str(one.get_kind_display())),
            _page_of(one),
            "" if one.is_active else badge(_("inactive"), "muted"),
        )
        for one in rows
    ]
    return Kind(_("Companies"), "apartment", items, _more(Company, text) if len(keys) > SHOWN else "")


def _operators(users: QuerySet[User], text: str) -> Kind:
    """Find operators by words of their names. There are so few that all are compared."""
    wanted = [word for word, _is_whole in searched_words(text)]
    rows = [
        one
        for one in users.order_by("username")
        if wanted and _has_all(f"{one.username} {one.get_full_name()} {one.email}", wanted)
    ]
    items = [
        Item(
            one.username,
            _joined(one.get_full_name(), one.email),
            _page_of(one),
            "" if one.is_active else badge(_("inactive"), "muted"),
        )
        for one in rows[:SHOWN]
    ]
    return Kind(_("Operators"), "person", items, _more(User, text) if len(rows) > SHOWN else "")


def _pages(request: HttpRequest, text: str) -> Kind:
    """Find pages of the operator's menu and account by the words of their titles."""
    wanted = [word for word, _is_whole in searched_words(text)]
    frame = admin.site.each_context(request)
    menu = [item for group in frame["sidebar_navigation"] for item in group["items"] if item["has_permission"]]
    titles = {str(item["link"]): item["title"] for item in [*menu, *frame["account_links"]]}
    items = [Item(str(title), "", link) for link, title in titles.items() if wanted and _has_all(str(title), wanted)]
    return Kind(_("Pages"), "web_asset", items[:SHOWN])


def _has_all(name: str, wanted: Sequence[str]) -> bool:
    words = [word for word, _is_whole in searched_words(name)]
    return all(any(word.startswith(each) for word in words) for each in wanted)


_FINDERS: dict[type[Model], Callable[[QuerySet[Any], str], Kind]] = {
    Guide: _guides,
    Manifest: _manifests,
    Flight: _flights,
    Company: _companies,
    User: _operators,
}
"""In the order of the results."""


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _page_of(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def _list_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def _more(model: type[Model], text: str) -> str:
    return f"{_list_of(model)}?{urlencode({'q': text})}"


@require_POST
def search(request: HttpRequest) -> HttpResponse:
    """Show what was found. The text is posted, so that names and documents are in no address and no proxy's log."""
    text = request.POST.get("s", "")
    response = render(
        request, "prealerts/search_results.html", {"found": find(request, text), "is_asked": text.strip()}
    )
    response["Cache-Control"] = "no-store"
    return response
