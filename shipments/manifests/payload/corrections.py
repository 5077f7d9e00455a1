"""A correction of one guide: only what is sent, and what depends on it, is read and judged.

The caller calls `read_correction`, finds the guide, and calls `judge_correction` with what is stored.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from shipments.manifests.countries.judgement import judge_limits, judge_vat, limit_reasons
from shipments.manifests.countries.rules import CountryRules, Identification
from shipments.manifests.guide_fields import GuideField
from shipments.manifests.manifest import InvalidValue
from shipments.manifests.payload.fields import FieldReader, RowFindings
from shipments.manifests.payload.products import DERIVED_FIELDS, read_products, settle_hs_code

IDENTITY = frozenset({"consignee_document_type", "consignee_document"})
_JUDGED = ("fob_usd", "weight_kg", "packages_count", "consignee_document_type")
"""What limits are about."""
_OF_VAT = frozenset({"vat_collected", "platform_tax_id", "fob_usd"})


class Judgement(NamedTuple):
    """What a country's rules make of a correction.

    identification: of the consignee; None if the document was not judged. retention_reason: why customs retains the
    guide, empty if it does not; limit_reasons: the reasons for review that limits give. None if these were not judged.
    """

    identification: Identification | None = None
    retention_reason: str | None = None
    limit_reasons: Sequence[str] | None = None


def read_correction(sent: Mapping[str, object], fields: Iterable[GuideField]) -> tuple[dict[str, Any], RowFindings]:
    """Read the values that are sent, without the country's rules. fields: which may be; others are ignored.

    null and "" empty a field, which is a problem where it is required. Returns field -> the value to store, with
    products also what follows from them; and problems and warnings.
    """
    fields = [each for each in fields if each.name in sent]
    findings = RowFindings()
    values = FieldReader(fields).read(sent, findings)
    for each in fields:
        if each.name not in values and not findings.has_problem(each.name):
            values[each.name] = () if each.name == "products" else each.unknown
    if products := values.get("products"):
        for name in DERIVED_FIELDS & values.keys():
            findings.refuse(name, "not_allowed", "follows_from_products")
        values |= read_products(products, findings)
    settle_hs_code(values, findings)
    return values, findings


def judge_correction(
    values: dict[str, Any], findings: RowFindings, stored: Mapping[str, Any], rules: CountryRules
) -> Judgement:
    """Judge values that have no problem so far by the rules of the guide's country, and complete them and the findings.

    stored: the guide's values by field.
    """
    identification = None
    if stored["products"] and "products" not in values:
        for name in sorted(DERIVED_FIELDS & values.keys()):
            findings.refuse(name, "not_allowed", "follows_from_products")
    if IDENTITY & values.keys():
        identification = _identify(values, stored, rules)
        findings.problems += identification.problems
        values["consignee_document_type"] = identification.document_type
        values["consignee_document"] = identification.document
    if findings.problems:
        return Judgement(identification)
    if rules.categories and "fob_usd" in values and values["fob_usd"] != stored["fob_usd"]:
        values["category"] = _category(rules, stored["category"], stored["fob_usd"], values["fob_usd"])
    now = {**stored, **values}
    retention_reason, reasons = None, None
    if any(name in values and values[name] != stored[name] for name in _JUDGED):
        retention_reason, warnings = judge_limits(rules, now)
        reasons = limit_reasons(warnings)
        findings.warnings += warnings
    if _OF_VAT & values.keys():
        tax_id, warnings = judge_vat(rules, now)
        findings.warnings += warnings
        if tax_id and "platform_tax_id" in values:
            values["platform_tax_id"] = tax_id
    return Judgement(identification, retention_reason, reasons)


def _identify(values: Mapping[str, Any], stored: Mapping[str, Any], rules: CountryRules) -> Identification:
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
