"""What operators see of manifests and guides: everything, read-only, with the two files to download."""

from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin import site
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse

from base.admin.scoped_admin import ReadOnly
from companies.models import OperatorProfile
from shipments.models import Guide, Manifest
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db
get_resolver().url_patterns  # noqa: B018  # reading it is what registers the pages

PDF = b"%PDF-1.7\n%%EOF\n"


@pytest.fixture
def staff(admin_client: Client) -> Client:
    return admin_client


def page(staff: Client, name: str, *arguments: Any) -> str:
    response = staff.get(reverse(f"admin:shipments_{name}", args=arguments))
    assert response.status_code == 200
    return response.content.decode()


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


def test_a_file_comes_back_as_it_was_sent_and_never_opens_in_the_browser(staff: Client, acme: Caller) -> None:
    book = workbook_bytes()
    acme.upload(book, invoice_file=SimpleUploadedFile("a.pdf", PDF))
    for kind, content in (("invoice", PDF), ("manifest", book)):
        response: Any = staff.get(reverse("admin:shipments_manifest_download", args=[Manifest.objects.get().pk, kind]))
        assert response.getvalue() == content
        assert response["Content-Disposition"].startswith("attachment; ")
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "no-store" in response["Cache-Control"]


def test_files_are_for_those_who_may_see_manifests(client: Client, acme: Caller) -> None:
    acme.upload()
    url = reverse("admin:shipments_manifest_download", args=[Manifest.objects.get().pk, "manifest"])
    clerk = User.objects.create_user("clerk", password="c", is_staff=True)
    OperatorProfile.objects.create(user=clerk, countries=["all"])
    client.force_login(clerk)
    assert client.get(url).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="view_manifest"))
    response: Any = client.get(url)
    assert response.status_code == 200
    assert b"".join(response.streaming_content)
    never_sent = reverse("admin:shipments_manifest_download", args=[Manifest.objects.get().pk, "invoice"])
    assert client.get(never_sent).status_code == 404


@pytest.mark.parametrize(
    "model",
    [each for each in apps.get_app_config("shipments").get_models() if isinstance(site._registry.get(each), ReadOnly)],
)
def test_not_even_a_superuser_adds_changes_or_deletes_a_row_by_hand(admin_user: User, model: type[Model]) -> None:
    admin, request = site._registry[model], RequestFactory().get("/")
    request.user = admin_user
    assert not admin.has_add_permission(request)
    assert not admin.has_change_permission(request, model())
    assert not admin.has_delete_permission(request, model())


def test_the_manifests_counts_lead_to_its_guides(staff: Client, acme: Caller, rival: Caller) -> None:
    acme.upload()
    rival.upload()
    ours = Manifest.objects.get(company=acme.company)
    url = reverse("admin:shipments_guide_changelist") + f"?manifest__id__exact={ours.pk}&status__exact=registered"
    response: Any = staff.get(url)
    assert {each.manifest_id for each in response.context["cl"].result_list} == {ours.pk}
