"""Files of events: whatever program saved them and whatever they call their columns, or a plain word why not."""

import csv
import io
import tempfile
from contextlib import suppress
from datetime import datetime, time
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given, strategies as st

from shipments.errors import EventFileUnreadable
from shipments.tracking.event_files import event_rows, reading
from shipments.tracking.event_files.event_rows import BadRow, EventRow
from shipments.tracking.event_files.reading import read_event_file
from tests.shipments.tracking.event_files.rows import CODE, HEADER, good, workbook


class TestTextFiles:
    @pytest.mark.parametrize(
        ("encoding", "separator", "newline"),
        [
            *(("utf-8", separator, "\n") for separator in (",", ";", "\t", "|")),
            *((encoding, ";", "\r\n") for encoding in ("utf-8-sig", "latin-1", "utf-16")),
        ],
    )
    def test_are_read_as_any_program_saves_them(self, write: Any, encoding: str, separator: str, newline: str) -> None:
        lines = [
            "Código de seguimiento,Estado,Fecha y hora,Fuente,Motivo",
            f"{CODE},Entregado,20/11/2026 14:30,,Recibió: Ñandú",
        ]
        text = newline.join(line.replace(",", separator) for line in lines)
        (row,) = good(write(text, encoding))
        assert (row.row, row.tracking_code, row.reported.status, row.reported.internal_note) == (
            2,
            CODE,
            "delivered",
            "Recibió: Ñandú",
        )
        assert row.reported.occurred_at == datetime(2026, 11, 20, 14, 30)  # noqa: DTZ001  # local time: the file gives no offset

    def test_may_quote_their_values_and_begin_with_what_excel_writes(self, write: Any) -> None:
        content = f'sep=;\r\n"tracking_code";"status";"reason"\r\n"{CODE}";"on_hold";"said ""no"";\r\ncame back"\r\n'
        (row,) = good(write(content))
        assert (row.row, row.reported.internal_note) == (3, 'said "no"; came back')

    def test_may_have_lines_above_their_header_and_gaps_below(self, write: Any) -> None:
        content = f"Reporte diario,,\n\n{HEADER}\n\n{CODE},lost,,,\n,,,,\n{CODE},4,,,\n"
        assert [(row.row, row.reported.status) for row in good(write(content))] == [(5, "lost"), (7, "in_transit")]

    def test_break_off_where_a_quote_is_not_closed(self, write: Any) -> None:
        with pytest.raises(EventFileUnreadable, match="Line 4 of the file cannot be read"):
            write(f'{HEADER}\n{CODE},lost,,,\n{CODE},lost,,,"no end\n{CODE},lost,,,\n')


class TestWorkbooks:
    def test_are_read_with_their_own_dates_and_numbers(self, write: Any) -> None:
        moment = datetime(2026, 11, 20, 14, 30)  # noqa: DTZ001  # spreadsheets know no offsets
        rows = good(
            write(
                workbook(
                    ["MAWB", "Guía hija", "Estado", "Fecha", "Hora", "Fuente"],
                    [4512345675, 1234567, 3, moment, None, "Aduana"],
                    ["045-12345675", "h1", "customs released", "20/11/2026", time(14, 30), "customs"],
                )
            )
        )
        for row in rows:
            assert (row.mawb, row.reported.status, row.reported.source) == (
                "045-12345675",
                "customs_released",
                "customs",
            )
            assert row.reported.occurred_at == moment
        assert [row.hawb for row in rows] == ["1234567", "H1"]
        assert rows[1].guide == "045-12345675 H1"

    def test_may_have_other_sheets_beside_the_events(self, write: Any) -> None:
        events = [["tracking_code", "status"], [CODE, "lost"]]
        (row,) = good(write(workbook(sheets={"Resumen": [["Estado", "Notas"], ["x", "y"]], "Eventos": events})))
        assert row.reported.status == "lost"

    def test_with_events_on_two_sheets_are_not_read_by_half(self, write: Any) -> None:
        events = [["tracking_code", "status"], [CODE, "lost"]]
        with pytest.raises(EventFileUnreadable, match=r"Several sheets have events \(Lunes, Martes\)"):
            write(workbook(sheets={"Lunes": events, "Martes": events}))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "No header row was found"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "neither CSV nor XLSX"),
        (b"%PDF-1.7\n", "neither CSV nor XLSX"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old .xls workbook or has a password"),
        (b"tracking_code,occurred_at\nX,2026-11-20T10:00Z", "No header row was found"),
        (b"mawb,status\n045-12345675,lost", "mawb and hawb, are missing"),
        (workbook(["a", "b"], [1, 2]), "No header row was found"),
        (workbook(["HAWB", "Estado"], ["H1", "lost"]), "mawb and hawb, are missing"),
    ],
)
def test_a_file_with_nothing_to_go_on_with_is_refused_whole(write: Any, content: bytes, complaint: str) -> None:
    with pytest.raises(EventFileUnreadable, match=complaint):
        write(content)


