"""docs/webhooks.md says what is sent: its request and its event are the sender's own."""

import json
import re
import subprocess
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from standardwebhooks import Webhook

from tests.conftest import Caller
from tests.live.server import ROOT
from tests.webhooks.conftest import subscribe_signed
from tests.webhooks.posting import Post
from tests.webhooks.receivers import Receiver
from webhooks import sender
from webhooks.catalogue import example_data
from webhooks.dispatcher import seats
from webhooks.events import EventType
from webhooks.models import Delivery
from webhooks.sender import Posting

pytestmark = pytest.mark.django_db

PAGE = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
RECEIVER = ROOT / "docs" / "examples" / "webhook_receiver.py"
UUID = r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
SHAPES = {
    "id": re.compile(f"evt_{UUID}"),
    "manifest_id": re.compile(UUID),
    "tracking_code": re.compile(r"[A-Z]{3}[0-9A-Z]{11}"),
    "timestamp": MOMENT,
    "occurred_at": MOMENT,
}
"""Values that are others each time: they have to look alike."""


def example() -> dict[str, Any]:
    (block,) = re.findall(r'^```json\n(\{\n  "id": "evt_.*?)^```$', PAGE, re.DOTALL | re.MULTILINE)
    found: dict[str, Any] = json.loads(block)
    return found


def shape(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """The fields in their order, at any depth; what is another each time as its pattern's verdict."""
    found = []
    for name, value in body.items():
        told = bool(SHAPES[name].fullmatch(value)) if name in SHAPES else value
        found.append((name, shape(told) if isinstance(told, dict) else told))
    return found


def test_the_event_on_the_page_is_what_is_really_sent(acme: Caller) -> None:
    subscribe_signed("https://hooks.example.com/", acme.company.client_code, event_types=["guide.exception"])
    workbook = (ROOT / "docs" / "examples" / "manifest-CL.xlsx").read_bytes()
    code = acme.upload(workbook).json()["guides"][0]["tracking_code"]
    for status, reason in (("customs_processing", ""), ("customs_held", "Documents to be checked")):
        call_command("advance_status", code, to=status, source="customs", client_note=reason, stdout=StringIO())
    assert shape(example()) == shape(json.loads(bytes(Delivery.objects.get().body)))


def test_the_catalogue_is_whole() -> None:
    listed = PAGE.partition("\n| `type` | when |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w.]+)` \|", listed, re.MULTILINE) == [kind.value for kind in EventType]


def test_the_request_on_the_page_is_the_one_that_arrives(post: Post, receiver: Receiver) -> None:
    body = json.dumps(example(), ensure_ascii=False, separators=(",", ":")).encode()
    (secret,) = re.findall(r"secret `(whsec_\w{32})`", PAGE)
    posting = Posting(example()["id"], "guide.exception", body, receiver.url, "", (secret,), 1764000000)

    assert post(posting).is_delivered
    (shown,) = re.findall(r"^```\nPOST /hooks/pre-alerts HTTP/1.1\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    headers = {name.lower(): value for name, _colon, value in (line.partition(": ") for line in shown.splitlines())}
    assert {**headers, "host": f"127.0.0.1:{receiver.port}"} == receiver.received[0].headers


def test_the_vectors_to_download_have_every_type_as_it_is_sent_and_the_pages_own_request() -> None:
    vectors = json.loads((ROOT / "docs" / "examples" / "webhook-vectors.json").read_text(encoding="utf-8"))
    assert [each["type"] for each in vectors] == [kind.value for kind in EventType]
    for vector in vectors:
        body, headers = vector["body"], vector["headers"]
        event = json.loads(body)
        at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
        assert headers["webhook-signature"] == Webhook(vector["secret"]).sign(event["id"], at, body)
        assert headers["Content-Length"] == str(len(body.encode()))
        assert body == json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        if event["type"] == "guide.exception":
            assert event == example()
            assert f"webhook-signature: {headers['webhook-signature']}\n" in PAGE
        else:
            assert event["data"] == example_data(EventType(event["type"]))


def test_the_sample_that_signs_does_it_as_we_do(tmp_path: Path) -> None:
    (sample,) = re.findall(r"^```sh\n(SECRET=.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    show = "printf '%s\\n' '' $SECRET $ID $NOW $SIGNATURE $BODY"
    printed = subprocess.run(["sh", "-euc", sample + show], cwd=tmp_path, check=True, capture_output=True, text=True)
    secret, identifier, at, signature, body = printed.stdout.splitlines()[-5:]
    headers = {"webhook-id": identifier, "webhook-timestamp": at, "webhook-signature": signature}
    assert Webhook(secret).verify(body, headers) == json.loads(body)


def test_the_numbers_on_the_page_are_the_codes() -> None:
    page = " ".join(PAGE.split())
    assert f"The **{sender.DEADLINE_SECONDS:.0f} seconds** start" in page
    assert f"Of a long body we read {sender._READ_BYTES // 1024} KiB" in page
    assert seats.PER_SUBSCRIPTION == 10  # "at most about ten requests"
