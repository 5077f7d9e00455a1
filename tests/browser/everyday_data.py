"""What the admin shows after some days of work: guides of every kind of status, and webhooks that failed.

Most of this runs in the process of `manage.py shell`: the tests of the browser do not reach the database.
"""

import json
import sys
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse
from django.utils import timezone

from companies.models import Company, Mail, MailKind, OperatorProfile
from companies.models.mails import MailState
from companies.models.operators import make_access
from shipments.models import Guide, Manifest, RefusedRequest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent
from tests.country_scope.addresses import addresses, models_address
from tests.country_scope.operators import rows_of
from tests.live.server import Server
from webhooks.models import Delivery, DeliveryAttempt, State, Subscription
from webhooks.outbox import send_test
from webhooks.subscriptions import register
from webhooks.verdicts import Failure

PATHS = (
    (),
    ("in_transit",),
    ("in_transit", "customs_processing"),
    ("in_transit", "customs_released", "out_for_delivery"),
    ("customs_processing", "customs_released", "out_for_delivery", "delivered"),
    ("customs_processing", "customs_held"),
    ("in_transit", "lost"),
)
"""The statuses of the guides, in turn; one of each kind that has a colour of its own."""
OUTCOMES = (
    (State.DELIVERED, "", 200),
    (State.FAILED, Failure.HTTP_STATUS, 401),
    (State.FAILED, Failure.TLS, None),
    (State.CANCELLED, "", None),
    (State.ABANDONED, Failure.OUTCOME_UNKNOWN, None),
    (State.PENDING, "", None),
)


_MARK = "ADDRESSES"


def fill(code: str) -> None:
    """Add to what the company `code` has sent."""
    company = Company.objects.get(client_code=code)
    _move(company)
    _send(company)
    RefusedRequest.objects.create(
        company=company,
        endpoint="POST upload",
        status=400,
        code="no_rows_parsed",
        findings={"missing_hawb": 3},
        headings=["Valor CIF", "Bultos " + "x" * 120],
        file_extension="xlsx",
        file_sha256="d1" * 32,
        request_id="46206ba70a4a42c1b76e6dc67399f905",
    )
    RefusedRequest.objects.create(company=company, endpoint="POST upload", status=400, code="excel_parse_error")
    make_access("counter", Group.objects.get(name="Operations"), ["CL"], days=30, actor="olga")
    guest = User.objects.create_user("rita", is_staff=True)
    guest.groups.add(Group.objects.get(name="Operations"))
    OperatorProfile.objects.create(user=guest, countries=["CL"])
    Mail.objects.create(kind=MailKind.DIGEST, operator=guest, state=MailState.SENT, finished_at=timezone.now())
    refused = {"state": MailState.FAILED, "error": "550 No such user here", "finished_at": timezone.now()}
    Mail.objects.create(kind=MailKind.INVITATION, operator=guest, **refused)
    rows_of(Guide.objects.filter(manifest__company=company).latest("pk"), company)


def _move(company: Company) -> None:
    for number, guide in enumerate(Guide.objects.filter(manifest__company=company).order_by("pk")):
        for status in PATHS[number % len(PATHS)]:
            reported = ReportedEvent(GuideStatus(status), Source.CARRIER, internal_note="Scanned at the warehouse.")
            advance(Guide.objects.filter(pk=guide.pk), reported, actor="olga")
    Manifest.objects.filter(company=company).update(eta=timezone.now() - timedelta(hours=30))


def _send(company: Company) -> None:
    subscription, _secret = register(
        company, "https://hooks.example.com/shipments/a-path-as-long-as-clients-have-them", "s" * 24
    )
    now = timezone.now()
    for number, (state, error, status) in enumerate(OUTCOMES * 3):
        is_finished = state != State.PENDING
        made_at = now - timedelta(hours=number)
        delivery = send_test(subscription, "A test.")
        Delivery.objects.filter(pk=delivery.pk).update(
            state=state, error=error, http_status=status, created_at=made_at,
            attempted_at=made_at if is_finished else None, finished_at=made_at if is_finished else None,
            duration_ms=120 if status else None, reason="certificate has expired" if error == Failure.TLS else "",
        )  # fmt: skip
        DeliveryAttempt.objects.create(
            delivery=delivery,
            number=1,
            begun_at=made_at,
            error=Failure.TIMEOUT,
            reason="No response.",
            duration_ms=9000,
        )
    Subscription.objects.filter(pk=subscription.pk).update(created_at=now - timedelta(days=3))


def addresses_of(server: Server) -> list[str]:
    """Return the address of every page of the admin: lists, forms, and the pages of one row of each model."""
    reported = server.manage("shell", "-c", f"from {__name__} import print_addresses; print_addresses()")
    found: list[str] = json.loads(reported.rpartition(_MARK)[2])
    return found


def print_addresses() -> None:
    """Whatever answers a GET of the operator with a page, each address with the last row of its model."""
    browser = Client(headers={"host": settings.ALLOWED_HOSTS[0]})
    browser.force_login(User.objects.filter(is_superuser=True).earliest("pk"))
    found: list[str] = []
    for name, _route, pattern in addresses():
        if (address := _address(name, pattern)) and address not in found:
            response = browser.get(address)
            is_page = response.status_code == 200 and response["Content-Type"].startswith("text/html")
            found += [address] if is_page and b"<html" in response.content else []
    sys.stdout.write(_MARK + json.dumps(found))


def _address(name: str, pattern: URLPattern) -> str | None:
    known: dict[str, Any] = {"kind": "manifest", "slug": "moves", "app_label": "companies", "number": 1, "import_id": 1}
    if label := models_address(name):
        row = apps.get_model(label.replace("_", ".", 1))._default_manager.order_by("pk").last()
        known |= {key: row and row.pk for key in ("object_id", "id", *pattern.pattern.converters) if key not in known}
    try:
        return reverse(name, kwargs={key: known[key] for key in pattern.pattern.converters})
    except (KeyError, NoReverseMatch):
        return None
