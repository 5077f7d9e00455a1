"""Products: the source of truth for what a guide weighs and is worth."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from shipments.manifests.manifest import GuideRow
from tests.shipments.manifests.payloads import ABSENT, guide, invalid_rows, problems, product, read


def derived(*products: object, country: str = "CL", **changes: object) -> GuideRow:
    return read(guide(country, products=list(products), **changes), country=country).guides[0]


def test_the_guide_is_what_its_products_say() -> None:
    row = derived(
        product(description=" Shoes ", quantity=2, unit_value="12.50", weight_kg="0.6", hs_code="6403.99"),
        product(description="Socks", quantity="1.5", unit_value=Decimal("3.3333"), weight_kg=0.25, hs_code=611595),
        product(description="Shoes", quantity=1, unit_value=0, weight_kg=0, hs_code="640399"),
    )  # fmt: skip
    assert (row.weight_kg, row.fob_usd, row.product_value) == (Decimal("0.850"), Decimal("30.00"), Decimal("30.00"))
    assert (row.description_original, row.hs_code) == ("Shoes, Socks, Shoes", "640399, 611595")
    assert [entry.description for entry in row.products] == ["Shoes", "Socks", "Shoes"]
    assert (row.products[1].quantity, row.products[1].unit_value) == (Decimal("1.500"), Decimal("3.3333"))
    assert (row.products[1].weight_kg, row.products[1].hs_code) == (Decimal("0.250"), "611595")


@pytest.mark.parametrize("nonsense", [ABSENT, None, "nonsense", {}, -1, "x" * 5000])
def test_the_rows_own_values_do_not_count_whatever_they_are(nonsense: object) -> None:
    fields = ("weight_kg", "fob_usd", "product_value", "description_original", "hs_code")
    ignored: dict[str, Any] = dict.fromkeys(fields, nonsense)
    row = derived(product(), **ignored)
    assert (row.weight_kg, row.fob_usd, row.description_original) == (Decimal("0.600"), Decimal("25.00"), "Shoes")
    assert row.hs_code == ""


def test_sums_are_rounded_once() -> None:
    row = derived(*[product(quantity="0.333", unit_value="0.0333", weight_kg="0.0004")] * 10)
    assert row.fob_usd == Decimal("0.11")  # 0.110889; line by line it would be 0.10
    assert row.weight_kg == Decimal("0.004")
    assert row.products[0].weight_kg == Decimal(0)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.decimals("0.001", 99_999, places=3),
            st.decimals(0, 99_999, places=4),
            st.decimals("0.001", 999, places=3),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_sums_are_exact_to_the_cent_and_the_gram(lines: list[tuple[Decimal, Decimal, Decimal]]) -> None:
    row = derived(
        *(product(quantity=quantity, unit_value=value, weight_kg=weight) for quantity, value, weight in lines)
    )
    ten_millionths = sum(int(quantity * 1000) * int(value * 10_000) for quantity, value, _ in lines)
    cents, rest = divmod(ten_millionths, 100_000)
    assert row.fob_usd == Decimal(cents + (rest >= 50_000)).scaleb(-2)
    assert row.weight_kg == Decimal(sum(int(weight * 1000) for _, _, weight in lines)).scaleb(-3)


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("description", ABSENT, "required"), ("description", 5, "invalid"), ("description", "x" * 2001, "invalid"),
        ("quantity", None, "required"), ("quantity", 0, "invalid"), ("quantity", "0.0004", "invalid"),
        ("quantity", 10**9, "invalid"),
        ("unit_value", ABSENT, "required"), ("unit_value", -0.01, "invalid"), ("unit_value", 10**10, "invalid"),
        ("weight_kg", "", "required"), ("weight_kg", "-0.1", "invalid"), ("weight_kg", 10**9, "invalid"),
        ("hs_code", [], "invalid"), ("hs_code", "6" * 256, "invalid"),
    ],
)  # fmt: skip
def test_a_bad_product_is_reported_with_its_place(field: str, value: object, code: str) -> None:
    row = guide(products=[product(), product(**{field: value})])
    assert problems(row) == [(0, f"products[1].{field}", code)]


@pytest.mark.parametrize("entry", [None, "shoes", []])
def test_a_product_is_an_object(entry: object) -> None:
    assert problems(guide(products=[entry])) == [(0, "products[0]", "invalid")]


def test_together_products_have_to_weigh_something() -> None:
    assert problems(guide(products=[product(weight_kg=0), product(weight_kg="0.0004")])) == [
        (0, "weight_kg", "invalid")
    ]


def test_a_sum_that_no_guide_can_hold_is_invalid() -> None:
    heavy = guide(products=[product(weight_kg="999999999.999"), product(weight_kg="0.001")])
    dear = guide(hawb="2", products=[product(quantity="999999999.999", unit_value="9999999999.9999")])
    assert problems(heavy, dear) == [(0, "weight_kg", "invalid"), (1, "fob_usd", "invalid")]
    assert "products" in invalid_rows(heavy)[0]["message"]


def test_an_odd_hs_code_of_a_product_is_kept_with_a_warning() -> None:
    manifest = read(guide(products=[product(hs_code="6403.99"), product(hs_code="n/a"), product()]))
    assert manifest.guides[0].hs_code == "640399, n/a"
    (warning,) = manifest.warnings
    assert (warning.field, warning.code) == ("products[1].hs_code", "hs_code_invalid")


def test_joined_texts_that_no_guide_can_hold_are_shortened_with_a_warning() -> None:
    codes = [f"{number:012}" for number in range(30)]
    manifest = read(guide(products=[product(description="x" * 100, hs_code=code) for code in codes]))
    (row,) = manifest.guides
    assert (len(row.description_original), row.description_original[-1]) == (2000, "…")
    assert (len(row.hs_code), row.hs_code[-1]) == (255, "…")
    assert [product.hs_code for product in row.products] == codes
    assert [(warning.field, warning.code) for warning in manifest.warnings] == [
        ("description_original", "description_original_shortened"),
        ("hs_code", "hs_code_shortened"),
    ]


@pytest.mark.parametrize(("unit_value", "category"), [("100", 2), ("100.0025", 3), ("1000", 3), ("1000.0025", 4)])
def test_the_countrys_rules_see_what_the_products_sum_up_to(unit_value: str, category: int) -> None:
    row = derived(product(quantity=2, unit_value=unit_value), country="PE", fob_usd=1)
    assert row.category == category
    assert bool(row.retention_reason) is (category == 4)


def test_a_claimed_category_is_held_against_the_products() -> None:
    row = guide("PE", category=2, fob_usd=1, products=[product(quantity=3, unit_value=100)])
    assert problems(row, country="PE") == [(0, "category", "invalid_category")]


def test_the_courier_limit_counts_the_products_weight() -> None:
    row = guide("AR", weight_kg=1, products=[product(weight_kg=30), product(weight_kg="20.001")])
    assert [warning.code for warning in read(row, country="AR").warnings] == ["courier_limit_exceeded"]
