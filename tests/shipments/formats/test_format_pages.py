"""The pages by which an operator teaches the service a workbook: from a sample to an upload that is read."""

import json
from datetime import datetime
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from shipments.models import FormatDraft, FormatTest, FormatVersion, Guide, Manifest, WorkbookFormat
from tests.conftest import Caller, make_caller
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.formats.layouts_of_clients import DNI, HEADINGS, bind, book, guide
from tests.shipments.formats.teaching import ADDRESS, COLUMNS, NEW, ODD, begin, odd_sample, page, saved, send, taught

pytestmark = pytest.mark.django_db


def test_a_never_seen_workbook_is_taught_page_by_page_and_its_upload_is_read(staff: Client, lima: Caller) -> None:
    rival = make_caller("CUSCO", allowed_countries=["PE"])
    draft = begin(staff, lima, odd_sample())
    assert not Manifest.objects.exists()
    assert "Código envío" in text_of(staff.get(page(draft, "where")))
    response = taught(staff, draft, name="ACME Perú", note="First", use="now")
    version = FormatVersion.objects.get()
    assert response["Location"] == reverse(f"{ADDRESS}_change", args=[version.format_id])
    kept = version.format.tests.get()
    assert not {"Ana Rojas", "Ropa", "frágil"} & set(json.dumps(kept.grid, ensure_ascii=False).split('"'))
    assert [row[4:6] for row in kept.grid[4:7]] == [["1,234", 59.9], ["0,56", 934.5], ["12,50", 105.25]], "as its texts"
    assert (version.created_by, version.note, version.format.in_use) == ("camila", "First", version)
    assert not FormatDraft.objects.exists()
    answer = lima.upload(odd_sample())
    assert answer.status_code == 201, answer.json()
    read = Guide.objects.earliest("id")
    assert (str(read.weight_kg), str(read.fob_usd), read.extra_data) == ("0.680", "20.25", {"nota": "frágil"})
    assert rival.upload(odd_sample()).status_code == 403


def test_no_test_is_kept_where_made_up_guides_are_read_differently_and_the_page_says_which_fields(
    staff: Client, lima: Caller
) -> None:
    draft = begin(staff, lima, odd_sample())
    send(staff, page(draft, "columns"), **COLUMNS, **{"c6-empty": "nota 1"})  # a text that made-up guides have, too
    shown = text_of(staff.get(saved(staff, draft, name="Odd", use="now")["Location"]))
    assert (
        "No test of the sample is kept: made-up guides would be read differently (extra_data of PA0000000001" in shown
    )


def test_a_version_that_reads_the_kept_test_differently_is_saved_once_that_is_confirmed(
    staff: Client, lima: Caller
) -> None:
    taught(staff, begin(staff, lima, odd_sample()), name="ACME Perú", use="now")
    form = WorkbookFormat.objects.get()
    again = SimpleUploadedFile("sample.xlsx", odd_sample())
    assert staff.post(reverse(f"{ADDRESS}_sample", args=[form.pk]), {"file": again}).status_code == 302
    draft = FormatDraft.objects.get()
    assert send(staff, page(draft, "where")).status_code == 302
    assert send(staff, page(draft, "columns"), **{"c4-unit": "kg"}).status_code == 302
    refused = saved(staff, draft, use="now")
    assert (refused.status_code, form.versions.count()) == (400, 1)
    (kept,) = FormatTest.objects.all()
    assert kept.name in refused.content.decode()
    assert saved(staff, draft, use="now", despite_tests="on").status_code == 302
    form.refresh_from_db()
    assert form.in_use is not None
    assert (form.in_use.number, form.tests.get(pk=kept.pk).superseded_by) == (2, form.in_use)
    assert set(form.tests.values_list("name", flat=True)) == {kept.name, f"{kept.name} (2)"}, "both of today"


def test_a_sample_in_another_layout_is_a_version_once_that_is_confirmed(staff: Client, lima: Caller) -> None:
    taught(staff, begin(staff, lima, odd_sample()), name="ACME Perú", use="now")
    form = WorkbookFormat.objects.get()
    content = book(*[guide(number) for number in (1, 2)], headings=[f"Otra {letter}" for letter in "ABCDEFG"])
    again = SimpleUploadedFile("sample.xlsx", content)
    staff.post(reverse(f"{ADDRESS}_sample", args=[form.pk]), {"file": again})
    draft = FormatDraft.objects.get()
    send(staff, page(draft, "where"), **{"destination-where": "form"})
    columns = {**COLUMNS, "c4-unit": "kg", "c4-decimals": "", "c6-field": "packages_count"}
    assert send(staff, page(draft, "columns"), **columns).status_code == 302
    refused = saved(staff, draft, use="later")
    assert (refused.status_code, form.versions.count()) == (400, 1)
    assert "Only 0 of the 7 headings of version 1 are in this one." in refused.content.decode()
    assert saved(staff, draft, use="later", despite_headings="on").status_code == 302
    assert form.versions.count() == 2


