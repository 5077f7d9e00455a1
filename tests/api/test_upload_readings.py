"""What an upload makes of cells that are read in another way than they look."""

from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from shipments.models import Manifest
from tests.books import HEADER, MAWB, guide_row, workbook_bytes
from tests.conftest import Caller
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db


@pytest.fixture
def read(acme: Caller) -> Any:
    """Uploads a workbook, and returns the answer, the manifest, and its first guide as its company sees it."""

    def read(content: bytes) -> tuple[dict[str, Any], Manifest, dict[str, Any]]:
        response = acme.upload(content)
        assert response.status_code == 201, response.json()
        answer = response.json()
        stored = Manifest.objects.get(pk=answer["manifest_id"])
        return answer, stored, acme.get(f"/guides/{answer['guides'][0]['tracking_code']}").json()

    return read


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("CONSIGNATARIO", ("Importadora 3000 EIRL", "Comercial Ruta 5 Ltda", "Ferretería 21 de Mayo")),
        ("Nombre", ("Ana Soto - 4500", "Beto Rojas - 4501", "Caro Díaz - 4502")),
        ("CONSIGNATARIO", ("Juan Perez 1", "Juan Perez 2", "Juan Perez 3")),
    ],
)
def test_a_number_in_the_consignees_names_empties_no_column(read: Any, heading: str, names: tuple[str, ...]) -> None:
    header = [heading if each == "Nombre destinatario" else each for each in HEADER] + ["Cliente"]
    rows = [guide_row(number) | {heading: name, "Cliente": "Tienda Sur"} for number, name in enumerate(names, start=1)]
    answer, _, guide = read(workbook_bytes(rows, header=header))
    assert guide["consignee_name"] == names[0]
    assert not {notice["code"] for notice in answer["notices"]} & {"field_without_column", "values_missing"}


@pytest.mark.parametrize(
    ("label", "neighbour"),
    [
        ("Destino", "RUT"), ("Destino", "KG"), ("Destination", "ID"), ("Destination", "PCS"), ("Destination", "Name"),
        ("Ciudad destino", "FOB"), ("Ciudad destino", "CIF"),
    ],
)  # fmt: skip
def test_a_heading_beside_the_destinations_is_no_airport(read: Any, label: str, neighbour: str) -> None:
    named = {"RUT": "RUT", "ID": "RUT", "KG": "Peso (kg)", "FOB": "Valor FOB USD"}
    old = (named | {"PCS": "Bultos", "Name": "Nombre destinatario"}).get(neighbour, "")
    header = [each for each in HEADER if each != old] + [label, neighbour]
    city = "Providencia" if label == "Ciudad destino" else "SCL"
    rows = [guide_row(number) for number in (1, 2, 3)]
    rows = [row | {label: city, neighbour: row.get(old, 20)} for row in rows]
    answer, manifest, _ = read(workbook_bytes(rows, header=header))
    assert answer["guides_created"] == 3
    assert manifest.flight.destination_airport == "SCL"


# --- what stands beside a label -------------------------------------------------------------------------------------


def labelled(*above: tuple[object, ...], rows: int = 2) -> bytes:
    """The usual manifest under these rows."""
    return changed(lambda _: None, above, rows)


def changed(change: Callable[[Any], object], above: tuple[tuple[object, ...], ...] = (), rows: int = 2) -> bytes:
    book = Workbook()
    sheet = book.worksheets[0]
    for cells in (("MAWB", MAWB), *above, (), HEADER, *(guide_row(number).values() for number in range(1, rows + 1))):
        sheet.append(list(cells))
    change(sheet)
    content = BytesIO()
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("above", "origin", "destination"),
    [
        (("Origen/Destino", "MIA", "SCL"), "MIA", "SCL"),
        (("POL / POD:", None, "MIA", "SCL"), "MIA", "SCL"),
        (("Origen/Destino", "MIA-SCL"), "MIA", "SCL"),
        (("From:", "Bright Trade Ltd", "To:", "Courier SpA"), "", ""),
        (("From:", "To:", "SCL"), "", ""),
        (("FROM/TO", "MIA", "SCL"), "MIA", ""),
        (("FROM/TO",), "", ""),
        (("Destino", None, "Yes"), "", ""),
        (("Destino", None, "KG"), "", ""),
        (("Destino", "RUT", "KG"), "", ""),
        (("Destino", None, "SCL"), "", "SCL"),
        (("Origen", "Bodega central", "MIA"), "", ""),
        (("Origen", "mia", "Destino", "scl"), "MIA", "SCL"),
    ],
)
def test_only_what_stands_beside_a_label_is_its_value(
    read: Any, above: tuple[object, ...], origin: str, destination: str
) -> None:
    _, manifest, _ = read(labelled(above))
    flight = manifest.flight
    assert (flight.origin_airport, flight.origin_country, flight.destination_airport, manifest.country) == (
        origin, "", destination, "CL",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("above", "code", "quoted"),
    [
        (("Destino", "No"), "destination_unresolved", "B2, 'No'"),
        (("Destino", "NO"), "no_parser_for_format", "B2, 'NO'"),
        (("Destino", "Yes", "SCL"), "destination_unresolved", "B2, 'Yes'"),
        (("Destino", "Narnia"), "destination_unresolved", "B2, 'Narnia'"),
        (("Destino", "SCL", None, "Destination", "LIM"), "destination_unresolved", "B2, 'SCL'; E2, 'LIM'"),
    ],
)
def test_a_refusal_quotes_the_cell(acme: Caller, above: tuple[object, ...], code: str, quoted: str) -> None:
    answer = acme.upload(labelled(above)).json()
    assert (answer["error"], quoted in answer["message"]) == (code, True), answer
    assert acme.get("/mawbs").json()["mawbs"] == []


