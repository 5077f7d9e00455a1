"""Who may teach a workbook format, whose drafts and companies they are, and what is refused on the pages."""

from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from shipments.formats import drafting
from shipments.formats.format_files import export_format
from shipments.models import FormatDraft, Manifest, WorkbookFormat
from tests.conftest import Caller, make_caller
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.admin.test_bulk_move_history import run
from tests.shipments.formats.layouts_of_clients import NAME, bind, book
from tests.shipments.formats.teaching import ADDRESS, COLUMNS, NEW, ODD, begin, odd_sample, page, send, taught

pytestmark = pytest.mark.django_db

PAGES = ("where", "columns", "reading", "reading_csv", "annotated", "past")


def upload(staff: Client, caller: Caller, content: bytes, country: str = "PE") -> Any:
    sample = SimpleUploadedFile("sample.xlsx", content)
    return staff.post(NEW, {"company": caller.company.pk, "country": country, "file": sample})


@pytest.mark.parametrize("name", [*PAGES, "discard"])
def test_a_draft_is_its_operators_own(staff: Client, lima: Caller, name: str) -> None:
    draft = begin(staff, lima, odd_sample())
    for other in (operator_of("PE", username="paula"), operator_of("CL", username="carlos")):
        assert other.get(page(draft, name)).status_code == 404
        assert other.post(page(draft, name)).status_code == 404
    assert FormatDraft.objects.exists()


@pytest.mark.parametrize("role", ["Operations", "Read-only"])
def test_other_roles_teach_nothing(lima: Caller, role: str) -> None:
    staff = operator_of("PE", role=role)
    version = bind(lima)
    for address in ("new", "house", "import"):
        assert staff.get(reverse(f"{ADDRESS}_{address}")).status_code == 403
    assert staff.get(reverse(f"{ADDRESS}_sample", args=[version.format_id])).status_code == 403
    listed = text_of(staff.get(reverse(f"{ADDRESS}_changelist")))
    assert NAME in listed
    assert NEW not in listed


def test_an_operator_of_chile_finds_neither_a_peruvian_format_nor_its_company(lima: Caller) -> None:
    version = bind(lima)
    staff = operator_of("CL", role="Onboarding")
    assert staff.get(reverse(f"{ADDRESS}_sample", args=[version.format_id])).status_code == 404
    assert "LIMA" not in text_of(staff.get(NEW))
    assert upload(staff, lima, odd_sample()).status_code == 400
    assert not FormatDraft.objects.exists()


def test_a_company_that_also_ships_elsewhere_is_not_taught_by_an_operator_of_one_country(staff: Client) -> None:
    both = make_caller("BOTH", allowed_countries=["CL", "PE"])
    version = bind(both)
    assert "BOTH" not in text_of(staff.get(NEW))
    assert upload(staff, both, odd_sample()).status_code == 400
    assert staff.get(reverse(f"{ADDRESS}_sample", args=[version.format_id])).status_code == 403


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7 nothing", b"PK\x03\x04 damaged", odd_sample()[:400]], ids=["pdf", "zip", "cut"]
)
def test_an_unreadable_sample_is_refused_on_the_form_and_not_kept(
    staff: Client, lima: Caller, content: bytes, media: Path
) -> None:
    response = upload(staff, lima, content)
    assert response.status_code == 400
    assert "cannot be read as an Excel workbook" in response.content.decode()
    assert not FormatDraft.objects.exists()
    assert not [each for each in media.rglob("*") if each.is_file()]


def test_a_sample_of_too_many_rows_is_refused(staff: Client, lima: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "MOST_ROWS", 3)
    assert "more than" in upload(staff, lima, odd_sample()).content.decode()


def test_a_country_that_is_closed_to_the_company_is_refused(lima: Caller) -> None:
    staff = operator_of(role="Onboarding")
    assert upload(staff, lima, odd_sample(), country="CL").status_code == 400


def test_what_may_not_be_guessed_is_asked_as_soon_as_a_page_is_opened() -> None:
    staff, both = operator_of("CL", "PE", role="Onboarding"), make_caller("BOTH", allowed_countries=["CL", "PE"])
    draft = begin(staff, both, book(headings=ODD))
    shown = staff.get(page(draft, "where"))
    assert (shown.status_code, shown.context["form"].forms[1].errors["where"]) == (200, ["Choose where it is."])
    assert send(staff, page(draft, "where")).status_code == 400
    chosen = {"destination-where": "always", "destination-airport": "SCL"}
    assert "airport in Peru" in send(staff, page(draft, "where"), **chosen).content.decode()
    send(staff, page(draft, "where"), **{"destination-where": "form"})
    lacking = send(staff, page(draft, "columns"), **{"c4-field": "weight_kg", "c5-field": "weight_kg"})
    assert lacking.status_code == 400
    assert lacking.context["missing"] == 4
    assert "Several columns are read as Weight" in lacking.content.decode()
    assert staff.get(page(draft, "reading")).status_code == 302


def test_a_page_on_which_all_is_found_is_skipped(staff: Client, lima: Caller) -> None:
    sample = {"company": lima.company.pk, "file": SimpleUploadedFile("sample.xlsx", odd_sample())}  # no country
    opened = staff.post(NEW, sample, follow=True)
    draft = FormatDraft.objects.get()
    assert opened.redirect_chain[-1][0] == page(draft, "columns")
    assert dict(opened.context["places"]) == {
        "Headings": "row 4 of “Sheet”", "MAWB": "045-12345675 (“MAWB”)", "Destination": "LIM (“Destino”)",
    }  # fmt: skip


