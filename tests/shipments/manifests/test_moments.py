"""Dates and times as workbooks write them."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from shipments.manifests.cells import Cell
from shipments.manifests.moments import read_moment

HALF_PAST_TWO = "2026-11-05T14:30:00"


@pytest.mark.parametrize(
    "cell",
    [
        datetime.fromisoformat(HALF_PAST_TWO),
        "2026-11-05 14:30:00",
        "20261105T1430",
        "2026/11/05 14:30",
        "05/11/2026 14:30",
        "05.11.2026 14:30",
        "05/11/26 14:30",
        "05/11/2026 1430",
        "05/11/2026 14:30:00 hrs.",
        "05/11/2026, 14:30h",
        "05/11/2026 14h30",
        "05/11/2026 2:30 PM",
        "05/11/2026 02:30 p. m.",
        "14:30 05/11/2026",
        "5 de noviembre de 2026, 14:30",
        "Nov 5, 2026 14:30",
        "5-NOV-2026 14:30",
        "5 nov. 2026 14:30 LT",
        46331.604166666664,
    ],
)
def test_a_date_with_a_time_is_read_in_every_way_people_write_it(cell: Cell) -> None:
    moment = read_moment(cell)
    assert moment is not None
    assert moment.value == datetime.fromisoformat(HALF_PAST_TWO)
    assert moment.has_time


@pytest.mark.parametrize(
    "cell", [date(2026, 11, 5), datetime.fromisoformat("2026-11-05"), "05/11/2026", "2026-11-05", "05NOV2026", 46331]
)
def test_a_bare_date_is_its_midnight(cell: Cell) -> None:
    moment = read_moment(cell)
    assert moment is not None
    assert moment.value == datetime.fromisoformat("2026-11-05")
    assert not moment.has_time


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("25/06/2026", "2026-06-25"),
        ("06/25/2026", "2026-06-25"),
        ("2026/06/05", "2026-06-05"),
    ],
)
def test_the_day_comes_before_the_month_where_both_can_be(text: str, day: str) -> None:
    moment = read_moment(text)
    assert moment is not None
    assert moment.value.date().isoformat() == day


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-11-05 14:30 -05:00", "2026-11-05T14:30:00-05:00"),
        ("2026-11-05T14:30Z", "2026-11-05T14:30:00+00:00"),
        ("05/11/2026 14:30 -03:00", "2026-11-05T14:30:00-03:00"),
        ("05/11/2026 14:30 UTC-3", "2026-11-05T14:30:00-03:00"),
        ("05/11/2026 14:30 +0530", "2026-11-05T14:30:00+05:30"),
    ],
)
def test_an_offset_in_the_cell_is_kept(text: str, iso: str) -> None:
    moment = read_moment(text)
    assert moment is not None
    assert moment.at(ZoneInfo("America/Santiago")).isoformat() == iso


def test_without_an_offset_the_clock_on_the_wall_counts_summer_time_included() -> None:
    summer, winter = read_moment("05/01/2026 10:00"), read_moment("05/07/2026 10:00")
    assert summer is not None
    assert winter is not None
    santiago = ZoneInfo("America/Santiago")
    assert summer.at(santiago).isoformat() == "2026-01-05T10:00:00-03:00"
    assert winter.at(santiago).isoformat() == "2026-07-05T10:00:00-04:00"


@pytest.mark.parametrize(
    "cell",
    [
        None,
        "",
        "pendiente",
        "31/02/2026",
        "05/11/2026 25:00",
        "05/11/2026 13:30 PM",
        "05/11/2026 14:30 +99:00",
        "05/11/1899",
        "1/2/3/4",
        "045-12345675",
        "x" * 100,
        7,
        float("nan"),
        True,
        time(14, 30),
        date(1899, 12, 31),
    ],
)
def test_what_is_not_a_date_between_the_years_that_count_is_none(cell: Cell) -> None:
    assert read_moment(cell) is None
