"""The webhooks of the document are the deliveries that the outbox writes."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from companies.models import Company
from shipments.models import Guide, UploadJob
from shipments.statuses import GuideStatus
from shipments.tracking.announcements import announce_accepted_upload, announce_refused_upload
from shipments.tracking.voiding import void_manifest
from tests.api.changing import patch
from tests.conftest import BASE, Caller
from tests.prealerts.reference import schema
from tests.shipments.shipping import tell
from webhooks.catalogue import versions_of
from webhooks.dispatcher import endpoint_health
from webhooks.dispatcher.claims import claim
from webhooks.dispatcher.results import Result
from webhooks.events import V2_ONLY, EventType
from webhooks.models import Delivery, Subscription
from webhooks.outbox import send_test
from webhooks.sender import Posting
from webhooks.subscriptions import new_signing_secret, register, register_signed
from webhooks.verdicts import Failure, Verdict

pytestmark = pytest.mark.django_db

SECOND_GUIDE = "AND2612150102"
DRAWN = ("job_id", "manifest_id", "tracking_code", "subscription", "url")
"""What a test cannot know beforehand."""


def operation(kind: EventType) -> Any:
    return schema.document()["webhooks"][kind]["post"]


def example(kind: EventType, version: str) -> Any:
    return operation(kind)["requestBody"]["content"]["application/json"]["examples"][version.upper()]["value"]


def newest(kind: EventType) -> Any:
    delivery = Delivery.objects.filter(event_type=kind).order_by("-pk")[:1].get()
    return json.loads(bytes(delivery.body))


def listen(company: Company, settings: Any) -> list[Subscription]:
    """An endpoint of each version; the second hears of everything."""
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    old, _secret = register(company, "https://127.0.0.1/", "s" * 32)
    new, _secret = register_signed(company, "https://127.0.0.1/", event_types=list(EventType))
    return [old, new]


def disable_third(company: Company) -> None:
    """Let another endpoint answer 410, as a dispatcher reports it."""
    gone, _secret = register_signed(company, "https://127.0.0.1/gone")
    send_test(gone, "A test event, sent by an operator.")
    verdict = Verdict(1, Failure.HTTP_STATUS, http_status=410)
    claimed = claim({gone.pk: 1}, uuid4())
    endpoint_health.note([Result(row, row.claimed_at, row.claimed_at, verdict) for row in claimed])


def correct_another(caller: Caller, body: Any) -> None:
    """Send the manifest again, now that it was voided, and correct its second guide."""
    code = caller.post_json(body).json()["guides"][1]["tracking_code"]
    corrected = {"consignee_address": "Calle Prat 858", "consignee_phone": "+56 32 555 0199"}
    assert patch(caller, code, corrected).status_code == 200


@pytest.fixture
def reported(acme: Caller, settings: Any) -> dict[tuple[EventType, str], Any]:
    """One body of each type and version: the way of the document's own example through the service."""
    subscriptions = listen(acme.company, settings)
    (request,) = schema.operations()["POST", f"{BASE}/process-pre-alert-json"]["requestBody"]["content"].values()
    (body,) = request["examples"].values()
    assert acme.post_json(body["value"]).status_code == 201
    guide = Guide.objects.get(hawb=SECOND_GUIDE)
    for status, source, reason in (
        ("customs_processing", "customs", ""),
        ("customs_held", "customs", "Inspección"),
        ("customs_released", "customs", ""),
        ("out_for_delivery", "courier_scan", ""),
        ("delivered", "courier_scan", ""),
    ):
        fact = {"client_note": reason} if reason else {}
        assert tell(guide, status, source, **fact).outcome == "advanced"
    for subscription in subscriptions:
        send_test(subscription, "A test event, sent by an operator.")
    Guide.objects.update(status="cancelled")
    void_manifest(guide.manifest, reason="Sent twice", actor="")
    correct_another(acme, body["value"])
    disable_third(acme.company)
    with transaction.atomic():
        job = UploadJob(company=acme.company)
        announce_accepted_upload(job, guide.manifest)
        announce_refused_upload(job, "mawb_already_exists", timezone.now())
    bodies = [json.loads(bytes(row.body)) for row in Delivery.objects.order_by("pk")]
    # The first of each type and version.
    return {(EventType(body["type"]), body["api_version"]): body for body in reversed(bodies)}


def test_every_type_of_the_catalogue_is_there() -> None:
    assert set(schema.document()["webhooks"]) == set(EventType)


BODIES = [(kind, version) for kind in EventType for version in versions_of(kind)]


def test_every_type_that_is_advertised_is_sent(reported: dict[tuple[EventType, str], Any]) -> None:
    assert reported.keys() == set(BODIES)


@pytest.mark.parametrize(("kind", "version"), BODIES)
def test_an_example_is_what_the_outbox_writes(
    reported: dict[tuple[EventType, str], Any], kind: EventType, version: str
) -> None:
    real, shown = reported[kind, version], example(kind, version)
    own = ("id", "timestamp", "occurred_at")
    assert all(real[name] for name in own)
    drawn = {name: real["data"][name] for name in DRAWN if name in real["data"]}
    assert {**real, **{name: shown[name] for name in own}} == {**shown, "data": shown["data"] | drawn}
    assert list(real) == list(shown)
    assert list(real["data"]) == list(shown["data"])


@pytest.mark.parametrize(("kind", "version"), BODIES)
def test_a_real_body_is_valid(reported: dict[tuple[EventType, str], Any], kind: EventType, version: str) -> None:
    (media,) = operation(kind)["requestBody"]["content"].values()
    assert schema.problems(reported[kind, version], media["schema"]) == []


def test_every_status_a_guide_comes_into_has_a_valid_body(acme: Caller, settings: Any) -> None:
    listen(acme.company, settings)
    acme.upload()
    guide = Guide.objects.order_by("pk")[:1].get()
    for status in GuideStatus:
        if status is GuideStatus.REGISTERED:
            continue
        previous = "customs_held" if status is GuideStatus.CUSTOMS_REJECTED else "in_transit"
        before = "registered" if status is GuideStatus.CANCELLED else previous
        Guide.objects.filter(pk=guide.pk).update(status=before)
        guide.manifest.guides_by_status = {before: 2}
        guide.manifest.save()
        if status == before:
            Guide.objects.filter(pk=guide.pk).update(status="out_for_delivery")
            guide.manifest.guides_by_status = {"out_for_delivery": 2}
            guide.manifest.save()
        assert tell(guide, status, "carrier").outcome == "advanced"
        body = json.loads(bytes(Delivery.objects.order_by("-pk")[:1].get().body))
        assert body["data"]["status"] == status
        (media,) = operation(EventType(body["type"]))["requestBody"]["content"].values()
        assert schema.problems(body, media["schema"]) == []


def test_the_headers_are_those_of_the_sender() -> None:
    for kind in EventType:
        headers = {parameter["name"]: parameter for parameter in operation(kind)["parameters"]}
        name, url = example(kind, "v2")["id"], "https://8.8.8.8/"
        secrets = (new_signing_secret(), new_signing_secret())
        old = Posting(name, kind, b"{}", url, "s3cret").headers()
        new = Posting(name, kind, b"{}", url, signing_secrets=secrets, timestamp=1_764_000_000).headers()
        assert {*headers, "Content-Type"} == new.keys()
        always = {header["name"] for header in headers.values() if header["required"]}
        assert always == ((new if kind in V2_ONLY else old).keys() & headers.keys())
        for sent in (old, new):
            for field in sent.keys() & headers.keys():
                assert schema.problems(sent[field], headers[field]["schema"]) == []
