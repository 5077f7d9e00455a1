"""What the law of another day would find of the guides that are stored. Nothing is written."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

from shipments.manifests.countries import rules_for
from shipments.manifests.countries.judgement import (
    judge_category,
    judge_limits,
    judge_vat,
    report_details,
    report_together,
)
from shipments.manifests.countries.rules import CountryRules
from shipments.manifests.findings import Findings
from shipments.manifests.manifest import GuideRow, Notice, RowWarning
from shipments.models import Guide, ManifestQuerySet
from shipments.statuses import GuideStatus

_BATCH_GUIDES, _BATCH_MANIFESTS = 5_000, 500
_COLUMNS = (
    "hawb", "fob_usd", "weight_kg", "packages_count", "category", "consignee_document_type", "consignee_document",
    "goods_country", "vat_collected", "platform_name", "platform_tax_id",
)  # fmt: skip

_Found = set[tuple[str, str]]
"""Codes, each with a HAWB; for one about a whole manifest, numbered."""


class ChangedFinding(NamedTuple):
    """A finding that the law of another day would change.

    guides: for how many. own, other: how many have it by the law of their own day, and by that of the other.
    """

    code: str
    guides: int
    own: int
    other: int


def judge(manifests: ManifestQuerySet, country: str, day: date) -> Sequence[ChangedFinding]:
    """Judge the guides of `manifests`, all to one country, by the law of their own day of arrival and by that of `day`.

    Guides that are cancelled or anonymised do not count, nor do those of voided manifests.
    """
    manifests = manifests.filter(country=country, voided_at=None).order_by()
    days = manifests.values_list("arrival_day", flat=True).distinct()
    wanted = rules_for(country, day)
    codes = frozenset(code for own in days for code in _differing(rules_for(country, own), wanted))
    changes: Counter[str] = Counter()
    counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    if not codes:
        return ()
    wanted, laws = wanted.only(codes), {own: rules_for(country, own).only(codes) for own in days}
    for arrival_day, rows in _guides(manifests, has_extra_data=_reads_extra_data([wanted, *laws.values()])):
        law = laws[arrival_day]
        before = _findings(law, rows)
        after = before if law.rules == wanted.rules else _findings(wanted, rows)
        for count, found in ((counts[0], before), (counts[1], after), (changes, before ^ after)):
            count.update(code for code, _hawb in found)
    return [ChangedFinding(code, changes[code], counts[0][code], counts[1][code]) for code in sorted(changes)]


def _differing(own: CountryRules, other: CountryRules) -> Iterator[str]:
    """Yield the codes of the rules that only one of them has."""
    for rules, others in ((own.rules, other.rules), (other.rules, own.rules)):
        yield from (rule.code for rule in rules if rule.code and rule not in others)


def _reads_extra_data(laws: Iterable[CountryRules]) -> bool:
    return any(law.personal_units or law.wanted_details for law in laws)


def _guides(manifests: ManifestQuerySet, *, has_extra_data: bool) -> Iterator[tuple[date, list[dict[str, Any]]]]:
    """Yield the guides of each manifest, with its day of arrival. They are read in batches of whole manifests."""
    names = ("manifest_id", *_COLUMNS, *(("extra_data",) if has_extra_data else ()))
    standing = Guide.objects.filter(anonymised_at=None).exclude(status=GuideStatus.CANCELLED)
    for days in _batches(manifests):
        rows = standing.filter(manifest__in=days).order_by("manifest_id").values_list(*names)
        for manifest_id, own in groupby(rows.iterator(), key=itemgetter(0)):
            yield days[manifest_id], [dict(zip(names, row, strict=True)) for row in own]


def _batches(manifests: ManifestQuerySet) -> Iterator[Mapping[UUID, date]]:
    batch: dict[UUID, date] = {}
    guides = 0
    for pk, day, total in manifests.values_list("pk", "arrival_day", "total_guides").iterator():
        batch[pk], guides = day, guides + total
        if guides >= _BATCH_GUIDES or len(batch) >= _BATCH_MANIFESTS:
            yield batch
            batch, guides = {}, 0
    if batch:
        yield batch


def _findings(law: CountryRules, rows: Sequence[Mapping[str, Any]]) -> _Found:
    found: _Found = set()
    for row in rows:
        warnings = judge_limits(law, row)[1] if law.limits else []
        if law.vat_at_sale:
            warnings += judge_vat(law, row)[1]
        if law.categories and (problem := judge_category(law, row["category"], row["fob_usd"])[1]):
            warnings.append(problem)
        if warnings:
            found.update((warning.code, row["hawb"]) for warning in warnings)
    if law.consignee_limits or law.categories or _reads_extra_data([law]):
        _add_notices(law, rows, found)
    return found


_OF_ROW = ("hawb", "consignee_document", "fob_usd", "category", "goods_country")


def _add_notices(law: CountryRules, rows: Sequence[Mapping[str, Any]], found: _Found) -> None:
    """Add what the guides of one manifest give together."""

    def add(finding: RowWarning | Notice) -> None:
        if finding.hawb:
            found.add((finding.code, finding.hawb))
        else:
            found.update((finding.code, str(number)) for number in range(int(finding.reason.params["count"])))

    guides = [
        GuideRow(0, extra_data=row.get("extra_data", {}), **{name: row[name] for name in _OF_ROW}) for row in rows
    ]
    findings = Findings(found=add)
    report_together(law, guides, findings)
    report_details(law, guides, findings)
