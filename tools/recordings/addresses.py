"""Every address, as a superuser, as an operator of Chile who reads Spanish, and as a client or nobody."""

import re
from collections.abc import Iterator
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
from tools.recordings.journal import Journal

PASSWORD = "correct-horse-battery-staple"  # of invented people


def patterns(resolver: Any = None, prefix: str = "", spaces: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """(route, full name, pattern) of every address."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern).removeprefix("^")
        if isinstance(entry, URLResolver):
            yield from patterns(entry, route, spaces + (f"{entry.namespace}:" if entry.namespace else ""))
        else:
            yield route, spaces + (entry.name or ""), entry


def values_of(company: Company) -> dict[str, Any]:
    """What stands in addresses where something is named: a row of Acme's, or the newest of the model."""
    guide = Guide.objects.get(hawb="CL1", manifest__company=company)
    hook, sent = company.subscriptions.earliest("pk"), company.deliveries.earliest("pk")
    return {
        "tracking_code": guide.tracking_code, "mawb": guide.manifest.mawb, "layout": last("shipments.Layout"),
        "job": last("shipments.UploadJob"), "batch": "ib_1", "subscription_id": f"sub_{hook.uuid}",
        "delivery_id": f"evt_{sent.uuid}", "company_id": company.pk, "draft_id": last("shipments.ManifestDraft"),
        "move_id": last("shipments.BulkMove"), "language": "es", "extension": ".md", "kind": "manifest", "number": 1,
        "app_label": "companies", "alarm_id": 1, "name": "client.py", "id": guide.tracking_code,
    }  # fmt: skip


def last(label: str) -> Any:
    row = apps.get_model(label)._base_manager.order_by("pk").last()
    return row and row.pk


def address_of(name: str, pattern: URLPattern, route: str, known: dict[str, Any]) -> str | None:
    """Return the address; None if a part of it is unknown."""
    names = [*pattern.pattern.converters] or re.findall(r"\(\?P<(\w+)>", route)
    if not name:
        return None if names else f"/{route}"
    known = {**known, "slug": "guides" if route.startswith("docs/") else "andes"}
    if label := models_address(name):
        known |= dict.fromkeys({*names} - {"kind", "number", "alarm_id"}, last(label.replace("_", ".", 1)))
    try:
        return reverse(name, kwargs={each: known[each] for each in names})
    except (KeyError, NoReverseMatch):
        return None


def make_operator(name: str, countries: list[str], **fields: Any) -> User:
    user = User.objects.create_user(name, password=PASSWORD, is_staff=True, **fields)
    user.groups.set(Group.objects.filter(name="Operations"))
    OperatorProfile.objects.create(user=user, countries=countries)
    return user


def record(directory: Path) -> None:
    chile = ClientFactory.create(name="Sur SpA", client_code="SUR", allowed_countries=["CL"])
    acme = Company.objects.get(client_code="ACME")
    rows_of(Guide.objects.get(hawb="M1", manifest__company=acme), chile)
    users = {
        "superuser": make_operator("root", ["all"], is_superuser=True), "Chile": make_operator("carla", ["CL"]),
        "nobody": None,
    }  # fmt: skip
    password = acme.set_new_password()
    values = values_of(acme)
    for role, user in users.items():
        journal, token = Journal(directory / f"addresses-{role}.txt"), password
        if user:
            sent = {"grant_type": "password", "username": user.get_username(), "password": PASSWORD}
            token = Client().post("/api/operators/v1/tokens", sent, "application/json").json()["access_token"]
        for route, name, pattern in patterns():
            if (address := address_of(name, pattern, route, values)) is None:
                journal.write(f"{route} {name}", "not asked")
                continue
            language = {"Accept-Language": "es" if role == "Chile" else "en"}
            browser = Client(raise_request_exception=False, headers=language)
            if user:
                browser.force_login(user)
            bearer = password if address.startswith("/api/public/") else token
            headers = {"Authorization": f"Bearer {bearer}"} if address.startswith("/api/") else {}
            journal.write_answer(f"{route} {name}", browser.get(address, headers=headers))
