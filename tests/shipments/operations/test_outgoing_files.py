"""Files for brokers: a broker's empty workbook becomes a layout, and a manifest comes out in its columns."""

import csv
import io
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from openpyxl import Workbook, load_workbook

from base.admin.activity import act_in_words
from companies.models import Company
from shipments.models import Guide, ListedGuides, Manifest, OutgoingLayout
from shipments.outgoing import FIELDS, suggest_columns
from shipments.tracking.voiding import void_manifest
from tests.companies.operators.tokens.speaking import Program
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db

ADD = reverse("admin:shipments_outgoinglayout_add")
HEADINGS = [
    "GUIA HIJA", "Nombre consignatario", "RUT", "Dirección", "Peso (lb)", "Valor FOB US$", "FOB CLP", "Fecha de arribo",
    "Guía madre", "Moneda", "Marca", "Régimen", "", "Teléfono",
]  # fmt: skip
PROPOSED = [
    "hawb", "consignee_name", "consignee_document", "consignee_address", "weight_kg", "fob_usd", "", "manifest__eta",
    "manifest__mawb", "constant", "+brand", "", "", "consignee_phone",
]  # fmt: skip
HOSTILE = {
    "consignee_name": '=HYPERLINK("http://x";"a")', "consignee_phone": "+56 9 1234 5678",
    "consignee_address": "@calle 1", "consignee_document": "7654321-6",
}  # fmt: skip


def empty_book(headings: list[Any], *, above: int = 0) -> SimpleUploadedFile:
    book, output = Workbook(), io.BytesIO()
    sheet = book.worksheets[0]
    sheet.title = "Carga"
    for number, heading in enumerate(headings, start=1):
        sheet.cell(1 + above, number, heading or None)
    book.create_sheet("Ayuda").append(["Other"])
    book.save(output)
    return SimpleUploadedFile("broker.xlsx", output.getvalue())


def added(browser: Client, country: str = "CL", company: Company | None = None, **more: Any) -> OutgoingLayout:
    """A layout made of the broker's empty workbook, before anybody looked at it."""
    sent = {"name": "Agencia Sur", "country": country, "company": company.pk if company else "", **more}
    answer: Any = browser.post(ADD, {"workbook": empty_book(HEADINGS), **sent})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    return OutgoingLayout.objects.get(pk=answer.url.split("/")[-3])


def form_of(browser: Client, layout: OutgoingLayout, **changes: str) -> dict[str, Any]:
    """What the page of the layout sends; changes: by the name of the field."""
    page: Any = browser.get(reverse("admin:shipments_outgoinglayout_change", args=[layout.pk]))
    form = page.context["adminform"].form
    sent = {"name": layout.name, "seen": form["seen"].value()}
    for each in form.columns:
        sent |= {each.add_prefix(name): each[name].value() or "" for name in each.fields}
    return {**sent, **changes}


def checked(browser: Client, layout: OutgoingLayout, **changes: str) -> Any:
    address = reverse("admin:shipments_outgoinglayout_change", args=[layout.pk])
    return browser.post(address, form_of(browser, layout, **changes))


@pytest.fixture
def staff() -> Client:
    return operator_of("CL")


@pytest.fixture
def manifest(acme: Company) -> Manifest:
    made = shipped(acme, 3, country="CL", weight_kg=Decimal("1.250"), fob_usd=Decimal("59.90"), **HOSTILE)
    Manifest.objects.filter(pk=made.pk).update(eta=datetime(2026, 12, 1, 2, 30, tzinfo=UTC))
    Guide.objects.filter(manifest=made, hawb="H001").update(
        extra_data={"brand": "Acme"}, consignee_address='Calle 1\n"B"; =2, depto. 3'
    )
    Guide.objects.filter(manifest=made, hawb="H002").update(consignee_address="'s-Gravenstraat 1")
    return made


@pytest.fixture
def layout(staff: Client) -> OutgoingLayout:
    """With the date and the decimals said."""
    made = added(staff)
    said = {"columns-4-decimals": "2", "columns-7-date_form": "DD-MM-YYYY", "columns-4-decimal_mark": ","}
    assert checked(staff, made, **said).status_code == 302
    made.refresh_from_db()
    return made


