"""Numbers as people type them: one table for each kind of amount."""

from datetime import datetime
from decimal import Decimal

import pytest

from shipments.manifests.cells import Cell
from shipments.manifests.words.amounts import Amount, is_dollars, read_money, read_packages, read_weight, unit_of

EMPTY = [None, "", "   ", "\u00a0"]

NO_NUMBERS: list[Cell] = [
    "abc",
    "-5",
    "(5.00)",
    "5-",
    "1.2.3",
    "1,23,456",
    "1e5",
    "NaN",
    "-",
    "1/2",
    "12²",
    "٣",
    "9" * 60,
    -1,
    float("nan"),
    float("inf"),
    True,
    datetime(2026, 1, 2),  # noqa: DTZ001 - spreadsheets know no time zones
]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (12.5, "12.50"),
        (-0.0, "0.00"),
        (0.1 + 0.2, "0.30"),
        (12.345, "12.35"),
        ("797,15", "797.15"),
        ("1.234,50", "1234.50"),
        ("1,234.50", "1234.50"),
        ("1.234.567", "1234567.00"),
        ("1.234.567,89", "1234567.89"),
        ("1\u00a0234,50", "1234.50"),
        ("1\u2019234.50", "1234.50"),
        ("1234.567", "1234.57"),
        ("0,350", "0.35"),
        (".5", "0.50"),
        ("5.", "5.00"),
        ("US$ 12.50", "12.50"),
        ("12.50 USD", "12.50"),
        ("$ 12.50", "12.50"),
        ("U$S 12.50", "12.50"),
        ("12,5 dólares", "12.50"),
        ("USD" + "12.50".rjust(37, "0"), "12.50"),  # as long as a number may be
        ("+5", "5.00"),
        ("\uff11\uff12.50", "12.50"),
        (999999999999.99, "999999999999.99"),
    ],
)
def test_money_is_read_to_the_cent(cell: Cell, value: str) -> None:
    assert read_money(cell) == Amount(Decimal(value))


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1.234", "1234.00"), ("US$ 12,345", "12345.00")],
)
def test_one_separator_before_three_digits_groups_thousands_of_money_and_is_reported(cell: str, value: str) -> None:
    assert read_money(cell) == Amount(Decimal(value), "ambiguous")


@pytest.mark.parametrize("cell", ["€ 12", "12 EUR", "12.000 pesos"])
def test_money_in_another_currency_is_not_taken_for_dollars(cell: str) -> None:
    assert read_money(cell) == Amount(None, "currency")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (1.25, "1.250"),
        ("1,25", "1.250"),
        ("1.234", "1.234"),
        ("1.234,5", "1234.500"),
        ("1,25 kg", "1.250"),
        ("2 kilos", "2.000"),
        ("10 lb", "4.536"),
        ("16 oz", "0.454"),
        (0.0004, "0.000"),
        (999999999.999, "999999999.999"),
    ],
)
def test_a_weight_is_read_to_the_gram_and_its_one_separator_is_decimal(cell: Cell, value: str) -> None:
    assert read_weight(cell) == Amount(Decimal(value))


@pytest.mark.parametrize(
    ("cell", "unit", "value"),
    [
        (10, "lb", "4.536"),
        ("10 kg", "lb", "10.000"),
        (1500, "g", "1.500"),
        (35.27396195, "oz", "1.000"),
    ],
)
def test_a_heading_in_pounds_converts_and_a_unit_in_the_cell_counts_more(cell: Cell, unit: str, value: str) -> None:
    assert read_weight(cell, unit) == Amount(Decimal(value))


@pytest.mark.parametrize("cell", ["10 cm", "USD 10"])
def test_a_weight_in_an_unknown_unit_cannot_be_read(cell: str) -> None:
    assert read_weight(cell) == Amount(None, "invalid")


@pytest.mark.parametrize(
    ("cell", "count"),
    [(1, 1), (2.0, 2), ("3", 3), ("2,00", 2), ("2.0", 2), ("4 bultos", 4), ("1.234", 1234), (1_000_000, 1_000_000)],
)
def test_packages_are_counted_in_whole_numbers(cell: Cell, count: int) -> None:
    assert read_packages(cell).value == count


@pytest.mark.parametrize("cell", [0, 1.5, 1_000_001, "2 kg"])
def test_no_fraction_nothing_and_no_million_of_packages(cell: Cell) -> None:
    assert read_packages(cell) == Amount(None, "invalid")


@pytest.mark.parametrize("read", [read_weight, read_money, read_packages])
@pytest.mark.parametrize("cell", NO_NUMBERS)
def test_what_is_not_a_number_is_never_guessed(read: object, cell: Cell) -> None:
    assert callable(read)
    amount = read(cell)
    assert amount.value is None
    assert amount.problem in {"invalid", "currency"}


@pytest.mark.parametrize("read", [read_weight, read_money, read_packages])
@pytest.mark.parametrize("cell", EMPTY)
def test_an_empty_cell_is_unknown_and_no_mistake(read: object, cell: Cell) -> None:
    assert callable(read)
    assert read(cell) == Amount(None)


@pytest.mark.parametrize(
    ("cell", "read"),
    [(1e15, read_money), ("9" * 30, read_money), (1e300, read_money), (1e9, read_weight), (10**40, read_packages)],
)
def test_a_number_larger_than_its_column_cannot_be_read(cell: Cell, read: object) -> None:
    assert callable(read)
    assert read(cell) == Amount(None, "invalid")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("USD", True), ("us$", True), ("Dólar", True), ("13", True), ("", True), ("CLP", False), ("EUR", False)],
)
def test_a_currency_column_says_whether_a_value_is_in_dollars(text: str, *, expected: bool) -> None:
    assert is_dollars(text) is expected


@pytest.mark.parametrize(("text", "unit"), [("LB", "lb"), ("Kgs.", "kg"), ("libras", "lb"), ("UN", None), ("", None)])
def test_a_unit_column_says_how_the_weight_was_taken(text: str, unit: str | None) -> None:
    assert unit_of(text) == unit
