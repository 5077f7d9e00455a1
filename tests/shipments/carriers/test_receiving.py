"""Carriers' webhooks: signatures, the envelope, and what becomes of events."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from shipments.carriers.registration import rotate_secret
from shipments.carriers.views import is_signed
from shipments.models import CarrierEvent, CarrierReceipt, Guide
from shipments.statuses import GuideStatus
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal
from tests.conftest import Caller
from tests.shipments.carriers.sending import BODIES, Sender, at, counts, event, make_sender, timeline
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

SCHEMES: list[dict[str, Any]] = [
    {"scheme": "standard_webhooks"},
    {"scheme": "hmac", "signature_header": "X-Sig"},
    {"scheme": "hmac", "signature_header": "X-Sig", "signature_encoding": "base64", "signature_prefix": "sha256="},
    {"scheme": "header", "signature_header": "X-Token"},
]


# --- signatures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_a_good_signature_is_accepted_and_every_other_request_is_refused_alike(scheme: dict[str, Any]) -> None:
    sender, idle = make_sender(**scheme), make_sender("idle", is_active=False, **scheme)
    content = b'{"events": []}'
    assert sender.post(content).status_code == 200
    good = sender.signed(content)
    changed = {name: f"{value[:-3]}{'0' if value[-3] != '0' else '1'}{value[-2:]}" for name, value in good.items()}
    refused = [
        sender.post(content, **changed),
        sender.post(content, slug="nobody", **good),
        idle.post(content),
        sender.post(content, slug="%C3%A9", **good),
        sender.post(content, **{"X-Else": "1"}),
    ]
    if scheme["scheme"] != "header":
        refused.append(sender.post(b'{"events":  []}', **good))
    assert {answer.status_code for answer in refused} == {401}
    assert {answer.content for answer in refused} == {
        b'{"status": "rejected", "code": "invalid_signature", "message": "The signature is not valid."}'
    }
    shown = {name.lower() for answer in refused for name in answer.headers}
    assert "access-control-allow-origin" not in shown
    assert CarrierReceipt.objects.count() == 1


@pytest.mark.parametrize("signature", ["v1", "v1,", "v1,%%%", ",", " ", "v1a,xx v1", "\udcff", "é" * 40, "v1," * 900])
def test_a_header_that_no_scheme_can_read_is_a_bad_signature(andes: Sender, signature: str) -> None:
    for stamp in ("", "nan", "1e400", "-1", "9" * 400, "\xff"):
        headers = {"webhook-id": "1", "webhook-timestamp": stamp, "webhook-signature": signature}
        assert andes.post(b"{}", **headers).status_code == 401


@pytest.mark.parametrize("prefix", ["", "v0="])
@pytest.mark.parametrize("encoding", ["hex", "base64"])
def test_hex_in_any_case_and_a_common_prefix_are_a_good_signature(encoding: str, prefix: str) -> None:
    sender = make_sender(scheme="hmac", signature_encoding=encoding, signature_prefix=prefix)
    ((header, sent),) = sender.signed(b"{}").items()
    digest = sent.removeprefix(prefix)

    def is_accepted(value: str) -> bool:
        return is_signed(sender.carrier, sender.secret, b"{}", {header: value})

    assert is_accepted(sent)
    assert is_accepted(f"sha256={digest}")
    assert is_accepted(f"{prefix}{digest.upper()}") == (encoding == "hex")
    assert not is_accepted(f"sha1={digest}")
    assert is_accepted(digest) == (prefix == "")


def test_an_old_signature_is_refused(andes: Sender) -> None:
    headers = andes.signed(b"{}") | {"webhook-timestamp": str(int((timezone.now() - timedelta(minutes=6)).timestamp()))}
    assert andes.post(b"{}", **headers).status_code == 401


def test_easyposts_own_example_is_signed_as_easypost_signs_it() -> None:
    """The signature is that of the tests of EasyPost's own clients, for the secret `s\u00e9cret`."""
    carrier = make_sender(adapter="easypost", scheme="hmac").carrier
    body = (BODIES / "easypost.json").read_bytes()
    signature = "hmac-sha256-hex=38f3f53c103713df81616a0a186d77141957323ec21d5fe9363db93840f527db"
    assert is_signed(carrier, "s\u00e9cret", body, {"X-Hmac-Signature": signature})
    assert not is_signed(carrier, "s\u00e9cret", body + b" ", {"X-Hmac-Signature": signature})


