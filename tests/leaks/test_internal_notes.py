"""What operators write for each other reaches no client: none of its answers, and no body of its webhooks."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from shipments.models import Guide
from shipments.statuses import GuideStatus
from shipments.tracking.review import lift_retention
from shipments.tracking.taking_back import take_back
from shipments.tracking.voiding import void_manifest
from shipments.tracking.withdrawals import Withdrawal
from tests.conftest import Caller
from tests.shipments.admin.pages import of_guide
from tests.shipments.shipping import shipped, tell
from webhooks.models import Delivery
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db
INTERNAL, OPEN = "Zquiet", "Zloud"


def an_event(guide: Guide) -> None:
    assert tell(guide, "on_hold", internal_note=INTERNAL).event


def a_status_taken_back(guide: Guide) -> None:
    tell(guide, "lost")
    (result,) = take_back(Guide.objects.filter(pk=guide.pk), Withdrawal(GuideStatus.LOST, reason=INTERNAL), actor="")
    assert result.refusal is None


def a_retention_lifted(guide: Guide) -> None:
    assert not lift_retention(guide, reason=INTERNAL, actor="").retention_required


def a_note(guide: Guide) -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("olga"))
    assert browser.post(of_guide(guide, "add_note"), {"text": INTERNAL, "step": "run"}).status_code == 302


def a_manifest_voided(guide: Guide) -> None:
    assert void_manifest(Guide.objects.get(pk=guide.pk).manifest, reason=INTERNAL, client_note=OPEN, actor="")


@pytest.mark.parametrize("write", [an_event, a_status_taken_back, a_retention_lifted, a_note, a_manifest_voided])
def test_what_operators_note_reaches_no_client(acme: Caller, write: Callable[[Guide], None]) -> None:
    register(acme.company, "https://203.0.114.5/one")
    register_signed(acme.company, "https://203.0.114.5/two")
    manifest = shipped(acme.company, 1, country="PE", retention_reason="retention_required")
    guide = manifest.guides.get()
    write(guide)
    if write is not a_manifest_voided:
        tell(guide, "in_transit", client_note=OPEN)
    mawb = f"/mawbs/{manifest.mawb}"
    paths = ["/guides", f"/guides/{guide.tracking_code}", "/mawbs", mawb, f"{mawb}/guides", f"{mawb}/findings"]
    log = "/webhooks/deliveries"
    deliveries = [f"{log}/{delivery['id']}" for delivery in acme.get(log).json()["deliveries"]]
    answers = [acme.get(path) for path in [*paths, log, *deliveries]]
    said = [answer.text for answer in answers] + [bytes(delivery.body).decode() for delivery in Delivery.objects.all()]
    assert any(OPEN in text for text in said), "what clients are told was looked for in the wrong place"
    assert len(deliveries) > 0
    assert not any(INTERNAL in text for text in said)
