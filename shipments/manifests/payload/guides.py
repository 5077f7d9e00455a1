"""The guides of the canonical JSON document: every problem of every row, or rows that are ready to be written."""

from dataclasses import replace
from itertools import islice
from typing import Any

from shipments.manifests.countries.judgement import judge_category, judge_limits, judge_vat, limit_reasons
from shipments.manifests.countries.rules import CountryRules, Finding
from shipments.manifests.destinations import find_country
from shipments.manifests.findings import MAX_REPORTED, Findings
from shipments.manifests.guide_fields import GUIDE_FIELDS, LONGEST, GuideField
from shipments.manifests.manifest import GuideRow, ParsedManifest, Reason
from shipments.manifests.payload.fields import FieldReader, InvalidRow, RowFindings
from shipments.manifests.payload.products import DERIVED_FIELDS, read_products, settle_hs_code
from shipments.manifests.waybills import HAWB_LENGTH

MARKETPLACE_KEYS = ("marketplace_cop_no", "marketplace_waybill")
"""Keys of `extra_data` that identify a guide in the marketplace's own system."""

_JUDGED = {"consignee_document_type", "consignee_document", "category"}
"""Fields whose problems have a reason for review of their own."""
_ORDER = {field.name: position for position, field in enumerate(GUIDE_FIELDS)}


class GuideReader:
    """Reads the guides of one manifest, one after the other.

    invalid_rows: the first `MAX_REPORTED` problems, by row and then in the order of `GUIDE_FIELDS`.
    invalid_rows_total: the total number of problems.
    """

    def __init__(self, rules: CountryRules, findings: Findings, *, is_lenient: bool = False) -> None:
        """findings: collects the warnings.

        is_lenient: as in a workbook, a guide with problems is kept without what cannot be read, with a warning for each
        and marked for review, as long as it has a HAWB of its own.
        """
        self.invalid_rows: list[InvalidRow] = []
        self.invalid_rows_total = 0
        self._findings = findings
        self._rules = rules
        self._is_lenient = is_lenient
        self._row_of: dict[str, int] = {}
        fields = _fields_for(rules)
        self._whole = FieldReader(fields)
        self._beside_products = FieldReader([field for field in fields if field.name not in DERIVED_FIELDS])

    def read(self, row_index: int, row: object) -> GuideRow | None:
        """One guide; None when it has problems. `row_index`: its position in `guides`, 0-based."""
        findings = RowFindings()
        values: dict[str, Any] = {}
        if isinstance(row, dict):
            values = self._values(row, findings)
            self._note_hawb(row_index, values, findings)
        else:
            findings.refuse("guides", "invalid", "guide_not_an_object")
        if findings.problems and self._is_lenient and isinstance(row, dict) and not findings.has_problem("hawb"):
            _flag(values, row, findings)
        if findings.problems:
            self._refuse(row_index, values.get("hawb") or _as_sent(row), findings)
            return None
        self._apply_limits(values, findings)
        for warning in findings.warnings:
            reason = warning.reason
            self._findings.warn(
                row_index, values["hawb"], warning.field, warning.code, reason.sentence, **reason.params
            )
        return GuideRow(row_index=row_index, **values)

    def _refuse(self, row_index: int, hawb: str, findings: RowFindings) -> None:
        self.invalid_rows_total += len(findings.problems)
        room = MAX_REPORTED - len(self.invalid_rows)
        if room > 0:
            in_order = sorted(findings.problems, key=lambda each: _ORDER.get(each.field, _ORDER["products"]))
            self.invalid_rows += [InvalidRow(row_index, hawb, problem) for problem in in_order[:room]]

    def _values(self, row: dict[str, object], findings: RowFindings) -> dict[str, Any]:
        products = row.get("products")
        has_products = isinstance(products, list) and bool(products)
        values = (self._beside_products if has_products else self._whole).read(row, findings)
        if values.get("products"):
            values |= read_products(values.pop("products"), findings)
        else:
            values.pop("products", None)
            settle_hs_code(values, findings)
        self._identify(values, findings)
        if "goods_country" not in values and not findings.has_problem("goods_country"):
            origin = values.get("extra_data", {}).get("origin_country")  # where older senders have it
            if isinstance(origin, str) and (country := find_country(origin)):
                values["goods_country"] = country
        if self._rules.categories and not findings.has_problem("category"):
            values["category"], problem = judge_category(self._rules, values.get("category"), values.get("fob_usd"))
            findings.problems += [problem] if problem else []
        return values

    def _note_hawb(self, row_index: int, values: dict[str, Any], findings: RowFindings) -> None:
        hawb = values.get("hawb")
        first = self._row_of.setdefault(hawb, row_index) if hawb else row_index
        if first != row_index:
            findings.refuse("hawb", "duplicate_hawb", "hawb_repeated", first=str(first))

    def _identify(self, values: dict[str, Any], findings: RowFindings) -> None:
        found = self._rules.identify(values.get("consignee_document_type", ""), values.get("consignee_document", ""))
        for problem in found.problems:
            if not findings.has_problem(problem.field):
                findings.problems.append(problem)
        values["consignee_document_type"] = found.document_type
        values["consignee_document"] = found.document
        values["review_reasons"] = found.review_reasons

    def _apply_limits(self, values: dict[str, Any], findings: RowFindings) -> None:
        retention_reason, warnings = judge_limits(self._rules, values)
        if retention_reason:
            values["retention_reason"] = retention_reason
        if reasons := limit_reasons(warnings):
            values["review_reasons"] = (*values["review_reasons"], *reasons)
        tax_id, about_vat = judge_vat(self._rules, values)
        if tax_id:
            values["platform_tax_id"] = tax_id
        findings.warnings += [*warnings, *about_vat]


