"""What operators see of manifests and guides: everything, read-only, with the two files to download."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from companies.models import OperatorProfile
from shipments.models import Guide, Manifest, ManifestFile
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7\n%%EOF\n"


@pytest.fixture
def staff(admin_client: Client) -> Client:
    return admin_client


def page(staff: Client, name: str, *arguments: Any) -> str:
    response = staff.get(reverse(f"admin:shipments_{name}", args=arguments))
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("model", ["manifest", "guide", "flight"])
def test_an_empty_list_is_a_page_too(staff: Client, model: str) -> None:
    assert page(staff, f"{model}_changelist")


def test_a_manifests_page_shows_totals_files_and_what_the_reader_noticed(staff: Client, acme: Caller) -> None:
    acme.upload(workbook_bytes([guide_row(1, RUT="1-2")]), invoice_file=SimpleUploadedFile("factura.pdf", PDF))
    text = page(staff, "manifest_change", Manifest.objects.get().pk)
    for expected in ("100.25", "factura.pdf", "HAWB00001", "Workbook upload", "ACME"):
        assert expected in text
    assert "GuideStatus" not in text


def test_a_guides_page_shows_consignee_products_and_timeline(staff: Client, acme: Caller) -> None:
    product = {"description": "Reloj", "quantity": 2, "unit_value": 10, "weight_kg": 0.4}
    acme.post_json(manifest(guide(1, "PE", products=[product]), country="PE"))
    text = page(staff, "guide_change", Guide.objects.get().pk)
    for expected in ("Persona 1", "45678912", "Reloj", "Pre-alert"):
        assert expected in text


def test_a_timeline_names_no_command(staff: Client, acme: Caller) -> None:
    acme.upload()
    moved = Guide.objects.earliest("id")
    call_command("advance_status", moved.tracking_code, to="in_transit", stdout=StringIO(), stderr=StringIO())
    text = page(staff, "guide_change", moved.pk)
    assert "Operator · command line" in " ".join(text.split())
    assert "advance_status" not in text


def test_who_opened_a_guide_is_remembered(staff: Client, acme: Caller) -> None:
    acme.upload()
    opened = Guide.objects.earliest("id")
    page(staff, "guide_change", opened.pk)
    (entry,) = LogEntry.objects.all()
    assert (entry.object_id, entry.user.get_username()) == (str(opened.pk), "admin")
    assert "Persona" not in entry.change_message


@pytest.mark.parametrize(("kind", "content"), [("invoice", PDF), ("manifest", None)])
def test_a_file_comes_back_as_it_was_sent_and_never_opens_in_the_browser(
    staff: Client, acme: Caller, kind: str, content: bytes | None
) -> None:
    book = workbook_bytes()
    acme.upload(book, invoice_file=SimpleUploadedFile("a.pdf", PDF))
    response: Any = staff.get(reverse("admin:shipments_manifest_download", args=[Manifest.objects.get().pk, kind]))
    assert response.getvalue() == (content or book)
    assert response["Content-Disposition"].startswith("attachment; ")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]


def test_a_file_that_was_never_sent_is_not_found(staff: Client, acme: Caller) -> None:
    acme.upload()
    url = reverse("admin:shipments_manifest_download", args=[Manifest.objects.get().pk, "invoice"])
    assert staff.get(url).status_code == 404


def test_files_are_for_those_who_may_see_manifests(client: Client, acme: Caller) -> None:
    acme.upload()
    url = reverse("admin:shipments_manifest_download", args=[Manifest.objects.get().pk, "manifest"])
    assert client.get(url).status_code == 302
    clerk = User.objects.create_user("clerk", password="c", is_staff=True)
    OperatorProfile.objects.create(user=clerk, countries=["all"])
    client.force_login(clerk)
    assert client.get(url).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="view_manifest"))
    response: Any = client.get(url)
    assert response.status_code == 200
    response.close()


@pytest.mark.parametrize("model", [Manifest, Guide, ManifestFile])
def test_nothing_is_added_changed_or_deleted_by_hand(staff: Client, acme: Caller, model: Any) -> None:
    acme.upload()
    before = list(model.objects.order_by("pk").values())
    for name in ("manifest", "guide"):
        pk = (Manifest if name == "manifest" else Guide).objects.earliest("created_at").pk
        assert staff.get(reverse(f"admin:shipments_{name}_add")).status_code == 403
        assert (
            staff.post(reverse(f"admin:shipments_{name}_change", args=[pk]), {"status": "delivered"}).status_code == 403
        )
        assert staff.post(reverse(f"admin:shipments_{name}_delete", args=[pk]), {"post": "yes"}).status_code == 403
    assert list(model.objects.order_by("pk").values()) == before


def test_the_manifests_counts_lead_to_its_guides(staff: Client, acme: Caller, rival: Caller) -> None:
    acme.upload()
    rival.upload()
    ours = Manifest.objects.get(company=acme.company)
    url = reverse("admin:shipments_guide_changelist") + f"?manifest__id__exact={ours.pk}&status__exact=registered"
    response: Any = staff.get(url)
    assert {each.manifest_id for each in response.context["cl"].result_list} == {ours.pk}