def test_a_draft_is_named_after_its_file(staff: Client, lima: Caller) -> None:
    sample = SimpleUploadedFile("enero.xlsx", odd_sample())
    staff.post(NEW, {"company": lima.company.pk, "country": "PE", "file": sample})
    assert FormatDraft.objects.get().content["name"] == "enero"


def test_hidden_sheets_are_named_and_not_read(staff: Client, lima: Caller) -> None:
    workbook = load_workbook(BytesIO(odd_sample()))
    hidden = workbook.create_sheet("Precios <b>")
    hidden.append(["HAWB", "secreto"])
    hidden.sheet_state = "hidden"
    file = BytesIO()
    workbook.save(file)
    shown = text_of(staff.get(page(begin(staff, lima, file.getvalue()), "where")))
    assert "Hidden and not read: “Precios &lt;b&gt;”" in " ".join(shown.split())
    assert "secreto" not in shown


def test_the_clock_of_a_time_typed_as_text_is_chosen_where_it_is(staff: Client, lima: Caller) -> None:
    rows = [(*row[:6], "26/11/2026 05:10") for row in (guide(1), guide(2))]
    above: list[list[Any]] = [["Sale", "25/11/2026 23:40"], ["Aterriza", datetime(2026, 11, 26, 5)], ["De", "MIA"]]  # noqa: DTZ001
    content = book(*rows, headings=(*HEADINGS[:6], "Llega"), above=above)
    draft = begin(staff, lima, content)
    lines = {
        "destination-where": "always", "destination-airport": "LIM", "scheduled_departure-where": "label:Sale",
        "scheduled_departure-zone": "America/New_York", "scheduled_arrival-where": "label:Aterriza",
        "scheduled_arrival-zone": "UTC",
    }  # fmt: skip
    wrong = {"scheduled_departure-zone": "Lima"}
    assert send(staff, page(draft, "where"), **lines | wrong).status_code == 400
    assert send(staff, page(draft, "where"), **lines).status_code == 302
    draft.refresh_from_db()
    assert draft.content["flight"] == {
        "scheduled_departure": {"label": "Sale", "zone": "America/New_York"},
        "scheduled_arrival": {"label": "Aterriza"},  # a date cell has no zone to choose
    }
    assert send(staff, page(draft, "where"), **{"scheduled_arrival-where": "column"}).status_code == 302
    columns = {**COLUMNS, "c4-unit": "kg", "c4-decimals": "", "c6-field": "scheduled_arrival"}
    assert send(staff, page(draft, "columns"), **columns, **{"c6-zone": "America/Bogota"}).status_code == 302
    draft.refresh_from_db()
    assert draft.content["columns"][6]["zone"] == "America/Bogota"
    assert send(staff, page(draft, "columns"), **{"c6-zone": "UTC"}).status_code == 302
    assert saved(staff, draft, name="Relojes", use="now").status_code == 302
    assert lima.upload(content).json()["eta"] == "2026-11-26T05:10:00Z"


@pytest.mark.parametrize(("written", "is_month_first"), [("11/22/2026 21:40", True), ("22/11/2026 21:40", False)])
def test_dates_of_the_sample_that_can_be_read_in_one_way_only_decide_the_order(
    staff: Client, lima: Caller, written: str, *, is_month_first: bool
) -> None:
    rows = [(f"H{number}", "Ana", DNI, "Ropa", "1,5", 20.25, written) for number in (1, 2)]
    draft = begin(staff, lima, book(*rows, headings=ODD, above=[["Destino", "LIM"], ["Salida", written]]))
    chosen = {"destination-where": "label:Destino", "scheduled_departure-where": "label:Salida"}
    assert send(staff, page(draft, "where"), **chosen).status_code == 302
    response = send(staff, page(draft, "columns"), **COLUMNS | {"c6-field": "scheduled_arrival"})
    assert response.status_code == 302, response.context["form"].errors
    draft.refresh_from_db()
    assert bool(draft.content["flight"]["scheduled_departure"].get("month_first")) is is_month_first
    assert bool(draft.content["columns"][6].get("month_first")) is is_month_first