def _flag(values: dict[str, Any], row: dict[str, object], findings: RowFindings) -> None:
    """Turn the problems of a guide into warnings and reasons for review. Its document is kept as written."""
    reasons = [
        problem.reason.sentence if problem.reason.sentence == "document_missing" else problem.code
        for problem in findings.problems
        if problem.field in _JUDGED
    ]
    if len(reasons) < len(findings.problems):
        reasons.append("value_left_out")
    values["review_reasons"] = tuple(dict.fromkeys((*values["review_reasons"], *reasons)))
    for name in ("consignee_document_type", "consignee_document"):
        if not values[name] and isinstance(sent := row.get(name), str | int):
            values[name] = str(sent).strip()[: LONGEST[name]]
    for name in ("weight_kg", "fob_usd"):
        values.setdefault(name, None)
    findings.warnings += findings.problems
    findings.problems.clear()


def _fields_for(rules: CountryRules) -> list[GuideField]:
    document = next(field for field in GUIDE_FIELDS if field.name == "consignee_document")
    own = replace(document, code=rules.invalid_document_code)
    fields = [own if field is document else field for field in GUIDE_FIELDS]
    return [field for field in fields if rules.categories or field.name != "category"]


def _as_sent(row: object) -> str:
    """The HAWB of a refused row as sent, so that its sender can find the row."""
    hawb = row.get("hawb") if isinstance(row, dict) else None
    return hawb.strip()[:HAWB_LENGTH] if isinstance(hawb, str) else ""


# --- the marketplace rule ---------------------------------------------------------------------------------------------


def marketplace_problems(manifest: ParsedManifest, *, is_marketplace: bool) -> tuple[list[InvalidRow], int]:
    """Rows that break the marketplace rule: the first `MAX_REPORTED` as entries of `invalid_rows`, and the total.

    is_marketplace: whether the manifest's owner is the marketplace's client. If so, each row needs both identifiers, as
    a non-blank string or a whole number. For any other client, a row that carries either is a problem.
    """
    broken = "required" if is_marketplace else "not_allowed"
    reason = Reason(f"marketplace_identifier_{broken}")
    found = (
        InvalidRow(guide.row_index, guide.hawb, Finding(f"extra_data.{key}", broken, reason))
        for guide in manifest.guides
        for key in MARKETPLACE_KEYS
        if _breaks_the_rule(guide.extra_data.get(key), is_marketplace=is_marketplace)
    )
    problems = list(islice(found, MAX_REPORTED))
    return problems, len(problems) + sum(1 for _problem in found)


def _breaks_the_rule(value: object, *, is_marketplace: bool) -> bool:
    if isinstance(value, str):
        return bool(value.strip()) != is_marketplace
    return type(value) is not int if is_marketplace else value not in (None, [], {})
