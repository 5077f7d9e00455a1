"""The row gate: every problem of every row, or rows that are ready to be written."""

from decimal import Decimal
from typing import cast

import pytest

from shipments.errors import ManifestValidationFailed
from shipments.manifests.findings import MAX_REPORTED
from shipments.manifests.payload.fields import InvalidRow
from shipments.wording.stored import render_invalid_rows
from tests.shipments.manifests.payloads import ABSENT, guide, invalid_rows, problems, product, read

REQUIRED = ["hawb", "consignee_name", "weight_kg", "description_original", "fob_usd"]


@pytest.mark.parametrize("field", REQUIRED)
@pytest.mark.parametrize("nothing", [ABSENT, None, "", "\u200b\u200d \u00ad"])
def test_a_required_field_is_reported_when_it_is_missing(field: str, nothing: object) -> None:
    assert problems(guide(**{field: nothing})) == [(0, field, "required")]


@pytest.mark.parametrize(("country", "code"), [("CL", "rut_invalid_format"), ("PE", "required"), ("AR", "required")])
def test_every_country_asks_for_a_document(country: str, code: str) -> None:
    row = guide(country, consignee_document=ABSENT)
    assert problems(row, country=country) == [(0, "consignee_document", code)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hawb", 5), ("hawb", "H" * 65), ("hawb", "H\x07"),
        ("consignee_name", 5), ("consignee_name", "x" * 256), ("consignee_name", "a\x1bb"),
        ("consignee_address", "x" * 513), ("consignee_city", "x" * 129), ("consignee_region", "x" * 129),
        ("consignee_postal_code", "x" * 33), ("consignee_postal_code", 1.5), ("consignee_postal_code", True),
        ("consignee_phone", "9" * 65), ("consignee_email", "x" * 255), ("shipper_name", "x" * 256),
        ("platform_name", "x" * 65), ("description_original", "x" * 2001), ("hs_code", "6" * 256), ("hs_code", 6403.99),
        ("weight_kg", 0), ("weight_kg", "0.0004"), ("weight_kg", -1), ("weight_kg", "1,5"), ("weight_kg", "1e3"),
        ("weight_kg", True), ("weight_kg", []), ("weight_kg", 10**9), ("weight_kg", 10**39),
        ("weight_kg", "999999999.9995"), ("weight_kg", "١"), ("weight_kg", "+1"), ("weight_kg", "1."),
        ("weight_kg", float("nan")), ("weight_kg", float("inf")),
        ("fob_usd", -0.01), ("fob_usd", "-0.001"), ("fob_usd", 10**12), ("product_value", -1),
        ("packages_count", 0), ("packages_count", 1.5), ("packages_count", 1_000_001), ("packages_count", True),
        ("packages_count", [1]), ("packages_count", float("nan")), ("packages_count", float("inf")),
        ("products", "x"), ("products", {}), ("products", [{}] * 1001),
        ("extra_data", "x"), ("extra_data", []), ("extra_data", {"x": "y" * 16_384}),
        ("extra_data", {"x": "ñ" * 8_200}), ("extra_data", {"1": {"2": {"3": {"4": {"5": {"6": {"7": {"8": {}}}}}}}}}),
    ],
)  # fmt: skip
def test_a_value_outside_its_type_and_bounds_is_invalid(field: str, value: object) -> None:
    assert problems(guide(**{field: value})) == [(0, field, "invalid")]


@pytest.mark.parametrize("country", ["CL", "PE", "AR"])
@pytest.mark.parametrize("value", [[], True, Decimal("1.5"), "1" * 33])
def test_a_document_of_another_type_has_the_documents_code(country: str, value: object) -> None:
    code = "rut_invalid_format" if country == "CL" else "invalid_document"
    assert problems(guide(country, consignee_document=value), country=country) == [(0, "consignee_document", code)]


@pytest.mark.parametrize("country", ["CL", "PE"])
@pytest.mark.parametrize("value", [[], 5, "x" * 17])
def test_a_document_type_of_another_type_is_not_a_type(country: str, value: object) -> None:
    row = guide(country, consignee_document_type=value)
    assert problems(row, country=country) == [(0, "consignee_document_type", "invalid_document_type")]


@pytest.mark.parametrize(
    ("field", "value", "stored"),
    [
        ("hawb", " abc-1 ", "ABC-1"),
        ("hawb", "h" * 64, "H" * 64),
        ("consignee_name", "  Ñandú \U0001f600 ", "Ñandú \U0001f600"),
        ("consignee_name", "x" * 255, "x" * 255),
        ("consignee_address", "Calle 1\nDepto 2", "Calle 1\nDepto 2"),
        ("consignee_document", 123456785, "12345678-5"),
        ("weight_kg", "0.001", Decimal("0.001")),
        ("weight_kg", " 1.5 ", Decimal("1.500")),
        ("weight_kg", 1.1, Decimal("1.100")),
        ("weight_kg", "1.2345", Decimal("1.235")),
        ("weight_kg", "999999999.999", Decimal("999999999.999")),
        ("fob_usd", "-0", Decimal("0.00")),
        ("fob_usd", Decimal("0.005"), Decimal("0.01")),
        ("fob_usd", Decimal("1E+3"), Decimal("1000.00")),
        ("fob_usd", "999999999999.99", Decimal("999999999999.99")),
        ("product_value", "0.125", Decimal("0.13")),
        ("product_value", "", None),
        ("packages_count", "3", 3),
        ("packages_count", Decimal("3.0"), 3),
        ("packages_count", 1_000_000, 1_000_000),
        ("platform_name", "", None),
        ("products", None, ()),
        ("extra_data", None, {}),
        ("extra_data", {"a": "\x01" * 2_700}, {"a": "\x01" * 2_700}),
    ],
)
def test_a_value_within_its_bounds_is_stored(field: str, value: object, stored: object) -> None:
    found = getattr(read(guide(**{field: value})).guides[0], field)
    assert found == stored
    assert str(found) == str(stored)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("6403.99.00", "64039900"), ("6403 99 00 00", "6403990000"), (640399, "640399"),
        ("8471.30.12.000X", "84713012000X"), ("847130120001", "847130120001"), ("847130x", "847130X"),
    ],
)  # fmt: skip
def test_an_hs_code_is_stored_without_dots_and_blanks(sent: object, stored: str) -> None:
    manifest = read(guide(hs_code=sent))
    assert manifest.guides[0].hs_code == stored
    assert manifest.warnings == ()


