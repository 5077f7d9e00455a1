"""A correction of one guide by its sender: only what is sent, and what depends on it, is read and judged.

The caller calls `read_correction`, finds the guide, and calls `judge_correction` with what is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from shipments.manifests.countries.judgement import exceeded_limits, judge_vat, limit_reasons
from shipments.manifests.countries.rules import CountryRules, Identification
from shipments.manifests.guide_fields import GUIDE_FIELDS, GuideField
from shipments.manifests.manifest import InvalidValue
from shipments.manifests.payload.fields import FieldReader, RowFindings
from shipments.manifests.payload.products import DERIVED_FIELDS, read_products, settle_hs_code

CORRECTABLE: Sequence[GuideField] = tuple(
    field
    for field in GUIDE_FIELDS
    if field.name
    not in {
        "hawb", "category", "platform_name", "extra_data", "shipper_address", "shipper_city", "shipper_country",
        "insurance_usd", "goods_country",
    }
)  # fmt: skip
"""The fields that a correction by its sender may have."""

DELIVERY_FIELDS = frozenset(
    {
        "consignee_address", "consignee_city", "consignee_region", "consignee_postal_code", "consignee_phone",
        "consignee_email",
    }
)  # fmt: skip
"""Those that may be corrected until the last mile; the others, only until customs has the guide."""

_IDENTITY = frozenset({"consignee_document_type", "consignee_document"})
_JUDGED = ("fob_usd", "weight_kg", "packages_count", "consignee_document_type")
"""What limits are about."""
_OF_VAT = frozenset({"vat_collected", "platform_tax_id", "fob_usd"})


@dataclass(slots=True)
class Correction:
    """A correction as it was read.

    values: field -> the value to store; with products, also what follows from them. findings: problems and warnings.
    identification: of the consignee, if the document was judged. retention_reason: why customs retains the guide,
    empty if it does not, None if that was not judged. limit_reasons: the reasons for review that limits give; None as
    before.
    """

    values: dict[str, Any]
    findings: RowFindings
    identification: Identification | None = None
    retention_reason: str | None = None
    limit_reasons: Sequence[str] | None = None


def read_correction(sent: Mapping[str, object]) -> Correction:
    """Read the values that are sent, without the country's rules. sent: keys of `CORRECTABLE` alone.

    null and "" empty a field, which is a problem where it is required.
    """
    fields = [each for each in CORRECTABLE if each.name in sent]
    findings = RowFindings()
    values = FieldReader(fields).read(sent, findings)
    problems = {problem.field for problem in findings.problems}
    for each in fields:
        if each.name not in values and each.name not in problems:
            values[each.name] = () if each.name == "products" else each.unknown
    if products := values.get("products"):
        for name in DERIVED_FIELDS & values.keys():
            findings.refuse(name, "not_allowed", "follows_from_products")
        values |= read_products(products, findings)
    settle_hs_code(values, findings)
    return Correction(values, findings)


def judge_correction(correction: Correction, stored: Mapping[str, Any], rules: CountryRules) -> None:
    """Judge a correction that has no problem so far by the rules of the guide's country, and complete its values.

    stored: the guide's values by field.
    """
    values, findings = correction.values, correction.findings
    if stored["products"] and "products" not in values:
        for name in sorted(DERIVED_FIELDS & values.keys()):
            findings.refuse(name, "not_allowed", "follows_from_products")
    if _IDENTITY & values.keys():
        correction.identification = found = _identified(values, stored, rules)
        findings.problems += found.problems
        values |= {"consignee_document_type": found.document_type, "consignee_document": found.document}
    if findings.problems:
        return
    if rules.categories and "fob_usd" in values and values["fob_usd"] != stored["fob_usd"]:
        values["category"] = _category(rules, stored["category"], stored["fob_usd"], values["fob_usd"])
    now = {**stored, **values}
    if any(name in values and values[name] != stored[name] for name in _JUDGED):
        correction.retention_reason, warnings = exceeded_limits(rules, now)
        correction.limit_reasons = limit_reasons(warnings)
        findings.warnings += warnings
    if _OF_VAT & values.keys():
        tax_id, warnings = judge_vat(rules, now)
        findings.warnings += warnings
        if tax_id and "platform_tax_id" in values:
            values["platform_tax_id"] = tax_id


def _identified(values: Mapping[str, Any], stored: Mapping[str, Any], rules: CountryRules) -> Identification:
    """The consignee by what is sent and stored. A stored type that the new number is not of gives way to its shape."""
    number = values.get("consignee_document", stored["consignee_document"])
    found = rules.identify(values.get("consignee_document_type", stored["consignee_document_type"]), number)
    if found.problems and "consignee_document_type" not in values:
        by_shape = rules.identify("", number)
        return found if by_shape.problems else by_shape
    return found


def _category(rules: CountryRules, stored: int | None, before: Decimal | None, fob_usd: Decimal | None) -> int | None:
    """The express category after a change of the value.

    One that differs from what the value before gives was claimed, as category 1 is always. It stays while the rules
    let it stand; any other follows from the value.
    """
    if rules.categories is None:
        return stored
    settle = rules.categories.settle
    was_derived = before is None or stored == settle(None, before)
    try:
        return settle(None if was_derived else stored, fob_usd)
    except InvalidValue:
        return settle(None, fob_usd)