def test_the_former_secret_works_until_its_end(andes: Sender) -> None:
    former = andes.secret
    andes.secret = rotate_secret(andes.carrier, overlap=timedelta(hours=1))
    body = b'{"events": []}'
    assert andes.post(body, **andes.signed(body, former)).status_code == 200
    assert andes.post(body).status_code == 200
    andes.carrier.secrets.exclude(ends_at=None).update(ends_at=timezone.now())
    assert andes.post(body, **andes.signed(body, former)).status_code == 401
    assert andes.post(body).status_code == 200


@pytest.mark.parametrize("is_used", [False, True])
def test_replaced_again_within_minutes_the_secret_that_the_carrier_has_goes_on(andes: Sender, is_used: bool) -> None:  # noqa: FBT001  # a table
    body, first = b'{"events": []}', andes.secret
    second = rotate_secret(andes.carrier)
    if is_used:
        andes.post(body, **andes.signed(body, second))
    andes.secret = rotate_secret(andes.carrier)
    works = [andes.post(body, **andes.signed(body, each)).status_code == 200 for each in (first, second)]
    assert works == [not is_used, is_used]
    assert andes.post(body).status_code == 200


# --- the envelope -----------------------------------------------------------------------------------------------


def test_a_body_over_a_mebibyte_is_refused_alike_for_every_slug(andes: Sender) -> None:
    large = b" " * (1024 * 1024 + 1)
    answers = [andes.post(large), andes.post(large, slug="nobody"), andes.post(large, **{"X-Else": "1"})]
    assert {(answer.status_code, answer.content) for answer in answers} == {
        (400, b'{"status": "rejected", "code": "too_large", "message": "Send at most 1 MiB in one request."}')
    }
    assert not CarrierReceipt.objects.exists()


def test_more_than_a_thousand_events_are_refused(andes: Sender) -> None:
    answer = andes.post({"events": [1] * 1_001})
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_events")
    assert counts(andes.send(*[1] * 1_000)) == {"refused": 1, "duplicate": 999}


NOT_OURS = {
    **dict.fromkeys([b"", b"[]", b"{", b"null", b"1", b"\xff\xfe", b"[" * 100_000], ""),
    b'{"events": [' + b"9" * 5_000 + b"]}": "",
    **dict.fromkeys([b"{}", b'{"events": {}}', b'{"events": null}'], "events"),
}
"""Body -> the path of what is wrong."""


@pytest.mark.parametrize("body", NOT_OURS, ids=lambda body: body[:20].decode("latin-1"))
def test_a_body_of_another_shape_is_a_mismatch_and_is_kept(body: bytes) -> None:
    sender = make_sender(scheme="header", signature_header="X-Token")
    answer = sender.post(body)
    said = answer.json()
    assert (answer.status_code, said["status"], said["code"]) == (400, "rejected", "schema_mismatch")
    assert [*said["errors"][0]] == ["path", "message"]
    assert said["errors"][0]["path"] == NOT_OURS[body]
    receipt = CarrierReceipt.objects.get()
    assert (said["receipt_id"], receipt.state, bytes(receipt.body or b"")) == (receipt.public_id, "rejected", body)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_another_method_is_refused_in_this_envelope(andes: Sender, method: str) -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Origin": "https://a.example"}
    answer = andes.client.generic(method, "/api/carriers/v1/andes/events", headers=preflight)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert "Access-Control-Allow-Origin" not in answer.headers
    if method != "HEAD":
        assert (answer.json()["status"], answer.json()["code"]) == ("rejected", "method_not_allowed")


@pytest.mark.parametrize("path", ["", "v1", "v1/andes", "v2/andes/events", "v1/a/b/events", "v1/%00/events", "v1/x%00"])
def test_no_address_answers_in_the_apis_envelope(path: str) -> None:
    answer = Client().post(f"/api/carriers/{path}")
    assert answer.json()["status"] == "rejected"
    assert answer.status_code in {401, 404}