@pytest.mark.parametrize("sent", ["64039", "8471301200011", "640399XX", "X640399", "6403-99", "٦٤٠٣٩٩"])
def test_another_hs_code_is_kept_with_a_warning(sent: str) -> None:
    manifest = read(guide(hs_code=sent))
    assert manifest.guides[0].hs_code == sent
    assert [(warning.field, warning.code) for warning in manifest.warnings] == [("hs_code", "hs_code_invalid")]


# --- HAWBs ------------------------------------------------------------------------------------------------------


def test_a_hawb_is_unique_in_a_manifest_however_it_is_written() -> None:
    rows = [guide(hawb="a-1"), guide(hawb="A-2"), guide(hawb=" A-1 "), guide(hawb="3", weight_kg=0), guide(hawb="3")]
    assert problems(*rows) == [
        (2, "hawb", "duplicate_hawb"),
        (3, "weight_kg", "invalid"),
        (4, "hawb", "duplicate_hawb"),
    ]
    assert "guides[0]" in invalid_rows(*rows)[0]["message"]


# --- the answer -------------------------------------------------------------------------------------------------


def test_every_problem_of_every_row_is_reported_in_order() -> None:
    rows = [
        guide("PE", hawb="1", fob_usd="x", consignee_name=None, consignee_document="1", consignee_document_type="DNI"),
        guide("PE", hawb="2"),
        guide("PE", hawb="3", category=1, products=[product(quantity=0, weight_kg=None), 5], extra_data=[]),
        "no guide",
        {},
    ]
    assert problems(*rows, country="PE") == [
        (0, "consignee_name", "required"),
        (0, "consignee_document", "invalid_document"),
        (0, "fob_usd", "invalid"),
        (2, "products[0].quantity", "invalid"),
        (2, "products[0].weight_kg", "required"),
        (2, "products[1]", "invalid"),
        (2, "extra_data", "invalid"),
        (3, "guides", "invalid"),
        (4, "hawb", "required"),
        (4, "consignee_name", "required"),
        (4, "consignee_document", "required"),
        (4, "weight_kg", "required"),
        (4, "description_original", "required"),
        (4, "fob_usd", "required"),
    ]


def test_an_entry_names_its_row_as_the_sender_does() -> None:
    long_hawb, odd, none = invalid_rows(guide(hawb="h" * 70), guide(hawb=" x-1 ", weight_kg=0), guide(hawb=5))
    assert long_hawb["hawb"] == "h" * 64
    assert odd["hawb"] == "X-1"
    assert none["hawb"] == ""
    assert set(odd) == {"row_index", "hawb", "field", "error_code", "message"}


def test_no_message_repeats_a_persons_data() -> None:
    rows = invalid_rows(
        guide("PE", consignee_name="Maria" * 60, consignee_document="20512333798", consignee_document_type="RUC"),
        guide("PE", hawb="2", consignee_document="99887766X", consignee_phone="5" * 70, fob_usd="-31337"),
        country="PE",
    )
    said = " ".join(row["message"] for row in rows)
    assert len(rows) == 5
    assert not any(data in said for data in ("Maria", "20512333798", "99887766X", "55555", "31337"))


def test_warnings_come_in_the_order_of_the_rows() -> None:
    manifest = read(
        guide("PE", hawb="1", hs_code="?", fob_usd=2500), guide("PE", hawb="2"), guide("PE", hawb="3", hs_code="?"),
        country="PE",
    )  # fmt: skip
    assert [(warning.row_index, warning.hawb, warning.code) for warning in manifest.warnings] == [
        (0, "1", "hs_code_invalid"),
        (0, "1", "retention_required"),
        (0, "1", "ruc_advised"),
        (2, "3", "hs_code_invalid"),
    ]


def test_of_many_rows_with_an_error_each_the_first_thousand_are_reported_and_all_are_counted() -> None:
    row = guide(weight_kg=0)
    with pytest.raises(ManifestValidationFailed) as refused:
        read(*({**row, "hawb": f"H{number}"} for number in range(3_000)))
    found = render_invalid_rows(cast("list[InvalidRow]", refused.value.extras["invalid_rows"]))
    assert [entry["row_index"] for entry in found] == list(range(MAX_REPORTED))
    assert {entry["error_code"] for entry in found} == {"invalid"}
    assert refused.value.extras["invalid_rows_total"] == 3_000


def test_a_row_with_many_problems_is_cut_in_its_middle() -> None:
    with pytest.raises(ManifestValidationFailed) as refused:
        read(guide(products=[{}] * 1000))
    assert len(cast("list[object]", refused.value.extras["invalid_rows"])) == MAX_REPORTED
    assert refused.value.extras["invalid_rows_total"] == 1000 * 4
