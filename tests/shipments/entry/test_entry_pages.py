"""Uploading a client's manifest in the admin: previewed first, then ingested as the client's own upload."""

import json
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from companies.activity.acts import act_in_words
from companies.models import OperatorProfile
from shipments.entry import drafts
from shipments.errors import ParserBusy
from shipments.intake.ingest import ingest
from shipments.models import FormatAlarm, Guide, Manifest, ManifestDraft, ManifestFile
from tests.books import MAWB, guide_row, workbook_bytes
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller, as_file
from tests.factories import CourierFactory
from tests.shipments.manifests.payloads import body, guide
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

PAGE = reverse("enter-manifest")
PDF = b"%PDF-1.7 an invoice"
LIST = reverse("admin:shipments_manifest_changelist")


@pytest.fixture
def staff(acme: Caller, rival: Caller) -> Client:  # noqa: ARG001  # the companies must be there first
    return operator("change_manifest", "view_manifest", "view_guide")


def send(staff: Client, caller: Caller, content: bytes | None = None, name: str = "acme.xlsx", **more: Any) -> Any:
    file = as_file(workbook_bytes() if content is None else content, name)
    return staff.post(PAGE, {"company": caller.company.pk, "manifest_file": file, **more})


def previewed(staff: Client, caller: Caller, content: bytes | None = None, **more: Any) -> str:
    """Upload a manifest; the address of its preview."""
    response = send(staff, caller, content, **more)
    assert response.status_code == 302, text_of(response)
    return str(response["Location"])


def confirmed(staff: Client, address: str) -> Manifest:
    response: Any = staff.post(address)
    assert response.status_code == 302, text_of(response)
    return Manifest.objects.get(pk=response["Location"].rstrip("/").split("/")[-2])


def stored_files(media: Path) -> list[Path]:
    return [path for path in media.rglob("*") if path.is_file()]


def said_of(json_body: dict[str, object]) -> bytes:
    return json.dumps(json_body).encode()


def test_the_preview_shows_everything_and_creates_nothing(staff: Client, acme: Caller) -> None:
    rows = [guide_row(1), guide_row(2, RUT="12345678-9"), guide_row(3)]
    address = previewed(staff, acme, workbook_bytes(rows, labels={"Vuelo": "LA2369"}))
    page: Any = staff.get(address)
    text = text_of(page)
    for expected in (
        "Acme Ltda.",
        MAWB,
        "LA2369",
        "SCL",
        "4.5",
        "300.75",
        "HAWB00002",
        "Persona 2",
        "Peso (kg)",
        "acme.xlsx",
    ):
        assert expected in text
    assert [row.guide.hawb for row in page.context["page"]] == ["HAWB00002", "HAWB00001", "HAWB00003"]
    assert page.context["problem_count"] == 1
    assert "Create 3 guides" in text
    assert not Manifest.objects.exists()
    assert not Guide.objects.exists()


def test_the_operator_reads_findings_in_their_language(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme, workbook_bytes([guide_row(1, RUT="")]))
    (english,) = {row.problems[0] for row in staff.get(address).context["page"]}
    spoken: Any = staff.get(address, headers={"accept-language": "es"})
    assert spoken.context["page"][0].problems[0] != english


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


def test_invalid_guides_of_a_json_manifest_are_listed_and_nothing_is_stored(
    staff: Client, acme: Caller, media: Path
) -> None:
    response = send(staff, acme, said_of(body(guide("CL", consignee_document="1-1"), guide("CL", hawb=""))), "a.json")
    assert response.status_code == 400
    text = text_of(response)
    assert "Correct the guides listed below" in text
    assert "consignee_document" in text
    assert not ManifestDraft.objects.exists()
    assert stored_files(media) == []


def test_a_repeated_click_leads_to_what_the_first_one_created(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme)
    manifest = confirmed(staff, address)
    assert confirmed(staff, address) == manifest
    assert staff.get(address).status_code == 302
    assert Manifest.objects.count() == 1


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


