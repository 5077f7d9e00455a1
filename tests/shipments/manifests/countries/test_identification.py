"""Which documents a consignee may have, country by country.

The vectors are the standards' own (python-stdnum's documentation, examples the authorities publish) and numbers whose
check digits are worked out again below from their definition.
"""

from datetime import date

import pytest
from hypothesis import given, settings, strategies as st

from companies.countries import SERVED
from shipments.manifests.countries import COUNTRIES, rules_for

RUC_AND_CUIT_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)

DAY = date(2026, 11, 28)


def eleven_minus_remainder(number: str) -> int:
    total = sum(int(digit) * weight for digit, weight in zip(number[:10], RUC_AND_CUIT_WEIGHTS, strict=True))
    return 11 - total % 11


def ruc_check_digit(number: str) -> int:
    """SUNAT: 10 becomes 0 and 11 becomes 1."""
    return eleven_minus_remainder(number) % 10


def cuit_check_digit(number: str) -> int:
    """The Argentine authority: 11 becomes 0 and 10 becomes 9."""
    return {11: 0, 10: 9}.get(eleven_minus_remainder(number), eleven_minus_remainder(number))


def codes(country: str, document_type: str, document: str) -> list[tuple[str, str]]:
    found = rules_for(country, DAY).identify(document_type, document)
    return [(problem.field, problem.code) for problem in found.problems]


def test_each_served_country_has_its_rules() -> None:
    assert set(COUNTRIES) == {*SERVED}
    assert all(rules.country == country for country, rules in COUNTRIES.items())


@pytest.mark.parametrize(
    ("country", "sent_type", "sent", "document_type", "document"),
    [
        ("CL", "", "12.345.678-5", "RUT", "12345678-5"),
        ("CL", "RUN", "7.654.321-6", "RUT", "7654321-6"),
        ("PE", "dni", " 1234-5678", "DNI", "12345678"),
        ("PE", "", "20512333797", "RUC", "20512333797"),
        ("PE", "RUC", "20-51233379-7", "RUC", "20512333797"),
        ("PE", "", "16123456789", "RUC", "16123456789"),
        ("PE", "CE", "001234567", "CE", "001234567"),
        ("PE", "ce", "ab1234567890", "CE", "AB1234567890"),
        ("PE", "PASSPORT", "C-12345", "PASSPORT", "C12345"),
        ("PE", "passport", "x" * 20, "PASSPORT", "X" * 20),
        ("AR", "", "20267565393", "CUIT", "20267565393"),
        ("AR", "cuil", "27 12345678 0", "CUIL", "27123456780"),
        ("AR", "cdi", "20-12345678-6", "CDI", "20123456786"),
        ("AR", "DNI", "12.345.678", "DNI", "12345678"),
        ("AR", "", "1234567", "DNI", "1234567"),
    ],
)
def test_a_valid_document_is_stored_in_its_normal_form(
    country: str, sent_type: str, sent: str, document_type: str, document: str
) -> None:
    found = rules_for(country, DAY).identify(sent_type, sent)
    assert found.problems == ()
    assert (found.document_type, found.document) == (document_type, document)


@pytest.mark.parametrize(
    ("country", "sent_type", "sent", "problem"),
    [
        ("CL", "", "12345678-6", ("consignee_document", "rut_invalid_format")),
        ("CL", "", "", ("consignee_document", "rut_invalid_format")),
        ("CL", "PASSPORT", "12345678-5", ("consignee_document_type", "invalid_document_type")),
        ("PE", "", "", ("consignee_document", "required")),
        ("PE", "DNI", "", ("consignee_document", "required")),
        ("PE", "RUT", "12345678", ("consignee_document_type", "invalid_document_type")),
        ("PE", "", "123456789", ("consignee_document_type", "invalid_document_type")),
        ("PE", "", "AB123456", ("consignee_document_type", "invalid_document_type")),
        ("PE", "", "20512333798", ("consignee_document", "invalid_document")),
        ("PE", "DNI", "1234567", ("consignee_document", "invalid_document")),
        ("PE", "DNI", "123456789", ("consignee_document", "invalid_document")),
        ("PE", "DNI", "١٢٣٤٥٦٧٨", ("consignee_document", "invalid_document")),
        ("PE", "RUC", "30512333797", ("consignee_document", "invalid_document")),
        ("PE", "CE", "12345678", ("consignee_document", "invalid_document")),
        ("PE", "CE", "1234567890123", ("consignee_document", "invalid_document")),
        ("PE", "PASSPORT", "1234", ("consignee_document", "invalid_document")),
        ("PE", "PASSPORT", "X" * 21, ("consignee_document", "invalid_document")),
        ("PE", "PASSPORT", "ÑANDU1", ("consignee_document", "invalid_document")),
        ("PE", "PASSPORT", "ſſſſſ", ("consignee_document", "invalid_document")),
        ("AR", "", "", ("consignee_document", "required")),
        ("AR", "RUC", "20055361682", ("consignee_document_type", "invalid_document_type")),
        ("AR", "", "AB123456", ("consignee_document_type", "invalid_document_type")),
        ("AR", "", "21055361682", ("consignee_document_type", "invalid_document_type")),
        ("AR", "", "20267565392", ("consignee_document", "invalid_document")),
        ("AR", "CUIT", "21055361682", ("consignee_document", "invalid_document")),
        ("AR", "DNI", "123456", ("consignee_document", "invalid_document")),
        ("AR", "DNI", "123456789", ("consignee_document", "invalid_document")),
    ],
)
def test_another_document_is_a_problem(country: str, sent_type: str, sent: str, problem: tuple[str, str]) -> None:
    assert codes(country, sent_type, sent) == [problem]


@pytest.mark.parametrize(
    ("country", "document_type", "document", "problem"),
    [("CL", "PASSPORT", "AB123456", "rut_invalid_format"), ("PE", "CEDULA", "", "required")],
)
def test_a_wrong_type_does_not_hide_what_is_wrong_with_the_document(
    country: str, document_type: str, document: str, problem: str
) -> None:
    assert codes(country, document_type, document) == [
        ("consignee_document_type", "invalid_document_type"),
        ("consignee_document", problem),
    ]


@pytest.mark.parametrize("prefix", ["10", "15", "16", "17", "20"])
@settings(deadline=None)
@given(body=st.integers(0, 99_999_999), check_digit=st.integers(0, 9))
def test_a_ruc_has_one_right_check_digit(prefix: str, body: int, check_digit: int) -> None:
    number = f"{prefix}{body:08}{check_digit}"
    expected = [] if ruc_check_digit(number) == check_digit else [("consignee_document", "invalid_document")]
    assert codes("PE", "RUC", number) == expected


@pytest.mark.parametrize("prefix", ["20", "23", "24", "25", "26", "27", "30", "33", "34", "50", "51", "55"])
@settings(deadline=None)
@given(body=st.integers(0, 99_999_999), check_digit=st.integers(0, 9))
def test_a_cuit_has_one_right_check_digit(prefix: str, body: int, check_digit: int) -> None:
    number = f"{prefix}{body:08}{check_digit}"
    expected = [] if cuit_check_digit(number) == check_digit else [("consignee_document", "invalid_document")]
    assert codes("AR", "CUIT", number) == expected


@settings(deadline=None)
@given(st.sampled_from([*SERVED]), st.text(max_size=20), st.text(max_size=40))
def test_no_message_repeats_a_document(country: str, document_type: str, document: str) -> None:
    found = rules_for(country, DAY).identify(document_type, document)
    assert len(document) < 5 or not any(document in str(problem.reason.params) for problem in found.problems)
