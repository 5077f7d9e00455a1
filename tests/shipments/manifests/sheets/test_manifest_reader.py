"""Guides of a Chilean manifest: their fields and findings."""

from datetime import datetime
from decimal import Decimal

import pytest

from base.errors import ValidationFailed
from shipments.errors import ManifestTooLarge
from shipments.manifests.cells import Cell
from shipments.manifests.guide_fields import LONGEST
from shipments.manifests.sheets import rows as guide_rows
from tests.shipments.manifests.made_sheets import (
    FIRST_ROW,
    HEADINGS,
    MAWB_LABEL,
    manifest,
    read,
    row,
    said,
    sheet,
    warned,
)


def test_a_clean_row_becomes_a_guide_without_a_word() -> None:
    read_manifest = manifest(row())
    assert read_manifest.country == "CL"
    assert (read_manifest.warnings, read_manifest.notices) == ((), ())
    guide = read_manifest.guides[0]
    assert (guide.row_index, guide.hawb, guide.consignee_name) == (FIRST_ROW, "H1", "Ana Rojas")
    assert (guide.consignee_document_type, guide.consignee_document) == ("RUT", "12345678-5")
    assert (guide.packages_count, guide.weight_kg, guide.fob_usd) == (1, Decimal("1.500"), Decimal("20.00"))
    assert (guide.description_original, guide.hs_code, guide.review_reasons) == ("Ropa", "610910", ())


class TestRut:
    @pytest.mark.parametrize(
        ("cell", "number"),
        [
            ("12.345.678 - 5", "12345678-5"),
            (123456785.0, "12345678-5"),
            (76543216, "7654321-6"),
        ],
    )
    def test_it_is_stored_in_its_normal_form(self, cell: Cell, number: str) -> None:
        read_manifest = manifest(row(rut=cell))
        assert read_manifest.guides[0].consignee_document == number
        assert read_manifest.warnings == ()

    @pytest.mark.parametrize(
        ("body", "digit", "number"),
        [
            (12345678.0, 5.0, "12345678-5"),
            ("10.000.013", "k", "10000013-K"),
            ("7.654.321-6", 6, "7654321-6"),
            ("123456785", "5", "12345678-5"),
            ("12345678-5", None, "12345678-5"),
        ],
    )
    def test_it_is_read_from_two_columns(self, body: Cell, digit: Cell, number: str) -> None:
        read_manifest = read(sheet(MAWB_LABEL, ["HAWB", "Nombre", "RUT", "DV", "Peso"], ["H1", "Ana", body, digit, 1]))
        assert read_manifest.guides[0].consignee_document == number
        assert read_manifest.warnings == ()

    @pytest.mark.parametrize(
        ("cell", "word"),
        [
            ("12345678-9", "check digit"),
            (None, "missing"),
            ("12345678-5\ud800" + "9", "length"),
        ],
    )
    def test_a_bad_one_never_stops_the_guide_and_the_warning_says_why(self, cell: Cell, word: str) -> None:
        read_manifest = manifest(row(rut=cell))
        assert warned(read_manifest) == [(FIRST_ROW, "consignee_rut", "rut_invalid_format")]
        warning = read_manifest.warnings[0]
        assert word in said(warning)
        assert warning.hawb == "H1"
        assert "1234" not in said(warning)
        assert read_manifest.guides[0].review_reasons == ("rut_invalid_format",)

    def test_a_placeholder_passes_with_a_reason_that_operators_see(self) -> None:
        read_manifest = manifest(row(rut="22.222.222-2"))
        assert read_manifest.warnings == ()
        assert read_manifest.guides[0].review_reasons == ("rut_placeholder",)