def read_back(answer: Any) -> list[list[Any]]:
    content = answer.getvalue() if answer.streaming else answer.content
    sheet = load_workbook(io.BytesIO(content)).worksheets[0]
    assert sheet.title == "Carga"
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


def page_of(manifest: Manifest) -> str:
    return reverse("admin:shipments_manifest_broker", args=[manifest.pk])


def test_each_heading_of_the_empty_workbook_is_proposed_a_field_by_its_words(staff: Client) -> None:
    layout = added(staff)
    assert [column["heading"] for column in layout.columns] == HEADINGS
    assert [column["field"] for column in layout.columns] == PROPOSED
    assert layout.columns[4]["unit"] == "lb"
    assert layout.columns[9]["value"] == "USD"
    assert (layout.sheet, layout.is_checked) == ("Carga", False)


@pytest.mark.parametrize(
    ("headings", "fields"),
    [
        (["N°", "Item", "Descripción"], ["", "", "description_original"]),
        (["N° Guía", "País de origen", "País consignatario"], ["hawb", "goods_country", "manifest__country"]),
        (["Valor CIF", "Peso anterior", "Agente de aduana"], ["", "", ""]),
        (["Peso", "Peso"], ["weight_kg", "weight_kg"]),
        (["Kgs.", "US$"], ["weight_kg", "fob_usd"]),
    ],
)  # fmt: skip
def test_a_heading_that_names_nothing_clearly_is_left_without_a_field(headings: list[str], fields: list[str]) -> None:
    assert [column["field"] for column in suggest_columns(headings)] == fields


@pytest.mark.parametrize(
    ("workbook", "said"),
    [
        (empty_book(["", "HAWB"]), "A1 of the first sheet is empty"),
        (empty_book(["HAWB"], above=1), "A1 of the first sheet is empty"),
        (empty_book(["HAWB"] * 121), "more than 120 columns"),
        (SimpleUploadedFile("x.xlsx", b"no workbook"), "save it as .xlsx again"),
    ],
)
def test_a_workbook_without_headings_in_its_first_row_is_refused(staff: Client, workbook: Any, said: str) -> None:
    workbook.seek(0)
    answer: Any = staff.post(ADD, {"name": "A", "country": "CL", "workbook": workbook})
    assert said in text_of(answer)
    assert not OutgoingLayout.objects.exists()


def test_a_layout_counts_once_somebody_has_saved_its_columns(
    staff: Client, scanner: Program, manifest: Manifest
) -> None:
    layout = added(staff)
    assert scanner.get("/outgoing-layouts").json() == {"layouts": []}
    assert "no outgoing layout" in text_of(staff.get(page_of(manifest)))
    assert checked(staff, layout).status_code == 302
    (row,) = scanner.get("/outgoing-layouts").json()["layouts"]
    assert row == {"id": str(layout.pk), "name": "Agencia Sur", "country": "CL", "company": None}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"columns-0-field": "consignee_shoe_size"}, "consignee_shoe_size is not one of the available choices"),
        ({"columns-0-unit": "lb"}, "Not allowed with this field"),
        ({"columns-0-field": "constant"}, "Write the text."),
    ],
)
def test_an_unknown_field_and_what_a_field_cannot_have_are_refused_by_name(
    staff: Client, changes: dict[str, str], said: str
) -> None:
    layout = added(staff)
    page = text_of(checked(staff, layout, **changes))
    assert said in page
    assert "Columns to correct: 1." in page
    assert not OutgoingLayout.objects.get().is_checked


def test_the_second_of_two_operators_overwrites_nothing(staff: Client, layout: OutgoingLayout) -> None:
    sent = form_of(staff, layout, **{"columns-11-field": "constant", "columns-11-value": "DIPS"})
    checked(staff, layout, **{"columns-11-field": "bag"})
    address = reverse("admin:shipments_outgoinglayout_change", args=[layout.pk])
    assert "Changed meanwhile" in text_of(staff.post(address, sent))
    assert OutgoingLayout.objects.get().columns[11]["field"] == "bag"