@pytest.mark.parametrize("header", [{"CONTENT_LENGTH": "nine"}, {"CONTENT_LENGTH": "-2"}, {"HTTP_HOST": "a b"}])
def test_a_malformed_header_is_refused_in_this_envelope(andes: Sender, header: dict[str, Any]) -> None:
    answer = andes.client.generic("POST", "/api/carriers/v1/andes/events", b"{}", "application/json", **header)
    assert (answer.status_code, answer.json()["status"], answer.json()["code"]) == (400, "rejected", "unreadable")


def test_unknown_keys_are_ignored(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    sent = {"events": [event("DEP", tracking_code=guide.tracking_code, weight=3)], "version": 7}
    assert andes.post(sent).json()["applied"] == 1


# --- single events ----------------------------------------------------------------------------------------------


BAD: list[tuple[Any, str]] = [
    (1, "invalid_event"),
    (None, "invalid_event"),
    ([], "invalid_event"),
    ({"code": "DEP", "occurred_at": at(0)}, "invalid_reference"),
    ({"reference": {}, "code": "DEP", "occurred_at": at(0)}, "reference_missing"),
    ({"reference": [], "code": "DEP", "occurred_at": at(0)}, "invalid_reference"),
    ({"reference": {"hawb": {}}, "code": "DEP", "occurred_at": at(0)}, "invalid_hawb"),
    ({"reference": {"hawb": "\x00"}, "code": "DEP", "occurred_at": at(0)}, "invalid_hawb"),
    ({"reference": {"hawb": "\ud800"}, "code": "DEP", "occurred_at": at(0)}, "invalid_hawb"),
    ({"reference": {"hawb": "H" * 65}, "code": "DEP", "occurred_at": at(0)}, "invalid_hawb"),
    ({"reference": {"mawb": "12"}, "code": "DEP", "occurred_at": at(0)}, "invalid_mawb"),
    ({"reference": {"hawb": "H001"}, "code": "", "occurred_at": at(0)}, "invalid_code"),
    ({"reference": {"hawb": "H001"}, "code": True, "occurred_at": at(0)}, "invalid_code"),
    ({"reference": {"hawb": "H001"}, "code": "X" * 65, "occurred_at": at(0)}, "invalid_code"),
    # These fit as they are sent, and no longer in capitals or folded.
    ({"reference": {"hawb": "ß" * 33}, "code": "DEP", "occurred_at": at(0)}, "invalid_hawb"),
    ({"reference": {"tracking_code": "ﬃ" * 16}, "code": "DEP", "occurred_at": at(0)}, "invalid_tracking_code"),
    ({"reference": {"hawb": "H001"}, "code": "ﬃ" * 43, "occurred_at": at(0)}, "invalid_code"),
    ({"reference": {"hawb": "H001"}, "code": "DEP"}, "invalid_occurred_at"),
    ({"reference": {"hawb": "H001"}, "code": "DEP", "occurred_at": 10**30}, "invalid_occurred_at"),
    ({"reference": {"hawb": "H001"}, "code": "DEP", "occurred_at": "0001-01-01T00:00:00+14:00"}, "invalid_occurred_at"),
    ({"reference": {"hawb": "H001"}, "code": "DEP", "occurred_at": "9999-12-31T23:59:59-14:00"}, "invalid_occurred_at"),
    ({"reference": {"hawb": "H001"}, "code": "DEP", "occurred_at": "2026-11-20T10:00:00"}, "time_without_offset"),
    ({"reference": {"hawb": "H001"}, "code": "DEP", "occurred_at": at(0), "event_id": []}, "invalid_event_id"),
]


def test_a_bad_event_is_refused_by_itself(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    bad = [each for each, _error in BAD]
    answer = andes.send(event("DEP", tracking_code=guide.tracking_code), *bad)
    assert counts(answer) == {"applied": 1, "refused": len(BAD)}
    assert [each["path"].partition(".")[0] for each in answer["errors"]] == [
        f"events[{number}]" for number in range(1, len(BAD) + 1)
    ]
    refused = CarrierEvent.objects.filter(outcome="refused").order_by("id")
    assert list(refused.values_list("error", flat=True)) == [error for _each, error in BAD]
    assert counts(andes.send(*bad)) == {"duplicate": len(BAD)}


CLOCK_CHANGES = [  # by Chile's clock, which went back to 23:00 on 4 April 2026 and forward to 01:00 on 6 September
    ("2026-09-05T23:59:59", "2026-09-06T03:59:59+00:00", ""),
    ("2026-09-06T00:00:00", "2026-09-06T04:00:00+00:00", "does not exist"),
    ("2026-09-06T00:59:59", "2026-09-06T04:59:59+00:00", "does not exist"),
    ("2026-09-06T01:00:00", "2026-09-06T04:00:00+00:00", ""),
    ("2026-04-04T22:59:59", "2026-04-05T01:59:59+00:00", ""),
    ("2026-04-04T23:00:00", "2026-04-05T02:00:00+00:00", "occurs twice"),
    ("2026-04-04T23:59:59", "2026-04-05T02:59:59+00:00", "occurs twice"),
    ("2026-04-05T00:00:00", "2026-04-05T04:00:00+00:00", ""),
    ("2026-04-04T23:30:00-04:00", "2026-04-05T03:30:00+00:00", ""),
]


def test_an_hour_that_a_clock_change_skips_or_repeats_is_pointed_out(acme: Caller, admin_client: Client) -> None:
    sender = make_sender(time_zone="America/Santiago")
    code = shipped(acme.company, 1).guides.get().tracking_code
    events = [
        event("ARR", tracking_code=code, event_id=str(number)) | {"occurred_at": sent}
        for number, (sent, _moment, _words) in enumerate(CLOCK_CHANGES)
    ]
    answer = sender.send(*events)
    assert counts(answer) == {"applied": len(CLOCK_CHANGES)}
    notices = {each["path"]: each["message"] for each in answer["notices"]}
    for number, (_sent, moment, words) in enumerate(CLOCK_CHANGES):
        notice = notices.get(f"events[{number}].occurred_at", "")
        assert (words in notice, bool(notice)) == (True, bool(words))
        stored = CarrierEvent.objects.get(external_id=f"id:{number}")
        assert stored.occurred_at == datetime.fromisoformat(moment)
        if number < 2:
            page = admin_client.get(f"/admin/shipments/carrierevent/{stored.pk}/change/").content.decode()
            assert ("does not exist because" in page) is bool(words)


def test_formats_of_others_get_no_notices_but_operators_see_the_doubt() -> None:
    sender = make_sender(adapter="easypost", scheme="header", signature_header="X-Token", time_zone="America/Santiago")
    detail = {"object": "TrackingDetail", "status": "in_transit", "datetime": "2026-09-06T00:30:00"}
    tracker = {"object": "Tracker", "tracking_code": "77001-1", "tracking_details": [detail]}
    assert "notices" not in sender.post({"result": tracker}).json()
    assert CarrierEvent.objects.get().doubt == "time_skipped"


def test_only_the_first_fifty_events_that_the_carrier_can_correct_are_named(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    bad = event("X" * 65, tracking_code=guide.tracking_code)
    named = andes.send(event("DEP", tracking_code="NOBODYS"), *[bad] * 60)["errors"]
    assert [each["path"] for each in named] == [f"events[{number}].code" for number in range(1, 51)]


def test_odd_descriptions_and_places_do_not_refuse_an_event(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    odd_ones: list[Any] = [None, 5, [], {"city": []}, "x\x00\ud800" * 300]
    for hours, odd in enumerate(odd_ones):
        sent = event("DEP", hours, tracking_code=guide.tracking_code, description=odd, location=odd)
        assert counts(andes.send(sent)) == {"applied": 1}
    assert CarrierEvent.objects.latest("id").description == "x" * 255


# --- what becomes of events ---------------------------------------------------------------------------------------


def test_the_same_body_twice_is_one_event_and_one_webhook(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    history = [event("DEP", 1, tracking_code=guide.tracking_code), event("CRC", 2, tracking_code=guide.tracking_code)]
    assert counts(andes.send(*history)) == {"applied": 2}
    assert counts(andes.send(*history)) == {"duplicate": 2}
    assert counts(andes.send(*history, event("CCD", 3, tracking_code=guide.tracking_code))) == {
        "duplicate": 2,
        "applied": 1,
    }
    assert timeline(guide.tracking_code) == [("in_transit", 2), ("customs_processing", 3), ("customs_released", 4)]


def test_the_carriers_own_id_decides_what_is_the_same(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    one = event("DEP", tracking_code=guide.tracking_code, event_id="e-1")
    assert counts(andes.send(one, one | {"code": "ARR"}, one | {"event_id": "e-2"})) == {"applied": 2, "duplicate": 1}


def test_an_event_that_was_taken_back_does_not_come_back_by_a_resend(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    sent = event("DEP", 1, tracking_code=guide.tracking_code)
    andes.send(event("CRC", 0, tracking_code=guide.tracking_code), sent)
    take_back(
        Guide.objects.filter(pk=guide.pk),
        Withdrawal(GuideStatus.IN_TRANSIT, reason="wrong parcel"),
        actor="an operator",
    )
    assert counts(andes.send(sent)) == {"duplicate": 1}
    again = andes.send(sent | {"event_id": "again"})
    assert counts(again) == {"refused": 1}
    assert "errors" not in again  # the carrier can correct nothing
    assert CarrierEvent.objects.get(external_id="id:again").error == "event_taken_back"


def test_a_customs_release_ends_a_retention_and_what_was_refused_for_it_is_judged_again(acme: Caller) -> None:
    customs, courier = make_sender("aduana", source="customs"), make_sender("courier", source="courier_scan")
    guide = shipped(acme.company, 1, country="PE", retention_reason="value").guides.get()
    courier.means("OFD", "out_for_delivery")
    assert counts(courier.send(event("OFD", 5, tracking_code=guide.tracking_code))) == {"refused": 1}
    assert CarrierEvent.objects.get().error == "guide_under_retention"
    assert counts(customs.send(event("CCD", 3, tracking_code=guide.tracking_code))) == {"applied": 1}
    assert timeline(guide.tracking_code) == [("customs_released", 2), ("out_for_delivery", 3)]
    by = dict(guide.events.exclude(status="registered").values_list("status", "actor"))
    assert by == {"customs_released": "carrier:aduana", "out_for_delivery": "carrier:courier"}
    assert set(CarrierEvent.objects.values_list("outcome", flat=True)) == {"applied"}


def test_the_order_of_arrival_does_not_matter_for_what_must_follow(acme: Caller) -> None:
    courier = make_sender("courier", source="courier_scan")
    courier.means("NH", "delivery_failed")
    courier.means("OFD", "out_for_delivery")
    guide = shipped(acme.company, 1).guides.get()
    assert counts(courier.send(event("NH", 5, tracking_code=guide.tracking_code))) == {"refused": 1}
    assert counts(courier.send(event("OFD", 4, tracking_code=guide.tracking_code))) == {"applied": 1}
    assert timeline(guide.tracking_code) == [("out_for_delivery", 2), ("delivery_failed", 3)]


def test_a_carrier_beyond_its_bucket_is_asked_to_retry_and_another_is_untouched(
    andes: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_sender("other")
    monkeypatch.setattr("base.buckets.time.time", lambda: 1_000.0)
    monkeypatch.setattr("shipments.carriers.views.REQUESTS_PER_SECOND", 2)
    statuses = [andes.post(b'{"events": []}').status_code for _ in range(21)]
    assert statuses == [*[200] * 20, 429]
    refused = andes.post(b'{"events": []}')
    assert (refused.json()["status"], refused.json()["code"]) == ("retry", "rate_limited")
    assert int(refused.headers["Retry-After"]) >= 1
    assert other.post(b'{"events": []}').status_code == 200
    assert CarrierReceipt.objects.filter(carrier=andes.carrier).count() == 20
