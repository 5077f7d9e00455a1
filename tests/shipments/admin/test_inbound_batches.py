"""Inbound batches in the admin: open ones first, their differences, moved and exported; where a guide arrived."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from companies.scope import EVERYWHERE
from shipments.inbound.receiving import close, open_batch, receive
from shipments.models import Guide, InboundBatch, Manifest
from tests.country_scope.operators import operator_of, text_of
from tests.factories import ClientFactory
from tests.shipments.admin.pages import moved
from tests.shipments.inbound.scanning import codes_of
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db
LIST = reverse("admin:shipments_inboundbatch_changelist")


@pytest.fixture
def acme() -> Company:
    return ClientFactory.create(client_code="ACME")


def received(manifest: Manifest, *codes: str, is_closed: bool = False, **fields: Any) -> InboundBatch:
    """A batch with these codes scanned."""
    own = {"facility": "SCL-01", "country": "CL", "on_scan": None, "note": "", **fields}
    batch = open_batch(own, [manifest.mawb], EVERYWHERE, actor="anyone")
    if codes:
        scans = [{"scan_id": uuid4(), "code": code, "scanned_at": timezone.now()} for code in codes]
        receive(batch.pk, scans, EVERYWHERE, actor="anyone")
    return close(batch.pk, actor="anyone") if is_closed else batch


def page(batch: InboundBatch, name: str = "change") -> str:
    return reverse(f"admin:shipments_inboundbatch_{name}", args=[batch.pk])


def listed(browser: Client, **query: str) -> list[InboundBatch]:
    response: Any = browser.get(LIST, query)
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def test_open_ones_come_first_then_those_with_most_differences(admin_client: Client, acme: Company) -> None:
    manifests = [shipped(acme, guides) for guides in (1, 3, 1)]
    few, many = (received(manifest, is_closed=True) for manifest in manifests[:2])
    still_open = received(manifests[2], facility="LIM-02")
    assert listed(admin_client) == [still_open, many, few]
    assert listed(admin_client, state__exact="closed") == [many, few]
    assert listed(admin_client, q=manifests[1].mawb.replace("-", "")) == [many]
    assert listed(admin_client, q="lim") == [still_open]
    assert "0 of 3" in text_of(admin_client.get(LIST))


def test_a_batch_shows_what_is_missing_too_much_and_short(admin_client: Client, acme: Company) -> None:
    manifest, other = shipped(acme, 3, packages_count=2), shipped(acme, 1)
    codes = codes_of(manifest)
    batch = received(manifest, codes[0], codes[1], codes[1], codes[1], "NOBODY-7", codes_of(other)[0])
    shown = text_of(admin_client.get(page(batch)))
    for text in (*codes, "NOBODY-7", codes_of(other)[0], other.mawb, "SCL-01", batch.public_id):
        assert text in shown
    response: Any = admin_client.get(page(batch))
    parts = [[guide.tracking_code for guide in guides] for _title, guides in response.context["guide_parts"]]
    assert parts == [[codes[2]], [codes[0]], [codes[1]]]
    of_guide = text_of(
        admin_client.get(reverse("admin:shipments_guide_change", args=[Guide.objects.get(tracking_code=codes[0]).pk]))
    )
    assert page(batch) in of_guide


def test_the_missing_are_moved_by_the_moves_that_there_are(admin_client: Client, acme: Company) -> None:
    manifest = shipped(acme, 3)
    batch = received(manifest, codes_of(manifest)[0])
    event = {"status": "on_hold", "source": "operator", "zone": "America/Santiago"}
    assert "Preview" in text_of(admin_client.get(page(batch, "advance_missing")))
    moved(admin_client, page(batch, "advance_missing"), event)
    assert [guide.status for guide in manifest.guides.order_by("id")] == ["registered", "on_hold", "on_hold"]
    chosen = {"action": "advance_selected", "_selected_action": [manifest.guides.latest("id").pk]}
    guides = reverse("admin:shipments_guide_changelist")
    assert "Preview" in text_of(admin_client.post(guides, chosen))
    assert "_selected_action" not in text_of(operator_of("CL", role="Read-only").get(page(batch)))


def test_the_differences_are_exported_one_a_row(admin_client: Client, acme: Company) -> None:
    manifest, other = shipped(acme, 2), shipped(acme, 1)
    codes = codes_of(manifest)
    batch, sound = received(manifest, codes[0], "NOBODY-7"), received(other, codes_of(other)[0])
    url = reverse("admin:shipments_inboundbatch_export_csv")
    lines = text_of(admin_client.get(url)).lstrip("\ufeff").splitlines()
    assert [line.split(",")[0] for line in lines] == ["Batch", sound.public_id, batch.public_id, batch.public_id]
    assert [line.split(",")[6] for line in lines[1:]] == ["", "Missing", "Surplus"]
    assert len(text_of(admin_client.get(url, {"id__exact": sound.pk})).splitlines()) == 2
    assert f"id__exact={batch.pk}" in text_of(admin_client.get(page(batch)))


def test_a_guide_of_another_country_in_a_batch_is_named_to_those_who_see_it(acme: Company) -> None:
    manifest, abroad = shipped(acme, 1), shipped(acme, 1, country="PE")
    batch = received(manifest, codes_of(abroad)[0])
    chilean, both = operator_of("CL"), operator_of("CL", "PE", username="rosa")
    link = reverse("admin:shipments_guide_change", args=[abroad.guides.get().pk])
    for browser, is_named in ((chilean, False), (both, True)):
        shown = text_of(browser.get(page(batch)))
        assert [abroad.mawb in shown, link in shown] == [is_named, is_named]
    exported = text_of(chilean.get(reverse("admin:shipments_inboundbatch_export_csv")))
    assert abroad.mawb not in exported


def test_the_start_page_says_how_much_of_a_late_mawb_arrived(admin_client: Client, acme: Company) -> None:
    manifest = shipped(acme, 3)
    Manifest.objects.update(eta=timezone.now() - timedelta(hours=5))
    start = reverse("admin:index")
    assert "of 3 arrived" not in text_of(admin_client.get(start))
    received(manifest, codes_of(manifest)[0])
    assert "1 of 3 arrived" in text_of(admin_client.get(start))