class TestValues:
    @pytest.mark.parametrize(
        ("value", "field", "taken"),
        [
            ({"weight": "pesado"}, "weight_kg", None),
            ({"fob": "€ 12"}, "fob_usd", None),
            ({"fob": datetime(2026, 1, 2)}, "fob_usd", None),  # noqa: DTZ001 - a spreadsheet's
            ({"packages": 1.5}, "packages_count", 1),
        ],
    )
    def test_what_cannot_be_read_is_reported_and_unknown(
        self, value: dict[str, Cell], field: str, taken: int | None
    ) -> None:
        read_manifest = manifest(row(**value))
        assert warned(read_manifest) == [(FIRST_ROW, field, f"{field}_invalid")]
        assert getattr(read_manifest.guides[0], field) == taken

    def test_an_empty_value_is_unknown_and_packages_are_one(self) -> None:
        read_manifest = manifest(row(packages=None, weight=None, fob=None, hs=None))
        guide = read_manifest.guides[0]
        assert (guide.packages_count, guide.weight_kg, guide.fob_usd, guide.hs_code) == (1, None, None, "")
        assert read_manifest.warnings == ()

    @pytest.mark.parametrize(
        ("cell", "kept"),
        [
            ("6109 10", "610910"),
            (61091000.0, "61091000"),
            ("610910, 6403.99", "610910, 640399"),
            ("610910/640399", "610910, 640399"),
        ],
    )
    def test_a_cell_may_have_several_hs_codes(self, cell: Cell, kept: str) -> None:
        read_manifest = manifest(row(hs=cell))
        assert read_manifest.guides[0].hs_code == kept
        assert read_manifest.warnings == ()

    @pytest.mark.parametrize("cell", ["ROPA", "610910, ropa"])
    def test_another_hs_code_is_kept_as_sent_and_reported(self, cell: str) -> None:
        read_manifest = manifest(row(hs=cell))
        assert read_manifest.guides[0].hs_code == cell
        assert warned(read_manifest) == [(FIRST_ROW, "hs_code", "hs_code_invalid")]

    @pytest.mark.parametrize(
        ("heading", "field"),
        [
            ("Consignatario", "consignee_name"),
            ("Dirección", "consignee_address"),
            ("Comuna", "consignee_city"),
            ("Región", "consignee_region"),
            ("Código postal", "consignee_postal_code"),
            ("Teléfono", "consignee_phone"),
            ("E-mail", "consignee_email"),
            ("Shipper", "shipper_name"),
            ("Descripción", "description_original"),
        ],
    )
    def test_a_text_longer_than_its_column_is_cut_and_reported(self, heading: str, field: str) -> None:
        headings, longest = ["HAWB", "RUT", "Peso", "Bultos", "Valor", heading], LONGEST[field]
        likely = {"consignee_phone": "9", "consignee_email": "ana@example.com"}
        for length, expected in ((longest, []), (longest + 1, [(3, field, f"{field}_truncated")])):
            text = likely.get(field, "").ljust(length, "9" if field == "consignee_phone" else "ñ")
            read_manifest = read(sheet(MAWB_LABEL, headings, ["H1", "12345678-5", 1, 1, 1, text]))
            assert warned(read_manifest) == expected
            assert getattr(read_manifest.guides[0], field) == text[:longest]

    def test_a_hawb_and_a_document_longer_than_their_columns_are_cut_and_reported(self) -> None:
        read_manifest = manifest(row("h" * 70, rut="9" * 40))
        guide = read_manifest.guides[0]
        assert (guide.hawb, guide.consignee_document) == ("H" * 64, "9" * 32)
        assert {code for _, _, code in warned(read_manifest)} == {
            "hawb_truncated",
            "consignee_document_truncated",
            "rut_invalid_format",
        }

    def test_nothing_invisible_passes(self) -> None:
        nasty = "A\x00B\x07 C\u202eD\ud800E\ufeff\r\nF\u2028G\u00a0H"
        read_manifest = manifest(row(name=nasty, address=nasty, description=nasty))
        guide = read_manifest.guides[0]
        assert guide.consignee_name == guide.consignee_address == guide.description_original == "AB CDE F G H"

    def test_identifiers_in_numeric_cells_keep_their_digits(self) -> None:
        headings = ["HAWB", "Nombre", "RUT", "Fono", "Código Postal", "HS Code", "Peso"]
        cells: list[Cell] = [900000000000001.0, "Ana", 123456785.0, 56912345678.0, 8320000.0, 640411.0, 1]
        guide = read(sheet(MAWB_LABEL, headings, cells)).guides[0]
        assert (guide.hawb, guide.consignee_document) == ("900000000000001", "12345678-5")
        assert (guide.consignee_phone, guide.consignee_postal_code) == ("56912345678", "8320000")
        assert guide.hs_code == "640411"


class TestSize:
    def test_one_guide_row_too_many_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(guide_rows, "MAX_GUIDES", 2)
        assert len(manifest(row("H1"), row("H2"), ["TOTAL", None, None, None, None, 2, 3]).guides) == 2
        with pytest.raises(ManifestTooLarge) as refusal:
            manifest(row("H1"), row("H2"), row("H2"))
        assert isinstance(refusal.value, ValidationFailed)
        assert list(refusal.value.details) == ["manifest_file"]

    def test_a_sheet_that_was_cut_is_refused(self) -> None:
        with pytest.raises(ManifestTooLarge):
            read(sheet(MAWB_LABEL, HEADINGS, row(), is_cut=True))

    def test_a_cut_sheet_without_guides_harms_nobody(self) -> None:
        assert read(sheet(MAWB_LABEL, HEADINGS, row()), sheet(["Notas"], name="Notas", is_cut=True)).guides


def test_messages_name_no_consignee() -> None:
    read_manifest = manifest(
        row("H1", "Ana Secreta", "12345678-9", address="Calle Secreta", weight="x", fob="1.234", hs="x"),
        row("H1", "Beto Secreto", "7654321-6"),
        row(None, "Caro Secreta"),
        row("Ejemplo", "Dora Secreta"),
    )
    messages = [*map(said, read_manifest.warnings), *map(said, read_manifest.notices)]
    assert len(messages) >= 6
    assert not [message for message in messages if "ecret" in message or "12345678" in message]