BREAKS = 19 * 1024 * 1024


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"\n" * BREAKS, "more than 1048576 lines"),
        (b"\r" * BREAKS, "more than 1048576 lines"),
        (b"\r\n" * (BREAKS // 2), "more than 1048576 lines"),
        (b"\xff\xfe" + b"\n\0" * (BREAKS // 2), "more than 1048576 lines"),
        (b"," * BREAKS, "neither CSV nor XLSX"),
    ],
)
def test_a_file_of_line_breaks_is_refused_before_its_lines_are_read(
    write: Any, monkeypatch: pytest.MonkeyPatch, content: bytes, complaint: str
) -> None:
    monkeypatch.delattr(csv, "reader")
    with pytest.raises(EventFileUnreadable, match=complaint):
        write(content)


def test_brackets_that_are_never_closed_do_not_keep_the_reader_busy(write: Any) -> None:
    """Read by the square of their number, these would take minutes: the test would time out."""
    with pytest.raises(EventFileUnreadable):
        read_event_file(write(b"[" * 120_000))


def test_as_many_empty_lines_as_a_spreadsheet_has_rows_hide_no_event(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_LINES", 50)
    (row,) = good(write(f"{HEADER}\n" + "\n" * 48 + f"{CODE},lost,,,\n"))
    assert row.row == 50
    with pytest.raises(EventFileUnreadable, match="more than 50 lines"):
        write(f"{HEADER}\n" + "\n" * 49 + f"{CODE},lost,,,\n")


def test_a_heading_is_looked_for_near_the_top_alone(write: Any) -> None:
    assert len(write("\n" * 900 + f"{HEADER}\n{CODE},lost,,,\n")) == 1
    with pytest.raises(EventFileUnreadable, match="No header row"):
        write("\n" * 1000 + f"{HEADER}\n{CODE},lost,,,\n")


def test_a_workbook_with_a_cell_of_line_breaks_is_an_empty_row(write: Any) -> None:
    package = BytesIO(workbook(HEADER.split(","), ["\n"]))
    with ZipFile(package) as original:
        parts = {name: original.read(name) for name in original.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b"<sheetData>", b"<sheetData>" + b"\n" * BREAKS)
    with ZipFile(package := BytesIO(), "w", ZIP_DEFLATED) as changed:
        for name, part in parts.items():
            changed.writestr(name, part)
    assert write(package.getvalue()) == []


def test_too_long_a_file_is_refused_whole(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_rows, "MAX_ROWS", 3)
    content = "tracking_code,status\n" + f"{CODE},lost\n" * 3
    assert len(write(content)) == 3
    with pytest.raises(EventFileUnreadable, match="more than 3 rows"):
        write(content + f"{CODE},lost\n")
    for of_no_event in ("tracking_code,status\n", "Total,\n"):  # counted too: reading them takes as long
        with pytest.raises(EventFileUnreadable, match="more than 3 rows"):
            write("tracking_code,status\n" + of_no_event * 5)
    monkeypatch.setattr(reading, "MAX_BYTES", 20)
    with pytest.raises(EventFileUnreadable, match="larger than"):
        write(content)


class TestAnything:
    """Whatever comes, there are rows, good or bad, or one plain refusal."""

    @staticmethod
    def read(content: bytes) -> list[EventRow | BadRow]:
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            return list(read_event_file(Path(file.name)).rows)

    @given(st.binary(max_size=400))
    def test_any_bytes(self, content: bytes) -> None:
        with suppress(EventFileUnreadable):
            self.read(content)

    @given(st.lists(st.lists(st.text(max_size=20), min_size=1, max_size=6), max_size=6), st.sampled_from(",;\t|"))
    def test_any_rows_under_a_header(self, rows: list[list[str]], separator: str) -> None:
        output = io.StringIO()
        csv.writer(output, delimiter=separator).writerows([HEADER.split(","), *rows])
        with suppress(EventFileUnreadable):
            read = self.read(output.getvalue().encode("utf-8", "replace"))
            assert [row.row for row in read] == sorted({row.row for row in read})
            assert all(row.problem for row in read if isinstance(row, BadRow))
