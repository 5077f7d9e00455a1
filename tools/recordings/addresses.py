"""Every address, as a superuser, as an operator of Chile who reads Spanish, and as a client or nobody."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from companies.models import Company, OperatorProfile
from shipments.models import Guide
from tests.country_scope.addresses import models_address
from tests.country_scope.operators import rows_of
from tests.factories import ClientFactory
from tools.recordings.journal import Journal, content_of, head_of

_SILENT = {"script", "style", "svg", "template", "noscript"}
_FIELDS = {"input", "select", "textarea", "option", "button", "form"}
_SHOWN = ("type", "name", "value", "method", "required", "checked", "selected", "disabled", "readonly", "maxlength")


class Page(HTMLParser):
    """The title, the visible text and the fields of forms, a line each."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in _SILENT
        if tag in _FIELDS:
            told = {name: value or "" for name, value in attrs if name in _SHOWN}
            if told.get("name") == "csrfmiddlewaretoken":
                return
            self.lines.append(f"[{tag} {' '.join(f'{name}={told[name]}' for name in _SHOWN if name in told)}]")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in _SILENT

    def handle_data(self, data: str) -> None:
        if not self.silent and (text := " ".join(data.split())):
            self.lines.append(text)


def shown_page(content: str) -> str:
    page = Page()
    page.feed(content)
    return "\n".join(page.lines)


def patterns(resolver: Any = None, prefix: str = "", spaces: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """(route, full name, pattern) of every address."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern).removeprefix("^")
        if isinstance(entry, URLResolver):
            yield from patterns(entry, route, spaces + (f"{entry.namespace}:" if entry.namespace else ""))
        else:
            yield route, spaces + (entry.name or ""), entry


class Values:
    """What stands in addresses where something is named: a row of Acme's or, in the admin, the newest of the model."""

    def __init__(self, company: Company) -> None:
        guide = Guide.objects.get(hawb="CL1", manifest__company=company)
        hook, sent = company.subscriptions.earliest("pk"), company.deliveries.earliest("pk")
        self.known: dict[str, Any] = {
            "tracking_code": guide.tracking_code, "mawb": guide.manifest.mawb, "layout": _last("shipments.Layout"),
            "job": _last("shipments.UploadJob"), "batch": "ib_1",
            "subscription_id": f"sub_{hook.uuid}", "delivery_id": f"evt_{sent.uuid}", "company_id": company.pk,
            "draft_id": _last("shipments.ManifestDraft"), "move_id": _last("shipments.BulkMove"), "language": "es",
            "extension": ".md", "kind": "manifest", "app_label": "companies", "number": 1, "alarm_id": 1,
            "name": "client.py", "id": guide.tracking_code,
        }  # fmt: skip

    def address(self, name: str, pattern: URLPattern, route: str) -> str | None:
        """Return the address; None if a part of it is unknown."""
        names = [*pattern.pattern.converters] or re.findall(r"\(\?P<(\w+)>", route)
        known = {**self.known, "slug": "guides" if route.startswith("docs/") else "andes"}
        if label := models_address(name):
            key = _last(label.replace("_", ".", 1))
            known |= {each: key for each in names if each not in {"kind", "number", "alarm_id"}}
        if not name:
            return None if names else f"/{route}"
        try:
            return reverse(name, kwargs={each: known[each] for each in names})
        except (KeyError, NoReverseMatch):
            return None


def _last(label: str) -> Any:
    row = apps.get_model(label)._base_manager.order_by("pk").last()
    return row and row.pk


def _bearer(name: str) -> str:
    sent = {"grant_type": "password", "username": name, "password": "correct-horse-battery-staple"}
    answer: Any = Client().post("/api/operators/v1/tokens", sent, "application/json")
    return str(answer.json()["access_token"])


def _operator(name: str, **fields: Any) -> User:
    user = User.objects.create_user(name, password="correct-horse-battery-staple", is_staff=True, **fields)
    user.groups.set(Group.objects.filter(name="Operations"))
    OperatorProfile.objects.create(user=user, countries=["all"] if fields else ["CL"])
    return user


def record(directory: Path) -> None:
    chile = ClientFactory.create(name="Sur SpA", client_code="SUR", allowed_countries=["CL"])
    acme = Company.objects.get(client_code="ACME")
    rows_of(Guide.objects.get(hawb="M1", manifest__company=acme), chile)
    users = {"superuser": _operator("root", is_superuser=True), "Chile": _operator("carla"), "nobody": None}
    password = acme.set_new_password()
    values = Values(acme)
    for role, user in users.items():
        token = _bearer(user.get_username()) if user else password
        journal = Journal(directory / f"addresses-{role}.txt")
        for route, name, pattern in patterns():
            address = values.address(name, pattern, route)
            if address is None:
                journal.write(f"{route} {name}", "not asked")
                continue
            browser = Client(
                raise_request_exception=False, headers={"Accept-Language": "es" if role == "Chile" else "en"}
            )
            if user:
                browser.force_login(user)
            is_clients = address.startswith("/api/public/")
            headers = {"Authorization": f"Bearer {password if is_clients else token}"} if address[:5] == "/api/" else {}
            answer: Any = browser.get(address, headers=headers)
            journal.write(f"{route} {name}", head_of(answer), content_of(answer, shown_page))
