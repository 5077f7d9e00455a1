"""Read a workbook by a company's own format, and report how it differs from what was agreed."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from shipments.errors import GuidesLeftUnread, WorkbookFormatChanged
from shipments.manifests.cells import Workbook
from shipments.manifests.findings import REFUSING, Refusing, shortened
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest, Reason
from shipments.manifests.mapped.given import columns_of, given_by, with_labels
from shipments.manifests.mapped.profile import verify
from shipments.manifests.mapped.recognise import Difference, Match
from shipments.manifests.mapped.spec import FormatSpec
from shipments.manifests.sheets.manifest_reader import read_survey
from shipments.manifests.sheets.survey import survey
from shipments.manifests.sheets.surveys import Survey
from shipments.manifests.words.units import UNREADABLE

_MOST_NAMED = 10
_NO_FLIGHT = FlightFields()


def survey_by(book: Workbook, matches: Sequence[Match], refusing: Refusing = REFUSING) -> Survey:
    """Survey a workbook by a format. matches: the sheets that have it in full.

    refusing: a trial also surveys by the columns that are left of a format that has changed.

    Raises `WorkbookFormatChanged` when the rows below the headings give another unit or currency than the format, and
    `GuidesLeftUnread` if only other sheets have guides.
    """
    match = matches[0]
    found = survey(book, {each.sheet: given_by(each) for each in matches})
    if found.sheets and not any(tables.is_mapped() for tables in found.sheets):
        refusing.refuse(
            GuidesLeftUnread(
                f"The sheet {match.sheet[:40]!r} has the headings of the format {match.format.name!r} and no guide, "
                "while another sheet has guides under other headings. Put all guides under the format's headings."
            )
        )
    if changed := _other_measures(match, found):
        refusing.refuse(format_changed(changed))
    found = with_labels(found, match, book)
    notices: list[Notice] = []
    for notice in (notice for each in matches if each.is_read for notice in _notices(each)):
        if notice not in notices:  # once for all sheets
            notices.append(notice)
    return replace(found, notices=(*notices, *found.notices))


def read_by(
    spec: FormatSpec, found: Survey, form: FlightFields = _NO_FLIGHT, refusing: Refusing = REFUSING
) -> ParsedManifest:
    """The manifest of a workbook that was surveyed by this format. Raises as `read_survey` does."""
    return read_survey(spec.country, found, form, partial(verify, spec.profile, _against(found)), refusing)


def _against(found: Survey) -> list[str]:
    """What the workbook says outside its guides of a unit or currency that its format does not give."""
    tables = (table for tables in found.sheets for table in tables.guide_tables() if table.columns.rules is not None)
    measures = [table.columns.measures for table in tables]
    texts = [text for each in measures for text in (each.against_unit, each.against_currency) if text]
    return list(dict.fromkeys(texts))


def _other_measures(match: Match, found: Survey) -> Match | None:
    """The match with the row of units or currencies below the headings that contradicts the format, if there is one."""
    measures = columns_of(match).measures
    for tables in found.sheets:
        for table in tables.guide_tables():
            if table.columns.rules is None:
                continue
            for column, heading in table.header.headings.items():
                is_weight = "weight_kg" in heading.fields()
                other_unit = is_weight and heading.unit not in {"", measures.unit} and measures.unit != UNREADABLE
                if other_unit or heading.currency not in {"", "USD"}:
                    text = f"{table.heading(column)} ({heading.unit if other_unit else heading.currency})"
                    return replace(match, difference=replace(match.difference, qualifiers=(text,)))
    return None


def _notices(match: Match) -> Iterator[Notice]:
    difference, name = match.difference, match.format.name
    for column in difference.lost:
        field = column.key or column.field or ""
        yield _notice("format_column_missing", heading=shortened(column.name()), field=field, format=name)
    absent = {column.field for column in difference.missing}  # only a refused workbook that is validated has these
    for text, field in difference.competing:
        if field not in absent:
            yield _notice("format_column_competes", heading=shortened(text), field=field, format=name)
    if difference.new:
        yield _notice("format_column_new", headings=_listed(difference.new), format=name)


def not_recognised(format_name: str) -> Notice:
    """The notice on a workbook that has none of the company's formats and was read by its headings' words."""
    return _notice("format_not_recognised", format=format_name)


def _notice(code: str, **params: str) -> Notice:
    return Notice(code, Reason(code, params))


def format_changed(match: Match) -> WorkbookFormatChanged:
    """The refusal of a workbook whose columns differ from the format, naming each."""
    difference, form = match.difference, match.format
    new = [*difference.qualifiers, *(text for text, _ in difference.competing), *difference.new]
    missing = [column.name() for column in difference.missing]
    return WorkbookFormatChanged(
        _sentence(difference, missing, new, f"{form.name!r} (version {form.number})"),
        reference=form.reference,
        name=form.name,
        number=form.number,
        headings={"missing": _cut(missing), "repeated": _cut(difference.repeated), "new": _cut(new)},
    )


def _sentence(difference: Difference, missing: Sequence[str], new: Sequence[str], name: str) -> str:
    named = {
        "these required columns are missing": missing,
        "these headings are repeated": difference.repeated,
        "these new columns may change what others mean": difference.qualifiers,
        "these are new": new if missing and not difference.qualifiers else (),
    }
    parts = [f"{what}: {_listed(texts)}" for what, texts in named.items() if texts]
    return (
        f"The workbook has the format {name}, but {'; '.join(parts)}. Nothing was read. Send the agreed columns, or "
        "ask your operator to add the new ones to the format."
    )


def _listed(texts: Sequence[str]) -> str:
    named = ", ".join(f"“{shortened(text)}”" for text in texts[:_MOST_NAMED])
    return f"{named} (+{len(texts) - _MOST_NAMED})" if len(texts) > _MOST_NAMED else named


def _cut(texts: Sequence[str]) -> list[str]:
    return [text[:160] for text in texts[:100]]
