"""What a cell can be, by its form alone."""

from datetime import date

import pytest

from shipments.manifests.cells import Cell
from shipments.manifests.sheets.candidates import are_ruts, is_document_number


@pytest.mark.parametrize(
    ("cell", "is_one"),
    [
        ("12345", False),
        ("123456", True),
        ("12.345.678-5", True),
        (20123456789.0, True),
        ("1234567890123", True),
        ("12345678901234", False),
        ("RUC20123456", True),
        ("AWB 123456 MIA", False),
        (date(2026, 11, 30), False),
    ],
)
def test_a_number_of_six_to_thirteen_digits_can_be_a_document(cell: Cell, *, is_one: bool) -> None:
    assert is_document_number(cell) == is_one


@pytest.mark.parametrize(
    ("values", "are_they"),
    [
        (["12345678-5"], True),
        (["12345678-9"], False),
        (["123456785"], False),
        (["123456785", "123456785", "123456785"], False),
        (["123456785", "76543216"], False),
        (["123456785", "76543216", "112223339"], True),
        (["12345678-5", "76543216"], True),
    ],
)
def test_ruts_without_a_hyphen_are_told_from_telephones_by_being_several(values: list[Cell], *, are_they: bool) -> None:
    assert are_ruts(values) == are_they
