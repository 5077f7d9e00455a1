"""Samples kept as tests: nothing of a person is left, and everything that decides how they are read is."""

import json
from datetime import datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipments.errors import MawbNotFoundInFile
from shipments.manifests.cells import Cell, Sheet, Workbook
from shipments.manifests.mapped.kept_grid import outcome
from shipments.manifests.mapped.scrubbing import scrub as scrubbing
from shipments.manifests.mapped.scrubbing.scrub import KeptTest, scrub
from shipments.manifests.mapped.spec import MAX_TEST_BYTES, MAX_TEST_ROWS, FormatSpec
from tests.shipments.manifests.made_sheets import MAWB_LABEL, Cells, sheet
from tests.shipments.manifests.mapped.mapping import HEADINGS, read, spec

RUC, OTHER_RUC, DNI = "20601234565", "10456789120", "45678912"
MORE = ("Dirección", "Fono", "Correo", "Celular")
FORM = spec(
    {"heading": "Dirección", "field": "consignee_address"},
    {"heading": "Fono", "field": "consignee_phone"},
    {"heading": "Correo", "field": "consignee_email"},
    {"heading": "Celular", "field": None},
)


def guide(number: int, document: Cell = DNI, weight: Cell = 1.5, fob: Cell = 20, **changes: Cell) -> list[Cell]:
    row: dict[str, Cell] = {
        "hawb": f"ACM{number:05d}", "name": f"Rosa Quispe {'ABCDEFGHIJ'[number % 10]}", "document": document,
        "goods": f"Zapatillas {number}", "weight": weight, "fob": fob, "address": f"Jirón Unión {number}, Miraflores",
        "phone": f"+51 987 654 {number:03d}", "mail": f"rosa.quispe{number}@correo.pe", "mobile": 987_000_000 + number,
    }  # fmt: skip
    return [*(row | changes).values()]


def sample(*rows: Cells, above: tuple[Cells, ...] = (), below: tuple[Cells, ...] = ()) -> Sheet:
    return sheet(MAWB_LABEL, *above, (*HEADINGS, *MORE), *rows, *below)


def kept(*sheets: Sheet, by: FormatSpec = FORM) -> KeptTest:
    found = scrub(by, Workbook(sheets), rng=Random(7))  # noqa: S311  # the same values in each run
    assert found is not None
    assert found.expected == json.loads(json.dumps(outcome(by, json.loads(json.dumps(found.grid)))))
    return found


def findings(sheets: Sheet, by: FormatSpec = FORM) -> Any:
    """What must be equal: each guide's kind, and each finding with its row. Texts are kept in their right encoding."""
    parsed = read(sheets, by=by)
    return (
        [(each.row_index, each.consignee_document_type, each.category, each.review_reasons) for each in parsed.guides],
        [(each.row_index, each.field, each.code) for each in parsed.warnings],
        [(each.code, each.row_index) for each in parsed.notices if each.code != "text_encoding_repaired"],
        parsed.rows and (parsed.rows.guides, parsed.rows.products, parsed.rows.totals, parsed.rows.left_out),
    )


def scrubbed_findings(test: KeptTest, by: FormatSpec = FORM) -> Any:
    return findings(sheet(*test.grid), by)


MANY: list[list[Cell]] = [
    guide(1, RUC), guide(2, "45.678.912"), guide(3, "20601234560"), guide(4, None),
    guide(5, 45678912, "1,5", "2.500,50"), guide(6, OTHER_RUC, 2, 1500), guide(7, DNI, "dos kilos", 30),
    guide(8, DNI, 3, None),
    guide(9, "CE 001234567"), guide(9, DNI, 1, 10), [None, None, None, "Segundo producto", 1, 5],
    guide(10, OTHER_RUC, 4, 900), guide(11, OTHER_RUC, 4, 1900),
]  # fmt: skip


