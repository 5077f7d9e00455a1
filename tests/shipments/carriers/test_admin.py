"""Carriers in the admin."""

import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from shipments.models import Carrier, CarrierCode, CarrierEvent, CarrierNumber, CarrierReceipt, GuideEvent
from tests.conftest import Caller
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.carriers.sending import Sender, event, make_sender, timeline
from tests.shipments.commands.running import run
from tests.shipments.shipping import shipped
from webhooks.models import Delivery
from webhooks.subscriptions import register_signed

pytestmark = pytest.mark.django_db


FORM = {"name": "Inca", "slug": "inca", "source": "carrier", "adapter": "canonical", "countries": ["CL", "PE"],
        "scheme": "hmac", "signature_encoding": "hex"}  # fmt: skip


def confirm(client: Client, name: str, key: Any, step: str = "run", **data: Any) -> Any:
    return client.post(reverse(f"admin:shipments_{name}", args=[key]), {"step": step, **data}, follow=True)


def test_a_carrier_is_made_with_a_secret_that_is_shown_once() -> None:
    client = operator_of(role="Onboarding")
    page = text_of(client.post(reverse("admin:shipments_carrier_add"), FORM, follow=True))
    secret = page.partition('<code id="api-password">')[2].partition("<")[0]
    carrier = Carrier.objects.get()
    assert carrier.signature_header == "X-Signature"
    assert Sender(carrier, secret).send()["status"] == "accepted"
    assert secret not in text_of(client.get(reverse("admin:shipments_carrier_secret", args=[carrier.pk])))
    assert CarrierCode.objects.filter(carrier=carrier, code="DLV", action="event_only").exists()


def test_a_secret_in_a_header_has_a_usual_header_too() -> None:
    operator_of(role="Onboarding").post(reverse("admin:shipments_carrier_add"), FORM | {"scheme": "header"})
    assert Carrier.objects.get().signature_header == "X-Signature"


def test_a_carrier_of_other_countries_is_not_made_or_changed(andes: Sender) -> None:
    client = operator_of("PE", role="Onboarding")
    form = FORM | {"countries": ["CL"], "scheme": "header"}
    assert client.post(reverse("admin:shipments_carrier_add"), form).status_code == 200
    assert Carrier.objects.count() == 1
    confirm(client, "carrier_rotate_secret", andes.carrier.pk, overlap_hours="0")
    assert andes.carrier.secrets.count() == 1
    assert "andes" in text_of(client.get(reverse("admin:shipments_carrier_changelist")))


def test_the_secret_is_replaced_and_the_former_one_ends(andes: Sender) -> None:
    client = operator_of(role="Onboarding")
    page = text_of(confirm(client, "carrier_rotate_secret", andes.carrier.pk, overlap_hours="1"))
    former, andes.secret = andes.secret, page.partition('<code id="api-password">')[2].partition("<")[0]
    body = b'{"events": []}'
    assert andes.post(body).status_code == andes.post(body, **andes.signed(body, former)).status_code == 200
    again = text_of(client.get(reverse("admin:shipments_carrier_rotate_secret", args=[andes.carrier.pk])))
    assert "The secret from before the last rotation is valid until" in again


def test_a_command_replaces_the_secret_and_the_former_one_ends_when_it_says(andes: Sender) -> None:
    said = json.loads(run("rotate_carrier_secret", "andes", "--overlap-hours", "2"))
    former, andes.secret = andes.secret, said["secret"]
    body = b'{"events": []}'
    assert andes.post(body).status_code == andes.post(body, **andes.signed(body, former)).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(hours=2, seconds=1)):
        assert andes.post(body, **andes.signed(body, former)).status_code == 401
        assert andes.post(body).status_code == 200
    for wrong in (("nobody",), ("andes", "--overlap-hours", "-1"), ("andes", "--overlap-hours", "2161")):
        with pytest.raises(CommandError):
            run("rotate_carrier_secret", *wrong)


