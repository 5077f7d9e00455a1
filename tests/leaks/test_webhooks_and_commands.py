"""Through webhooks that fail in every way, and through commands."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from shipments.models import Guide
from tests.conftest import Caller
from tests.leaks.marked import HOST, NAME, NOTE, RUT, SPELLED, WEBHOOK_SECRET, one_guide
from tests.prealerts.watch.listening import Listener
from tests.shipments.shipping import tell
from tests.webhooks.receivers import answer, raw
from tests.webhooks.running import InThread, states, wait_until
from webhooks.models import Delivery, Subscription
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.usefixtures("shared_database")
def test_webhooks_that_fail_in_every_way(
    ears: Listener, acme: Caller, receivers: Any, authority: Any, settings: Any
) -> None:
    guide = one_guide(acme)
    marked = f"{NAME} {RUT} {WEBHOOK_SECRET}".encode()
    behaviours = [
        answer(),
        answer(status=500, body=marked),
        answer(status=302, body=marked, Location=f"https://{HOST}/{RUT}"),
        raw(b"HTTP/1.1 200 " + marked + b"\r\nContent-Length: x\r\n\r\n", then="close"),
        raw(marked, then="close"),
    ]
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    listening_to = [receivers(behave) for behave in behaviours]
    for receiver in listening_to:
        register(acme.company, receiver.url, WEBHOOK_SECRET)
    register(acme.company, "https://127.0.0.1:9/nobody-there", WEBHOOK_SECRET)
    with InThread(authority.bundle):
        tell(guide, "in_transit")
        wait_until(lambda: not {"pending", "sending"} & states().keys())
    assert states()["delivered"] >= 1
    assert states()["failed"] >= 3
    bodies = [request.body for receiver in listening_to for request in receiver.received]
    assert bodies
    ears.answers += [body.decode() for body in bodies]
    ears.answers += [bytes(delivery.body).decode() for delivery in Delivery.objects.all()]
    assert WEBHOOK_SECRET not in str(list(Subscription.objects.values()))


def test_commands(ears: Listener, acme: Caller, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = one_guide(acme)
    events = tmp_path / "events.csv"
    events.write_text(f"tracking_code,status,reason\n{guide.tracking_code},in_transit,{NOTE}\n{NAME},{RUT},x\n")

    def run(*arguments: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(SPELLED))
        output = io.StringIO()
        try:
            call_command(*arguments, stdout=output, stderr=output)
        except CommandError as refused:
            ears.answers.append(str(refused))

    run("add_webhook", "ACME", "https://127.0.0.1:9/hook", "--secret", WEBHOOK_SECRET)
    run("import_events", str(events), "--no-color")
    run("advance_status", "--to", "out_for_delivery", "--reason", NOTE, guide.tracking_code)
    run("personal_data", "--document", "-")
    run("anonymise", "--document", "-", "--dry-run")
    run("anonymise", "--document", "-")
    run("anonymise", "--document", RUT)
    assert Guide.objects.get().consignee_name == ""
    assert acme.get("/mawbs").status_code == 200
