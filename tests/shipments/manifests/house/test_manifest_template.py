"""The template that clients download, and the sample manifest written with it."""

from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook

from shipments.errors import MawbNotFoundInFile, NoRowsParsed
from shipments.manifests.house.manifest_template import fill_template, template
from shipments.manifests.manifest import FlightFields, ParsedManifest
from tests.shipments.manifests.xlsx_files import read_file
from tools import sample_manifest


def upload(content: bytes, path: Path) -> ParsedManifest:
    """Read a workbook the way the upload does."""
    path.write_bytes(content)
    return read_file(path)


def test_the_template_uploads_as_it_is_without_a_warning_or_a_notice(xlsx: Path) -> None:
    manifest = upload(template("CL"), xlsx)
    assert (manifest.warnings, manifest.notices) == ((), ())
    assert manifest.mawb == "045-12345675"
    assert [guide.hawb for guide in manifest.guides] == ["PA0000000001", "PA0000000002"]
    assert all(not guide.review_reasons for guide in manifest.guides)


def test_every_column_of_the_template_reaches_its_field(xlsx: Path) -> None:
    guide = upload(template("CL"), xlsx).guides[1]
    assert guide.consignee_name == "Comercial Cordillera SpA"
    assert guide.consignee_document == "76543210-3"
    assert guide.consignee_address == "Calle Prat 856, oficina 301"
    assert (guide.consignee_city, guide.consignee_region) == ("Valparaíso", "Valparaíso")
    assert (guide.consignee_phone, guide.consignee_email) == ("+56 32 555 0102", "compras@example.com")
    assert guide.shipper_name == "Example Parts LLC"
    assert (guide.description_original, guide.hs_code) == ("Repuestos de bicicleta", "87149990")
    assert (guide.packages_count, str(guide.weight_kg), str(guide.fob_usd)) == (2, "4.800", "189.50")


def test_the_labels_of_the_template_reach_the_flight(xlsx: Path) -> None:
    flight = upload(template("CL"), xlsx).flight
    assert (flight.flight_number, flight.origin_airport, flight.destination_airport) == ("LA2369", "MIA", "SCL")
    assert flight.scheduled_arrival is not None
    assert flight.scheduled_arrival.isoformat() == "2026-12-15T06:45:00-03:00"


def test_the_instructions_of_an_empty_template_are_taken_for_nothing(xlsx: Path) -> None:
    with pytest.raises(MawbNotFoundInFile):
        upload(fill_template("CL", {}, []), xlsx)
    with pytest.raises(NoRowsParsed):
        upload(fill_template("CL", {"MAWB": "045-12345675"}, []), xlsx)


def test_only_the_mawb_has_to_be_filled_in_above_the_table(xlsx: Path) -> None:
    guide = ("H1", "Ana Rojas", "12345678-5", *[None] * 9, "Ropa", None, None, 1, None, 1.5, 20, *[None] * 5)
    manifest = upload(fill_template("CL", {"MAWB": "045-12345675"}, [guide]), xlsx)
    assert (manifest.warnings, manifest.notices) == ((), ())
    assert manifest.flight == FlightFields()


def test_identifiers_typed_into_the_template_stay_text() -> None:
    sheet = load_workbook(BytesIO(template("CL")))["Manifiesto"]
    assert sheet["C10"].number_format == "@"
    assert sheet.column_dimensions["A"].number_format == "@"
    assert sheet["B3"].number_format == "@"


def test_the_sample_manifest_uploads_without_a_warning_or_a_notice(xlsx: Path) -> None:
    manifest = upload(sample_manifest.PATH.read_bytes(), xlsx)
    assert (manifest.warnings, manifest.notices) == ((), ())
    assert manifest.mawb == "045-48216350"
    assert [guide.hawb for guide in manifest.guides] == [guide[0] for guide in sample_manifest.GUIDES]
    assert all(not guide.review_reasons for guide in manifest.guides)
