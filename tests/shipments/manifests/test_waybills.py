"""Waybill numbers: every spelling that is read, and everything that is none."""

import pytest

from shipments.manifests.waybills import (
    find_labelled_mawbs,
    find_unlabelled_mawbs,
    has_valid_check_digit,
    normal_hawb,
    normal_mawb,
)


@pytest.mark.parametrize(
    "spelling",
    [
        "045-12345675",
        "045 12345675",
        "04512345675",
        "045-1234 5675",
        "045 - 12345675",
        "045\u201312345675",
        "045\u00a012345675",
        "\uff10\uff14\uff15-12345675",
        "004512345675",
        4512345675.0,
    ],
)
def test_every_accepted_spelling_gives_the_normal_form(spelling: str | float) -> None:
    assert normal_mawb(spelling) == "045-12345675"


def test_a_number_gets_back_the_zeros_it_lost() -> None:
    assert normal_mawb(112345675) == "001-12345675"


@pytest.mark.parametrize(
    "other",
    [
        "",
        "045-1234567",
        "045-123456789",
        "45-12345675",
        "ABC-12345675",
        "045_12345675",
        "045/12345675",
        "045--12345675",
        "123412345675",
        "4512345675",
        "045-12345675 x",
        "045-12345675\x00",
        "\u0660\u0664\u0665-\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0665",
        12345678,
        123456789012,
        4512345675.5,
        -4512345675,
        float("nan"),
        True,
    ],
)
def test_anything_else_is_not_a_mawb(other: str | float) -> None:
    assert normal_mawb(other) is None


@pytest.mark.parametrize(
    ("text", "mawbs"),
    [
        ("N\u00b0 045 1234 5675", ["045-12345675"]),
        ("No. 04512345675", ["045-12345675"]),
        ("AWB#045-12345675 (LATAM)", ["045-12345675"]),
        ("4512345675.0", ["045-12345675"]),
        ("045-12345675 / 123-12345678", ["045-12345675", "123-12345678"]),
        ("RUC 20512345678", []),
        ("045-1234567", []),
    ],
)
def test_a_label_vouches_for_the_first_number_and_the_hyphen_for_the_others(text: str, mawbs: list[str]) -> None:
    assert find_labelled_mawbs(text) == mawbs


@pytest.mark.parametrize(
    ("text", "mawbs"),
    [
        ("MANIFIESTO 045-12345675", ["045-12345675"]),
        ("(045-1234 5675)", ["045-12345675"]),
        ("RUC 20512345678, CUIT 20-12345678-9", []),
        ("045 12345675", []),
        ("1045-12345675", []),
        ("045-12345675-1", []),
        ("HX045-12345675", []),
    ],
)
def test_without_a_label_only_the_hyphen_after_three_digits_marks_a_mawb(text: str, mawbs: list[str]) -> None:
    assert find_unlabelled_mawbs(text) == mawbs


@pytest.mark.parametrize(
    ("mawb", "is_valid"),
    [("045-12345675", True), ("045-12345676", False), ("176-00000000", True)],
)
def test_the_last_digit_is_the_first_seven_of_the_serial_number_modulo_seven(mawb: str, *, is_valid: bool) -> None:
    assert has_valid_check_digit(mawb) is is_valid


@pytest.mark.parametrize(
    ("sent", "normal"),
    [(" hx-001 ", "HX-001"), ("x" * 64, "X" * 64), ("ñandú 1", "ÑANDÚ 1"), ("h\ufe0f\u28001\u3164", "H1")],
)
def test_a_hawb_is_trimmed_and_in_capitals(sent: str, normal: str) -> None:
    assert normal_hawb(sent) == normal


@pytest.mark.parametrize(
    "sent", ["", "  ", "\u3164\u2800", "x" * 65, "ß" * 33, "a\x00b", "a\nb", "a\u200bb", "\ud800", "a\u202eb"]
)
def test_a_hawb_is_neither_empty_nor_too_long_and_has_no_invisible_characters(sent: str) -> None:
    assert normal_hawb(sent) is None
