"""The API's responses for manifests, guides and events.

These are plain functions from rows to dicts. DRF's serializers copy every field of every object, which took most of the
time for 50,000 guides and for frequent reads.

The types are also published in the OpenAPI document: clients read their docstrings and the texts in `Annotated`.
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, NotRequired, TypedDict, get_args, get_type_hints

from companies.countries import SERVED
from shipments.intake.ingest import Ingested
from shipments.manifests.field_kinds import Amount, Text
from shipments.manifests.findings import MAX_REPORTED
from shipments.manifests.guide_fields import ANSWERED_FIELDS, GuideField
from shipments.manifests.manifest import MOST_NAMED, LeftOutReason
from shipments.models import LIST_WINDOW, Manifest
from shipments.statuses import GuideStatus, Source, mawb_status
from shipments.tracking.announcements import Mawb
from shipments.v1.guide_reading import EventRow, GuideRow
from shipments.wording.stored import AnsweredNotice, AnsweredRowWarning, answered_notice, answered_warning
from webhooks.json_types import Count, Keywords, Moment, PositiveCount, Uuid, known_words

_CODES = {status.value: status.code for status in GuideStatus}
_MAWB_STATUSES = (
    "registered", "customs_processing", "customs_released", "in_transit", "out_for_delivery", "delivered",
    "exception", "closed",
)  # fmt: skip

_Mawb = Annotated[Mawb, "In its normal form."]
_Status = Annotated[str, known_words(GuideStatus), "More may come: treat those you do not know by `status_code`."]
_StatusCode = Annotated[PositiveCount, "The status as a number: from 21 an exception, from 91 a final one."]
_Amount = Annotated[float, Keywords(minimum=0)]


class GuideCode(TypedDict):
    """A guide that was created."""

    hawb: Annotated[str, "The house air waybill, trimmed and in capitals."]
    tracking_code: Annotated[str, "Issued by the service. Keep it: it is the way to the guide."]


class Column(TypedDict):
    """A column of a workbook, as it was read."""

    field: Annotated[str, "The field that it serves, such as `weight_kg`. More may come."]
    heading: Annotated[str, "As written; empty when the column has none."]
    column: Annotated[str, "Its letters, as the spreadsheet shows them."]
    unit: NotRequired[Annotated[str, "Of a weight, such as `kg` or `lb`."]]
    currency: NotRequired[Annotated[str, "Of a value: `USD`."]]


class Totals(TypedDict):
    """The totals of the guides, to compare with your own. Unknown values are not counted."""

    guides: PositiveCount
    weight_kg: Annotated[_Amount, "What is known, added up."]
    pieces: PositiveCount
    fob_usd: Annotated[_Amount, "What is known, added up; US dollars."]


class LeftOutRow(TypedDict):
    """A row below the headings that is not part of any guide."""

    row_index: Annotated[PositiveCount, "The row as the spreadsheet numbers it, from 1."]
    reason: Annotated[str, known_words(get_args(LeftOutReason)), "Why it made no guide. More may come."]
    hawb: Annotated[str, "The row's HAWB, or empty."]
    sheet: Annotated[str, "The name of its sheet."]


class Rows(TypedDict):
    """The rows below the headings: `in_table` = `guides` + `products` + `totals` + `left_out`."""

    in_table: Annotated[Count, "Rows under the headings that hold anything."]
    guides: Annotated[Count, "Rows that began a guide."]
    products: Annotated[Count, "Further rows of a guide."]
    totals: Annotated[Count, "Totals, subtotals and sums carried over."]
    left_out: Annotated[Count, "All others, repeated headings and footers among them."]
    left_out_rows: Annotated[
        list[LeftOutRow], f"The first {MOST_NAMED} of those left out; what may be goods before headings and notes."
    ]


class Noticed(TypedDict):
    """The warnings and notices of a manifest, returned when it is created and afterwards."""

    rut_invalid_count: Annotated[Count, "Guides with a missing or invalid RUT; always 0 for JSON, which refuses them."]
    warnings: Annotated[list[AnsweredRowWarning], f"The first {MAX_REPORTED:,} by row; a notice counts the others."]
    notices: Annotated[list[AnsweredNotice], f"At most {MAX_REPORTED:,}: of the whole manifest first, then by row."]


class Created(TypedDict):
    """A pre-alert that was accepted."""

    success: Literal[True]
    manifest_id: Annotated[Uuid, "The manifest that was created."]
    flight_id: Annotated[Uuid, "Its flight."]
    mawb: _Mawb
    eta: Annotated[Moment | None, "Scheduled arrival, in the offset it came in; null when unknown."]
    guides_created: PositiveCount
    guides: Annotated[list[GuideCode], "One for each guide, in the manifest's order."]


class UploadResult(Created, Noticed):
    """A workbook that was accepted."""

    columns: Annotated[list[Column], "The columns that serve, from left to right."]
    totals: Totals
    rows: Rows


class JsonResult(Created, Noticed):
    """A canonical JSON pre-alert that was accepted."""

    totals: Totals
    country: Annotated[str, Keywords(enum=[*SERVED]), "The country of the destination."]


class AnsweredFindings(Noticed):
    """The warnings and notices of a manifest, as returned when it was created."""

    columns: Annotated[list[Column], "How a workbook's columns were understood; empty for JSON."]
    totals: Totals
    rows: Rows | None


class MawbHead(TypedDict):
    """The fields of a MAWB common to list and detail."""

    manifest_id: Uuid
    mawb: _Mawb
    status: Annotated[
        str,
        known_words(_MAWB_STATUSES),
        "The least advanced progress status among guides that are neither at their end nor in an exception. Without "
        "any: `exception`, `delivered` or `closed`.",
    ]
    eta: Annotated[Moment | None, "Scheduled arrival, in the offset it came in."]
    total_guides: Count
    total_weight_kg: Annotated[_Amount, "What is known, added up."]
    total_pieces: Count
    total_fob_usd: Annotated[_Amount, "What is known, added up; US dollars."]
    guides_by_status: Annotated[dict[str, PositiveCount], "Only statuses that some guide has."]


class MawbSummary(MawbHead):
    """A MAWB in a list."""

    created_at: Annotated[Moment, "When the manifest was taken in; UTC."]


class MawbList(TypedDict):
    """The newest MAWBs, newest first; may be empty."""

    mawbs: Annotated[list[MawbSummary], Keywords(maxItems=LIST_WINDOW)]


class GuideSummary(GuideCode):
    """A guide of a MAWB."""

    status: _Status
    status_code: _StatusCode


class MawbDetail(MawbHead):
    """A MAWB with its guides."""

    warnings_count: Annotated[Count, "All warnings, reported or not."]
    notices_count: Annotated[Count, "All notices, reported or not."]
    rut_invalid_count: Annotated[Count, "Guides created with a missing or invalid RUT."]
    guides: list[GuideSummary]


class AnsweredGuideEvent(TypedDict):
    """An entry of the timeline."""

    status: _Status
    status_code: _StatusCode
    timestamp: Annotated[Moment, "When it happened; UTC."]
    source: Annotated[str, known_words(Source), "Who reported it. More may come."]


class _GuideHead(TypedDict):
    """The fields that precede a guide's own fields."""

    hawb: str
    tracking_code: str
    mawb: _Mawb
    status: _Status
    status_code: _StatusCode


