"""The Chilean workbook format: guides whose consignees are known by their RUT."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from shipments.errors import ManifestTooLarge, NoRowsParsed
from shipments.manifests.documents import DocumentCheck, check_rut
from shipments.manifests.findings import Findings
from shipments.manifests.manifest import MAX_GUIDES, FlightFields, GuideRow, ParsedManifest
from shipments.manifests.waybills import has_valid_check_digit
from shipments.manifests.workbook.flight_details import flight_of
from shipments.manifests.workbook.guide_rows import read_rows
from shipments.manifests.workbook.layout import GuideTable, Survey
from shipments.manifests.workbook.row_reader import GuideDraft
from shipments.manifests.workbook.same_hawb import GuideDrafts, bring_together, products_of, sum_of

MAX_COLUMNS = 256
"""Columns a sheet may have."""

_RUT_BODY = 8
"""Digits of a RUT before its check digit, at most."""


_NO_GUIDES = "There is a row of headings, but no guide under it: each needs a HAWB and two more values."


class ChileFormat:
    """Reads a surveyed workbook as a manifest for Chile."""

    country = "CL"
    timezone = ZoneInfo("America/Santiago")

    def read(self, survey: Survey, form: FlightFields) -> ParsedManifest:
        """The manifest that a workbook tells.

        form: the flight as the upload's form has it; its values win over the workbook's.
        Raises ManifestTooLarge past `MAX_GUIDES` guide rows or `MAX_COLUMNS` columns, MawbNotFoundInFile without one
        MAWB, NoRowsParsed without a guide.
        """
        table = survey.table
        if table and table.sheet.is_cut:
            raise ManifestTooLarge(
                f"The sheet is larger than {MAX_GUIDES:,} guide rows and {MAX_COLUMNS} columns; split the manifest, "
                "and delete what stands far below or right of the guides."
            )
        mawb = survey.mawbs.the_one()
        if table is None:
            raise NoRowsParsed(_why_no_table(survey))
        findings = Findings(survey.notices)
        guides = self._guides(table, findings)
        if not guides:
            raise NoRowsParsed(
                "There is a row of headings, but no guide under it: each needs a HAWB and two more values."
            )
        flight = flight_of(survey, form, self.timezone, findings)
        if not has_valid_check_digit(mawb):
            findings.notice("mawb_check_digit_mismatch", mawb=mawb)
        return ParsedManifest(
            mawb=mawb,
            country=self.country,
            flight=flight,
            guides=guides,
            warnings=findings.warnings,
            notices=findings.notices,
            rut_invalid_count=findings.rut_invalid_count,
        )

    def _guides(self, table: GuideTable, findings: Findings) -> tuple[GuideRow, ...]:
        drafts = bring_together(read_rows(table, findings), _has_dummy_rut, findings)
        return tuple(_finished(drafts, findings))


def check_consignee(document: str, check_digit: str) -> DocumentCheck:
    """Check a consignee's RUT, which may stand in two columns: the number, and its check digit."""
    if not check_digit or sum(map(str.isdigit, document)) > _RUT_BODY:
        return check_rut(document)
    joined = check_rut(f"{document}-{check_digit}")
    if joined.problem and document[-1:].upper() == check_digit.upper():
        # The whole RUT may stand in the first column, and its check digit once more in the second.
        whole = check_rut(document)
        return joined if whole.problem else whole
    return joined


def _has_dummy_rut(guide: GuideDraft) -> bool:
    return check_consignee(guide.document, guide.check_digit).is_placeholder


def _finished(drafts: GuideDrafts, findings: Findings) -> Iterator[GuideRow]:
    for hawb in list(drafts.guides):
        draft = drafts.guides.pop(hawb)  # 50,000 drafts and 50,000 guides need not stand side by side
        others = drafts.lines.get(hawb, [])
        line = sum_of(draft, others, findings) if others else draft.line
        check = check_consignee(draft.document, draft.check_digit)
        reasons: tuple[str, ...] = ("rut_placeholder",) if check.is_placeholder else ()
        if check.problem:
            reasons = ("rut_invalid_format",)
            sentence = f"{check.problem.sentence}_for_review"
            findings.warn(draft.row_index, hawb, "consignee_rut", "rut_invalid_format", sentence)
        else:
            draft.texts.setdefault("consignee_document_type", "RUT")
        yield GuideRow(
            row_index=draft.row_index,
            hawb=hawb,
            consignee_document=findings.fit(draft.row_index, hawb, "consignee_document", check.number),
            description_original=line.description,
            hs_code=line.hs_code,
            weight_kg=line.weight_kg,
            fob_usd=line.fob_usd,
            product_value=line.product_value,
            packages_count=line.packages_count or 1,
            products=products_of(draft.line, others) if others else (),
            review_reasons=reasons,
            **draft.texts,  # type: ignore[arg-type]  # keys are the text fields of GuideRow
        )


def _why_no_table(survey: Survey) -> str:
    if survey.has_headings:
        return _NO_GUIDES
    return (
        "No row of headings was found among the first rows of any visible sheet: name the columns, at least HAWB, "
        "Consignatario, RUT, Descripción, Bultos, Peso (kg) and Valor FOB (USD), or start from the template."
    )