CL_HEADINGS = ("Clave", "Destinatario final", "RUN cliente", "Artículo", "Masa", "Monto")
CL_COLUMNS = {
    "c0-field": "hawb", "c1-field": "consignee_name", "c2-field": "consignee_document",
    "c3-field": "description_original", "c4-field": "weight_kg", "c4-unit": "kg", "c5-field": "fob_usd",
}  # fmt: skip


def test_a_chilean_workbook_is_taught_and_read_by_its_format() -> None:
    staff, andes = operator_of("CL", role="Onboarding"), make_caller("ANDES", allowed_countries=["CL"])
    rows = [(f"H{number}", "Ana Rojas", "12345678-5", "Ropa", 1.5, 20) for number in (1, 2)]
    content = book(*rows, headings=CL_HEADINGS)
    draft = begin(staff, andes, content, country="CL")
    send(staff, page(draft, "where"), **{"destination-where": "always", "destination-airport": "scl"})
    assert send(staff, page(draft, "columns"), **CL_COLUMNS).status_code == 302
    assert saved(staff, draft, name="Andes", use="now").status_code == 302
    answer = andes.upload(content).json()
    assert (answer["country"], answer["format"]) == ("CL", {"name": "Andes", "version": 1})


def test_a_guide_that_the_automatic_reading_does_not_find_says_so_once_and_numbers_are_the_operators() -> None:
    staff, andes = operator_of("CL", role="Onboarding"), make_caller("ANDES", allowed_countries=["CL"])
    headings = ("HAWB", "Clave", *CL_HEADINGS[1:])
    rows = [(f"REF{number}", f"H{number}", "Ana Rojas", "12345678-5", "Ropa", "8,35", 20) for number in (1, 2)]
    draft = begin(staff, andes, book(*rows, headings=headings), country="CL")
    send(staff, page(draft, "where"), **{"destination-where": "always", "destination-airport": "SCL"})
    columns = {f"c{int(name[1]) + 1}{name[2:]}": value for name, value in CL_COLUMNS.items()}
    chosen = {"c0-field": "", "c5-decimals": "comma", **columns}
    assert send(staff, page(draft, "columns"), **chosen).status_code == 302
    read = text_of(staff.get(page(draft, "reading"), headers={"accept-language": "es"}))
    assert read.count("automática:") == 2
    assert "8,350" in read
    assert "8.350" not in read


def test_a_table_of_values_is_asked_for_with_customs_own_codes_filled_in(staff: Client, lima: Caller) -> None:
    rows = [("H1", "Ana", "1", DNI, "Ropa", 1, 20), ("H2", "Sur SAC", "empresa", "20601234565", "Ropa", 1, 20)]
    content = book(*rows, headings=("Clave", "Quién", "Clase", "Papel", "Cosas", "Bruto", "Plata"))
    draft = begin(staff, lima, content)
    send(staff, page(draft, "where"), **{"destination-where": "form"})
    chosen = {
        "c0-field": "hawb", "c1-field": "consignee_name", "c2-field": "consignee_document_type",
        "c3-field": "consignee_document", "c4-field": "description_original", "c5-field": "weight_kg",
        "c5-unit": "kg", "c6-field": "fob_usd",
    }  # fmt: skip
    asked = send(staff, page(draft, "columns"), **chosen)
    assert asked["Location"] == page(draft, "columns")
    assert send(staff, page(draft, "columns")).status_code == 400
    assert send(staff, page(draft, "columns"), **{"c2-value1": "RUC"})["Location"] == page(draft, "reading")
    draft.refresh_from_db()
    assert draft.content["columns"][2]["values"] == {"1": "DNI", "EMPRESA": "RUC"}


def test_another_row_of_headings_shows_its_own_lines(staff: Client, lima: Caller) -> None:
    draft = begin(staff, lima, odd_sample())
    moved = send(staff, page(draft, "where"), row="1")
    assert moved.status_code == 302
    assert staff.get(moved["Location"]).context["look"].place.row == 1
    for row in ("999", "0", "x", ""):
        assert send(staff, page(draft, "where"), row=row).status_code in {302, 400}
    assert staff.get(page(draft, "where") + "?sheet=None&row=99999").status_code == 200