def _answered_type(field: GuideField) -> object:
    """Return the type of a field of the table, with its description for the OpenAPI document."""
    note = (
        "Personal data: treat it so." if field.personal == "consignee" else f"{field.note[:1].upper()}{field.note[1:]}"
    )
    if isinstance(field.kind, Amount):
        return Annotated[_Amount | None, f"{note}."]
    if isinstance(field.kind, Text):
        return Annotated[str, note] if note else str
    return PositiveCount


AnsweredGuide: type[object] = TypedDict(
    "AnsweredGuide",
    {
        **get_type_hints(_GuideHead, include_extras=True),  # type: ignore[misc]  # the table says which fields there are
        **{field.name: _answered_type(field) for field in ANSWERED_FIELDS},
        "events": Annotated[list[AnsweredGuideEvent], "The timeline, oldest first."],
    },
)
AnsweredGuide.__doc__ = "A guide with its timeline. Numbers that are not in the manifest are null."


def mawb_head(manifest: Manifest) -> MawbHead:
    """Return the fields of a MAWB common to list and detail."""
    return {
        "manifest_id": str(manifest.id),
        "mawb": manifest.mawb,
        "status": mawb_status(manifest.guides_by_status),
        "eta": manifest.eta_text,
        "total_guides": manifest.total_guides,
        "total_weight_kg": float(manifest.total_weight_kg),
        "total_pieces": manifest.total_pieces,
        "total_fob_usd": float(manifest.total_fob_usd),
        "guides_by_status": manifest.guides_by_status,
    }