def test_an_xlsx_read_back_has_every_value_of_every_guide(
    staff: Client, scanner: Program, layout: OutgoingLayout, manifest: Manifest
) -> None:
    expected: list[list[Any]] = [[*HEADINGS[:12], None, *HEADINGS[13:]]]
    for guide in manifest.guides.order_by("pk"):
        arrival = datetime(2026, 11, 30)  # noqa: DTZ001  # by the clock of Santiago
        brand = "Acme" if guide.hawb == "H001" else None
        expected.append([
            guide.hawb, guide.consignee_name, guide.consignee_document, guide.consignee_address, 2.76, 59.9, None,
            arrival, manifest.mawb, "USD", brand, None, None, guide.consignee_phone,
        ])  # fmt: skip
    assert read_back(staff.get(page_of(manifest), {"format": "xlsx"})) == expected
    assert read_back(scanner.get(f"/mawbs/{manifest.mawb}/files/{layout.pk}")) == expected


def test_a_csv_is_defused_and_the_same_once_an_apostrophe_is_taken_off(
    scanner: Program, layout: OutgoingLayout, manifest: Manifest
) -> None:
    answer = scanner.get(f"/mawbs/{manifest.mawb}/files/{layout.pk}?format=csv&company=ACME")
    rows = list(csv.reader(io.StringIO(answer.getvalue().decode("utf-8-sig"), newline=""), delimiter=";"))
    assert rows[0] == HEADINGS
    for row, guide in zip(rows[1:], manifest.guides.order_by("pk"), strict=True):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
        assert [cell.removeprefix("'") for cell in row] == [
            guide.hawb, guide.consignee_name, guide.consignee_document, guide.consignee_address,
            "2,76", "59.90", "", "30-11-2026", manifest.mawb, "USD", guide.extra_data.get("brand", ""), "", "",
            guide.consignee_phone,
        ]  # fmt: skip


def test_every_field_that_can_be_chosen_is_of_the_guide_its_manifest_or_its_company(
    staff: Client, manifest: Manifest
) -> None:
    columns = [{**suggest_columns([""])[0], "heading": name, "field": name} for name in sorted(FIELDS)]
    OutgoingLayout.objects.create(name="All", country="CL", sheet="Carga", columns=columns, is_checked=True)
    (headings, first, *_others) = read_back(staff.get(page_of(manifest), {"format": "xlsx"}))
    values = dict(zip(headings, first, strict=True))
    assert (values["company__client_code"], values["manifest__total_guides"]) == ("ACME", 3)
    assert values["tracking_code"] == Guide.objects.get(hawb="H001").tracking_code


def test_headings_without_a_value_are_named_before_the_download(
    staff: Client, layout: OutgoingLayout, manifest: Manifest
) -> None:
    bring(manifest.guides.get(hawb="H003"), "cancelled")
    page = text_of(staff.get(page_of(manifest)))
    assert "It files nothing" in page
    for said in ("<strong>FOB CLP</strong>: in no guide", "<strong>Régimen</strong>: in no guide"):
        assert said in page
    assert "<strong>Marca</strong>: empty in 1 guide" in page
    assert "1 cancelled guide is not in it." in page
    assert "<strong>GUIA HIJA</strong>" not in page
    assert not LogEntry.objects.filter(object_id=str(manifest.pk)).exists()
    assert [row[0] for row in read_back(staff.get(page_of(manifest), {"format": "xlsx"}))[1:]] == ["H001", "H002"]
    assert layout.name in page


def test_a_field_that_there_is_no_longer_is_refused_by_name(
    staff: Client, scanner: Program, layout: OutgoingLayout, manifest: Manifest
) -> None:
    layout.columns[0]["field"] = "shoe_size"
    layout.save()
    answer = scanner.get(f"/mawbs/{manifest.mawb}/files/{layout.pk}")
    assert (answer.status_code, answer.json()["details"]) == (400, {"layout": ["There is no field shoe_size."]})
    assert "There is no field shoe_size." in text_of(staff.get(page_of(manifest), {"format": "xlsx"}))


