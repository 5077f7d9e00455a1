"""Lists going out: every value as it is, nothing that a spreadsheet would run, nobody else's rows."""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st
from openpyxl import load_workbook

from base.admin import spreadsheets
from base.admin.spreadsheets import TooManyRows, Value, csv_chunks, xlsx_file
from shipments.admin.guides import EXPORT
from shipments.models import Guide
from tests.conftest import Caller
from tests.shipments.shipping import shipped

DANGEROUS = [
    "=1+1",
    "+56912345678",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\ttext",
    "\x00text",
    "\r=1",
    "  =1",
    "\n=1",
    "\uff1d1+1",
    "=cmd|' /C calc'!A0",
]
LINE_BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"]
HARMLESS = ["", "Ñandú", "a=b", "1-2", "x@y.cl", "'quoted'", "12.345.678-5"]


def on_one_line(text: str) -> str:
    """The text as the exports should have it, said in another way than theirs."""
    return " ".join(f"{text}|".splitlines())[:-1]


def parsed(chunks: Iterator[str], separator: str = ",") -> list[list[str]]:
    text = "".join(chunks)
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline=""), delimiter=separator))


class TestCsv:
    @pytest.mark.parametrize("text", DANGEROUS)
    def test_a_text_that_begins_like_a_formula_is_defused(self, text: str) -> None:
        ((_heading,), (cell,)) = parsed(csv_chunks(["h"], [[text]]))
        assert cell.startswith("'")
        assert cell.replace("'", "") == on_one_line(text).replace("'", "")

    @pytest.mark.parametrize("line_break", LINE_BREAKS)
    @pytest.mark.parametrize("separator", [",", ";"])
    def test_a_line_break_inside_a_text_becomes_a_blank_and_begins_no_line(
        self, line_break: str, separator: str
    ) -> None:
        text = f"Santiago{line_break}=HYPERLINK(1)"
        header, *lines = "".join(csv_chunks([f"a{line_break}b"], [[text]], separator=separator)).splitlines()
        assert (header, lines) == ("\ufeffa b", ["Santiago =HYPERLINK(1)"])

    @pytest.mark.parametrize("text", ["Casa 4\n+56 9 1234 5678", "Saldo\n-1.500", "Ana\r\n@ana"])
    def test_a_phone_or_an_amount_below_a_line_break_is_not_mangled(self, text: str) -> None:
        assert parsed(csv_chunks(["h"], [[text]]))[1] == [on_one_line(text)]

    @pytest.mark.parametrize("text", HARMLESS)
    def test_any_other_text_stays_as_it_is(self, text: str) -> None:
        assert parsed(csv_chunks(["h", "i"], [[text, "x"]])) == [["h", "i"], [text, "x"]]

    @given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5), st.sampled_from([",", ";"]))
    def test_no_cell_ever_begins_like_a_formula_and_no_text_is_lost(
        self, rows: list[list[str]], separator: str
    ) -> None:
        _header, *read = parsed(csv_chunks(["a", "b"], rows, separator=separator), separator)
        without_ours = [[cell.replace("'", "") for cell in row] for row in read]
        assert without_ours == [[on_one_line(text).replace("'", "") for text in row] for row in rows]
        assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for row in read for cell in row)

    @pytest.mark.parametrize(("ours", "theirs"), [(",", ";"), (";", ","), (",", "\t")])
    @pytest.mark.parametrize("between", ["", " ", '"', '""\n '])
    def test_a_spreadsheet_that_cuts_at_another_separator_finds_no_formula_either(
        self, ours: str, theirs: str, between: str
    ) -> None:
        line = "".join(csv_chunks(["h"], [[f"Ana{theirs}{between}=HYPERLINK(1)"]], separator=ours))
        assert not any(piece.strip(' "\r\n').startswith("=") for piece in line.split(theirs))
        assert f"{on_one_line(between).replace(chr(34), chr(34) * 2)}'=HYPERLINK(1)" in line

    @pytest.mark.parametrize("text", [*DANGEROUS, "\rtext", "\ntext", "'s-Gravenstraat 1", "'=1"])
    @pytest.mark.parametrize("separator", [",", ";"])
    def test_an_exact_cell_that_begins_like_a_formula_has_one_apostrophe_more(self, text: str, separator: str) -> None:
        chunks = csv_chunks([text], [[text, "x"]], separator=separator, is_exact=True)
        assert parsed(chunks, separator) == [[f"'{text}"], [f"'{text}", "x"]]

    @pytest.mark.parametrize("text", ["Calle 1\n=2", "Av. Perú 1; =2", "a,\t+56 9", 'x"\r\n@ana', " a", *HARMLESS[:4]])
    @pytest.mark.parametrize("separator", [",", ";"])
    def test_nothing_else_of_an_exact_text_changes(self, text: str, separator: str) -> None:
        chunks = csv_chunks(["h", "i"], [[text, "x"]], separator=separator, is_exact=True)
        assert parsed(chunks, separator)[1] == [text, "x"]

    @given(st.text(), st.sampled_from([",", ";"]))
    def test_an_exact_text_is_the_same_without_one_leading_apostrophe(self, text: str, separator: str) -> None:
        ((_heading, _other), (cell, _same)) = parsed(
            csv_chunks(["h", "i"], [[text, "x"]], separator=separator, is_exact=True), separator
        )
        assert cell.removeprefix("'") == text
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))

    def test_a_separator_before_anything_else_is_left_alone(self) -> None:
        text = "Av. Perú 1, depto. 2; fondo - casa"
        assert parsed(csv_chunks(["h"], [[text]])) == [["h"], [text]]
        assert parsed(csv_chunks(["h"], [[text]], separator=";"), ";") == [["h"], [text]]

    def test_numbers_are_written_as_the_country_of_the_separator_reads_them(self) -> None:
        values: list[Value] = [Decimal("1.500"), 2.5, 3, "1.500"]
        assert parsed(csv_chunks(["h"], [values], separator=";"), ";")[1] == ["1,500", "2,5", "3", "1.500"]
        assert parsed(csv_chunks(["h"], [values]))[1] == ["1.500", "2.5", "3", "1.500"]

    def test_other_values_are_plain(self) -> None:
        moment = datetime(2026, 11, 20, 14, 30, tzinfo=timezone(timedelta(hours=-3)))
        values: list[Value] = [None, True, 3, Decimal("-1.50"), date(2026, 11, 20), moment]
        assert parsed(csv_chunks(["x"], [values]))[1] == [
            "",
            "true",
            "3",
            "-1.50",
            "2026-11-20",
            "2026-11-20T17:30:00Z",
        ]

    def test_rows_leave_as_they_come(self) -> None:
        def rows() -> Iterator[list[Value]]:
            yield ["first"]
            pytest.fail("the second row was asked for before the first had left")

        chunks = csv_chunks(["h"], rows())
        assert [next(chunks), next(chunks)] == ["\ufeffh\r\n", "first\r\n"]


