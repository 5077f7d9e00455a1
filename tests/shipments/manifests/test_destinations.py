"""Where a manifest goes, from the words people write for it."""

import pytest
from hypothesis import given, settings, strategies as st

from shipments.manifests.destinations import airport_country, airport_timezone, is_country, place_country


@pytest.mark.parametrize(
    ("code", "country"),
    [
        ("SCL", "CL"),
        ("LIM", "PE"),
        ("EZE", "AR"),
        ("BUE", "AR"),
        ("MIA", "US"),
        ("PER", "AU"),
        ("XXX", None),
        ("", None),
        ("\u017fcl", None),
        ("S\x00L", None),
    ],
)
def test_an_airport_or_metropolitan_code_has_a_country(code: str, country: str | None) -> None:
    assert airport_country(code) == country


@pytest.mark.parametrize(
    ("code", "zone"),
    [("SCL", "America/Santiago"), ("lim", "America/Lima"), ("BUE", "America/Argentina/Buenos_Aires"), ("XXX", None)],
)
def test_an_airport_has_its_local_time(code: str, zone: str | None) -> None:
    found = airport_timezone(code)
    assert (found.key if found else None) == zone


@pytest.mark.parametrize(("code", "known"), [("CL", True), ("cl", False), ("XX", False), ("CHL", False), ("", False)])
def test_a_country_is_an_iso_code_in_capitals(code: str, *, known: bool) -> None:
    assert is_country(code) is known


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("SCL", "CL"),
        ("cl", "CL"),
        ("Chile", "CL"),
        ("República de Chile", "CL"),
        ("Santiago, Chile", "CL"),
        ("SANTIAGO (SCL)", "CL"),
        ("Viña del Mar", "CL"),
        ("PER", "PE"),
        ("Perú", "PE"),
        ("LIM-LIMA", "PE"),
        ("C.A.B.A.", "AR"),
        ("Argentine Republic", "AR"),
        ("MIA", "US"),
        ("Estados Unidos", "US"),
    ],
)
def test_a_word_for_a_place_means_its_country(text: str, country: str) -> None:
    assert place_country(text) == country


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "Av. Apoquindo 3000, Santiago",
        "Lima, Chile",
        "Los Angeles",
        "12",
        "ZZ",
    ],
)
def test_unsure_is_none(text: str) -> None:
    assert place_country(text) is None


@settings(deadline=None)
@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    country = place_country(text)
    assert country is None or is_country(country)
    assert airport_timezone(text) is None or airport_country(text) is not None