class TestAScrubbedSample:
    def test_has_no_value_of_a_person_and_the_same_findings(self) -> None:
        above = (("Preparado por: Juan Pérez", "", "Celular", 987654321), ("Vuelo", "LA2501", "Llega", "12/11/2026"))
        below = (("TOTAL", "", "", "", 20.5, 100), ("Recibido por María Condori, DNI 41234567",))
        book = sample(*MANY, above=above, below=below)
        test = kept(book)
        text = json.dumps([test.grid, test.expected], ensure_ascii=False)
        marked = [
            "Rosa", "Quispe", "Juan", "Pérez", "María", "Condori", "Zapatillas", "Miraflores", "correo.pe", "ACM0",
            "987", "41234567", "0123", "45678912", "45.678", "0601234", "0456789", "12345675",
        ]  # fmt: skip
        assert [mark for mark in marked if mark in text] == []
        assert (test.left_out, scrubbed_findings(test)) == (0, findings(book))

    def test_keeps_structure_headings_labels_flights_and_kinds_of_rows(self) -> None:
        above = (("Vuelo", "LA2501", "Destino", "Lima"), ("Peso total en KG:", 20.5))
        test = kept(sample(*MANY, above=above, below=(("TOTAL", None, None, None, 20.5, 100),)))
        assert test.grid[0][0] == "MAWB"
        assert test.grid[1] == ["Vuelo", "LA2501", "Destino", "Lima"]
        assert test.grid[2] == ["Peso total en KG:", 20.5]
        assert test.grid[3] == [*HEADINGS, *MORE]
        assert test.grid[-1][0] == "TOTAL"
        assert len(test.grid) == 4 + len(MANY) + 1

    def test_keeps_numbers_typed_as_text_as_text(self) -> None:
        rows = [guide(number, weight=f"{number},5", fob=20 + number) for number in range(1, 9)]
        test = kept(sample(*rows))
        weights: list[Any] = [row[4] for row in test.grid[2:]]
        assert sorted(weights) == sorted(str(row[4]) for row in rows)
        assert weights != [row[4] for row in rows]
        assert sorted(row[5] for row in test.grid[2:]) == list(range(21, 29))

    def test_gives_equal_values_equal_replacements(self) -> None:
        test = kept(sample(guide(1, RUC), guide(2, DNI), guide(3, RUC)))
        documents = [row[2] for row in test.grid[2:]]
        assert documents[0] == documents[2] != documents[1]
        assert len({row[0] for row in test.grid[2:]}) == 3

    def test_replaces_the_mawb_wherever_it_is(self) -> None:
        book = sample(guide(1, name="Rosa 045 1234 5675"), above=(("AWB 045/12345675", 4512345675),))
        text = json.dumps(kept(book).grid)
        assert "1234567" not in text.replace(" ", "")

    def test_keeps_a_rut_of_two_columns_valid(self) -> None:
        form = spec({"heading": "DV", "field": "check_digit"}, country="CL")
        rows: list[Cells] = [
            ("A1", "Ana Rojas", "12.345.678", "Ropa", 1.5, 20, "5"),
            ("A2", "Beto", 7654321, "Libro", 2, 30, 6),
        ]
        test = kept(sheet(MAWB_LABEL, (*HEADINGS, "DV"), *rows), by=form)
        assert test.expected["warnings"] == []
        assert {guide["consignee_document_type"] for guide in test.expected["guides"]} == {"RUT"}
        assert "12.345" not in json.dumps(test.grid)

    def test_keeps_codes_and_marks_for_nothing(self) -> None:
        form = spec(
            {"heading": "Tipo", "field": "consignee_document_type", "values": {"6": "RUC", "1": "DNI"}},
            {"heading": "Fono", "field": "consignee_phone", "empty": ["S/N"]},
        )
        test = kept(sheet(MAWB_LABEL, (*HEADINGS, "Tipo", "Fono"), ("A1", "Ana", RUC, "Ropa", 1, 2, 6, "S/N")), by=form)
        assert test.grid[2][6:] == [6, "S/N"]

    def test_keeps_dates_of_the_flight_and_moves_others(self) -> None:
        form = spec({"heading": "Llegada", "field": "scheduled_arrival"}, {"heading": "Nacido", "field": None})
        moments = (datetime(2026, 11, 3, 8), datetime(1980, 5, 17))  # noqa: DTZ001  # as cells have them
        test = kept(
            sheet(MAWB_LABEL, (*HEADINGS, "Llegada", "Nacido"), ("A1", "Ana", RUC, "Ropa", 1, 2, *moments)), by=form
        )
        assert test.grid[2][6] == {"datetime": "2026-11-03T08:00:00"}
        assert test.grid[2][7]["datetime"] != "1980-05-17T00:00:00"

    def test_takes_the_mawb_from_another_sheet(self) -> None:
        cover = sheet(("MAWB", "045-12345675"), name="Portada")
        data = sheet((*HEADINGS, *MORE), guide(1), guide(2), name="Detalle")
        test = kept(cover, data)
        assert test.grid[0][0] == "MAWB"
        assert len(test.expected["guides"]) == 2

    def test_is_kept_without_merged_cells(self) -> None:
        rows: list[Cells] = [guide(1), [None, None, None, "Medias", 1, 5], guide(2)]
        book = sheet(MAWB_LABEL, (*HEADINGS, *MORE), *rows, merged=[(3, 0, 4, 0), (3, 1, 4, 1), (3, 2, 4, 2)])
        test = kept(book)
        assert test.grid[3][:3] == test.grid[2][:3]
        assert len(test.expected["guides"]) == 2

    def test_has_at_most_two_hundred_rows_and_256_kilobytes(self) -> None:
        test = kept(sample(*(guide(number) for number in range(1, 300))))
        assert len(test.grid) == MAX_TEST_ROWS
        wide = kept(sample(*(guide(number, goods="x" * 1900) for number in range(1, 200))))
        assert len(json.dumps(wide.as_json("")).encode()) <= MAX_TEST_BYTES
        assert len(wide.grid) > 20

    def test_leaves_out_a_row_whose_findings_never_come_out_equal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        draws = 0

        def invalid(text: str, *_: Any) -> str:
            nonlocal draws
            draws += text == RUC
            return "1"

        monkeypatch.setattr("shipments.manifests.mapped.scrubbing.scrubbed_grid.redrawn_document", invalid)
        test = kept(sample(guide(1, None), guide(2, RUC), guide(3, None)))
        assert (test.left_out, draws) == (1, scrubbing.MOST_DRAWS)
        assert [row["row_index"] for row in test.expected["guides"]] == [3, 5]

    def test_keeps_the_labels_that_only_the_format_knows(self) -> None:
        form = spec(
            mawb={"label": "Papel grande"}, destination={"label": "Baja en"},
            flight={"scheduled_departure": {"label": "Zarpa"}, "origin": {"label": "Viene de"}},
        )  # fmt: skip
        above: tuple[Cells, ...] = (
            ("PAPEL GRANDE", "045-12345675"), ("Baja en: LIM", None, "zarpa", "25/11/2026 23:40"),
            ("Viene de", "MIA", "Firma: Juan Pérez"),
        )  # fmt: skip
        row: Cells = ("A1", "Ana Rojas", RUC, "Ropa", 1.5, 20)
        test = kept(sheet(*above, HEADINGS, row), by=form)
        assert [line[0] for line in test.grid[:3]] == ["PAPEL GRANDE", "Baja en: LIM", "Viene de"]
        assert sorted(test.expected["flight"]) == ["destination_airport", "origin_airport", "scheduled_departure"]
        assert not {"Juan", "Pérez", "12345675"} & set(json.dumps(test.grid, ensure_ascii=False).split())

    @pytest.mark.parametrize("seed", range(8))
    def test_keeps_what_the_law_says_about_the_guides_of_one_consignee(self, seed: int) -> None:
        rng = Random(seed)  # noqa: S311  # the same samples in each run
        documents = [DNI, RUC, OTHER_RUC, "41234567"]
        rows = [
            guide(number, documents[number % 4], fob=rng.choice([20, 45.5, 110, 150, 199, 640])) for number in range(14)
        ]
        book = sample(*rows)
        test = scrub(FORM, Workbook((book,)), rng=rng)
        assert test is not None
        assert (test.left_out, scrubbed_findings(test)) == (0, findings(book))

    def test_keeps_a_consignee_whose_document_has_an_unknown_type_in_one_row(self) -> None:
        form = spec({"heading": "Tipo", "field": "consignee_document_type", "values": {"1": "DNI", "6": "RUC"}})
        types: list[Cell] = [1, "B", 6, 0, 1, "OTRO", 6]
        documents = [DNI, DNI, RUC, RUC, "41234567", "AB123456", "20601234560"]
        rows: list[Cells] = [
            (f"A{number}", "Ana Rojas", document, "Ropa", 1.5, 150 + number, kind)
            for number, (document, kind) in enumerate(zip(documents, types, strict=True))
        ]
        book = sheet(MAWB_LABEL, (*HEADINGS, "Tipo"), *rows)
        for seed in range(8):
            test = scrub(form, Workbook((book,)), rng=Random(seed))  # noqa: S311  # as above
            assert test is not None
            assert (test.left_out, scrubbed_findings(test, form)) == (0, findings(book, form))

    def test_keeps_a_rows_own_numbers_if_others_change_how_it_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scrubbing, "_kinds", lambda *_: {})  # as if rows of any findings exchanged their numbers
        rows = [guide(number, fob=fob) for number, fob in enumerate([20, 640, 2500, 12_000], start=1)]
        book = sample(*rows)
        test = kept(book)
        assert (test.left_out, scrubbed_findings(test)) == (0, findings(book))

    def test_of_another_format_is_none(self) -> None:
        assert scrub(FORM, Workbook((sheet(MAWB_LABEL, ("A", "B", "C"), ("1", "2", "3")),))) is None

    def test_without_a_mawb_is_refused_as_its_upload_would_be(self) -> None:
        with pytest.raises(MawbNotFoundInFile):
            scrub(FORM, Workbook((sheet((*HEADINGS, *MORE), guide(1)),)))

    def test_is_drawn_anew_each_time(self) -> None:
        book = Workbook((sample(*MANY),))
        first, second = scrub(FORM, book), scrub(FORM, book)
        assert first is not None
        assert second is not None
        assert first.grid != second.grid


