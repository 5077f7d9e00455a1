"""Headings of event files as programs and people write them, and the rows in between that are not events."""

from datetime import UTC, date, datetime, time
from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook

from shipments.errors import EventFileUnreadable
from shipments.tracking.event_files.event_rows import EventRow
from tests.shipments.tracking.event_files.rows import CODE, good


@pytest.fixture
def read(write: Any) -> Any:
    """The events of a CSV's lines, all of which must be good."""
    return lambda *lines: good(write("\n".join(lines)))


def moment_of(row: EventRow) -> datetime:
    assert row.reported.occurred_at is not None
    return row.reported.occurred_at


@pytest.mark.parametrize(
    "heading",
    [
        "N° Tracking;Estado del envío;Fecha y hora del evento;Nota",
        "TRACKING No.;Último estado;Fecha último estado;Notes",
        "Tracking ID;Current status;Event time;Remarks",
        "Código de seguimiento *;Estado actual;Fecha (dd/mm/aaaa hh:mm);Observación",
        "N° Guía;Estado;Fecha y hora (local);Glosa",
        "Guía;Descripción del evento;Hora;Motivo",
    ],
)
def test_headings_are_understood_as_people_write_them(read: Any, heading: str) -> None:
    (row,) = read(heading, f"{CODE};Entregado;20/11/2026 14:30;Conserje")
    assert (row.tracking_code, row.reported.status, row.reported.internal_note) == (CODE, "delivered", "Conserje")
    assert moment_of(row) == datetime(2026, 11, 20, 14, 30)  # noqa: DTZ001  # local time


@pytest.mark.parametrize(
    ("heading", "line", "named"),
    [
        ("MAWB;Guía;Estado", "045-12345675;h1;lost", ("045-12345675", "H1", "")),
        ("AWB;HAWB;Estado", "045-12345675;h1;lost", ("045-12345675", "H1", "")),
        ("Guía;MAWB;HAWB;Estado", "x;045-12345675;h1;lost", ("045-12345675", "H1", "")),
        ("Guía;Estado", f"{CODE};lost", ("", "", CODE)),
    ],
)
def test_what_a_guide_is_called_depends_on_the_columns_beside_it(
    read: Any, heading: str, line: str, named: tuple[str, str, str]
) -> None:
    (row,) = read(heading, line)
    assert (row.mawb, row.hawb, row.tracking_code) == named


@pytest.mark.parametrize(
    ("heading", "hour"),
    [("Fecha (UTC)", 14), ("Timestamp GMT", 14), ("Fecha y hora UTC-3", 17), ("Fecha UTC-03:30", 18)],
)
def test_a_heading_may_say_by_which_clock_its_times_go(read: Any, heading: str, hour: int) -> None:
    rows = read(f"tracking;estado;{heading}", f"{CODE};lost;20/11/2026 14:00", f"{CODE};lost;2026-11-20T14:00:00Z")
    assert moment_of(rows[0]).astimezone(UTC).hour in {hour, hour - 1}
    assert moment_of(rows[1]) == datetime(2026, 11, 20, 14, tzinfo=UTC)


def test_a_time_under_a_heading_that_is_not_ours_is_never_taken_for_now(read: Any) -> None:
    with pytest.raises(EventFileUnreadable, match='If it is "Fecha de gestión"'):
        read("tracking;estado;Fecha de gestión", f"{CODE};lost;20/11/2026 14:00")


def test_groups_of_headings_above_them_are_not_headings(write: Any) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    for cells in (
        ["Informe diario de estados"],
        ["Guía", None, "Evento"],
        ["MAWB", "HAWB", "Estado", "Fecha", "Hora"],
        ["045-12345675", "H1", "Entregado", date(2026, 11, 20), time(14, 30)],
        ["Total", 1],
    ):
        sheet.append(cells)
    sheet.merge_cells("A2:B2")
    sheet.merge_cells("C2:E2")
    output = BytesIO()
    book.save(output)
    (row,) = good(write(output.getvalue()))
    assert (row.row, row.guide, row.reported.status) == (4, "045-12345675 H1", "delivered")
    assert moment_of(row) == datetime(2026, 11, 20, 14, 30)  # noqa: DTZ001  # local time


def test_a_heading_may_be_in_two_rows(read: Any) -> None:
    (row,) = read("Tracking;Evento;;", ";Estado;Fecha;Hora", f"{CODE};Entregado;20/11/2026;14:30")
    assert (row.row, row.tracking_code, row.reported.status) == (3, CODE, "delivered")
    assert moment_of(row) == datetime(2026, 11, 20, 14, 30)  # noqa: DTZ001  # local time


def test_totals_and_a_heading_printed_again_are_not_events(read: Any) -> None:
    heading = "tracking;estado;fecha"
    rows = read(
        heading,
        f"{CODE};lost;20/11/2026 14:00",
        "Subtotal;1;",
        heading,
        f"{CODE};delivered;20/11/2026 15:00",
        "TOTAL GENERAL: 2;;",
    )
    assert [row.row for row in rows] == [2, 5]
