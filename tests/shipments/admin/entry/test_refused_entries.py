"""Manifests and forms that are refused: why is said, and nothing is stored."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from shipments.errors import ParserBusy
from shipments.models import Manifest, ManifestDraft
from tests.books import MAWB, workbook_bytes
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller, as_file
from tests.factories import CourierFactory
from tests.shipments.admin.entry.entering import LIST, PAGE, confirmed, previewed, said_of, send, stored_files
from tests.shipments.manifests.payloads import body, guide

pytestmark = pytest.mark.django_db


def test_invalid_guides_of_a_json_manifest_are_listed_and_nothing_is_stored(
    staff: Client, acme: Caller, media: Path
) -> None:
    response = send(staff, acme, said_of(body(guide("CL", consignee_document="1-1"), guide("CL", hawb=""))), "a.json")
    assert response.status_code == 400
    text = text_of(response)
    assert "Correct the guides that are named" in text
    assert "consignee_document" in text
    assert not ManifestDraft.objects.exists()
    assert stored_files(media) == []


def test_a_mawb_that_the_client_sent_already_is_said_at_once(staff: Client, acme: Caller, media: Path) -> None:
    manifest_id = acme.upload().json()["manifest_id"]
    before = len(stored_files(media))
    refused = send(staff, acme)
    assert refused.status_code == 409
    assert reverse("admin:shipments_manifest_change", args=[manifest_id]) in text_of(refused)
    assert len(stored_files(media)) == before


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"PK\x03\x04 not a zip", "cannot be read as an Excel workbook"),
        (workbook_bytes(mawb=None), "MAWB of the workbook is missing"),
        (workbook_bytes([]), "No guides were found"),
        (workbook_bytes(labels={"Destino": "MIA"}), "not read for this destination"),
        (b"{", "This is not the JSON of a manifest"),
        (b'{"client_code": "RIVAL"}', "names a client itself"),
        (b"{}", "transport mode"),
    ],
)
def test_what_is_refused_says_what_to_do_and_stores_nothing(
    staff: Client, acme: Caller, media: Path, content: bytes, expected: str
) -> None:
    response = send(staff, acme, content)
    assert response.status_code == 400
    assert expected in text_of(response)
    assert not ManifestDraft.objects.exists()
    assert stored_files(media) == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"destination_airport": "XXX"}, "IATA code"),
        ({"invoice_file": as_file(b"GIF89a", "inv.pdf")}, "not a PDF"),
        ({"company": "x"}, "Choose a client"),
        ({"manifest_file": as_file(said_of(body()), "a.json"), "destination_airport": "SCL"}, "names its destination"),
    ],
)
def test_what_is_wrong_in_the_form_is_said_beside_it(
    staff: Client, acme: Caller, more: dict[str, Any], expected: str
) -> None:
    response = send(staff, acme, **more)
    assert response.status_code == 400
    assert expected in text_of(response)
    assert not ManifestDraft.objects.exists()


def test_all_that_is_wrong_with_a_json_manifest_is_said_at_once(staff: Client, acme: Caller) -> None:
    acme.upload()
    content = said_of({**body(guide("CL", consignee_document="1-1"), guide("CL", hawb="H2")), "mawb": MAWB})
    response = send(staff, acme, content, "a.json")
    assert response.status_code == 400
    shown = response.content.decode()
    assert "Correct the guides that are named" in shown
    assert reverse("admin:shipments_manifest_change", args=[Manifest.objects.get().pk]) in shown


def test_when_all_readers_are_busy_the_file_waits(staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    address = previewed(staff, acme)

    def busy(*_arguments: Any, **_named: Any) -> None:
        raise ParserBusy

    with monkeypatch.context() as patched:
        patched.setattr("shipments.manifests.xlsx.opening.parse_slot", busy)
        response: Any = staff.get(address)
        assert response.status_code == 503
        assert "Try again in a moment" in text_of(response)
    assert confirmed(staff, address).total_guides == 2


def test_clients_without_prefix_inactive_ones_and_couriers(staff: Client, acme: Caller, rival: Caller) -> None:
    courier = CourierFactory.create(name="Rapidos SA", posts_for=[acme.company])
    rival.company.is_active = False
    rival.company.save()
    acme.company.tracking_prefix = ""
    acme.company.save()
    for refused in (courier, rival.company):
        sent = {"company": refused.client_code, "manifest_file": as_file(workbook_bytes())}
        assert "Choose a client" in text_of(staff.post(PAGE, sent))
    wanted = {"app_label": "shipments", "model_name": "manifest", "field_name": "company", "by": "client_code"}
    offered = [each["id"] for each in staff.get(reverse("admin:autocomplete"), wanted).json()["results"]]
    assert acme.company.client_code in offered
    assert courier.client_code not in offered
    assert "no tracking prefix" in text_of(send(staff, acme))


def test_who_may_only_read_enters_nothing(staff: Client, acme: Caller) -> None:
    reader = operator("view_manifest", "view_guide", username="rita")
    assert [reader.get(address).status_code for address in (PAGE, previewed(staff, acme))] == [403, 403]
    assert [PAGE in text_of(browser.get(LIST)) for browser in (reader, staff)] == [False, True]
