"""Bodies of public documentation, as `bodies/README.md` names them; and asking these carriers ourselves."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import pytest

from base import encryption
from shipments.models import CarrierEvent, CarrierNumber, GuideEvent
from tests.companies.operators.tokens.speaking import Program, program
from tests.conftest import Caller
from tests.shipments.carriers.sending import BODIES, counts, make_sender, timeline
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db


def test_aftership_tells_a_whole_journey_and_resends_it(acme: Caller) -> None:
    sender = make_sender(adapter="aftership", scheme="hmac", source="courier_scan")
    assert (sender.carrier.signature_header, sender.carrier.signature_encoding) == ("aftership-hmac-sha256", "base64")
    guide = shipped(acme.company, 1).guides.get()
    CarrierNumber.objects.create(carrier=sender.carrier, number="111111111111", guide=guide)
    body = (BODIES / "aftership.json").read_bytes()
    assert counts(sender.post(body).json()) == {"applied": 11}
    assert counts(sender.post(body).json()) == {"duplicate": 11}
    assert [status for status, sequence in timeline(guide.tracking_code) if sequence] == [
        "in_transit", "out_for_delivery", "delivered",
    ]  # fmt: skip
    last = GuideEvent.objects.get(status="delivered")
    assert last.occurred_at.isoformat() == "2018-07-25T01:10:00+00:00"
    assert CarrierEvent.objects.get(code="InfoReceived_001").description == "Shipment information sent to FedEx"


def test_easypost_tells_a_tracker_and_other_objects_are_no_events(acme: Caller) -> None:
    sender = make_sender(adapter="easypost", scheme="hmac", source="courier_scan")
    guide = shipped(acme.company, 1).guides.get()
    CarrierNumber.objects.create(carrier=sender.carrier, number="1", guide=guide)
    assert counts(sender.post((BODIES / "easypost.json").read_bytes()).json()) == {"applied": 7}
    assert CarrierEvent.objects.filter(place="ORLANDO, US").count() == 3
    assert {status for status, _sequence in timeline(guide.tracking_code)} == {"in_transit"}
    assert sender.post({"description": "batch.created", "result": {"object": "Batch"}}).json()["events"] == 0


@pytest.mark.parametrize("adapter", ["aftership", "easypost"])
def test_what_is_not_of_their_shape_is_a_mismatch(adapter: str) -> None:
    sender = make_sender(adapter=adapter, scheme="hmac")
    bodies: list[Any] = [[], {}, {"msg": 1, "result": 1}, {"msg": {}, "result": {"object": "Tracker"}}]
    for body in bodies:
        answer = sender.post(body)
        assert (answer.status_code, answer.json()["code"]) == (400, "schema_mismatch"), body


# --- asking -----------------------------------------------------------------------------------------------------


class Upstream(BaseHTTPRequestHandler):
    """A carrier's API that answers what a test says."""

    status: ClassVar[int] = 200
    body: ClassVar[bytes] = b""
    asked: ClassVar[list[tuple[str, dict[str, str]]]] = []

    def do_GET(self) -> None:  # the library's name
        self.asked.append((self.path, dict(self.headers)))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@pytest.fixture
def upstream(settings: Any) -> Iterator[type[Upstream]]:
    Upstream.status, Upstream.body = 200, b""
    Upstream.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    Thread(target=server.serve_forever, daemon=True).start()
    settings.CARRIER_API_BASE = f"http://127.0.0.1:{server.server_port}"
    yield Upstream
    server.shutdown()
    server.server_close()


def refresh(tracking_code: str, asking: Program) -> Any:
    return asking.post(f"/guides/{tracking_code}/refresh", None)


def asked_about(acme: Caller, adapter: str, number: str) -> str:
    """The tracking code of a guide with a number of a carrier that can be asked."""
    sender = make_sender(adapter=adapter, scheme="hmac", source="courier_scan")
    sender.carrier.sealed_api_key = encryption.seal("key-1")
    sender.carrier.save()
    guide = shipped(acme.company, 1).guides.get()
    CarrierNumber.objects.create(carrier=sender.carrier, number=number, guide=guide)
    return guide.tracking_code


def test_a_carrier_is_asked_and_its_answer_applied_once_a_minute(acme: Caller, upstream: type[Upstream]) -> None:
    code = asked_about(acme, "easypost", "EZ1000000001")
    upstream.body = (BODIES / "easypost_list.json").read_bytes()
    asking = program("counter", "CL")
    answer = refresh(code, asking)
    assert (answer.status_code, answer.json()["events"], answer.json()["applied"]) == (200, 2, 2)
    assert upstream.asked[0][0] == "/v2/trackers?tracking_code=EZ1000000001"
    assert upstream.asked[0][1]["Authorization"] == "Basic a2V5LTE6"
    again = refresh(code, asking)
    assert (again.status_code, again.json()["error"], len(upstream.asked)) == (429, "rate_limited", 1)
    CarrierNumber.objects.update(asked_at=None)
    assert refresh(code, asking).json()["duplicate"] == 2


def test_aftership_is_asked_with_its_own_header(acme: Caller, upstream: type[Upstream]) -> None:
    code = asked_about(acme, "aftership", "111111111111")
    tracking = json.loads((BODIES / "aftership.json").read_bytes())["msg"]
    upstream.body = json.dumps({"data": {"trackings": [tracking]}}).encode()
    assert refresh(code, program("counter", "CL")).json()["applied"] == 11
    assert upstream.asked[0][1]["as-api-key"] == "key-1"


TROUBLES = [(500, b""), (302, b"{}"), (404, b"{}"), (200, b""), (200, b"[]"), (200, b"<html>"), (200, b" " * 1_100_000)]


def test_a_carrier_in_trouble_is_503_and_ours_is_never(acme: Caller, upstream: type[Upstream]) -> None:
    code, asking = asked_about(acme, "easypost", "1"), program("counter", "CL")
    for upstream.status, upstream.body in TROUBLES:
        CarrierNumber.objects.update(asked_at=None)
        answer = refresh(code, asking)
        assert (answer.status_code, answer.json()["error"]) == (503, "upstream_unavailable"), upstream.body[:9]
        assert int(answer.headers["Retry-After"]) >= 1


def test_a_guide_without_a_carrier_to_ask_is_404_and_another_country_403(acme: Caller) -> None:
    code = shipped(acme.company, 1).guides.get().tracking_code
    assert refresh(code, program("counter", "CL")).json()["error"] == "not_found"
    assert refresh(code, program("other", "PE")).json()["error"] == "forbidden_country"