NAMES = st.text("ABCDEFGHIJKLMNÑOPQRSTUVWXYZÁÉÍÓÚabcdefghijklmnñopqrstuvwxyzáéíóú' ", min_size=6, max_size=30)
DOCUMENTS = st.one_of(
    st.sampled_from([RUC, OTHER_RUC, int(RUC), "10-45678912-0", "", None]),
    st.from_regex(r"[0-9]{8}", fullmatch=True),
    st.from_regex(r"[0-9]{11}", fullmatch=True),
    st.from_regex(r"[A-Z]{2}[0-9]{6,8}", fullmatch=True),
)
NUMBERS = st.one_of(
    st.decimals(0, 5000, places=2).map(float), st.sampled_from(["1,5", "2.500,50", "0.35", "uno", None, 0, -3])
)
ROWS = st.lists(st.tuples(NAMES, DOCUMENTS, NUMBERS, NUMBERS), min_size=1, max_size=12)


@given(ROWS, st.integers(0, 99))
def test_no_sample_leaves_a_name_or_a_document_behind(rows: Any, seed: int) -> None:
    guides = [
        guide(position, document, weight, fob, name=name)
        for position, (name, document, weight, fob) in enumerate(rows, start=100)
    ]
    book = sample(*guides)
    test = scrub(FORM, Workbook((book,)), rng=Random(seed))  # noqa: S311  # as above
    if test is None:
        return  # nothing is kept
    values = [list(guide.values()) for guide in test.expected["guides"]]
    text = json.dumps([test.grid[2:], values], ensure_ascii=False).upper()  # a name may be a word of a heading or a key
    for name, document, *_ in rows:
        assert name.strip().upper() not in text or len(name.strip()) < 4
        assert document is None or len(str(document)) < 6 or f'"{document}"' not in text
    for number in range(100, 100 + len(rows)):
        assert f"JIRÓN UNIÓN {number}" not in text
        assert f"987 654 {number}" not in text
        assert str(987_000_000 + number) not in text
    if not test.left_out:
        assert scrubbed_findings(test) == findings(book)
