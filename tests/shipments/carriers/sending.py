"""A carrier as its developer would program it: it signs what it sends."""

import hashlib
import hmac
import json
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.test import Client
from standardwebhooks import Webhook

from shipments.carriers.codes import map_code
from shipments.carriers.registration import register
from shipments.models import Action, Carrier, CarrierReceipt, GuideEvent
from shipments.statuses import GuideStatus
from tests.conftest import Caller
from webhooks.models import Delivery

BODIES = Path(__file__).parent / "bodies"
DAY = datetime(2026, 11, 20, tzinfo=UTC)


def at(hours: float) -> str:
    """A time, as carriers write it."""
    return (DAY + timedelta(hours=hours)).isoformat()


@dataclass
class Sender:
    """A carrier with its secret."""

    carrier: Carrier
    secret: str
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True, raise_request_exception=False))

    def post(self, body: Any, *, slug: str = "", **headers: str) -> Any:
        """POST a body: bytes as they are, anything else as JSON; signed unless `headers` say otherwise."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        signed = headers or self.signed(content)
        path = f"/api/carriers/v1/{slug or self.carrier.slug}/events"
        return self.client.generic("POST", path, content, "application/json", headers=signed)

    def send(self, *events: Any) -> dict[str, Any]:
        """Send events in our envelope; the answer, which is 200."""
        answer = self.post({"events": list(events)})
        assert answer.status_code == 200, answer.content
        counts: dict[str, Any] = answer.json()
        return counts

    def means(self, code: str, status: str) -> None:
        """Say which status a code of this carrier means from now on."""
        map_code(self.carrier, code, Action.STATUS, GuideStatus(status), by="a test")

    def signed(self, content: bytes, secret: str = "") -> dict[str, str]:
        secret, carrier = secret or self.secret, self.carrier
        if carrier.scheme == "header":
            return {carrier.signature_header: secret}
        if carrier.scheme == "hmac":
            digest = hmac.digest(secret.encode(), content, hashlib.sha256)
            is_hex = carrier.signature_encoding == "hex"
            text = digest.hex() if is_hex else b64encode(digest).decode()
            return {carrier.signature_header: f"{carrier.signature_prefix}{text}"}
        now, key = datetime.now(UTC), f"msg_{uuid4()}"
        signature = Webhook(secret).sign(key, now, content.decode("utf-8", "replace"))
        return {
            "webhook-id": key,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signature,
        }


def make_sender(slug: str = "andes", **fields: Any) -> Sender:
    """A carrier of our own envelope that serves every country, unless `fields` say otherwise."""
    given = fields.pop("secret", None)
    usual = {"name": slug.title(), "source": "carrier", "countries": ["CL", "PE", "AR"]}
    carrier = Carrier(slug=slug, **{**usual, **fields})
    secret = register(carrier, given)
    return Sender(Carrier.objects.get(pk=carrier.pk), secret)


def event(code: str, hours: float = 0, **more: Any) -> dict[str, Any]:
    """An event in our envelope. more: keys of `reference`, and other keys of the event."""
    names = {"tracking_code", "hawb", "mawb", "carrier_number"}
    reference = {name: more.pop(name) for name in names & more.keys()}
    return {"reference": reference, "code": code, "occurred_at": at(hours), **more}


def counts(answer: dict[str, Any]) -> dict[str, int]:
    """What became of the events, without those of which there are none."""
    names = ("applied", "duplicate", "parked", "unmapped", "ignored", "refused")
    assert sum(answer[name] for name in names) in {answer["events"], 0}
    return {name: answer[name] for name in names if answer[name]}


def timeline(tracking_code: str) -> list[tuple[str, int]]:
    """A guide's (status, sequence) in the order of time, without the registration."""
    events = GuideEvent.objects.filter(guide__tracking_code=tracking_code).exclude(status="registered")
    return list(events.order_by("occurred_at", "id").values_list("status", "sequence"))


def announced(caller: Caller) -> int:
    """The webhooks about the guides of a company."""
    return Delivery.objects.filter(company=caller.company).exclude(event_type__startswith="pre_alert").count()


def overdue() -> None:
    """Let the time pass after which the worker takes over what is unfinished."""
    CarrierReceipt.objects.exclude(held_until=None).update(held_until=DAY)
