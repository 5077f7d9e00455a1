"""Documents: normal forms, check digits, and messages that never repeat the document."""

import pytest
from hypothesis import given, settings, strategies as st

from shipments.manifests.documents import check_rut
from shipments.wording.rendering import in_words


def rut_check_digit(body: str) -> str:
    """Modulus 11 from its definition: weights 2 to 7 from the right, eleven minus the remainder."""
    total = 0
    weight = 2
    for digit in reversed(body):
        total += int(digit) * weight
        weight = 2 if weight == 7 else weight + 1
    return {11: "0", 10: "K"}.get(11 - total % 11, str(11 - total % 11))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (" 12 345 678 5 ", "12345678-5"),
        ("123456785", "12345678-5"),
        ("12.345.678\u20135", "12345678-5"),
        ("07.654.321-6", "7654321-6"),
        ("10000013-k", "10000013-K"),
    ],
)
def test_a_valid_rut_is_given_in_its_normal_form(text: str, number: str) -> None:
    check = check_rut(text)
    body, check_digit = number.split("-")
    assert rut_check_digit(body) == check_digit
    assert (check.number, check.problem, check.is_placeholder) == (number, None, False)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "missing"),
        ("-", "missing"),
        ("123456-0", "length"),
        ("123456789-2", "length"),
        ("12345678-6", "check digit of the RUT does not match"),
        ("SIN RUT", "characters"),
        ("12,345,678-5", "characters"),
        ("\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668-5", "characters"),
        ("1234567\u00b2-5", "characters"),
    ],
)
def test_an_invalid_rut_is_given_back_trimmed_with_the_reason(text: str, word: str) -> None:
    check = check_rut(text)
    assert check.number == text.strip()
    assert check.problem
    assert word in in_words(check.problem.sentence, check.problem.params)
    assert not check.is_placeholder


def test_well_known_placeholders_pass_and_are_distinguished() -> None:
    checks = [*(check_rut(digit * 9) for digit in "123456789"), check_rut("00.000.000-0")]
    assert {(check.problem, check.is_placeholder) for check in checks} == {(None, True)}


@settings(deadline=None)
@given(st.integers(1_000_000, 99_999_999), st.sampled_from("0123456789K"))
def test_exactly_one_check_digit_is_right(body: int, check_digit: str) -> None:
    is_right = rut_check_digit(str(body)) == check_digit
    assert (check_rut(f"{body}-{check_digit}").problem is None) is is_right


@settings(deadline=None)
@given(st.text())
def test_no_problem_repeats_the_document(text: str) -> None:
    check = check_rut(text)
    assert check.problem is None or check.problem.params == {}


@settings(deadline=None)
@given(st.text())
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    check = check_rut(text)
    if not check.problem:
        assert check_rut(check.number) == check