def test_of_two_operators_the_second_is_led_to_the_manifest_of_the_first(staff: Client, acme: Caller) -> None:
    colleague = operator("change_manifest", "view_manifest", username="pedro")
    mine, theirs = previewed(staff, acme), previewed(colleague, acme)
    manifest = confirmed(staff, mine)
    refused = colleague.post(theirs)
    assert refused.status_code == 409
    assert reverse("admin:shipments_manifest_change", args=[manifest.pk]) in text_of(refused)
    assert "already has a manifest with this MAWB" in text_of(refused)
    assert "Create 2 guides" not in text_of(refused)
    assert Manifest.objects.get() == manifest


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
        (b"%PDF-1.7", "cannot be read as an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "cannot be read as an Excel workbook"),
        (workbook_bytes(mawb=None), "MAWB of the workbook is missing"),
        (workbook_bytes([]), "No guides were found"),
        (workbook_bytes(labels={"Destino": "MIA"}), "not read for this destination"),
        (b"{", "not a valid JSON manifest"),
        (b'{"guides": ' + b"[" * 5_000, "not a valid JSON manifest"),
        (b"[1]", "not a valid JSON manifest"),
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


def test_a_destination_outside_the_clients_countries_is_refused(staff: Client, rival: Caller) -> None:
    rival.company.allowed_countries = ["PE"]
    rival.company.save()
    response = send(staff, rival, said_of(body(to="CL")), "a.json")
    assert "may not ship to this country" in text_of(response)


def test_the_destination_of_the_form_wins(staff: Client, acme: Caller) -> None:
    book = workbook_bytes(labels={"Destino": "LIM"})
    assert send(staff, acme, book).status_code == 400
    manifest = confirmed(staff, previewed(staff, acme, book, destination_airport="scl"))
    assert (manifest.country, manifest.flight.destination_airport) == ("CL", "SCL")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"destination_airport": "XXX"}, "IATA code"),
        ({"invoice_file": as_file(b"GIF89a", "inv.pdf")}, "not a PDF"),
        ({"company": "0"}, "valid choice"),
        ({"company": "x"}, "valid choice"),
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
    assert "Correct the guides listed below" in shown
    assert reverse("admin:shipments_manifest_change", args=[Manifest.objects.get().pk]) in shown


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


def test_a_json_manifest_says_its_destination_itself(staff: Client, acme: Caller) -> None:
    response = send(staff, acme, said_of(body()), "a.json", destination_airport="SCL")
    assert "says its destination" in text_of(response)


def test_too_large_a_file_is_said_on_the_page(staff: Client, acme: Caller, settings: Any) -> None:
    settings.MAX_FILE_BYTES = 1024 * 1024
    response = send(staff, acme, b"x" * (1024 * 1024 + 1))
    assert response.status_code == 400
    assert "larger than 1 MB" in text_of(response)


