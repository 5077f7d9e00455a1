"""The whole road, once: a workbook goes in, a guide goes to its consignee, and the client hears of each step."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from shipments.models import Guide
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.documents import guide, manifest
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def both_listen(acme: Caller, rival: Caller) -> None:
    for caller in (acme, rival):
        url = f"https://{caller.company.client_code.lower()}.example/hook"
        call_command("add_webhook", caller.company.client_code, url, stdout=StringIO())


def heard(caller: Caller) -> list[dict[str, Any]]:
    """The bodies that wait for a company, in order."""
    rows = Delivery.objects.filter(subscription__company=caller.company).order_by("pk")
    return [json.loads(bytes(row.body)) for row in rows]


def advance(status: str, *codes: str, **options: Any) -> None:
    call_command("advance_status", *codes, to=status, stdout=StringIO(), stderr=StringIO(), **options)


REPORTED = [
    ("pre_alert.ingested", None),
    ("guide.status_changed", "customs_processing"),
    ("guide.status_changed", "customs_released"),
    ("guide.out_for_delivery", "out_for_delivery"),
    ("guide.delivered", "delivered"),
    ("guide.exception", "lost"),
]


def deliver(code: str) -> None:
    for status in ("customs_processing", "customs_released", "out_for_delivery", "delivered"):
        advance(status, code)


def test_a_manifest_and_each_change_of_state_are_reported_once_and_to_their_owner_alone(
    acme: Caller, rival: Caller
) -> None:
    uploaded = acme.upload(scheduled_arrival="2026-11-25T08:00:00-03:00").json()
    first, second = (each["tracking_code"] for each in uploaded["guides"])
    deliver(first)
    advance("lost", second, client_note="Left at the airport", internal_note="Ana forgot it", source="carrier")
    bodies = heard(acme)
    assert [(body["type"], body["data"].get("status")) for body in bodies] == REPORTED
    assert bodies[0]["data"] == {
        "manifest_id": uploaded["manifest_id"],
        "mawb": "045-12345675",
        "country": "CL",
        "eta": "2026-11-25T08:00:00-03:00",
        "total_guides": 2,
        "guides_by_status": {"registered": 2},
        "mawb_version": 1,
    }
    assert bodies[-1]["data"] == {
        "manifest_id": uploaded["manifest_id"],
        "mawb": "045-12345675",
        "hawb": "HAWB00002",
        "tracking_code": second,
        "status": "lost",
        "status_code": 93,
        "previous_status": "registered",
        "source": "carrier",
        "sequence": 2,
        "mawb_version": 6,
        "reason": "Left at the airport",
    }
    assert heard(rival) == []
    guide = acme.get(f"/guides/{first}").json()
    assert guide["events"][-1]["status"] == guide["status"] == "delivered"


def test_a_refused_manifest_publishes_nothing(acme: Caller) -> None:
    acme.upload()
    acme.upload()
    acme.post_json(manifest(guide(1, weight_kg=0)))
    assert [body["type"] for body in heard(acme)] == ["pre_alert.ingested"]


def test_no_consignee_data_is_ever_reported(acme: Caller) -> None:
    acme.upload(
        workbook_bytes([guide_row(1, **{"Nombre destinatario": "Berta Marcada", "Dirección": "Calle Marcada"})])
    )
    advance("delivered", Guide.objects.get().tracking_code)
    text = json.dumps(heard(acme))
    assert "delivered" in text
    for personal in ("Marcada", "7654321", "Providencia", "Zapatillas", "100.25"):
        assert personal not in text


def test_a_courier_hears_nothing_and_the_owner_does(acme: Caller, rival: Caller, company_maker: Any) -> None:
    courier = company_maker("SWIFT", kind="courier", allowed_countries=[])
    courier.company.posts_for.add(acme.company)
    call_command("add_webhook", "SWIFT", "https://swift.example/hook", stdout=StringIO())
    assert courier.post_json(manifest(client_code="ACME")).status_code == 201
    assert [body["type"] for body in heard(acme)] == ["pre_alert.ingested"]
    assert heard(courier) == heard(rival) == []


def test_an_operator_comes_from_what_was_reported_to_the_guide_or_manifest_it_speaks_of(
    acme: Caller, rival: Caller, admin_client: Client
) -> None:
    uploaded = acme.upload().json()
    rival.upload()  # the same MAWB, another company's
    first = uploaded["guides"][0]["tracking_code"]
    advance("delivered", first)
    pages = {
        "pre_alert.ingested": reverse("admin:shipments_manifest_change", args=[uploaded["manifest_id"]]),
        "guide.delivered": reverse("admin:shipments_guide_change", args=[Guide.objects.get(tracking_code=first).pk]),
    }
    for kind, page in pages.items():
        reported = Delivery.objects.get(company=acme.company, event_type=kind)
        response = admin_client.get(reverse("admin:webhooks_delivery_change", args=[reported.pk]))
        assert f'href="{page}"' in response.content.decode()
        assert admin_client.get(page).status_code == 200
