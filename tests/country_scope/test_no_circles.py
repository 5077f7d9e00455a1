"""No link of the admin leads in a circle."""

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from companies.models import Company
from shipments.models import Guide
from tests.country_scope.addresses import addresses, models_address
from tests.country_scope.operators import rows_of
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db

WORK_LISTS = (
    "/admin/shipments/guide/?work=review", "/admin/shipments/guide/?status__exact=lost",
    "/admin/shipments/manifest/?q=nothing", "/admin/admin/logentry/?what=opened&day=yesterday",
    "/admin/webhooks/delivery/?state=failed", "/admin/search/?s=nothing", "/admin/shipments/",
)  # fmt: skip


NOT_WALKED = {"admin:logout", "logout", "admin:jsi18n", "admin:", "admin:app_list"}


class Content(HTMLParser):
    """The links and forms of a page's own content: what is inside of `#content`, without the filters of a list.

    links: without those to a place on the page itself. has_form: whether something can be sent or narrowed there.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.depth = 0
        self.filters_at = 0
        self.has_form = False
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given: Mapping[str, str | None] = dict(attrs)
        if tag == "div" and (self.depth or given.get("id") == "content"):
            self.depth += 1
            if given.get("id") == "changelist-filter":
                self.filters_at = self.depth
        if not self.depth or self.filters_at:
            return
        self.has_form |= tag == "form"
        href = given.get("href") or ""
        if tag == "a" and href and not href.startswith(("#", "mailto:", "javascript:")):
            # urljoin would keep the query with "?", which takes it off
            base, href = (self.page.partition("?")[0], href.rstrip("?")) if href == "?" else (self.page, href)
            self.links.append(urldefrag(urljoin(base, href)).url)

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self.depth:
            if self.filters_at == self.depth:
                self.filters_at = 0
            self.depth -= 1


def content_of(browser: Client, page: str) -> Content | None:
    """Read a page; None if it is a file, a redirect, or closed."""
    response: Any = browser.get(page)
    if response.streaming:
        response.getvalue()
    if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
        return None
    content = Content(page)
    content.feed(response.content.decode())
    return content


def pages_of(guide: Guide, company: Company) -> Iterator[str]:
    """The address of every page of the admin: of the models, of one row of each, and of its own."""
    rows = rows_of(guide, company)
    found = list(addresses())  # first: the pages are registered when the routes are loaded
    for model in site._registry:
        rows.setdefault(f"{model._meta.app_label}_{model._meta.model_name}", model._default_manager.first())
    for name, _route, pattern in found:
        keys = dict.fromkeys(pattern.pattern.converters)
        row = rows.get(str(models_address(name)))
        if name and name not in NOT_WALKED and not keys:
            yield reverse(name)
        elif row is not None and keys.keys() == {"object_id"}:
            yield reverse(name, kwargs={"object_id": row.pk})
    yield from WORK_LISTS


def test_no_page_links_to_itself_or_to_one_whose_only_way_on_is_back(both: Company) -> None:
    """A link leads in a circle

    - if it is in a page's own content and leads to that very page, with the same path and the same query.
      The header, the breadcrumbs, the sidebar and the choices of a list's filters are navigation, not content; or
    - if it leads to a page of the admin with links, no form, and no link that leads elsewhere than back.
    """
    guide = shipped(both, 3, country="CL", review_reasons=("rut_invalid_format",)).guides.earliest("id")
    held = shipped(both, 1, country="PE").guides.get()
    for status in ("in_transit", "customs_processing", "customs_held"):
        tell(held, status)
    browser = Client()
    browser.force_login(User.objects.create_superuser("olga"))
    pages = {page: content_of(browser, page) for page in pages_of(guide, both)}
    linked = {link for content in pages.values() if content for link in content.links if link.startswith("/admin/")}
    more = {link for link in linked - pages.keys() if "?" not in link}  # lists have a form
    pages |= {link: content_of(browser, link) for link in sorted(more)}
    circles = []
    for page, content in pages.items():
        for link in content.links if content else ():
            leads_to = pages.get(link)
            if link == page or (leads_to and not leads_to.has_form and set(leads_to.links) == {page}):
                circles.append(f"{page} -> {link}")
    assert circles == []