def test_when_all_readers_are_busy_the_file_waits(staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    address = previewed(staff, acme)

    def busy(*_arguments: Any, **_named: Any) -> None:
        raise ParserBusy

    with monkeypatch.context() as patched:
        patched.setattr("shipments.intake.trial.check_package", busy)
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
    form = text_of(staff.get(PAGE))
    assert "Acme Ltda." in form
    assert "Rapidos SA" not in form
    assert "Rival Ltda." not in form
    assert staff.post(PAGE, {"company": courier.pk, "manifest_file": as_file(workbook_bytes())}).status_code == 400
    assert "no tracking prefix" in text_of(send(staff, acme))


def test_without_the_permission_there_is_no_page(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme)
    reader = operator("view_manifest", "view_guide", username="rita")
    assert reader.get(PAGE).status_code == 403
    assert reader.get(address).status_code == 403
    assert PAGE not in text_of(reader.get(LIST))
    assert PAGE in text_of(staff.get(LIST))


def test_a_draft_is_the_operators_own(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme)
    colleague = operator("change_manifest", username="pedro")
    assert colleague.get(address).status_code == 404
    assert colleague.post(address).status_code == 404
    assert not Manifest.objects.exists()


def test_a_draft_for_a_client_that_left_the_operators_countries_is_not_found(staff: Client, acme: Caller) -> None:
    acme.company.allowed_countries = ["CL"]
    acme.company.save()
    draft_page = previewed(staff, acme)
    OperatorProfile.objects.create(user=ManifestDraft.objects.get().operator, countries=["PE"])
    assert staff.get(draft_page).status_code == 404
    assert staff.post(draft_page).status_code == 404


def test_who_saw_and_who_entered_is_in_the_activity_log_without_people(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme)
    staff.get(address)
    manifest = confirmed(staff, address)
    seen, entered = LogEntry.objects.order_by("pk")
    assert "Previewed a manifest for" in act_in_words(seen)
    assert (seen.object_repr, entered.object_repr, entered.object_id) == (MAWB, MAWB, str(manifest.pk))
    assert "Uploaded for" in act_in_words(entered)
    assert all("Persona" not in f"{entry.change_message}{entry.object_repr}" for entry in (seen, entered))


def test_many_guides_are_shown_in_pages(staff: Client, acme: Caller) -> None:
    rows = [guide_row(number) for number in range(1, 251)]
    address = previewed(staff, acme, workbook_bytes([*rows, guide_row(251, RUT="bad")]))
    first, third = staff.get(address), staff.get(f"{address}?page=3")
    assert "HAWB00251" in text_of(first)
    assert "HAWB00250" not in text_of(first)
    assert "HAWB00250" in text_of(third)
    assert "201 to 251 of 251" in text_of(third)
    assert staff.get(f"{address}?page=nonsense").status_code == 200


def test_names_of_the_workbook_are_text_on_the_page(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme, workbook_bytes([guide_row(1, **{"Nombre destinatario": "<script>x</script>"})]))
    text = text_of(staff.get(address))
    assert "<script>x" not in text
    assert "&lt;script&gt;x" in text


def test_a_preview_raises_no_alarm(staff: Client, acme: Caller) -> None:
    staff.get(previewed(staff, acme))
    assert not FormatAlarm.objects.exists()


def test_what_nobody_confirms_is_swept_after_a_day_with_its_files(staff: Client, acme: Caller, media: Path) -> None:
    previewed(staff, acme, invoice_file=as_file(PDF, "inv.pdf"))
    kept = confirmed(staff, previewed(staff, acme, workbook_bytes(mawb="123-12345675")))
    assert len(stored_files(media)) == 3
    call_command("sweep_files", stdout=StringIO())
    assert (ManifestDraft.objects.count(), len(stored_files(media))) == (2, 3)
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=False):
        output = StringIO()
        call_command("sweep_files", "--dry-run", stdout=output)
        assert "Would delete 2 drafts of manifests." in output.getvalue()
        assert ManifestDraft.objects.count() == 2
        call_command("sweep_files", stdout=StringIO())
    assert not ManifestDraft.objects.exists()
    (file,) = ManifestFile.objects.all()
    assert (file.manifest, default_storage.exists(str(file.file.name)), len(stored_files(media))) == (kept, True, 1)


def test_a_draft_that_was_swept_creates_nothing(staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    address, real = previewed(staff, acme), ingest

    def swept_meanwhile(*arguments: Any, **named: Any) -> Any:
        ManifestDraft.objects.all().delete()
        return real(*arguments, **named)

    monkeypatch.setattr(drafts, "ingest", swept_meanwhile)
    assert staff.post(address).status_code == 404
    assert not Manifest.objects.exists()


def test_the_list_of_manifests_names_the_operator_and_filters_by_channel(staff: Client, acme: Caller) -> None:
    entered = confirmed(staff, previewed(staff, acme))
    acme.upload(workbook_bytes(mawb="123-12345675"))
    page: Any = staff.get(LIST, {"channel__exact": "admin"})
    assert list(page.context["cl"].result_list) == [entered]
    assert "olga" in text_of(page).split("result_list")[1]
    assert "Entered by" in text_of(staff.get(reverse("admin:shipments_manifest_change", args=[entered.pk])))
