"""Which column serves which field."""

import pytest

from shipments.manifests.cells import Cell
from shipments.manifests.manifest import GuideRow
from tests.shipments.manifests.made_sheets import ANA, BETO, FEW_HEADINGS, MAWB, Cells, read, sheet


def one(headings: Cells, *guides: Cells) -> GuideRow:
    """The first guide of a sheet with these headings."""
    return read(sheet(["MAWB", MAWB], headings, *guides)).guides[0]


class TestColumns:
    def test_gross_weight_wins_and_fob_wins_and_packages_win(self) -> None:
        guide = one(
            ["HAWB", "Consignatario", "RUT", "Peso Neto", "Peso Bruto", "Peso Volumétrico", "Peso", "Valor CIF",
             "Total", "Valor CLP", "Valor Declarado", "Valor FOB", "Precio Unitario", "Cantidad", "Bultos", "Unidades"],
            ["H1", "Ana", "12345678-5", 1, 2, 9, 4, 99, 55, 55000, 54, 10, 3, 7, 3, 70],
        )  # fmt: skip
        assert (str(guide.weight_kg), str(guide.fob_usd), guide.packages_count) == ("2.000", "10.00", 3)

    @pytest.mark.parametrize(
        ("headings", "values", "expected"),
        [
            (["Peso LB", "Peso KG"], [10, 4.5], ("4.500", None)),
            (["Peso KG", "Peso Bruto LB"], [4.5, 10], ("4.500", None)),  # the same weight
            (["Peso KG", "Peso Bruto LB"], [4.5, 12], (None, None)),  # not the same: asked
            (["Valor", "Valor USD"], [10_000, 12], (None, "12.00")),
            (["Valor FOB", "Valor declarado"], [None, 12], (None, "12.00")),
            (["Valor Total", "Valor Unitario"], [12, 3], (None, "12.00")),
        ],
    )
    def test_the_best_column_that_is_filled_serves(
        self, headings: list[str], values: list[Cell], expected: tuple[str | None, str | None]
    ) -> None:
        guide = one(["HAWB", "Consignatario", "RUT", "Descripción", *headings], [*ANA[:4], *values])
        assert tuple(None if value is None else str(value) for value in (guide.weight_kg, guide.fob_usd)) == expected

    @pytest.mark.parametrize(
        ("headings", "rows", "hawbs"),
        [
            (["MAWB", "AWB"], [[MAWB, "A1"], [MAWB, "A2"]], ["A1", "A2"]),
            (["AWB", "Tracking"], [[MAWB, "T1"], [MAWB, "T2"]], ["T1", "T2"]),
            (["AWB", "HAWB"], [[MAWB, "X1"]], ["X1"]),
            (["GUIA", "Tracking"], [["G1", "T1"], ["G2", "T2"]], ["G1", "G2"]),
            (["Tracking tienda", "Tracking nuevo"], [["S1", "T1"], ["S2", "T2"]], ["T1", "T2"]),
            (["HAWB", "Tracking"], [["SAME", "T1"], ["SAME", "T2"], ["SAME", "T3"]], ["T1", "T2", "T3"]),
            (["HAWB", "Tracking"], [[None, "T1"], [None, "T2"]], ["T1", "T2"]),
            (
                ["Local Tracking Provider", "Tracking Number"],
                [["DHL", "T1"], ["DHL", "T2"], ["DHL", "T3"]],
                ["T1", "T2", "T3"],
            ),
            (["N°", "Guía"], [[1, "G1"], [2, "G2"]], ["G1", "G2"]),
            (["AWB"], [["999-11112222"], ["999-11112233"]], ["999-11112222", "999-11112233"]),
        ],
    )
    def test_the_hawb_column_is_the_best_that_distinguishes_guides(
        self, headings: list[str], rows: list[list[Cell]], hawbs: list[str]
    ) -> None:
        people: list[list[Cell]] = [
            ["Ana", "12345678-5", "Ropa", 1, 2],
            ["Beto", "7654321-6", "Ropa", 1, 2],
            ["Caro", "9876543-3", "Ropa", 1, 2],
        ]
        manifest = read(
            sheet(
                ["MAWB", MAWB],
                [*headings, "Consignatario", "RUT", "Descripción", "Peso", "FOB"],
                *([*cells, *person] for cells, person in zip(rows, people, strict=False)),
            )
        )
        assert [guide.hawb for guide in manifest.guides] == hawbs
        assert manifest.mawb == MAWB

    def test_a_destination_that_is_not_a_place_by_itself_is_part_of_the_address(self) -> None:
        rows: list[Cells] = [[*ANA, "Av. Chile 12"], [*BETO, "SCL"]]
        manifest = read(sheet(["MAWB", MAWB], [*FEW_HEADINGS, "Destino"], *rows))
        assert [guide.consignee_address for guide in manifest.guides] == ["Av. Chile 12", ""]
        assert manifest.flight.destination_airport == "SCL"
        assert manifest.notices == ()
        beside = read(sheet(["MAWB", MAWB], [*FEW_HEADINGS, "Destino", "Dirección"], [*ANA, "Bodega 3", "Calle 1"]))
        assert beside.guides[0].consignee_address == "Calle 1, Bodega 3"
        coded = read(sheet(["MAWB", MAWB], [*FEW_HEADINGS, "Dest. mcía.", "Dirección"], [*ANA, "CL8439", "Calle 1"]))
        assert coded.guides[0].consignee_address == "Calle 1"

    def test_an_id_of_the_consignee_is_distinguished_from_a_number_of_the_row(self) -> None:
        assert one(["HAWB", "Nombre", "ID", "Peso", "Valor"], ["H1", "Ana", "12345678-5", 1, 2]).consignee_document
        manifest = read(
            sheet(["MAWB", MAWB], ["ID", "Nombre", "RUT", "Peso", "Valor"], ["Q-77", "Ana", "12345678-5", 1, 2])
        )
        assert manifest.guides[0].hawb == "Q-77"

    def test_people_by_their_names_and_companies_by_theirs(self) -> None:
        headings = ["HAWB", "RUT", "Nombre", "Apellido Paterno", "Apellido Materno", "Razón Social", "Peso"]
        manifest = read(
            sheet(
                ["MAWB", MAWB],
                headings,
                ["H1", "12345678-5", "Ana", "Rojas", "Soto", None, 1],
                ["H2", "76543210-3", None, None, None, "Comercial XYZ SpA", 1],
            )
        )
        assert [guide.consignee_name for guide in manifest.guides] == ["Ana Rojas Soto", "Comercial XYZ SpA"]

    @pytest.mark.parametrize(
        ("headings", "values", "name"),
        [
            (["Apellido", "Nombre"], ["Rojas", "Ana"], "Ana Rojas"),
            (["First Name", "Middle Name", "Last Name"], ["Ana", "M.", "Rojas"], "Ana M. Rojas"),
            (["Nombre Completo", "Nombres", "Apellidos"], ["Ana Rojas", "Ana", "Rojas"], "Ana Rojas"),
            (["Destinatario", "Cliente", "Contacto"], ["Ana Rojas", "Tienda X", "Beto"], "Ana Rojas"),
            (["Consignatario", "Nombre"], [None, "Ana Rojas"], "Ana Rojas"),
            (["Remitente", "Nombre"], ["Acme", "Ana Rojas"], "Ana Rojas"),
        ],
    )
    def test_the_name_is_put_together_from_what_there_is(
        self, headings: list[str], values: list[Cell], name: str
    ) -> None:
        guide = one(["HAWB", "RUT", "Peso", *headings], ["H1", "12345678-5", 1, *values])
        assert guide.consignee_name == name

    def test_a_product_value_is_beside_the_fob_or_for_it(self) -> None:
        both = one([*FEW_HEADINGS, "product_value"], [*ANA, 18])
        assert (str(both.fob_usd), str(both.product_value)) == ("20.00", "18.00")
        alone = one([*FEW_HEADINGS[:5], "product_value"], [*ANA[:5], 18])
        assert (str(alone.fob_usd), alone.product_value) == ("18.00", None)

    def test_columns_for_unit_and_currency_are_heeded_row_by_row(self) -> None:
        manifest = read(
            sheet(
                ["MAWB", MAWB],
                [*FEW_HEADINGS[:4], "Peso", "Unidad de peso", "Valor", "Moneda"],
                [*ANA[:4], 10, "LB", 20, "USD"],
                [*BETO[:4], 10, "KG", 9000, "CLP"],
            )
        )
        assert [str(guide.weight_kg) for guide in manifest.guides] == ["4.536", "10.000"]
        assert [str(guide.fob_usd) for guide in manifest.guides] == ["20.00", "None"]
        assert [(warning.row_index, warning.code) for warning in manifest.warnings] == [(4, "fob_usd_invalid")]

    @pytest.mark.parametrize(
        ("value", "origin", "departs"), [("MIA", "MIA", None), ("25/11/2026 10:00", "", "2026-11-25T10:00:00-03:00")]
    )
    def test_a_departure_is_a_place_or_a_time(self, value: str, origin: str, departs: str | None) -> None:
        flight = read(sheet(["MAWB", MAWB], [*FEW_HEADINGS, "Departure"], [*ANA, value], [*BETO, value])).flight
        at = flight.scheduled_departure
        assert (flight.origin_airport, at.isoformat() if at else None) == (origin, departs)
