"""What a country adds to the reading of guides in a workbook: the consignee's document, category and limits.

Everything else, such as finding columns and reading numbers, is the same for all countries. A workbook's row with
problems still becomes a guide: it is reported with a warning and marked for review. JSON refuses it instead.
"""

from collections.abc import Sequence
from typing import Any

from shipments.manifests.countries.judgement import (
    judge_category,
    judge_limits,
    judge_vat,
    limit_reasons,
    report_details,
    report_together,
)
from shipments.manifests.countries.rules import CountryRules, Finding
from shipments.manifests.findings import Findings
from shipments.manifests.guide_fields import LONGEST
from shipments.manifests.manifest import GuideRow, Reason
from shipments.manifests.sheets.row_reader import GuideDraft, GuideLine

_LONGEST_TYPE = LONGEST["consignee_document_type"]
_MISSING = "document_missing"


class Completion:
    """A country's part in reading guides: its rules for JSON apply to workbooks, and problems become warnings.

    document_field: the contract's name for the consignee's document in warnings and columns.
    """

    def __init__(self, rules: CountryRules) -> None:
        self.document_field = rules.document_field
        self._rules = rules
        self._only = rules.documents[0] if len(rules.documents) == 1 else None

    def has_dummy_document(self, guide: GuideDraft) -> bool:
        """Whether the document is a well-known placeholder, which does not tell two people apart."""
        return bool(self._identify(guide, "", self._document_as_written(guide))[3])

    def complete(self, guide: GuideDraft, line: GuideLine, findings: Findings) -> dict[str, Any]:
        """Values of `GuideRow` that the country's rules decide, by field. An invalid document is kept as written.

        line: all rows of the guide combined.
        """
        document_type = guide.texts.pop("consignee_document_type", "")
        written = self._document_as_written(guide)
        name, number, problems, reasons = self._identify(guide, document_type, written)
        completed: dict[str, Any] = {
            "consignee_document_type": (name or document_type)[:_LONGEST_TYPE],
            "consignee_document": findings.fit(guide.row_index, guide.hawb, "consignee_document", number or written),
            "review_reasons": reasons,
        }
        category, problem = judge_category(self._rules, guide.category, line.fob_usd)
        problems = (*problems, problem) if problem else problems
        completed["category"] = category if self._rules.categories else None
        judged = {measure: getattr(line, measure) for measure in ("fob_usd", "weight_kg", "packages_count")}
        judged |= {"category": category, "consignee_document_type": name}
        completed["retention_reason"], exceeded = judge_limits(self._rules, judged)
        if guide.vat or "platform_tax_id" in guide.texts:
            exceeded += self._about_vat(guide, line)
        if problems or exceeded:
            codes = (_MISSING if each.reason.sentence == _MISSING else each.code for each in problems)
            completed["review_reasons"] = (*reasons, *dict.fromkeys(codes), *limit_reasons(exceeded))
            for finding in (*problems, *exceeded):
                reason = finding.reason
                findings.warn(
                    guide.row_index, guide.hawb, finding.field, finding.code, reason.sentence, **reason.params
                )
        return completed

    def _about_vat(self, guide: GuideDraft, line: GuideLine) -> list[Finding]:
        """Warnings about VAT charged at the sale; the platform's tax id gets its normal form."""
        sale = {"vat_collected": guide.vat == {True}, "platform_name": guide.platform_name, "fob_usd": line.fob_usd}
        tax_id, found = judge_vat(self._rules, {**guide.texts, **sale})
        if tax_id:
            guide.texts["platform_tax_id"] = tax_id
        return found

    def report(self, guides: Sequence[GuideRow], findings: Findings) -> None:
        """Add the notices on the guides of one transport document together."""
        report_together(self._rules, guides, findings)
        report_details(self._rules, guides, findings)

    def _document_as_written(self, guide: GuideDraft) -> str:
        return self._rules.with_check_digit(guide.document, guide.check_digit) if guide.check_digit else guide.document

    def _identify(
        self, guide: GuideDraft, document_type: str, written: str
    ) -> tuple[str, str, tuple[Finding, ...], tuple[str, ...]]:
        """The document's kind and normal form, its problems and reasons for review.

        Where a country has only one kind, the column of the type is ignored.
        """
        if self._only is None:
            found = self._rules.identify(document_type, written)
            return found.document_type, found.document, found.problems, found.review_reasons
        check = self._only.check(written)
        reasons = (self._only.placeholder_reason,) if check.is_placeholder else ()
        if check.problem is None and not guide.lacks_check_digit:
            return self._only.name, check.number, (), reasons
        sentence = check.problem.sentence if check.problem else "rut_without_check_digit"
        finding = Finding(self.document_field, self._rules.invalid_document_code, Reason(f"{sentence}_for_review"))
        return "", check.number if check.problem else written, (finding,), reasons
