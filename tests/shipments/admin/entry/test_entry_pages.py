"""Uploading a client's manifest in the admin: previewed first, then ingested as the client's own upload."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from base.admin.activity import act_in_words
from companies.models import Company, OperatorProfile
from shipments.admin import entry
from shipments.intake import drafts
from shipments.intake.ingest import ingest
from shipments.models import Guide, Manifest
from tests.books import MAWB, guide_row, workbook_bytes
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller, as_file
from tests.shipments.admin.entry.entering import LIST, PDF, confirmed, previewed, said_of, send, stored_files
from tests.shipments.manifests.payloads import body, guide
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db


def test_the_preview_shows_everything_and_creates_nothing(staff: Client, acme: Caller) -> None:
    rows = [guide_row(1), guide_row(2, RUT="12345678-9"), guide_row(3)]
    page: Any = staff.get(previewed(staff, acme, workbook_bytes(rows, labels={"Vuelo": "LA2369"})))
    text = text_of(page)
    expected = "Acme Ltda.", MAWB, "LA2369", "SCL", "4.5", "300.75", "HAWB00002", "Persona 2", "Peso (kg)", "acme.xlsx"
    assert [each for each in (*expected, "Create 3 guides") if each not in text] == []
    assert [row.guide.hawb for row in page.context["page"]] == ["HAWB00002", "HAWB00001", "HAWB00003"]
    assert page.context["problem_count"] == 1
    assert not Manifest.objects.exists()
    assert not Guide.objects.exists()


def test_the_preview_speaks_of_what_will_be_and_the_manifest_of_what_was(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme, workbook_bytes([guide_row(1, RUT="12345678-9")]))
    page: Any = staff.get(address)
    (problem,) = page.context["page"][0].problems
    assert problem.endswith("The guide will be marked for review.")
    assert "The guide was created" not in text_of(page), "in the list of warnings either"
    manifest = confirmed(staff, address)
    assert "The guide was created and is marked for review." in text_of(
        staff.get(reverse("admin:shipments_manifest_change", args=[manifest.pk]))
    )


def test_confirmed_it_is_the_clients_manifest_and_names_the_operator(
    staff: Client, acme: Caller, rival: Caller
) -> None:
    for caller in (acme, rival):
        register(caller.company, "https://hooks.example.com/in", "a-secret-of-its-own")
    manifest = confirmed(staff, previewed(staff, acme, invoice_file=as_file(PDF, "inv.pdf")))
    assert (manifest.company, manifest.posted_by) == (acme.company, acme.company)
    assert (manifest.channel, manifest.entered_by and manifest.entered_by.get_username()) == ("admin", "olga")
    assert acme.get(f"/mawbs/{MAWB}").json()["total_guides"] == 2
    assert rival.get(f"/mawbs/{MAWB}").status_code == 404
    told = Delivery.objects.values_list("event_type", "subscription__company")
    assert list(told) == [("pre_alert.ingested", acme.company.pk)]
    assert dict(manifest.files.values_list("kind", "original_name")) == {"manifest": "acme.xlsx", "invoice": "inv.pdf"}
    with manifest.files.get(kind="invoice").file.open("rb") as invoice:
        assert invoice.read() == PDF


def test_it_creates_what_the_clients_own_upload_creates(staff: Client, acme: Caller, rival: Caller) -> None:
    book = workbook_bytes([guide_row(1), guide_row(2, RUT="x"), guide_row(3, **{"Peso (kg)": "mucho"})])
    assert rival.upload(book).status_code == 201
    entered, sent = confirmed(staff, previewed(staff, acme, book)), Manifest.objects.get(company=rival.company)
    for name in ("mawb", "country", "total_guides", "total_weight_kg", "total_fob_usd", "warnings", "notices",
                 "columns", "row_account", "guides_by_status", "status", "rut_invalid_count"):  # fmt: skip
        assert getattr(entered, name) == getattr(sent, name), name
    hawbs = [
        list(each.guides.order_by("id").values("hawb", "consignee_name", "needs_review")) for each in (entered, sent)
    ]
    assert hawbs[0] == hawbs[1]


def test_a_json_manifest_is_entered_too_and_not_kept(staff: Client, acme: Caller, media: Path) -> None:
    content = said_of(body(guide("PE"), to="PE"))
    address = previewed(staff, acme, content, name="alert.json")
    assert "Maria Perez" in text_of(staff.get(address))
    manifest = confirmed(staff, address)
    assert (manifest.country, manifest.channel, manifest.total_guides) == ("PE", "admin", 1)
    assert not manifest.files.exists()
    assert stored_files(media) == []


def test_a_click_that_arrives_while_the_first_one_works_leads_there_too(
    staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, real = previewed(staff, acme), ingest

    def slow(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(drafts, "ingest", real)
        confirmed(staff, address)  # the second click is quicker
        return real(*arguments, **named)

    monkeypatch.setattr(drafts, "ingest", slow)
    assert confirmed(staff, address) == Manifest.objects.get()
    assert confirmed(staff, address) == Manifest.objects.get()
    assert staff.get(address).status_code == 302


def test_of_two_operators_the_second_is_led_to_the_manifest_of_the_first(staff: Client, acme: Caller) -> None:
    colleague = operator("change_manifest", "view_manifest", username="pedro")
    mine, theirs = previewed(staff, acme), previewed(colleague, acme)
    manifest = confirmed(staff, mine)
    refused = colleague.post(theirs)
    assert refused.status_code == 409
    assert reverse("admin:shipments_manifest_change", args=[manifest.pk]) in text_of(refused)
    assert "already a manifest of the company with this MAWB" in text_of(refused)
    assert "Create 2 guides" not in text_of(refused)
    assert Manifest.objects.get() == manifest


def test_the_destination_of_the_form_wins(staff: Client, acme: Caller) -> None:
    book = workbook_bytes(labels={"Destino": "LIM"})
    assert send(staff, acme, book).status_code == 400
    manifest = confirmed(staff, previewed(staff, acme, book, destination_airport="scl"))
    assert (manifest.country, manifest.flight.destination_airport) == ("CL", "SCL")


def test_the_preview_offers_the_workbook_with_its_problems_marked(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme, workbook_bytes([guide_row(1), guide_row(2, RUT="12345678-9")]))
    download = f"{address}annotated.xlsx"
    assert download in text_of(staff.get(address))
    response: Any = staff.get(download)
    assert load_workbook(BytesIO(response.content)).worksheets[1]["C5"].fill.fill_type == "solid"
    assert "preview_downloaded" in LogEntry.objects.latest("pk").change_message
    assert operator("change_manifest", username="otra").get(download).status_code == 404
    assert operator("view_manifest", username="lee").get(download).status_code == 403
    assert staff.post(download).status_code == 405
    assert not Manifest.objects.exists()
    confirmed(staff, address)
    assert staff.get(download).status_code == 404


def test_who_saw_and_who_entered_is_in_the_activity_log_without_people(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme)
    staff.get(address)
    manifest = confirmed(staff, address)
    seen, entered = LogEntry.objects.order_by("pk")
    assert "Previewed a manifest for" in act_in_words(seen)
    assert (seen.object_repr, entered.object_repr, entered.object_id) == (MAWB, MAWB, str(manifest.pk))
    assert "Uploaded for" in act_in_words(entered)
    assert all("Persona" not in f"{entry.change_message}{entry.object_repr}" for entry in (seen, entered))


def test_many_guides_are_shown_in_pages(staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "SHOWN_ROWS", 2)
    rows = [guide_row(number) for number in range(1, 5)]
    address = previewed(staff, acme, workbook_bytes([*rows, guide_row(5, RUT="bad")]))
    first, third = text_of(staff.get(address)), text_of(staff.get(f"{address}?page=3"))
    assert [f"HAWB0000{number}" in first for number in (5, 1, 4)] == [True, True, False]
    assert "HAWB00004" in third
    assert "5 to 5 of 5" in third
    assert staff.get(f"{address}?page=nonsense").status_code == 200


def test_names_of_the_workbook_are_text_on_the_page(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme, workbook_bytes([guide_row(1, **{"Nombre destinatario": "<script>x</script>"})]))
    text = text_of(staff.get(address))
    assert "<script>x" not in text
    assert "&lt;script&gt;x" in text


def test_the_list_of_manifests_names_the_operator_and_filters_by_channel(staff: Client, acme: Caller) -> None:
    entered = confirmed(staff, previewed(staff, acme))
    acme.upload(workbook_bytes(mawb="123-12345675"))
    page: Any = staff.get(LIST, {"channel__exact": "admin"})
    assert list(page.context["cl"].result_list) == [entered]
    assert "olga" in text_of(page).split("result_list")[1]
    assert "Entered by" in text_of(staff.get(reverse("admin:shipments_manifest_change", args=[entered.pk])))


def test_the_page_offers_the_templates_of_the_operators_countries(staff: Client, rival: Caller) -> None:
    """The menu leaves them out: what is needed here takes the place of what is needed everywhere."""
    lima = operator("change_manifest", username="lima")
    OperatorProfile.objects.filter(user__username="lima").update(countries=["PE"])
    Company.objects.filter(pk=rival.company.pk).update(allowed_countries=["PE"])
    for browser, countries in ((staff, {"CL", "PE", "AR"}), (lima, {"PE"})):
        page = text_of(browser.get(reverse("enter-manifest")))
        assert {one for one in ("CL", "PE", "AR") if page.count(reverse(f"template-{one}"))} == countries
        assert f'href="{reverse("admin:index")}"' in page.partition('id="nav-sidebar-apps"')[2].partition("</ol>")[0]