def test_a_mawb_that_cannot_be_read_is_quoted_with_its_cell(acme: Caller) -> None:
    answer = acme.upload(workbook_bytes(mawb="pendiente")).json()
    assert (answer["error"], "B1, 'pendiente'" in answer["message"]) == ("mawb_not_found_in_file", True)


# --- what cells hide ------------------------------------------------------------------------------------------------


def notices_of(answer: dict[str, Any]) -> dict[str, str]:
    return {notice["code"]: notice["message"] for notice in answer["notices"]}


@pytest.mark.parametrize(
    ("label", "field"), [("ETA", "scheduled_arrival"), ("Vuelo", "flight_number"), ("Origen", "origin_airport")]
)
def test_a_fact_whose_formula_was_never_calculated_is_said(read: Any, label: str, field: str) -> None:
    answer, manifest, _ = read(labelled((label, "=A1"), ("Observaciones", "26/11/2026")))
    assert "B2" in notices_of(answer)["formula_not_calculated"]
    assert field in notices_of(answer)["formula_not_calculated"]
    assert manifest.flight.scheduled_arrival is None


def test_hawbs_that_are_formulas_never_calculated_are_said(read: Any) -> None:
    def lose(sheet: Any) -> None:
        sheet["A4"] = '="H"&1'

    answer, _, _ = read(changed(lose, rows=3))
    assert answer["guides_created"] == 2
    assert "1 cells of column A" in notices_of(answer)["formula_not_calculated"]


def test_a_mawb_that_is_a_formula_never_calculated_is_refused_by_its_cell(acme: Caller) -> None:
    answer = acme.upload(workbook_bytes(mawb="=C1")).json()
    assert (answer["error"], "Cell B1" in answer["message"]) == ("mawb_not_found_in_file", True)


@pytest.mark.parametrize(("written", "said"), [("29/11/2062", 1), ("29/11/1996", 1), ("29/11/2026", 0)])
def test_a_year_far_away_is_said(read: Any, time_machine: Any, written: str, said: int) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    answer, manifest, _ = read(labelled(("ETA", written)))
    assert [notice["code"] for notice in answer["notices"]].count("year_unlikely") == said
    assert manifest.flight.scheduled_arrival is not None


@pytest.mark.parametrize("number_format", ["General", "dd/mm/yyyy hh:mm"])
def test_dates_counted_from_1904_are_read_with_and_without_their_format(read: Any, number_format: str) -> None:
    book = load_workbook(BytesIO(labelled(("ETA", 44893.25))))
    book.epoch = CALENDAR_MAC_1904
    book.worksheets[0]["B2"].number_format = number_format
    content = BytesIO()
    book.save(content)
    _, manifest, _ = read(content.getvalue())
    assert f"{manifest.flight.scheduled_arrival:%Y-%m-%d %H:%M}" == "2026-11-29 09:00"  # 6:00 in Santiago


@pytest.mark.parametrize("invisible", ["\ufe0f", "\u3164", "\u2800", "\u200b", "\U000e0100"])
def test_a_hawb_has_no_invisible_letters(read: Any, invisible: str) -> None:
    rows = [guide_row(1, HAWB=f"HA{invisible}WB1{invisible}"), guide_row(2)]
    answer, _, _ = read(workbook_bytes(rows))
    assert [guide["hawb"] for guide in answer["guides"]] == ["HAWB1", "HAWB00002"]


def test_texts_are_stored_in_one_form_of_unicode(read: Any, acme: Caller) -> None:
    decomposed = "Begon\u0303a Nu\u0301n\u0303ez"
    rows = [guide_row(1, **{"Nombre destinatario": decomposed}), guide_row(2)]
    assert read(workbook_bytes(rows))[2]["consignee_name"] == "Begoña Núñez"
    posted = acme.post_json(manifest(guide(consignee_name=decomposed), mawb="045-48216350"))
    code = posted.json()["guides"][0]["tracking_code"]
    assert acme.get(f"/guides/{code}").json()["consignee_name"] == "Begoña Núñez"


# --- faults of the file ---------------------------------------------------------------------------------------------


def test_a_workbook_that_was_mended_is_created_and_says_so(read: Any) -> None:
    content = changed(lambda sheet: sheet.cell(1, 12, "#N/A"))
    answer, _, guide = read(_with_part(content, "xl/worksheets/sheet1.xml", "#N/A", "ERROR"))
    assert "Sheet!L1" in notices_of(answer)["workbook_repaired"]
    assert [notice["code"] for notice in answer["notices"]].count("workbook_repaired") == 1
    assert guide["weight_kg"] == 1.5


def _with_part(content: bytes, name: str, old: str, new: str) -> bytes:
    source, target = ZipFile(BytesIO(content)), BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as package:
        for each in source.namelist():
            part = source.read(each)
            package.writestr(each, part.replace(old.encode(), new.encode()) if each == name else part)
    return target.getvalue()
