"""A country's law applied to one guide, for JSON rows and rows of workbooks alike."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from shipments.manifests.countries.rules import CountryRules, Finding, Retention
from shipments.manifests.findings import Findings
from shipments.manifests.manifest import GuideRow, InvalidValue, Reason
from shipments.manifests.words.amounts import read_packages

_NOTHING = Decimal(0)

LIMIT_REASONS = frozenset({"courier_limit_exceeded", "ruc_advised"})
"""Codes of exceeded limits that mark a guide for review. Retention has a work list of its own."""


def judge_category(
    rules: CountryRules, claimed: int | None, fob_usd: Decimal | None
) -> tuple[int | None, Finding | None]:
    """The express category of a guide, and the problem of an invalid claim.

    claimed: None without a claim. fob_usd: None when unknown. Without categories in the country's law the claim is
    returned unchanged.
    """
    if rules.categories is None:
        return claimed, None
    try:
        return rules.categories.settle(claimed, fob_usd), None
    except InvalidValue as problem:
        return claimed, Finding("category", "invalid_category", problem.reason)


def judge_limits(rules: CountryRules, guide: Mapping[str, Any]) -> tuple[str, list[Finding]]:
    """Why customs retains the guide (empty if it does not), and a warning for each limit that the guide exceeds.

    guide: its values by field. An unknown one exceeds no limit.
    """
    measures = guide["fob_usd"] or _NOTHING, guide["weight_kg"] or _NOTHING, guide.get("packages_count") or 1
    category, document_type = guide.get("category"), guide.get("consignee_document_type", "")
    exceeded = [
        limit for limit in rules.limits if limit.exceeded(*measures) and limit.concerns(category, document_type)
    ]
    retention_reason = next((limit.sentence for limit in exceeded if isinstance(limit, Retention)), "")
    return retention_reason, [Finding(limit.field, limit.code, Reason(limit.sentence)) for limit in exceeded]


def limit_reasons(found: Iterable[Finding]) -> tuple[str, ...]:
    """The reasons for review among the warnings of exceeded limits."""
    return tuple(dict.fromkeys(finding.code for finding in found if finding.code in LIMIT_REASONS))


def is_duty_free(rules: CountryRules, fob_usd: Decimal | None, extra_data: Mapping[str, object]) -> bool | None:
    """Whether a guide is free of duty by its value; None where the law has no such value, or the guide's is unknown.

    Goods whose `purpose` says that they are for something else than personal use are not. Where nothing is said, they
    are taken to be for personal use.
    """
    rule = rules.duty_free
    if rule is None or fob_usd is None:
        return None
    purpose = _purpose(extra_data, rule.purpose)
    return fob_usd <= rule.most_usd and (not purpose or purpose in rule.purposes)


def _purpose(extra_data: Mapping[str, object], key: str) -> str:
    return " ".join(str(extra_data.get(key) or "").split()).upper()


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


def report_together(rules: CountryRules, guides: Sequence[GuideRow], findings: Findings) -> None:
    """Add the notices on the guides of one transport document together, and mark those concerned for review."""
    for report in (_report_repeated_category, _report_consignees, _report_personal_units):
        report(rules, guides, findings)


def _report_repeated_category(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add a notice on the second guide of a category that one transport document may contain at most once."""
    once = rules.categories.once if rules.categories else None
    if once is None:
        return
    claimed = [guide for guide in guides if guide.category == once]
    if len(claimed) > 1:
        second = claimed[1]
        findings.notice(
            "category_repeated", row_index=second.row_index, hawb=second.hawb, category=once, count=len(claimed)
        )


def _report_consignees(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add a notice on the last guide of each consignee whose guides together exceed a limit.

    One guide alone never does. Consignees are told apart by their documents; guides without one do not count. The last
    guide is marked for review.
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
                last.review_reasons = (*last.review_reasons, limit.code)
                findings.notice(
                    limit.code, limit.sentence, row_index=last.row_index, hawb=last.hawb, count=len(counted)
                )


def report_details(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add one notice on the guides that lack details which customs asks for, naming the details."""
    wanted = rules.wanted_details
    if wanted is None:
        return
    lacking = [
        [key for key in wanted.keys if not (getattr(guide, key, None) or guide.extra_data.get(key))]
        for guide in guides
        if guide.category in wanted.categories
    ]
    count = sum(map(bool, lacking))
    if count:
        names = tuple(key for key in wanted.keys if any(key in keys for keys in lacking))
        findings.notice(wanted.code, names=names, count=count)


def _report_personal_units(rules: CountryRules, guides: Iterable[GuideRow], findings: Findings) -> None:
    """Add a notice on each guide for personal use with more units than a person may receive, and mark it for review."""
    limit = rules.personal_units
    if limit is None:
        return
    for guide in guides:
        if _purpose(guide.extra_data, limit.purpose) not in limit.purposes:
            continue
        units = read_packages(str(guide.extra_data.get(limit.units, ""))).value
        if units is not None and units > limit.most:
            guide.review_reasons = (*guide.review_reasons, limit.code)
            findings.notice(limit.code, row_index=guide.row_index, hawb=guide.hawb, most=limit.most)