def mawb_list(manifests: Iterable[Manifest]) -> MawbList:
    """Return the caller's newest MAWBs."""
    return {
        "mawbs": [{**mawb_head(manifest), "created_at": iso_text(manifest.created_at)} for manifest in manifests],
    }


def mawb_detail(manifest: Manifest, guides: Iterable[tuple[str, str, str]]) -> MawbDetail:
    """Return a MAWB with its guides. guides: (hawb, tracking_code, status) of each."""
    warnings_count, notices_count = manifest.findings_counts
    return {
        **mawb_head(manifest),
        "warnings_count": warnings_count,
        "notices_count": notices_count,
        "rut_invalid_count": manifest.rut_invalid_count,
        "guides": [
            {"hawb": hawb, "tracking_code": tracking_code, "status": status, "status_code": _CODES[status]}
            for hawb, tracking_code, status in guides
        ],
    }


def guide_detail(guide: GuideRow, timeline: Iterable[EventRow]) -> dict[str, object]:
    """Return one guide with its timeline, oldest first, as an `AnsweredGuide`."""
    return {
        "hawb": guide.hawb,
        "tracking_code": guide.tracking_code,
        "mawb": guide.mawb,
        "status": guide.status,
        "status_code": _CODES[guide.status],
        **{name: said(value) for (name, said), value in zip(_ANSWERED, guide.fields, strict=True)},
        "events": [
            {
                "status": event.status,
                "status_code": _CODES[event.status],
                "timestamp": iso_text(event.occurred_at),
                "source": event.source,
            }
            for event in timeline
        ],
    }


def upload_result(ingested: Ingested) -> UploadResult:
    """Return the response for a workbook that was accepted."""
    return {**_created(ingested), **findings(ingested.manifest)}  # type: ignore[typeddict-item]  # a workbook always has rows


def json_result(ingested: Ingested) -> JsonResult:
    """Return the response for a canonical JSON pre-alert that was accepted."""
    manifest = ingested.manifest
    return {**_created(ingested), **_noticed(manifest), "totals": _totals(manifest), "country": manifest.country}


def findings(manifest: Manifest) -> AnsweredFindings:
    """Return a manifest's findings and how its workbook was read. For JSON, columns are empty and rows are null."""
    return {
        **_noticed(manifest),
        "columns": manifest.columns or [],
        "totals": _totals(manifest),
        "rows": manifest.row_account,
    }


def _noticed(manifest: Manifest) -> Noticed:
    return {
        "rut_invalid_count": manifest.rut_invalid_count,
        "warnings": [answered_warning(warning) for warning in manifest.warnings],
        "notices": [answered_notice(notice) for notice in manifest.notices],
    }


def _totals(manifest: Manifest) -> Totals:
    return {
        "guides": manifest.total_guides,
        "weight_kg": float(manifest.total_weight_kg),
        "pieces": manifest.total_pieces,
        "fob_usd": float(manifest.total_fob_usd),
    }


def _created(ingested: Ingested) -> Created:
    manifest = ingested.manifest
    return {
        "success": True,
        "manifest_id": str(manifest.id),
        "flight_id": str(manifest.flight_id),
        "mawb": manifest.mawb,
        "eta": manifest.eta_text,
        "guides_created": manifest.total_guides,
        "guides": [{"hawb": hawb, "tracking_code": code} for hawb, code in ingested.codes],
    }


def iso_text(moment: datetime) -> str:
    """Return the datetime, which the database returns in UTC, in ISO 8601 with Z."""
    return moment.isoformat().replace("+00:00", "Z")


def _number(value: Decimal | float | None) -> float | None:
    """Return a decimal of the database as a JSON number, or None if it is unknown."""
    return None if value is None else float(value)


def _as_stored(value: object) -> object:
    return value


_ANSWERED = tuple((field.name, _number if isinstance(field.kind, Amount) else _as_stored) for field in ANSWERED_FIELDS)
"""Each field with the function that converts its stored value to JSON."""
