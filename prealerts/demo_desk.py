"""What the desk of the demonstration has on its hands: receivings, a carrier, a move of yesterday, uploads."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from standardwebhooks import Webhook

from companies.models import Mail, MailKind, OperatorAccess
from companies.models.mails import MailState
from companies.models.operators import make_access
from companies.scope import scope_of
from shipments.carriers import registration
from shipments.inbound import receiving
from shipments.intake import jobs
from shipments.manifests.house.manifest_template import template
from shipments.models import (
    BulkMove,
    Carrier,
    Erasure,
    Guide,
    GuideEvent,
    InboundBatch,
    Manifest,
    MoveKind,
    OutgoingLayout,
    UploadJob,
)
from shipments.outgoing import suggest_columns
from shipments.privacy.erasing import erase_person
from shipments.privacy.person import Documents, Person
from shipments.statuses import GuideStatus, Source
from shipments.tracking import bulk
from shipments.tracking.moves import ReportedEvent

CARRIER, FACILITY, ACCESS, BROKER = "demo-cargo", "BODEGA-DEMO", "Demo warehouse", "Agencia Demo"
CASE = "DEMO-2026-001"
ANA, DESK = "demo-ana", "demo-operations"
UNKNOWN = (("HLD-7", "Retenido en bodega"), ("RTE-2", "Reencaminado"), ("XPD", "Despachado a regiones"))
"""Codes of the carrier that nobody has given a meaning, with its words."""


def clear() -> None:
    """Delete what `fill` made and no company owns."""
    InboundBatch.objects.filter(facility__startswith=FACILITY).delete()
    Carrier.objects.filter(slug=CARRIER).delete()
    BulkMove.objects.filter(actor__in=[ANA, DESK]).delete()
    OutgoingLayout.objects.filter(name=BROKER).delete()
    get_user_model().objects.filter(operator_access__name=ACCESS).delete()
    get_user_model().objects.filter(username=ANA).delete()  # with the mails
    Erasure.objects.filter(reference=CASE).delete()


def fill(arrived: Sequence[UUID], client: Client, now: datetime) -> None:
    """arrived: the manifests of today that are here, the first ones first. client: of ANDINA, as it calls the API."""
    ana: Any = get_user_model().objects.get(username=ANA)
    for number, (manifest, share) in enumerate(zip(arrived, (0.88, 0.4), strict=False), start=1):
        batch = _receive(Manifest.objects.get(pk=manifest), f"{FACILITY}-{number}", share, ana, now)
        if number == 1:
            receiving.close(batch.pk, actor=ANA)
    _carrier(client, now)
    _move_of_yesterday(ana, now)
    for manifest in arrived[:1]:
        _move_to_confirm(Manifest.objects.get(pk=manifest))
    columns = suggest_columns(["HAWB", "Consignatario", "RUT", "Contenido", "Peso kg", "Bultos", "Valor FOB USD"])
    OutgoingLayout.objects.create(name=BROKER, country="CL", sheet="Carga", columns=columns, is_checked=True)
    if not OperatorAccess.objects.filter(name=ACCESS).exists():
        make_access(ACCESS, Group.objects.get(name="Operations"), ["CL"], days=365, actor=ANA)
    _upload(client)
    _erase()
    for days in (1, 0):
        at = now - timedelta(days=days, hours=3)
        done = {"state": MailState.SENT, "attempts": 1}
        Mail.objects.create(kind=MailKind.DIGEST, operator=ana, created_at=at, finished_at=at, **done)


def _receive(manifest: Manifest, facility: str, share: float, operator: Any, now: datetime) -> InboundBatch:  # noqa: ANN401  # a user
    fields = {"facility": facility, "country": manifest.country, "on_scan": None, "note": ""}
    scope = scope_of(operator)
    batch = receiving.open_batch(fields, [manifest.mawb], scope, actor=ANA)
    codes = list(manifest.guides.order_by("hawb").values_list("tracking_code", flat=True))
    scans = [
        {"scan_id": uuid4(), "code": code, "scanned_at": now, "packages": 1, "is_damaged": False, "note": ""}
        for code in codes[: round(len(codes) * share)]
    ]
    receiving.receive(batch.pk, scans, scope, actor=ANA)
    InboundBatch.objects.filter(pk=batch.pk).update(created_at=now - timedelta(hours=1))
    return batch


def _carrier(client: Client, now: datetime) -> None:
    """A carrier that has sent codes nobody knows, and an event of a guide that is not announced yet."""
    carrier = Carrier(slug=CARRIER, name="Demo Cargo", source=Source.CARRIER, countries=["CL", "PE", "AR"])
    secret = registration.register(carrier)
    guides = Guide.objects.filter(status=GuideStatus.IN_TRANSIT).order_by("-pk").values_list("tracking_code", flat=True)
    named = [*guides[: 3 * len(UNKNOWN)]] or list(Guide.objects.values_list("tracking_code", flat=True)[:3])
    events = [
        _event(*UNKNOWN[number % len(UNKNOWN)], {"tracking_code": code}, now) for number, code in enumerate(named)
    ]
    events.append(_event("DEP", "Departed", {"mawb": "045-99999993", "hawb": "LATER-1"}, now))
    body = json.dumps({"events": events}).encode()
    key, sent_at = f"msg_{uuid4()}", datetime.now(UTC)
    headers = {
        "webhook-id": key,
        "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": Webhook(secret).sign(key, sent_at, body.decode()),
    }
    client.generic("POST", f"/api/carriers/v1/{CARRIER}/events", body, "application/json", headers=headers)


def _event(code: str, words: str, reference: Mapping[str, str], now: datetime) -> Mapping[str, Any]:
    return {"reference": reference, "code": code, "description": words, "occurred_at": now.isoformat()}


def _move_of_yesterday(ana: Any, now: datetime) -> None:  # noqa: ANN401  # as above
    """Ana sent out again what could not be delivered last week."""
    yesterday, long_ago = now - timedelta(days=1), now - timedelta(days=5)
    failed = Guide.objects.filter(status=GuideStatus.DELIVERY_FAILED, manifest__eta__lt=long_ago).order_by("-pk")[:40]
    event = ReportedEvent(GuideStatus.OUT_FOR_DELIVERY, Source.COURIER_SCAN, internal_note="Segundo intento.")
    move = bulk.begin(MoveKind.ADVANCE, Guide.objects.filter(pk__in=[guide.pk for guide in failed]), event, ana)
    bulk.confirm(move)
    bulk.go_on(move)
    BulkMove.objects.filter(pk=move.pk).update(created_at=yesterday, started_at=yesterday, finished_at=yesterday)
    GuideEvent.objects.filter(actor=ANA).update(occurred_at=yesterday, recorded_at=yesterday)
    Guide.objects.filter(events__actor=ANA).update(updated_at=yesterday)


def _move_to_confirm(manifest: Manifest) -> None:
    """A move that whoever looks around has begun, and can confirm."""
    desk: Any = get_user_model().objects.get(username=DESK)
    guides = manifest.guides.filter(status=GuideStatus.CUSTOMS_RELEASED)
    bulk.go_on(bulk.begin(MoveKind.ADVANCE, guides, ReportedEvent(GuideStatus.OUT_FOR_DELIVERY), desk))


def _erase() -> None:
    """A person of the oldest manifest asked for it."""
    guide = Guide.objects.exclude(consignee_document="").earliest("created_at", "pk")
    person = Person(Documents([guide.consignee_document]), guide.manifest.country)
    erase_person(person, reference=CASE, actor=ANA)


def _upload(client: Client) -> None:
    """An upload that its client did not wait for."""
    file = SimpleUploadedFile("manifest.xlsx", template("CL"))
    address = "/api/public/pre-alerts/v1/upload"
    client.post(address, {"manifest_file": file}, headers={"Prefer": "respond-async"})
    while UploadJob.objects.filter(state="queued").exists() and jobs.read_next():
        pass