def test_an_airport_that_the_sample_does_not_name_is_proposed_and_shown(staff: Client, lima: Caller) -> None:
    draft = begin(staff, lima, book(headings=ODD))
    assert not draft.header_row
    line = staff.get(page(draft, "where")).context["form"].forms[1]
    assert (line["where"].value(), line["airport"].value()) == ("always", "LIM")


def test_nothing_is_saved_until_the_totals_as_they_are_now_are_ticked(staff: Client, lima: Caller) -> None:
    draft = begin(staff, lima, odd_sample())
    send(staff, page(draft, "columns"), **COLUMNS)
    seen = [value for value, _text in staff.get(page(draft, "reading")).context["form"]["compared"].field.choices]
    send(staff, page(draft, "columns"), **{"c4-unit": "kg"})
    for compared in (seen, seen[:1], []):
        refused = send(staff, page(draft, "reading"), name="ACME", use="now", compared=compared)
        assert "Compare each with the waybill" in refused.content.decode()
    assert not WorkbookFormat.objects.exists()


def test_of_two_who_began_from_the_same_version_the_second_hears_of_it(lima: Caller) -> None:
    first, second = (operator_of("PE", username=name) for name in ("ana", "bea"))
    version = bind(lima)
    sample = reverse(f"{ADDRESS}_sample", args=[version.format_id])
    drafts = []
    for staff in (first, second):
        assert staff.post(sample, {"file": SimpleUploadedFile("sample.xlsx", odd_sample())}).status_code == 302
        drafts.append(FormatDraft.objects.latest("created_at"))
    assert taught(first, drafts[0], use="now").status_code == 302
    assert "ana saved version 2" in text_of(second.get(page(drafts[1], "where")))
    refused = taught(second, drafts[1], use="now")
    assert "ana saved version 2 while you were editing" in refused.content.decode()
    assert list(version.format.versions.values_list("number", "created_by")) == [(2, "ana"), (1, "ana")]


def test_a_new_sample_takes_over_what_the_format_says(staff: Client, lima: Caller) -> None:
    version = bind(lima)
    staff.post(reverse(f"{ADDRESS}_sample", args=[version.format_id]), {"file": SimpleUploadedFile("s.xlsx", book())})
    draft = FormatDraft.objects.get()
    send(staff, page(draft, "where"), **{"destination-where": "form"})
    assert staff.get(page(draft, "columns")).context["missing"] == 0


def test_a_name_that_is_taken_is_refused(staff: Client, lima: Caller) -> None:
    bind(lima)
    draft = begin(staff, lima, odd_sample())
    assert "has a format of this name" in taught(staff, draft, name=NAME, use="later").content.decode()


def test_looking_at_a_sample_is_in_the_activity_log_and_names_nobody(staff: Client, lima: Caller) -> None:
    draft = begin(staff, lima, odd_sample())
    taught(staff, draft, name="", use="now")
    table = b"".join(staff.get(page(draft, "reading_csv")).streaming_content).decode()  # type: ignore[attr-defined]  # streamed
    assert "Ana Rojas" in table
    marked = load_workbook(BytesIO(staff.get(page(draft, "annotated")).content))
    assert "Código envío" in {cell.value for sheet in marked for row in sheet for cell in row}
    said = LogEntry.objects.order_by("pk").values_list("object_id", "change_message")
    assert {each for each, _text in said} == {str(lima.company.pk)}
    assert len(said) == 5
    assert not any("Ana" in text or "sample.xlsx" in text for _each, text in said)


def test_a_draft_is_kept_and_listed_and_goes_with_its_sample_after_a_day(
    staff: Client, lima: Caller, media: Path
) -> None:
    draft = begin(staff, lima, odd_sample())
    assert send(staff, page(draft, "where"), keep="1").status_code == 302
    assert page(draft, "where") in text_of(staff.get(reverse(f"{ADDRESS}_changelist")))
    assert "drafts" not in run("sweep_files")
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        assert "Would delete 1 drafts" in run("sweep_files", "--dry-run")
        assert "Deleted 1 drafts" in run("sweep_files")
    assert not FormatDraft.objects.exists()
    assert not list((media / "waiting").iterdir())


def test_a_draft_that_is_kept_alive_goes_with_the_personal_data_of_its_age(staff: Client, lima: Caller) -> None:
    begin(staff, lima, odd_sample())
    FormatDraft.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert "to delete: 1" in run("anonymise", "--older-than", "30", "--dry-run")
    assert "deleted: 1" in run("anonymise", "--older-than", "30")
    assert not FormatDraft.objects.exists()


def test_the_house_template_is_bound_by_one_form(staff: Client, lima: Caller) -> None:
    address = reverse(f"{ADDRESS}_house")
    assert staff.post(address, {"company": lima.company.pk, "country": "PE"}).status_code == 302
    assert lima.upload(staff.get(reverse("template-PE")).content).status_code == 201
    assert Manifest.objects.get().format_version is not None


def test_a_file_is_imported_unused_and_a_bad_one_is_refused_by_sentence(staff: Client, lima: Caller) -> None:
    address = reverse(f"{ADDRESS}_import")
    other = make_caller("CUSCO", allowed_countries=["PE"])
    version = bind(other)

    def send_file(content: bytes) -> Any:
        file = SimpleUploadedFile("f.json", content)
        return staff.post(address, {"company": lima.company.pk, "file": file}, headers={"accept-language": "es"})

    assert send_file(export_format(version)).status_code == 302
    assert WorkbookFormat.objects.of(lima.company).get().in_use is None
    for content in (b"{", b"[]", b'{"prealerts_format": 2}', b"\xff\xfe", b'{"a": 1, "a": 2}'):
        response = send_file(content)
        assert response.status_code == 400
        assert "El archivo no es un formato válido." in response.content.decode()
    assert operator_of("CL", username="c").post(address, {"company": lima.company.pk}).status_code == 400
