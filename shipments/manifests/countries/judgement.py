"""A country's law applied to one guide, for JSON rows and rows of workbooks alike."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from shipments.manifests.countries.rules import CountryRules, Finding
from shipments.manifests.findings import Findings
from shipments.manifests.manifest import GuideRow, InvalidValue, Reason
from shipments.manifests.words.amounts import read_packages

_NOTHING = Decimal(0)


def judge_category(
    rules: CountryRules, claimed: int | None, fob_usd: Decimal | None
) -> tuple[int | None, Finding | None]:
    """The express category of a guide, and the problem of an invalid claim.

    claimed: None without a claim. fob_usd: None when unknown. Without categories in the country's law the claim is
    returned unchanged.
    """
    if rules.category is None:
        return claimed, None
    try:
        return rules.category(claimed, fob_usd), None
    except InvalidValue as problem:
        return claimed, Finding("category", "invalid_category", problem.reason)


def exceeded_limits(rules: CountryRules, guide: Mapping[str, Any]) -> tuple[str, list[Finding]]:
    """Why customs retains the guide (empty if it does not), and a warning for each limit that the guide exceeds.

    guide: its values by field. An unknown one exceeds no limit.
    """
    measures = guide["fob_usd"] or _NOTHING, guide["weight_kg"] or _NOTHING, guide.get("packages_count") or 1
    of_category = rules.category_limits.get(guide.get("category") or 0)
    limits = (rules.retention, of_category, *rules.warnings)
    exceeded = [limit for limit in limits if limit and limit.exceeded(*measures)]
    retention_reason = rules.retention.sentence if rules.retention and rules.retention in exceeded else ""
    return retention_reason, [Finding(limit.field, limit.code, Reason(limit.sentence)) for limit in exceeded]


def judge_vat(rules: CountryRules, guide: Mapping[str, Any]) -> tuple[str | None, list[Finding]]:
    """The platform's tax id, in its normal form if it is the country's, and warnings about VAT charged at the sale.

    guide: its values by field, without those that are not known.
    """
    rule, platform_tax_id = rules.vat_at_sale, guide.get("platform_tax_id")
    if rule is None:
        return platform_tax_id, []
    found: list[Finding] = []

    def warn(field: str, code: str, **params: int) -> None:
        found.append(Finding(field, code, Reason(code, params)))

    if platform_tax_id and rule.shape.fullmatch(platform_tax_id):
        check = rule.tax_id.check(platform_tax_id)
        platform_tax_id = check.number
        if check.problem:
            warn("platform_tax_id", "platform_tax_id_invalid")
    if guide.get("vat_collected") and not (platform_tax_id or guide.get("platform_name")):
        warn("platform_tax_id", "vat_without_platform")
    if guide.get("vat_collected") and guide["fob_usd"] is not None and guide["fob_usd"] > rule.most_usd:
        warn("vat_collected", "vat_above_limit", most=int(rule.most_usd))
    return platform_tax_id, found


def report_repeated_category(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add a notice on the second guide of a category that one transport document may contain at most once."""
    once = rules.category_once
    if once is None:
        return
    claimed = [guide for guide in guides if guide.category == once]
    if len(claimed) > 1:
        second = claimed[1]
        findings.notice(
            "category_repeated", row_index=second.row_index, hawb=second.hawb, category=once, count=len(claimed)
        )


def unregistered_limits(rules: CountryRules, document_type: str, fob_usd: Decimal | None) -> list[Finding]:
    """A warning for each limit that a consignee without a registered document exceeds."""
    if not document_type or document_type in rules.registered_documents:
        return []
    measures = fob_usd or _NOTHING, _NOTHING, 1
    exceeded = [limit for limit in rules.unregistered_limits if limit.exceeded(*measures)]
    return [Finding(limit.field, limit.code, Reason(limit.sentence)) for limit in exceeded]


def report_consignees(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add a notice on the last guide of each consignee whose guides together exceed a limit.

    One guide alone never does. Consignees are told apart by their documents; guides without one do not count.
    """
    if not rules.consignee_limits:
        return
    of_consignee: dict[str, list[GuideRow]] = {}
    for guide in guides:
        if guide.consignee_document and guide.fob_usd is not None:
            of_consignee.setdefault(guide.consignee_document, []).append(guide)
    for several in (found for found in of_consignee.values() if len(found) > 1):
        for limit in rules.consignee_limits:
            counted = [guide for guide in several if limit.category in {None, guide.category}]
            total = sum((guide.fob_usd or _NOTHING for guide in counted), start=_NOTHING)
            if len(counted) > 1 and total > limit.most_usd:
                last = counted[-1]
                findings.notice(
                    limit.code, limit.sentence, row_index=last.row_index, hawb=last.hawb, count=len(counted)
                )


def report_details(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add one notice on the guides that lack details which customs asks for, naming the details."""
    wanted = rules.wanted_details
    if wanted is None:
        return
    lacking = [
        [key for key in wanted.keys if not guide.extra_data.get(key)]
        for guide in guides
        if guide.category in wanted.categories
    ]
    count = sum(map(bool, lacking))
    if count:
        names = tuple(key for key in wanted.keys if any(key in keys for keys in lacking))
        findings.notice("customs_details_missing", names=names, count=count)


def report_personal_units(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add a notice on each guide for personal use with more units than a person may receive."""
    limit = rules.personal_units
    if limit is None:
        return
    for guide in guides:
        purpose = str(guide.extra_data.get(limit.purpose, ""))
        if " ".join(purpose.split()).upper() not in limit.purposes:
            continue
        units = read_packages(str(guide.extra_data.get(limit.units, ""))).value
        if units is not None and units > limit.most:
            findings.notice("personal_units_exceeded", row_index=guide.row_index, hawb=guide.hawb, most=limit.most)
