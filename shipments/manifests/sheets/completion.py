"""What a country adds to the reading of guides in a workbook: the consignee's document, category and limits.

Everything else, such as finding columns and reading numbers, is the same for all countries. A workbook's row with
problems still becomes a guide: it is reported with a warning and marked for review. JSON refuses it instead.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from companies.countries import SERVED
from shipments.manifests.countries import COUNTRIES
from shipments.manifests.countries.chile import RULES as CHILE
from shipments.manifests.countries.judgement import (
    exceeded_limits,
    judge_category,
    report_consignees,
    report_details,
    report_personal_units,
    report_repeated_category,
    unregistered_limits,
)
from shipments.manifests.countries.rules import CountryRules, Finding
from shipments.manifests.documents import DocumentCheck, check_rut
from shipments.manifests.findings import Findings
from shipments.manifests.guide_fields import LONGEST
from shipments.manifests.manifest import GuideRow
from shipments.manifests.sheets.row_reader import GuideDraft, GuideLine

_RUT_BODY = 8
"""Digits of a RUT before its check digit, at most."""


class Completion(Protocol):
    """A country's part in reading guides.

    country: alpha-2. document_field: the contract's name for the consignee's document in warnings and columns.
    """

    country: str
    document_field: str

    def has_dummy_document(self, guide: GuideDraft) -> bool:
        """Whether the document is a well-known placeholder, which does not tell two people apart."""
        ...

    def complete(self, guide: GuideDraft, line: GuideLine, findings: Findings) -> dict[str, Any]:
        """Values of `GuideRow` that the country's rules decide, by field. Problems become warnings.

        line: all rows of the guide combined.
        """
        ...

    def report(self, guides: Sequence[GuideRow], findings: Findings) -> None:
        """Add the notices that concern several guides."""
        ...


class ChileanGuides:
    """Chile: the consignee's RUT, which may be in two columns. An invalid one never refuses the guide."""

    country = CHILE.country
    document_field = "consignee_rut"

    def has_dummy_document(self, guide: GuideDraft) -> bool:
        """Whether the RUT is a well-known placeholder."""
        return check_rut_of_two(guide.document, guide.check_digit).is_placeholder

    def complete(self, guide: GuideDraft, line: GuideLine, findings: Findings) -> dict[str, Any]:  # noqa: ARG002  # a Completion
        """The RUT and why it needs review, if it does."""
        check = check_rut_of_two(guide.document, guide.check_digit)
        reasons: tuple[str, ...] = ("rut_placeholder",) if check.is_placeholder else ()
        if check.problem:
            reasons = ("rut_invalid_format",)
            sentence = f"{check.problem.sentence}_for_review"
            findings.warn(guide.row_index, guide.hawb, self.document_field, "rut_invalid_format", sentence)
        else:
            guide.texts.setdefault("consignee_document_type", "RUT")
        number = findings.fit(guide.row_index, guide.hawb, "consignee_document", check.number)
        return {"consignee_document": number, "review_reasons": reasons}

    def report(self, guides: Sequence[GuideRow], findings: Findings) -> None:
        """Nothing concerns several guides."""


class RuledGuides:
    """A country whose rules for JSON apply to workbooks as they are: the problems of a row become warnings."""

    document_field = "consignee_document"

    def __init__(self, rules: CountryRules) -> None:
        self.country = rules.country
        self._rules = rules

    def has_dummy_document(self, guide: GuideDraft) -> bool:  # noqa: ARG002  # a Completion
        """No country but Chile has well-known placeholders."""
        return False

    def complete(self, guide: GuideDraft, line: GuideLine, findings: Findings) -> dict[str, Any]:
        """Document, category and retention, as for a JSON row. An invalid document is kept as written."""
        document_type = guide.texts.pop("consignee_document_type", "")
        written = f"{guide.document}{guide.check_digit}"
        found = self._rules.identify(document_type, written)
        category, problem = judge_category(self._rules, guide.category, line.fob_usd)
        problems = [*found.problems, *([problem] if problem else [])]
        retention_reason, exceeded = exceeded_limits(
            self._rules,
            category=category,
            fob_usd=line.fob_usd,
            weight_kg=line.weight_kg,
            packages_count=line.packages_count or 1,
        )
        exceeded += unregistered_limits(self._rules, found.document_type, line.fob_usd)
        for finding in (*problems, *exceeded):
            reason = finding.reason
            findings.warn(guide.row_index, guide.hawb, finding.field, finding.code, reason.sentence, **reason.params)
        document = findings.fit(guide.row_index, guide.hawb, "consignee_document", found.document or written)
        return {
            "consignee_document_type": (found.document_type or document_type)[: LONGEST["consignee_document_type"]],
            "consignee_document": document,
            "category": category,
            "review_reasons": (*found.review_reasons, *dict.fromkeys(map(_review_reason, problems))),
            "retention_reason": retention_reason,
        }

    def report(self, guides: Sequence[GuideRow], findings: Findings) -> None:
        """What the law says about the guides of one transport document together."""
        report_repeated_category(self._rules, guides, findings)
        report_consignees(self._rules, guides, findings)
        report_details(self._rules, guides, findings)
        report_personal_units(self._rules, guides, findings)


def _review_reason(problem: Finding) -> str:
    return "document_missing" if problem.reason.sentence == "document_missing" else problem.code


def check_rut_of_two(document: str, check_digit: str) -> DocumentCheck:
    """Check a consignee's RUT, which may be in two columns: the number and its check digit."""
    if not check_digit or sum(map(str.isdigit, document)) > _RUT_BODY:
        return check_rut(document)
    joined = check_rut(f"{document}-{check_digit}")
    if joined.problem and document[-1:].upper() == check_digit.upper():
        # The whole RUT may be in the first column, with its check digit again in the second.
        whole = check_rut(document)
        return joined if whole.problem else whole
    return joined


COMPLETIONS: dict[str, Completion] = {
    **{country: RuledGuides(COUNTRIES[country]) for country in SERVED},
    CHILE.country: ChileanGuides(),
}
"""Country, alpha-2 -> its part in reading guides."""
