"""The Chilean workbook format: guides whose consignees are identified by their RUT."""

from collections.abc import Iterator

from companies.countries import SERVED
from shipments.errors import GuidesLeftUnread, ManifestTooLarge, NoRowsParsed
from shipments.manifests.column_report import ColumnReport, MissingValues
from shipments.manifests.documents import DocumentCheck, check_rut
from shipments.manifests.findings import Findings
from shipments.manifests.manifest import MAX_GUIDES, FlightFields, GuideRow, ParsedManifest
from shipments.manifests.plausibility import report_implausible
from shipments.manifests.waybills import has_valid_check_digit
from shipments.manifests.workbook.flight_details import flight_of
from shipments.manifests.workbook.guide_rows import GuideRows
from shipments.manifests.workbook.layout import Survey
from shipments.manifests.workbook.row_reader import GuideDraft
from shipments.manifests.workbook.same_hawb import GuideDrafts, bring_together, products_of, sum_of

MAX_COLUMNS = 256
"""The most columns a sheet may have."""

_RUT_BODY = 8
"""Digits of a RUT before its check digit, at most."""


class ChileFormat:
    """Reads a surveyed workbook as a manifest for Chile."""

    country = "CL"
    timezone = SERVED[country].clock

    def read(self, survey: Survey, form: FlightFields) -> ParsedManifest:
        """Read the manifest from the workbook.

        form: the flight as given in the upload's form; its values override the workbook's.
        Raises ManifestTooLarge above `MAX_GUIDES` guide rows or `MAX_COLUMNS` columns, MawbNotFoundInFile without
        exactly one MAWB, GuidesLeftUnread if some guides cannot be read, NoRowsParsed without any.
        """
        if any(tables.sheet.is_cut for tables in survey.sheets):
            raise ManifestTooLarge(
                f"The sheet is larger than {MAX_GUIDES:,} guide rows and {MAX_COLUMNS} columns; split the manifest, "
                "and delete what stands far below or right of the guides."
            )
        mawb = survey.mawbs.the_one()
        if survey.unread_guides:
            raise GuidesLeftUnread(survey.unread_guides)
        if not survey.sheets:
            raise NoRowsParsed(_why_no_table(survey))
        findings = Findings(survey.notices)
        rows = GuideRows(survey.sheets, findings)
        drafts = bring_together(rows.read(), _has_dummy_rut, findings, rows.tally)
        columns = ColumnReport(survey.sheets)
        guides = tuple(_finished(drafts, columns.missing, findings))
        if not guides:
            raise NoRowsParsed(_why_no_guide(survey))
        columns.report(findings)
        report_implausible(guides, findings)
        rows.tally.tell(findings)
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
            warnings_count=findings.warnings_count,
            notices_count=findings.notices_count,
            rut_invalid_count=findings.rut_invalid_count,
            columns=columns.readings(),
            rows=rows.tally.account(len(guides)),
        )


def check_consignee(document: str, check_digit: str) -> DocumentCheck:
    """Check a consignee's RUT, which may be in two columns: the number and its check digit."""
    if not check_digit or sum(map(str.isdigit, document)) > _RUT_BODY:
        return check_rut(document)
    joined = check_rut(f"{document}-{check_digit}")
    if joined.problem and document[-1:].upper() == check_digit.upper():
        # The whole RUT may be in the first column, with its check digit again in the second.
        whole = check_rut(document)
        return joined if whole.problem else whole
    return joined


def _has_dummy_rut(guide: GuideDraft) -> bool:
    return check_consignee(guide.document, guide.check_digit).is_placeholder


def _finished(drafts: GuideDrafts, missing: MissingValues, findings: Findings) -> Iterator[GuideRow]:
    for hawb in list(drafts.guides):
        draft = drafts.guides.pop(hawb)  # saves memory: 50,000 drafts and 50,000 guides are never held at once
        others = drafts.lines.get(hawb, [])
        line = sum_of(draft, others, findings) if others else draft.line
        missing.add(draft, line)
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
        return "There is a row of headings, but no guide under it: each needs a HAWB and two more values."
    advice = (
        "name the columns, at least HAWB, Consignatario, RUT, Descripción, Bultos, Peso (kg) and Valor FOB (USD), or "
        "start from the template."
    )
    if survey.near and survey.near.lacks:
        return (
            f"No row of headings was found under which guides can be read. Row {survey.near.row} of the sheet "
            f"{survey.near.sheet!r} comes nearest; it lacks {', '.join(survey.near.lacks)}. In one row, {advice}"
        )
    return f"No row of headings was found among the first rows of any visible sheet: {advice}"


def _why_no_guide(survey: Survey) -> str:
    table = survey.table
    lacks = [word for word in table.header.lacks() if word in _IDENTITY] if table else []
    if len(lacks) == len(_IDENTITY):
        return (
            f"The headings in row {table.header.first_row if table else 1} name neither the consignee, the RUT nor the "
            "description; a row without any of them is not a guide. Add those columns."
        )
    return (
        "There is a row of headings, but no guide under it: each needs a HAWB, two more values, and a consignee, RUT "
        "or description."
    )


_IDENTITY = ("Consignatario", "RUT", "Descripción")
