"""Bodies hold names: how long they are kept, and where they never appear."""

import io
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from shipments.models import CarrierEvent, CarrierReceipt
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.shipments.carriers.sending import event, make_sender
from tests.shipments.shipping import shipped
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db

NAME = "Firmado por Ximena Huenchullan"


def test_a_name_in_a_body_is_in_no_log_webhook_or_answer(acme: Caller, caplog: pytest.LogCaptureFixture) -> None:
    sender = make_sender()
    guide = shipped(acme.company, 1).guides.get()
    with caplog.at_level(logging.DEBUG):
        sender.send(event("DEP", tracking_code=guide.tracking_code, description=NAME), {"code": NAME}, NAME)
        sender.post(f'{{"{NAME}": '.encode())
    assert "Ximena" not in caplog.text
    assert "Ximena" not in acme.get(f"/guides/{guide.tracking_code}").content.decode()
    assert not any(b"Ximena" in bytes(delivery.body) for delivery in Delivery.objects.all())
    operator = operator_of("CL")
    for name in ("guide", "manifest"):
        exported: Any = operator.get(reverse(f"admin:shipments_{name}_export_csv"))
        assert exported.status_code == 200
        assert b"Ximena" not in b"".join(exported.streaming_content)


def test_bodies_are_blanked_after_their_days_and_receipts_stay() -> None:
    sender = make_sender()
    sender.send(event("DEP", hawb="H001"))
    sender.send(event("ARR", hawb="H001"))
    old = CarrierReceipt.objects.earliest("received_at")
    CarrierReceipt.objects.filter(pk=old.pk).update(received_at=timezone.now() - timedelta(days=15))
    call_command("sweep_files", "--dry-run")
    assert CarrierReceipt.objects.filter(body=None).count() == 0
    call_command("sweep_files")
    assert list(CarrierReceipt.objects.filter(body=None).values_list("pk", flat=True)) == [old.pk]


def test_anonymising_a_person_erases_what_carriers_said_of_its_guides_and_of_no_others(
    acme: Caller, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = make_sender()
    document = {"consignee_document": "12345678-5", "consignee_document_type": "RUT", "consignee_name": "Ximena"}
    guide = shipped(acme.company, 1, **document).guides.get()
    other = shipped(acme.company, 2).guides.get(hawb="H002")
    sender.send(event("DEP", tracking_code=guide.tracking_code, description=NAME))
    sender.send(event("XX", 1, tracking_code=guide.tracking_code, description=NAME))  # waits for its meaning
    sender.send(event("DEP", tracking_code=other.tracking_code, description="Salida"))
    monkeypatch.setattr("sys.stdin", io.StringIO("12345678-5"))
    call_command("anonymise", "--document", "-")
    assert "carriers" in capsys.readouterr().out
    kept = CarrierReceipt.objects.exclude(body=None)
    assert [bytes(each.body or b"").count(b"Salida") for each in kept] == [1]
    assert set(CarrierEvent.objects.exclude(description="").values_list("description", flat=True)) == {"Salida"}
