"""What a client tells of its layout by the API, and how its next workbook is read by it."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook

from shipments.models import Flight, Guide
from tests.api.changing import put_answers
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.shipments.layouts.telling import ANSWERS, HEADINGS

pytestmark = pytest.mark.django_db

MAWB, LABEL = "045-12345675", "Papel madre:"
TOP = {LABEL: MAWB}
OF_TOP = [{"label": LABEL, "field": "mawb"}, {"field": "destination", "value": "SCL"}]


def workbook(
    labels: Mapping[str, object] = TOP,
    more: Sequence[Mapping[str, object]] = (),
    columns: Mapping[str, object] | None = None,
) -> bytes:
    """Two guides under the strange headings, with nothing above them but `labels`.

    more: rows between the guides. columns: headings and their values, further ones and in place of those.
    """
    one, two = (
        {**{heading: guide_row(number)[ordinary] for heading, ordinary in HEADINGS.items()}, **(columns or {})}
        for number in (1, 2)
    )
    return workbook_bytes([one, *more, two], mawb=None, header=tuple(one), labels=labels)


def tell(caller: Caller, content: bytes, answers: Sequence[Mapping[str, Any]] = (), **body: Any) -> None:
    """Send a workbook that is refused, and answer for its layout. answers: besides those about the strange headings."""
    assert caller.upload(content, destination_airport="SCL").status_code == 400
    (layout,) = [each for each in caller.get("/layouts").json()["layouts"] if not each["answers"]]
    named = {each["heading"] for each in answers}
    usual = [{"heading": heading, **each} for heading, each in ANSWERS.items() if heading not in named]
    answer = put_answers(caller, layout["id"], {"answers": [*usual, *answers], **body})
    assert answer.status_code == 200, answer.content


def create(caller: Caller, content: bytes, **form: Any) -> Any:
    answer = caller.upload(content, **form)
    assert answer.status_code == 201, answer.content
    return answer.json()


LANDS = {"label": "Toca tierra:", "field": "scheduled_arrival"}


@pytest.mark.parametrize(
    ("labels", "said", "form", "name", "found"),
    [
        ({}, [], {}, "destination_airport", "SCL"),
        ({}, [], {"destination_airport": "ANF"}, "destination_airport", "ANF"),
        ({}, [{"field": "origin", "value": "mia"}], {}, "origin_airport", "MIA"),
        ({}, [{"field": "origin", "value": "MIA"}], {"origin_airport": "HKG"}, "origin_airport", "HKG"),
        ({"Pájaro": "LA2369"}, [{"label": "pajaro:", "field": "flight_number"}], {}, "flight_number", "LA2369"),
        ({"Toca tierra": "2026-11-30 10:00"}, [LANDS], {}, "scheduled_arrival", "2026-11-30T13:00:00+00:00"),
        (
            {"Toca tierra": "2026-11-30 10:00"}, [{**LANDS, "zone": "America/Lima"}], {}, "scheduled_arrival",
            "2026-11-30T15:00:00+00:00",
        ),
        (
            {"Toca tierra": "2026-11-30 10:00"}, [LANDS, {"field": "zone", "value": "UTC"}], {}, "scheduled_arrival",
            "2026-11-30T10:00:00+00:00",
        ),
    ],
)  # fmt: skip
def test_what_stands_outside_the_table_is_read_as_told(
    acme: Caller, rival: Caller, labels: Any, said: Any, form: dict[str, str], name: str, found: str
) -> None:
    content = workbook({**TOP, **labels})
    tell(acme, content, labels=[*OF_TOP, *said])
    answer = create(acme, content, **form)
    assert (answer["mawb"], answer["country"]) == (MAWB, "CL")
    value = getattr(Flight.objects.get(), name)
    assert getattr(value, "isoformat", lambda: value)() == found
    assert rival.upload(content).status_code == 400


def test_a_label_that_is_not_there_is_said_and_the_mawb_is_read_from_where_else_it_stands(acme: Caller) -> None:
    tell(acme, workbook(), labels=OF_TOP)
    said = {each["code"]: each["message"] for each in create(acme, workbook())["notices"]}
    assert "values_unlike_format" not in said
    answer = create(acme, workbook({"MAWB": "045-00000013"}))
    (notice,) = [each for each in answer["notices"] if each["code"] == "values_unlike_format"]
    assert "There is nothing next to “Papel madre:”" in notice["message"]
    assert answer["mawb"] == "045-00000013"


SEVERAL: Mapping[str, tuple[Mapping[str, object], Sequence[Mapping[str, Any]], str, str]] = {
    "two units of one weight are added": (
        {"Masa": 1, "Sueltos": 500}, [{"heading": "Sueltos", "field": "weight_kg", "unit": "g"}], "weight_kg", "1.500",
    ),
    "a name is joined in the sheet's order": (
        {"Quién": "Ana", "Linaje": "Rojas"},
        [{"heading": "Linaje", "field": "consignee_name"}, {"heading": "Quién", "field": "consignee_name"}],
        "consignee_name", "Ana Rojas",
    ),
    "an address too": (
        {"Dónde": "Calle 1", "Puerta": "depto 4", "Piso": "torre B"},
        [{"heading": "Piso", "field": "consignee_address"}, {"heading": "Puerta", "field": "consignee_address"}],
        "consignee_address", "Calle 1, depto 4, torre B",
    ),
    "what is kept has the key that was told": (
        {"Tono": "verde"}, [{"heading": "Tono", "field": None, "key": "seal"}], "extra_data", "{'seal': 'verde'}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SEVERAL)
def test_columns_are_read_as_told(acme: Caller, case: str) -> None:
    columns, answers, name, found = SEVERAL[case]
    content = workbook(columns=columns)
    tell(acme, content, answers, labels=OF_TOP)
    created = create(acme, content)
    assert {str(getattr(guide, name)) for guide in Guide.objects.all()} == {found}
    listed = {each["heading"] for each in (*created["columns"], *created["kept"])}
    assert listed >= {each["heading"] for each in answers}


def test_a_heading_told_in_one_layout_is_likely_in_another_of_the_company_alone(acme: Caller, rival: Caller) -> None:
    tell(acme, workbook(), labels=OF_TOP)
    header = ("Bulto Fénix", "Nombre destinatario", "RUT", "Dirección", "Contenido", "Peso (kg)", "Valor FOB USD")
    rows = [{**guide_row(number), "Bulto Fénix": f"HX{number:05d}"} for number in (1, 2)]
    other = workbook_bytes(rows, header=header)
    columns = {each["field"]: each["strength"] for each in create(acme, other)["columns"]}
    assert columns["hawb"] == "likely"
    assert "told" not in columns.values()
    assert rival.upload(other).json()["error"] == "hawb_in_doubt"


@pytest.mark.parametrize(
    ("rule", "descriptions", "reasons"),
    [
        (None, "Zapatillas", ["belongs_unclear"]),
        ("products", "Zapatillas, Libro", []),
        ("left_out", "Zapatillas", []),
    ],
)
def test_what_is_told_of_rows_without_a_hawb_decides(
    acme: Caller, rule: str | None, descriptions: str, reasons: Sequence[str]
) -> None:
    content = workbook(more=[{"Qué": "Libro", "Masa": 0.5, "Cuántos": 1, "Monto": 20}])
    tell(acme, content, labels=OF_TOP, rows_without_hawb=rule)
    create(acme, content)
    first = Guide.objects.order_by("pk")[0]
    assert (first.description_original, first.review_reasons) == (descriptions, reasons)


def test_a_place_that_contradicts_what_was_told_of_all_workbooks_is_said(acme: Caller) -> None:
    tell(acme, workbook(), labels=OF_TOP)
    quiet = create(acme, workbook(TOP | {"Destino": "Santiago"}))
    assert "values_unlike_format" not in {notice["code"] for notice in quiet["notices"]}
    other = create(acme, workbook({LABEL: "045-12345686", "Destino": "LIM"}))
    (said,) = [notice["message"] for notice in other["notices"] if notice["code"] == "values_unlike_format"]
    assert (other["country"], "“LIM”" in said) == ("CL", True)


def grouped(mawb: str) -> bytes:
    """Two guides under headings with groups above them."""
    groups = (None, "REMITENTE", "DESTINATARIO", None, None, "CARGA", None, None, None)
    names = ("Guía", "Nombre", "Nombre", "RUT", "Dirección", "Contenido", "Peso kg", "Bultos", "FOB US$")
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(["MAWB", mawb, "Destino", "SCL"])
    for row in ((), groups, names):
        sheet.append(row)
    for number in (1, 2):
        guide = guide_row(number)
        goods = [guide[each] for each in ("Contenido", "Peso (kg)", "Bultos", "Valor FOB USD")]
        sheet.append([f"H{number}", "Sol SpA", guide["Nombre destinatario"], guide["RUT"], guide["Dirección"], *goods])
    for first, last in ((3, 5), (6, 9)):
        sheet.merge_cells(start_row=3, end_row=3, start_column=first, end_column=last)
    output = BytesIO()
    book.save(output)
    return output.getvalue()


def test_headings_below_groups_are_read_as_told(acme: Caller) -> None:
    create(acme, grouped(MAWB))
    (layout,) = acme.get("/layouts").json()["layouts"]
    said = [{each: column[each] for each in ("heading", "group", "field")} for column in layout["columns"]]
    assert [each["field"] for each in said].count("shipper_name") == 1
    assert put_answers(acme, layout["id"], {"answers": said}).status_code == 200
    answer = create(acme, grouped("045-00000002"))
    assert {column["strength"] for column in answer["columns"]} == {"told"}
    assert len(answer["columns"]) == len(said)
