"""Each operation that takes JSON is sent mutations of a good body, and none is answered by a 5xx."""

from typing import Any

import pytest

from prealerts.reference.document import document
from shipments.models import Manifest
from tests.api.mutations import mutations
from tests.conftest import BASE, Caller
from tests.shipments.layouts.rows import make_layout
from tests.shipments.manifests import payloads
from tests.shipments.shipping import shipped
from webhooks.events import EventType
from webhooks.models import Subscription
from webhooks.outbox import send_to
from webhooks.subscriptions import register_signed

pytestmark = pytest.mark.django_db

SEED = 20261121
MANIFEST = payloads.body(
    payloads.guide(products=[payloads.product(), payloads.product(hs_code="6403.99")], extra_data={"a": [1]}),
    payloads.guide(hawb="HAWB-2", consignee_address="Av. Matta 1", packages_count=2),
    flight_number="LA2471",
    scheduled_departure="2026-11-24T20:00:00-05:00",
    scheduled_arrival="2026-11-25T06:45:00-03:00",
    client_code=None,
)
WEBHOOK = {
    "url": "https://8.8.8.8/hooks",
    "event_types": ["guide.delivered"],
    "countries": ["CL"],
    "description": "ERP",
}
RANGE = {"since": "2026-11-20T00:00:00Z", "until": "2026-11-21T00:00:00Z", "states": ["dead"], "event_types": None}
GOOD: dict[str, dict[str, Any]] = {
    "post /process-pre-alert-json": MANIFEST,
    "post /process-pre-alert-json/validate": MANIFEST,
    "patch /guides/{tracking_code}": {
        "consignee_name": "Ana Rojas",
        "consignee_document": "12345678-5",
        "consignee_phone": "+56 9 5550 0199",
        "vat_collected": True,
        "products": [payloads.product()],
    },
    "post /guides/{tracking_code}/cancel": {"reason": "The buyer withdrew"},
    "post /mawbs/{mawb}/void": {"reason": "Sent twice", "manifest_id": None, "client_code": None},
    "put /layouts/{layout}/answers": {
        "answers": [
            {"heading": "HAWB", "group": "", "field": "hawb"},
            {"heading": "Peso", "field": "weight_kg", "unit": "kg", "currency": None, "decimals": "comma"},
            {"heading": "Tipo", "field": "consignee_document_type", "values": {"1": "RUT"}, "month_first": False},
        ],
        "labels": [{"label": "Papel madre", "field": "mawb"}, {"field": "destination", "value": "SCL"}],
        "rows_without_hawb": "products",
    },
    "post /webhooks/subscriptions": WEBHOOK,
    "patch /webhooks/subscriptions/{subscription_id}": {**WEBHOOK, "is_active": True},
    "post /webhooks/subscriptions/{subscription_id}/rotate-secret": {"overlap_hours": 24},
    "post /webhooks/subscriptions/{subscription_id}/test": {"type": "guide.delivered"},
    "post /webhooks/subscriptions/{subscription_id}/replay": RANGE,
    "post /webhooks/deliveries/{delivery_id}/replay": {},
}
"""A good body for each operation with one."""


def test_each_operation_that_reads_json_has_a_good_body_here() -> None:
    operations = {
        f"{method} {path.removeprefix('/api/public/pre-alerts/v1')}": operation
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
        if method in {"post", "patch", "put"}
    }
    forms = {
        name
        for name, each in operations.items()
        if "multipart/form-data" in each.get("requestBody", {"content": ""})["content"]
    }
    assert operations.keys() - forms == GOOD.keys()


@pytest.mark.parametrize("operation", GOOD)
def test_a_mutated_body_is_answered(operation: str, acme: Caller, rival: Caller, monkeypatch: Any) -> None:
    """The first of the mutations below."""
    send(operation, 60, acme, rival, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("operation", GOOD)
def test_two_thousand_mutated_bodies_are_answered(
    operation: str, acme: Caller, rival: Caller, monkeypatch: Any, pytestconfig: pytest.Config
) -> None:
    """In the short form the first four hundred."""
    send(operation, 400 if pytestconfig.getoption("--short") else 2000, acme, rival, monkeypatch)


def send(operation: str, count: int, acme: Caller, rival: Caller, monkeypatch: Any) -> None:
    """Send them, and expect answers below 500 with the envelope of refusals, and nothing for another company."""
    monkeypatch.setattr("webhooks.v1.self_service.LIVE_AT_MOST", count)
    monkeypatch.setattr("webhooks.v1.self_service.TESTS_A_MINUTE", count)
    monkeypatch.setattr("webhooks.destinations.socket.getaddrinfo", lambda *_args, **_options: [])
    subscription, _secret = register_signed(acme.company, "https://8.8.4.4/hooks")
    delivery = send_to(subscription, EventType.WEBHOOK_TEST, {"message": "A test"}, subject="test")
    method, path = operation.split()
    guide = shipped(acme.company, 1).guides.get()
    layout = make_layout(acme.company, columns={"HAWB": {}, "Peso": {}, "Tipo": {}})
    path = path.format(
        layout=layout.pk,
        subscription_id=subscription.public_id,
        delivery_id=delivery.delivery_id,
        tracking_code=guide.tracking_code,
        mawb=guide.manifest.mawb,
    )
    for position, body in enumerate(mutations(GOOD[operation], count, seed=SEED)):
        content = body.replace(b"123-12345675", b"123-%08d" % position)  # so that one that is accepted is written
        response = acme.client.generic(method.upper(), BASE + path, content, "application/json", headers=acme.headers)
        assert response.status_code < 500, (position, content[:1000], response.content)
        assert response.status_code < 400 or response.json()["success"] is False
    assert not Manifest.objects.filter(company=rival.company).exists()
    assert not Subscription.objects.filter(company=rival.company).exists()