def test_a_code_that_waits_is_listed_first_previewed_and_applied(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    andes.send(event("ZZ9", 2, tracking_code=guide.tracking_code, description="Recogido en bodega"))
    client = operator_of(role="Operations")
    page = text_of(client.get(reverse("admin:shipments_carriercode_changelist")))
    assert page.index("ZZ9") < page.index("DLV")
    assert "Recogido en bodega" in page
    code = CarrierCode.objects.get(code="ZZ9")
    question = reverse("admin:shipments_carriercode_choose_meaning", args=[code.pk])
    assert f'href="{question}"' in page
    assert f'href="{question}"' in text_of(client.get(reverse("admin:index")))
    reader = operator_of(role="Read-only", username="rita")
    assert question not in text_of(reader.get(reverse("admin:shipments_carriercode_changelist")))
    data = {"meaning": "in_transit", "client_note": "En camino"}
    preview = text_of(confirm(client, "carriercode_choose_meaning", code.pk, "preview", **data))
    assert guide.tracking_code in preview
    assert not GuideEvent.objects.filter(status="in_transit").exists()
    text_of(confirm(client, "carriercode_choose_meaning", code.pk, **data))
    moved = GuideEvent.objects.get(status="in_transit")
    assert (moved.client_note, moved.actor, moved.occurred_at.hour) == ("En camino", "carrier:andes", 2)
    code.refresh_from_db()
    assert (code.action, code.status, code.updated_by) == ("status", "in_transit", "camila")


def test_a_parked_event_is_assigned_by_hand_and_its_number_is_learned(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    andes.send(event("DEP", 1, carrier_number="N1"))
    client = operator_of(role="Operations")
    parked = CarrierEvent.objects.get()
    assert "tracking_code" in text_of(confirm(client, "carrierevent_assign_guide", parked.pk, tracking_code="NOBODYS"))
    text_of(confirm(client, "carrierevent_assign_guide", parked.pk, tracking_code=guide.tracking_code.lower()))
    assert timeline(guide.tracking_code) == [("in_transit", 2)]
    assert CarrierNumber.objects.get().guide == guide


def test_receipts_and_events_are_found_by_what_a_carrier_would_quote(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    andes.send(event("DEP", 1, tracking_code=guide.tracking_code))
    andes.send(event("DEP", 2, hawb="H9", mawb="045-12345675"), event("DEP", 3, carrier_number="n1"))
    client, first = operator_of(), CarrierReceipt.objects.earliest("received_at")
    for model, sought, number in (
        ("receipt", first.public_id, 1), ("receipt", str(first.pk), 1), ("receipt", "rcp_1", 0),
        ("event", guide.tracking_code.lower(), 1), ("event", "h9", 1), ("event", "045-12345675", 1), ("event", "n1", 1),
        ("event", "H", 0),
    ):  # fmt: skip
        page: Any = client.get(reverse(f"admin:shipments_carrier{model}_changelist"), {"q": sought})
        assert (sought, page.context["cl"].result_count) == (sought, number)


def test_a_number_is_entered_on_the_guides_page(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    client = operator_of(role="Operations")
    page = reverse("admin:shipments_guide_change", args=[guide.pk])
    assert "/carrier-number/" in text_of(client.get(page))
    data = {"carrier": str(andes.carrier.pk), "number": "N7"}
    text_of(confirm(client, "guide_enter_carrier_number", guide.pk, **data))
    assert CarrierNumber.objects.get().guide == guide
    assert "N7" in text_of(confirm(client, "guide_enter_carrier_number", guide.pk, **data))  # refused: it is known
    assert andes.send(event("DEP", carrier_number="N7"))["applied"] == 1
    andes.means("POD", "delivered")
    andes.send(event("POD", carrier_number="N7"))
    assert "/carrier-number/" not in text_of(client.get(page))  # it has arrived


def test_what_a_carrier_writes_is_shown_beside_the_timeline_and_not_to_the_client(andes: Sender, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    register_signed(acme.company, "https://203.0.114.5/hook")
    codes = {"DLV": "Delivered to agent", "DEP": "Signed by the agent"}
    andes.send(*(event(code, 1, tracking_code=guide.tracking_code, description=codes[code]) for code in codes))
    assert timeline(guide.tracking_code) == [("in_transit", 2)], "DLV of an airline moves nothing"
    page = text_of(operator_of(role="Read-only").get(reverse("admin:shipments_guide_change", args=[guide.pk])))
    assert all(words in page for words in codes.values())
    assert b"agent" not in acme.get(f"/guides/{guide.tracking_code}").content
    assert b"agent" not in bytes(Delivery.objects.get().body)


def test_a_receipt_is_done_again(andes: Sender, acme: Caller) -> None:
    andes.send(event("DEP", 1, hawb="H001"))
    guide = shipped(acme.company, 1).guides.get()
    receipt = CarrierReceipt.objects.get()
    client = operator_of(role="Operations")
    assert receipt.public_id in text_of(client.get(reverse("admin:shipments_carrierreceipt_change", args=[receipt.pk])))
    text_of(confirm(client, "carrierreceipt_repeat", receipt.pk))
    assert timeline(guide.tracking_code) == [("in_transit", 2)]
    receipt.refresh_from_db()
    assert receipt.counts["applied"] == 1


def test_a_peruvian_operator_sees_events_of_peru_and_nothing_parked_of_a_carrier_that_also_serves_chile(
    andes: Sender, acme: Caller
) -> None:
    peruvian, chilean = (shipped(acme.company, 1, country=country).guides.get() for country in ("PE", "CL"))
    andes.send(*(event("DEP", tracking_code=guide.tracking_code) for guide in (peruvian, chilean)))
    andes.send(event("DEP", hawb="PARKED"), event("ZZ9", tracking_code=peruvian.tracking_code))
    own = make_sender("inca", countries=["PE"])
    own.send(event("DEP", hawb="OURS"))
    client = operator_of("PE", role="Operations")
    pages = {
        name: text_of(client.get(reverse(f"admin:shipments_{name}_changelist")))
        for name in ("carrierevent", "carrierreceipt", "carriercode")
    }
    assert peruvian.tracking_code in pages["carrierevent"]
    assert "OURS" in pages["carrierevent"]
    assert chilean.tracking_code not in pages["carrierevent"]
    assert "PARKED" not in pages["carrierevent"]
    assert "Inca" in pages["carrierreceipt"]
    assert "Andes" not in pages["carrierreceipt"] + pages["carriercode"]


def test_who_asks_what_a_code_means_reads_the_carriers_words_and_finds_nothing_chosen(andes: Sender) -> None:
    andes.send(event("ZZ9", 1, carrier_number="N1", description="Bodega cerrada"))
    code = CarrierCode.objects.get(code="ZZ9")
    client = operator_of()
    form = text_of(client.get(reverse("admin:shipments_carriercode_choose_meaning", args=[code.pk])))
    assert "Andes sends the code ZZ9 and calls it “Bodega cerrada”." in form
    assert "1 event waits for this code." in form
    assert '<option value="" selected>' in form
    start = text_of(client.get(reverse("admin:index")))
    assert "1 code without a meaning" in start
    assert '<span class="pa-unseen">waiting:</span>1</span>' in start
    again = confirm(client, "carriercode_choose_meaning", code.pk, step="preview", meaning="", client_note="")
    assert CarrierCode.objects.get(pk=code.pk).action == "unknown"
    assert "This field is required" in text_of(again)


def test_a_carrier_that_sends_nothing_for_a_day_is_to_be_looked_at(andes: Sender) -> None:
    now = timezone.now()
    Carrier.objects.update(created_at=now - timedelta(days=3))
    assert [one.name for one in Carrier.objects.silent(now)] == [andes.carrier.name]
    start = text_of(operator_of().get(reverse("admin:index")))
    assert "has sent nothing yet" in start
    andes.send(event("DLV", 1, carrier_number="N1"))
    assert not Carrier.objects.silent(now).exists()
    assert [one.name for one in Carrier.objects.silent(now + timedelta(days=2))] == [andes.carrier.name]
    Carrier.objects.update(is_active=False)
    assert not Carrier.objects.silent(now + timedelta(days=2)).exists()
