"""The products of a guide, and the guide's values derived from them.

When a guide has products, the row's own weight, values, description and HS code are ignored: the products are the
source of truth.
"""

from collections.abc import Iterable
from decimal import Decimal
from operator import itemgetter

from shipments.manifests.field_kinds import EXACT, DecimalNumber, Field, exact_number, normal_hs_code
from shipments.manifests.guide_fields import DESCRIPTION, HS_CODE, USD, WEIGHT_KG
from shipments.manifests.manifest import InvalidValue, Product
from shipments.manifests.payload.fields import FieldReader, RowFindings

PRODUCT_FIELDS = (
    Field("description", DESCRIPTION, required=True),
    Field("quantity", DecimalNumber(3, minimum=Decimal("0.001"), maximum=Decimal("999999999.999")), required=True),
    Field("unit_value", DecimalNumber(4, maximum=Decimal("9999999999.9999")), required=True, note="US dollars"),
    Field(
        "weight_kg", DecimalNumber(3, maximum=Decimal("999999999.999")), required=True, note="the line's total, in kg"
    ),
    Field("hs_code", HS_CODE, note="6 to 12 digits and at most one letter; another code is kept, with a warning"),
)

_READER = FieldReader(PRODUCT_FIELDS)
_read_summed = itemgetter("quantity", "unit_value", "weight_kg")
_add, _multiply = EXACT.add, EXACT.multiply

DERIVED_FIELDS = frozenset({"weight_kg", "fob_usd", "product_value", "description_original", "hs_code"})
"""Fields of the row that are replaced by values from its products."""


def settle_hs_code(values: dict[str, object], findings: RowFindings, prefix: str = "") -> None:
    """Put `values["hs_code"]` into its normal form. A code without one stays as sent, with a warning.

    prefix: put before `hs_code` in the warning, such as `products[0].`.
    """
    sent = values.get("hs_code")
    if not isinstance(sent, str):
        return
    code = normal_hs_code(sent)
    if code is None:
        findings.warn(f"{prefix}hs_code", "hs_code_invalid")
    else:
        values["hs_code"] = code


def read_products(entries: list[object], findings: RowFindings) -> dict[str, object]:
    """Read a guide's products: its `products` and the values of `DERIVED_FIELDS`.

    The numbers are summed as sent and rounded once, so sums are exact to the cent and the gram. If any product has a
    problem, neither is returned.
    """
    products = []
    weight, value = Decimal(0), Decimal(0)
    problems, problems_before = findings.problems, len(findings.problems)
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            findings.refuse(f"products[{index}]", "invalid", "product_not_an_object")
            continue
        prefix = f"products[{index}]."
        read = _READER.read(entry, findings, prefix)
        if len(problems) == problems_before:
            settle_hs_code(read, findings, prefix)
            products.append(Product(**read))
            quantity, unit_value, weight_kg = map(exact_number, _read_summed(entry))
            value = _add(value, _multiply(quantity, unit_value))
            weight = _add(weight, weight_kg)
    if len(findings.problems) > problems_before:
        return {}
    fob_usd = _sum("fob_usd", USD, value, findings)
    descriptions = [product.description for product in products]
    codes = dict.fromkeys([product.hs_code for product in products if product.hs_code])
    return {
        "products": tuple(products),
        "weight_kg": _sum("weight_kg", WEIGHT_KG, weight, findings),
        "fob_usd": fob_usd,
        "product_value": fob_usd,
        "description_original": _join(descriptions, "description_original", DESCRIPTION.max_length, findings),
        "hs_code": _join(codes, "hs_code", HS_CODE.max_length, findings),
    }


def _sum(field: str, column: DecimalNumber, total: Decimal, findings: RowFindings) -> Decimal | None:
    try:
        return column.read(total)
    except InvalidValue as problem:
        findings.refuse(field, "invalid", "products_out_of_range", **problem.reason.params)
        return None


def _join(parts: Iterable[str], field: str, limit: int, findings: RowFindings) -> str:
    text = ", ".join(parts)
    if len(text) <= limit:
        return text
    findings.warn(field, f"{field}_shortened", "products_text_shortened", longest=limit)
    return text[: limit - 1] + "…"