def test_past_workbooks_are_read_by_the_draft_and_opened_row_by_row(staff: Client, lima: Caller) -> None:
    bind(lima)
    lima.upload(book())
    rival = make_caller("CUSCO", allowed_countries=["PE"])
    bind(rival)
    rival.upload(book())
    draft = begin(staff, lima, book())
    send(staff, page(draft, "where"), **{"destination-where": "form"})
    columns = {**COLUMNS, "c4-unit": "kg", "c4-decimals": "", "c6-field": "packages_count"}
    assert send(staff, page(draft, "columns"), **columns).status_code == 302
    (looked_at,) = staff.get(page(draft, "past")).context["past"]
    assert looked_at.manifest.company == lima.company
    own, other = (Manifest.objects.get(company=caller.company) for caller in (lima, rival))

    def opened(manifest: Manifest) -> Any:
        return staff.get(reverse(f"{ADDRESS}_past_reading", args=[draft.pk, manifest.pk]))

    assert "Ana Rojas" in text_of(opened(own))
    assert opened(other).status_code == 404


def test_a_sample_that_would_be_refused_says_why_and_cannot_be_saved(staff: Client, lima: Caller) -> None:
    draft = begin(staff, lima, book(*[guide(number) for number in (1, 2)], mawb="none"))
    send(staff, page(draft, "where"), **{"mawb-where": "other", "mawb-other": "MAWB", "destination-where": "form"})
    columns = {**COLUMNS, "c4-decimals": "", "c6-field": "packages_count"}
    assert send(staff, page(draft, "columns"), **columns).status_code == 302
    shown = staff.get(page(draft, "reading"))
    assert "The MAWB of the workbook is missing or ambiguous. Choose where it is" in text_of(shown)
    assert saved(staff, draft, name="Odd", use="now").status_code == 400
    assert not WorkbookFormat.objects.exists()


def test_each_choice_renews_its_card_with_what_follows_from_it_and_the_panel_of_needs(
    staff: Client, lima: Caller
) -> None:
    rows = [("H1", "Ana", "1", DNI, "Ropa", "1,234", 20), ("H2", "Sur SAC", "6", "20601234565", "Ropa", "2,5", 20)]
    headings = ("Clave", "Quién", "Clase", "Papel", "Cosas", "Bruto", "Plata")
    draft = begin(staff, lima, book(*rows, headings=headings))
    send(staff, page(draft, "where"), **{"destination-where": "form"})
    address = page(draft, "columns")
    shown = staff.get(address).content.decode()
    assert 'hx-select="#card-C"' in shown
    assert "c2-value0" not in shown
    data = {"c0-field": "hawb", "c2-field": "consignee_document_type", "c5-field": "weight_kg"}
    renewed = staff.post(address, data, headers={"hx-request": "true"})
    assert renewed.status_code == 200
    assert [label for label, headings in renewed.context["needs"] if headings] == ["HAWB", "Weight"]
    card = renewed.context["form"].forms[2]
    assert [(field.label, field.value()) for field in card.value_fields] == [("1", "DNI"), ("6", "RUC")]
    told = renewed.context["form"].forms[5]["decimals"].help_text
    assert told == "“1,234” is 1.234 with a comma, 1,234 with a point."
    spanish = staff.get(address, headers={"accept-language": "es"}).context["form"].forms[5]["decimals"].help_text
    assert spanish == "«1,234» es 1,234 con coma y 1.234 con punto."
    assert "decimals" not in renewed.context["form"].forms[6].fields, "all marks read its numbers the same"


def test_what_customs_asks_for_is_chosen_by_name_and_other_data_is_named_after_its_heading(
    staff: Client, lima: Caller
) -> None:
    rows = [("H1", "Ana", DNI, "Ropa", 1, 20, "Andina", "frágil")]
    headings = ("Clave", "Quién", "Papel", "Cosas", "Bruto", "Plata", "Sello", "Nota de bodega")
    draft = begin(staff, lima, book(*rows, headings=headings))
    shown = staff.get(page(draft, "where"))
    assert 'name="destination-airport" value="LIM"' in " ".join(shown.content.decode().split())
    send(staff, page(draft, "where"), **{"destination-where": "always"})
    data = {key: value for key, value in COLUMNS.items() if key[:3] not in {"c4-", "c6-"}}
    data |= {"c4-field": "weight_kg", "c4-unit": "kg", "c6-field": "+brand", "c7-field": "extra_data"}
    assert send(staff, page(draft, "columns"), **data).status_code == 302
    draft.refresh_from_db()
    assert [(column["field"], column["key"]) for column in draft.content["columns"][6:]] == [
        ("extra_data", "brand"),
        ("extra_data", "nota_de_bodega"),
    ]
    assert staff.get(page(draft, "columns")).context["form"].forms[6]["field"].value() == "+brand"