def test_a_download_is_one_line_of_the_log_with_whose_data_went_out(
    scanner: Program, layout: OutgoingLayout, manifest: Manifest
) -> None:
    LogEntry.objects.all().delete()
    scanner.get(f"/mawbs/{manifest.mawb}/files/{layout.pk}?format=csv")
    (entry,) = LogEntry.objects.all()
    assert act_in_words(entry) == "Downloaded Agencia Sur for the broker as CSV; guides: 3."
    assert (entry.object_repr, ListedGuides.objects.get(entry=entry).guides) == (
        manifest.mawb,
        list(manifest.guides.order_by("pk").values_list("pk", flat=True)),
    )


def test_another_companys_layout_and_another_countrys_are_not_of_a_manifest(
    staff: Client, scanner: Program, limeno: Program, rival: Company, manifest: Manifest
) -> None:
    theirs = added(operator_of("all", username="ana"), "CL", rival)
    peruvian = added(operator_of("PE", username="rosa"), "PE")
    for each in (theirs, peruvian):
        OutgoingLayout.objects.filter(pk=each.pk).update(is_checked=True, name=f"Of {each.country}")
    for each in (theirs, peruvian):
        assert scanner.get(f"/mawbs/{manifest.mawb}/files/{each.pk}").json()["error"] == "not_found"
        assert staff.get(page_of(manifest), {"layout": str(each.pk), "format": "csv"}).status_code == 404
    assert scanner.get(f"/mawbs/{manifest.mawb}/files/abc").status_code == 404
    assert [each["id"] for each in limeno.get("/outgoing-layouts").json()["layouts"]] == [str(peruvian.pk)]
    assert limeno.get(f"/mawbs/{manifest.mawb}/files/{peruvian.pk}").json()["error"] == "forbidden_country"
    assert not LogEntry.objects.filter(object_id=str(manifest.pk)).exists()
    other = shipped(rival, 1, country="CL", mawb=manifest.mawb)
    ambiguous = scanner.get(f"/mawbs/{manifest.mawb}/files/{theirs.pk}")
    assert (ambiguous.status_code, ambiguous.json()["error"]) == (409, "ambiguous")
    own = scanner.get(f"/mawbs/{other.mawb}/files/{theirs.pk}?company=RIVAL&format=csv")
    assert own.getvalue().count(b"\n") == 2
    assert scanner.get(f"/mawbs/{other.mawb}/files/{theirs.pk}?company=ACME").status_code == 404


def test_a_form_offers_the_operators_countries_and_a_company_that_ships_there(staff: Client, rival: Company) -> None:
    Company.objects.filter(pk=rival.pk).update(allowed_countries=["PE"])
    sent = {"name": "A", "workbook": empty_book(["HAWB"])}
    assert staff.post(ADD, {**sent, "country": "PE"}).status_code == 200
    assert staff.post(ADD, {**sent, "country": "CL", "company": rival.pk}).status_code == 200
    everywhere = operator_of("all", username="ana").post(ADD, {**sent, "country": "CL", "company": rival.pk})
    assert "does not ship to this country" in text_of(everywhere)
    assert not OutgoingLayout.objects.exists()


def test_it_needs_what_exports_need(reader: Program, layout: OutgoingLayout, manifest: Manifest) -> None:
    answer = reader.get(f"/mawbs/{manifest.mawb}/files/{layout.pk}")
    assert (answer.status_code, answer.json()["permission"]) == (403, "shipments.change_guide")
    looking = operator_of("CL", username="lucia", role="Read-only")
    assert looking.get(page_of(manifest)).status_code == 403
    assert page_of(manifest) not in text_of(looking.get(reverse("admin:shipments_manifest_change", args=[manifest.pk])))
    assert looking.get(ADD).status_code == 403
    assert reader.get("/outgoing-layouts?limit=1").json()["error"] == "invalid_query"


def test_a_voided_manifest_has_no_file(
    staff: Client, scanner: Program, layout: OutgoingLayout, manifest: Manifest
) -> None:
    assert page_of(manifest) in text_of(staff.get(reverse("admin:shipments_manifest_change", args=[manifest.pk])))
    void_manifest(manifest, reason="twice", actor="ana")
    assert scanner.get(f"/mawbs/{manifest.mawb}/files/{layout.pk}").status_code == 404
    assert staff.get(page_of(manifest)).status_code == 404
