"""Read a surveyed workbook as a manifest for one country."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime

from base.errors import Translatable
from companies.countries import SERVED
from shipments.errors import GuidesLeftUnread, ManifestTooLarge, MawbNotFoundInFile, NoRowsParsed
from shipments.manifests.cells import MAX_COLUMNS
from shipments.manifests.countries import rules_for
from shipments.manifests.findings import (
    REFUSING,
    Findings,
    Refusing,
    report_implausible,
    report_repeated_numbers,
    shorten,
)
from shipments.manifests.flights import arrival_day
from shipments.manifests.manifest import MAX_GUIDES, FlightFields, GuideRow, ParsedManifest, SeenLayout
from shipments.manifests.sheets.completion import Completion
from shipments.manifests.sheets.evidence import Strength
from shipments.manifests.sheets.figures import NO_FIGURES, Figures, check_told_values, figures_of
from shipments.manifests.sheets.flight import flight_of
from shipments.manifests.sheets.layouts import derive_layout
from shipments.manifests.sheets.merging import bring_together, extra_of, products_of, sum_of
from shipments.manifests.sheets.report import ColumnReport
from shipments.manifests.sheets.row_reader import GuideDraft
from shipments.manifests.sheets.rows import GuideRows
from shipments.manifests.sheets.surveys import Survey
from shipments.manifests.words.lexicon import Field

Doubts = Mapping[str, Iterable[str]]
"""HAWB -> reasons for review that the reading of its cells gives."""


def read_survey(
    country: str,
    survey: Survey,
    form: FlightFields,
    refusing: Refusing = REFUSING,
    number_keys: Iterable[str] = (),
    usual: Figures = NO_FIGURES,
    seen: SeenLayout | None = None,
    received_at: datetime | None = None,
) -> ParsedManifest:
    """Read the manifest from a surveyed workbook.

    country: alpha-2, of its destination; a served one. form: the flight as given in the upload's form; its values
    override the workbook's. refusing: a trial reads on without a MAWB, which is then empty, and beside guides left
    unread. number_keys: as in `report_repeated_numbers`. usual: what the layout's values are like, for those told.
    seen: the layout, if it is known already. received_at: as in `arrival_day`, whose law applies.
    Raises ManifestTooLarge above `MAX_GUIDES` guide rows or `MAX_COLUMNS` columns, MawbNotFoundInFile without
    exactly one MAWB, GuidesLeftUnread if some guides cannot be read, NoRowsParsed without any. If it cannot be told
    which column is the HAWB, `questions` asks, and there may be no guides.
    """
    mawb = _mawb_of(survey, refusing)
    seen = seen or derive_layout(survey)
    if survey.questions:
        return ParsedManifest(mawb, country, FlightFields(), (), questions=survey.questions, layout=seen)
    findings = Findings(survey.notices, refusing.collect)
    flight = flight_of(survey, form, SERVED[country].clock, findings)
    day = arrival_day(country, flight, received_at)
    completion = Completion(rules_for(country, day))
    rows = GuideRows(survey.sheets, findings, survey.told.rows_without_hawb, mawb)
    drafts = bring_together(rows.read(), completion.has_dummy_document, findings, rows.tally)
    columns = ColumnReport(survey.sheets, completion.document_field)
    guides = tuple(_finish_guides(drafts, completion, columns, rows.doubts, findings))
    if not guides:
        raise NoRowsParsed(_why_no_guide(survey))
    if rows.tally.duplicates > len(guides):  # most rows repeat a HAWB for other consignees
        refusing.refuse(NoRowsParsed(_why_no_house(survey, rows.tally.duplicates)))
    if told := _find_told_fields(survey):
        guides = check_told_values(guides, told, usual, findings)
    columns.report(findings, rows.filled)
    report_implausible(guides, findings)
    report_repeated_numbers(number_keys, guides, findings)
    completion.report(guides, findings)
    rows.tally.tell(findings)
    findings.check_mawb(mawb)
    return ParsedManifest(
        mawb=mawb,
        country=country,
        flight=flight,
        guides=guides,
        columns=columns.readings(),
        kept=columns.list_kept(rows.filled),
        questions=columns.questions(),
        rows=rows.tally.account(len(guides)),
        arrival_day=day,
        layout=replace(seen, figures=figures_of(guides)) if seen else None,
        **findings.to_fields(),
    )


def _find_told_fields(survey: Survey) -> frozenset[Field]:
    """The fields whose column a person has told."""
    tables = [table.columns for sheet in survey.sheets for table in sheet.guide_tables()]
    told = {column for columns in tables for column, each in columns.strengths.items() if each == Strength.TOLD}
    return frozenset(
        name
        for columns in tables
        for name in (*columns.single, "consignee_name", "consignee_address")
        if told.intersection(columns.serving(name))
    )


def _mawb_of(survey: Survey, refusing: Refusing) -> str:
    """The MAWB of a workbook that can be read; raises as `read_survey` does."""
    mawb = ""
    if any(tables.sheet.is_cut for tables in survey.sheets):
        raise ManifestTooLarge(
            Translatable(
                "The sheet is larger than %(rows)s guide rows and %(columns)s columns; split the manifest, and delete "
                "cells far below or to the right of the guides.",
                rows=f"{MAX_GUIDES:,}",
                columns=MAX_COLUMNS,
            )
        )
    try:
        mawb = survey.labelled.mawb()
    except MawbNotFoundInFile as refusal:
        asked = [asdict(question) for question in survey.mawb_questions]
        refusing.refuse(MawbNotFoundInFile(refusal.message, questions=asked) if asked else refusal)
    if survey.unread_guides:
        refusing.refuse(GuidesLeftUnread(survey.unread_guides))
    if not survey.sheets and not survey.questions:
        raise NoRowsParsed(survey.why_no_table)
    return mawb


def _finish_guides(
    drafts: dict[str, GuideDraft], completion: Completion, columns: ColumnReport, doubts: Doubts, findings: Findings
) -> Iterator[GuideRow]:
    for hawb in list(drafts):
        draft = drafts.pop(hawb)  # saves memory: 50,000 drafts and 50,000 guides are never held at once
        findings.sheet = draft.sheet
        line = sum_of(draft, findings) if draft.others else draft.line
        if line.weight_kg is not None and not line.weight_kg:
            findings.warn(draft.row_index, hawb, "weight_kg", "weight_kg_invalid", "weight_kg_zero")
            line.weight_kg, line.unreadable = None, line.unreadable | {"weight_kg"}
        columns.count(draft, line)
        completed = completion.complete(draft, line, findings)
        reasons = (*doubts.get(hawb, ()), *((_IN_DOUBT,) if draft.is_doubtful else ()))
        if reasons:
            completed["review_reasons"] = (*completed["review_reasons"], *reasons)
        if len(draft.vat) > 1:
            findings.warn(draft.row_index, draft.hawb, "vat_collected", "vat_collected_invalid", "vat_rows_contradict")
        yield GuideRow(
            row_index=draft.row_index,
            hawb=hawb,
            description_original=line.description,
            hs_code=line.hs_code,
            weight_kg=line.weight_kg,
            fob_usd=line.fob_usd,
            product_value=line.product_value,
            freight_usd=line.freight_usd,
            insurance_usd=line.insurance_usd,
            packages_count=line.packages_count or 1,
            products=products_of(draft),
            platform_name=draft.platform_name,
            vat_collected=next(iter(draft.vat)) if len(draft.vat) == 1 else None,
            extra_data=extra_of(draft, findings),
            **draft.texts,  # type: ignore[arg-type]  # keys are the text fields of GuideRow
            **completed,
        )


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


def _why_no_house(survey: Survey, duplicates: int) -> str:
    table = survey.table
    heading = table.heading(table.columns.single["hawb"]) if table else ""
    return (
        f"The column {shorten(heading)!r} is not the HAWB: {duplicates} rows repeat its values for other consignees. "
        "Name the column that is different for each shipment HAWB."
    )


_IN_DOUBT = "column_in_doubt"
_IDENTITY = ("Consignatario", "RUT", "Descripción")
