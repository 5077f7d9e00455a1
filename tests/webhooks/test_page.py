"""docs/webhooks.md says what is sent: its examples are the payload builder's own, its receiver is the tested file."""

import asyncio
import json
import re
from io import StringIO
from typing import Any

import pytest
import uvloop
from django.core.management import call_command

from tests.conftest import Caller
from tests.webhooks.receivers import Authority, Receiver
from tools import integration_page, webhooks_page
from webhooks import outbox, sender
from webhooks.addresses import networks
from webhooks.checks import tls_context
from webhooks.dispatcher import seats
from webhooks.events import V2_ONLY, EventType
from webhooks.models import Delivery, Subscription
from webhooks.sender import Posting, Sender

pytestmark = pytest.mark.django_db

PARTS = webhooks_page.parts()
PAGE = webhooks_page.PATH.read_text(encoding="utf-8")
SHAPES = {
    "id": re.compile(r"evt_[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}"),
    "manifest_id": re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}"),
    "tracking_code": re.compile(r"[A-Z]{3}[0-9A-Z]{11}"),
    "timestamp": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"),
    "occurred_at": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"),
}
"""Values that are others each time: they have to look alike."""


def example(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PARTS[f"event {kind}"].removeprefix("```json\n").removesuffix("```\n"))
    return found


def shape(body: dict[str, Any]) -> list[tuple[str, Any]]:
    """The fields in their order, at any depth; what is another each time as its pattern's verdict."""
    found = []
    for name, value in body.items():
        told = bool(SHAPES[name].fullmatch(value)) if name in SHAPES else value
        found.append((name, shape(told) if isinstance(told, dict) else told))
    return found


@pytest.fixture
def sent(acme: Caller) -> dict[str, dict[str, Any]]:
    """What a client hears who sends the sample manifest, and whose first guide goes the way of the page."""
    call_command("add_webhook", "ACME", "https://hooks.example.com/", stdout=StringIO(), stderr=StringIO())
    workbook = (integration_page.EXAMPLES / "manifest-CL.xlsx").read_bytes()
    code = acme.upload(workbook).json()["guides"][0]["tracking_code"]
    for status, source, reason in (
        ("customs_processing", "customs", ""),
        ("customs_held", "customs", "Documents to be checked"),
        ("out_for_delivery", "courier_scan", ""),
        ("delivered", "courier_scan", ""),
    ):
        call_command("advance_status", code, to=status, source=source, client_note=reason, stdout=StringIO())
    outbox.send_test(Subscription.objects.get(), "A test event, sent by an operator.")
    return {row.event_type: json.loads(bytes(row.body)) for row in Delivery.objects.all()}


def test_every_example_is_what_is_really_sent(sent: dict[str, dict[str, Any]]) -> None:
    assert sent.keys() == set(EventType) - V2_ONLY
    for kind, body in sent.items():
        assert shape(example(kind)) == shape(body)


def test_the_catalogue_is_whole_here_and_in_the_integration_guide() -> None:
    guide = integration_page.parts(integration_page.PATH.read_text(encoding="utf-8"))
    for table in (PARTS["webhook types"], guide["webhook types"]):
        assert re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE) == ["type", *(kind.value for kind in EventType)]


def test_the_request_on_the_page_is_the_one_that_arrives(authority: Authority, receiver: Receiver) -> None:
    body = json.dumps(example("guide.delivered"), separators=(",", ":")).encode()

    async def post() -> None:
        async with Sender(context=tls_context(authority.bundle), allowed=networks(["127.0.0.0/8"])) as one:
            await one.post(
                Posting(example("guide.delivered")["id"], "guide.delivered", body, receiver.url, "<your secret>")
            )

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(post())
    _fence, line, *headers, _end = PARTS["request"].rstrip("\n").split("\n")
    assert line == "POST /hooks/pre-alerts HTTP/1.1"
    shown = {name.lower(): value for name, _colon, value in (header.partition(": ") for header in headers)}
    assert {**shown, "host": f"127.0.0.1:{receiver.port}"} == receiver.received[0].headers


def test_the_receiver_on_the_page_is_the_file_that_is_tested() -> None:
    assert PARTS["receiver"] == webhooks_page.receiver(), "run python -m tools.webhooks_page"
    code = [line for line in webhooks_page.RECEIVER.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(code) <= 65


def test_the_numbers_on_the_page_are_the_codes() -> None:
    assert f"The **{sender.DEADLINE_SECONDS:.0f} seconds** run" in PAGE
    assert f"of\na long body we read {sender._READ_BYTES // 1024} KiB" in PAGE
    assert seats.PER_SUBSCRIPTION == 10  # "some ten requests"


def test_the_try_out_writes_nothing_into_the_checkout() -> None:
    tried = PAGE.partition("Try it against a service of your own")[2].partition("\n## ")[0]
    files = re.findall(r"[^\s=]+\.(?:pem|sqlite3)\b", "\n".join(re.findall(r"```\n(.*?)```", tried, re.DOTALL)))
    assert len(files) >= 6
    assert [name for name in files if not name.startswith("/tmp/webhook-trial/")] == []  # noqa: S108  # as the page has it