class TestXlsx:
    @pytest.mark.parametrize("text", [*DANGEROUS, *HARMLESS[1:], "#N/A"])
    def test_every_text_is_typed_as_text_and_kept(self, text: str) -> None:
        with xlsx_file(["h"], [[text]], title="Guides") as file:
            cell = load_workbook(file).worksheets[0]["A2"]
        assert (cell.value, cell.data_type) == (on_one_line(text).replace("\x00", ""), "s")
        assert cell.quotePrefix is (text not in [*HARMLESS, "\x00text"])

    @pytest.mark.parametrize("line_break", LINE_BREAKS)
    def test_a_line_break_becomes_a_blank_here_too_for_whoever_saves_it_as_csv(self, line_break: str) -> None:
        with xlsx_file(["h"], [[f"Santiago{line_break}=1"]], title="Guides") as file:
            assert load_workbook(file).worksheets[0]["A2"].value == "Santiago =1"

    def test_what_xml_cannot_hold_is_left_out(self) -> None:
        with xlsx_file(["h"], [["a\x00b\x08c\ud800d"]], title="Guides") as file:
            assert load_workbook(file).worksheets[0]["A2"].value == "abcd"

    def test_other_values_keep_their_types(self) -> None:
        moment = datetime(2026, 11, 20, 14, 30, tzinfo=timezone(timedelta(hours=-3)))
        with xlsx_file(["h"], [[None, True, 3, Decimal("1.5"), moment]], title="x" * 40) as file:
            sheet = load_workbook(file).worksheets[0]
        assert [cell.value for cell in sheet[2]] == [None, True, 3, 1.5, moment.astimezone(UTC).replace(tzinfo=None)]

    def test_too_many_rows_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(spreadsheets, "MAX_SHEET_ROWS", 3)
        with xlsx_file(["h"], [["1"], ["2"]], title="x"):
            pass
        with pytest.raises(TooManyRows):
            xlsx_file(["h"], [["1"], ["2"], ["3"]], title="x")


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\0"])
def test_what_asvs_names_gets_an_apostrophe_as_the_first_character_of_a_field(first: str) -> None:
    """V1.2.10, and RFC 4180 (2.6, 2.7): a field with a quote or a separator is quoted, a quote is doubled."""
    line = "".join(csv_chunks(["h"], [[f'{first}a"b,c']])).removeprefix("\ufeffh\r\n")
    assert line == f'"\'{first}a""b,c"\r\n'


@pytest.mark.django_db
class TestGuideLists:
    def test_hold_the_guides_that_were_asked_for_and_no_others(self, acme: Caller, rival: Caller) -> None:
        manifest = shipped(acme.company, 2, consignee_name="=Evil()", weight_kg=Decimal("1.5"))
        shipped(rival.company)
        header, *rows = parsed(csv_chunks(EXPORT.headings, EXPORT.rows(Guide.objects.of(acme.company).order_by("id"))))
        listed = [dict(zip(header, row, strict=True)) for row in rows]
        assert [(row["client_code"], row["mawb"], row["hawb"]) for row in listed] == [
            ("ACME", manifest.mawb, "H001"),
            ("ACME", manifest.mawb, "H002"),
        ]
        assert (listed[0]["consignee_name"], listed[0]["weight_kg"], listed[0]["fob_usd"]) == ("'=Evil()", "1.500", "")

    def test_cost_one_query_however_long(self, acme: Caller, django_assert_num_queries: Any) -> None:
        shipped(acme.company, 50)
        with django_assert_num_queries(1):
            assert len(list(EXPORT.rows(Guide.objects.all()))) == 50
