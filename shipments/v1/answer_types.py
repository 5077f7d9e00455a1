"""The types of the API's answers about manifests, guides and events.

They are also published in the OpenAPI document: clients read their docstrings and the texts in `Annotated`.
"""

from typing import Annotated, Literal, NotRequired, TypedDict, get_args, get_type_hints

from base.http.json_types import Count, Keywords, Moment, PositiveCount, Uuid, known_words
from companies.countries import SERVED
from shipments.manifests.field_kinds import DecimalNumber, Text, YesNo
from shipments.manifests.findings import MAX_REPORTED
from shipments.manifests.guide_fields import ANSWERED_FIELDS, GuideField
from shipments.manifests.manifest import MOST_NAMED, LeftOutReason
from shipments.models import JobState
from shipments.statuses import MAWB_STATUSES, GuideStatus, Source
from shipments.tracking.announcements import Mawb
from shipments.v1.queries import LARGEST_PAGE, LARGEST_PAGE_OF_GUIDES
from shipments.wording.stored import AnsweredInvalidRow, AnsweredNotice, AnsweredRowWarning
from webhooks.v1.answers import NextCursor

_Mawb = Annotated[Mawb, "In its normal form."]
_Status = Annotated[str, known_words(GuideStatus), "More may come: treat those you do not know by `status_code`."]
_StatusCode = Annotated[PositiveCount, "The status as a number: from 21 an exception, from 91 a final one."]
_Amount = Annotated[float, Keywords(minimum=0)]
_NeedsCorrection = Annotated[bool, "It waits for a review that your correction can end."]
_UpdatedAt = Annotated[Moment, "When anything shown here last changed; UTC."]


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
    decimals: NotRequired[
        Annotated[str, "If a person told it: the decimal mark of numbers in text, `comma`, `point` or `numeric`."]
    ]
    strength: Annotated[str, "How sure the reading is: `sure`, `likely`, or `told` by a person. More may come."]


class _WrittenColumn(TypedDict):
    column: Annotated[str, "Its letters, as the spreadsheet shows them."]
    heading: Annotated[str, "As written; empty when the column has none."]


class KeptColumn(_WrittenColumn):
    """A filled column that no field reads. Its values are in the guides' `extra_data`."""

    key: Annotated[str, "Its key in `extra_data`."]


class AskedColumn(_WrittenColumn):
    """A column that may be a field."""

    samples: Annotated[
        list[str], "Its first values if it may be a weight, a value, packages or HS code; else their shapes."
    ]


class Question(TypedDict):
    """A field that was left empty, as it is not sure which column it is."""

    field: Annotated[str, "The field in doubt."]
    reason: Annotated[str, "`weak_heading`, `rival`, `no_column`, `unit_unknown` or `values_unlike`. More may come."]
    columns: Annotated[list[AskedColumn], "The columns that may be it."]


class LayoutColumn(TypedDict):
    """A column of a layout: as it was told, else as it was read last."""

    column: Annotated[str, "Its letters in the last workbook."]
    heading: Annotated[str, "As written; of equal ones the second is `Valor#2`. Name the column by it in an answer."]
    group: Annotated[str, "The heading above it; empty when the column has none."]
    strength: Annotated[str, "`told`, or how sure the reading is: `sure`, `likely`, `doubtful`. More may come."]
    field: Annotated[str | None, "The field that it is; null when its values are only kept."]
    key: Annotated[str, "Where they are kept: its key in `extra_data`."]
    unit: Annotated[str, "Of a weight."]
    currency: Annotated[str, "Of a value."]
    decimals: Annotated[str, "`comma`, `point` or `numeric` where somebody has said so."]


class ToldColumn(TypedDict):
    """What was said of a column, as `PUT` takes it."""

    heading: str
    group: str
    field: str | None
    key: str
    unit: str
    currency: str
    decimals: str
    values: dict[str, str]
    month_first: bool
    zone: str


class ToldLabel(TypedDict):
    """What was said of a value outside the table, as `PUT` takes it."""

    label: NotRequired[str]
    field: str
    value: NotRequired[str]
    zone: NotRequired[str]


class AnsweredLayout(TypedDict):
    """The columns of your workbooks for one country, and what was said of them."""

    id: Uuid
    country: Annotated[str, known_words(SERVED), "The country of the destination."]
    confirmed_at: Annotated[Moment | None, "When the courier confirmed it, and only it changes the answers; UTC."]
    first_seen_at: Annotated[Moment, "UTC."]
    last_seen_at: Annotated[Moment, "When a workbook had it, refused ones too; UTC."]
    columns: Annotated[list[LayoutColumn], "In the order of the last workbook."]
    questions: Annotated[list[Question], "What is still asked. Samples are shapes."]
    answers: Annotated[list[ToldColumn], "What was said of columns: change it and `PUT` it back."]
    labels: Annotated[list[ToldLabel], "What was said of values outside the table."]
    rows_without_hawb: Annotated[str | None, "`products`, `left_out`, or null: the rows decide."]


class LayoutList(TypedDict):
    """A page of layouts, the newest first; may be empty."""

    layouts: Annotated[list[AnsweredLayout], Keywords(maxItems=LARGEST_PAGE)]
    next_cursor: NextCursor


class Totals(TypedDict):
    """The totals of the guides, to compare with your own. Unknown values are not counted."""

    guides: PositiveCount
    weight_kg: Annotated[_Amount, "What is known, added up."]
    pieces: PositiveCount
    fob_usd: Annotated[_Amount, "What is known, added up; US dollars."]


class LeftOutRow(TypedDict):
    """A row below the headings that is not part of any guide."""

    row_index: Annotated[PositiveCount, "The row as the spreadsheet numbers it, from 1."]
    reason: Annotated[str, known_words(get_args(LeftOutReason)), "Why it gave no guide. New reasons may be added."]
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


class JobError(TypedDict):
    """A refusal of an upload job: the body of the upload's refusal, with its status."""

    http_status: Annotated[PositiveCount, "The status of the refusal."]
    success: Literal[False]
    error: Annotated[str, "The stable code."]
    message: Annotated[str, "One sentence for a person."]
    details: NotRequired[Annotated[dict[str, list[str]], "Field -> what is wrong."]]
    manifest_id: NotRequired[Annotated[Uuid, "With `mawb_already_exists`: the manifest that exists."]]
    questions: NotRequired[Annotated[list[Question], "With `hawb_in_doubt`, `mawb_not_found_in_file`: what is asked."]]


class UploadResult(Created, Noticed):
    """A workbook that was accepted."""

    columns: Annotated[list[Column], "The columns that serve, from left to right."]
    kept: Annotated[list[KeptColumn], "The filled columns that no field reads."]
    questions: Annotated[list[Question], "The fields in doubt. Their guides are marked for review."]
    totals: Totals
    rows: Rows
    country: Annotated[str, known_words(SERVED), "The country of the destination."]


class JobQueued(TypedDict):
    """An upload that is stored and not read yet."""

    success: Literal[True]
    job_id: Uuid
    status: Annotated[str, known_words(JobState), "`queued`; in a repeated answer, the job's status by now."]


class Job(TypedDict):
    """An upload with `Prefer: respond-async`."""

    job_id: Uuid
    status: Annotated[str, known_words(JobState)]
    created_at: Annotated[Moment, "When it was received; UTC."]
    started_at: Annotated[Moment | None, "When it was first begun; UTC."]
    finished_at: Annotated[Moment | None, "When it ended; UTC."]
    result: Annotated[UploadResult | None, "With `succeeded`: the 201 of the upload."]
    error: Annotated[JobError | None, "With `failed`: what the upload would have been answered."]


class JsonResult(Created, Noticed):
    """A canonical JSON pre-alert that was accepted."""

    totals: Totals
    country: Annotated[str, known_words(SERVED), "The country of the destination."]


class AnsweredFindings(Noticed):
    """The warnings and notices of a manifest, as returned when it was created."""

    columns: Annotated[list[Column], "How a workbook's columns were understood; empty for JSON."]
    kept: Annotated[list[KeptColumn], "The filled columns that no field reads; empty for JSON."]
    questions: Annotated[list[Question], "The fields in doubt; empty for JSON."]
    totals: Totals
    rows: Rows | None


class ValidationRefusal(TypedDict):
    """A refusal as the upload would answer it, with its HTTP status."""

    status: Annotated[PositiveCount, "The upload's HTTP status, such as 400."]
    error: Annotated[str, "The stable code. More may come."]
    message: Annotated[str, "One sentence for a person."]
    details: NotRequired[Annotated[dict[str, list[str]], "Where fields are concerned: what is wrong."]]
    country: NotRequired[Annotated[str | None, "With `country_not_allowed` and `no_parser_for_format`."]]
    manifest_id: NotRequired[Annotated[Uuid, "With `mawb_already_exists`: the manifest that exists."]]
    questions: NotRequired[Annotated[list[Question], "With `hawb_in_doubt`, `mawb_not_found_in_file`: what is asked."]]
    missing: NotRequired[Annotated[list[str], "With `workbook_format_changed`: required headings that are not there."]]
    repeated: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that are there repeatedly."]]
    new: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that the layout does not have."]]
    layout: NotRequired[Annotated[str, "With `workbook_format_changed`: the id of the layout."]]
    invalid_rows: NotRequired[Annotated[list[AnsweredInvalidRow], "Of a JSON manifest: the problems of its rows."]]
    invalid_rows_total: NotRequired[PositiveCount]


class ValidatedFlight(TypedDict):
    """The flight as it would be stored; empty and null where nothing is known."""

    flight_number: str
    origin_airport: str
    origin_country: str
    destination_airport: str
    scheduled_departure: Moment | None
    scheduled_arrival: Moment | None


class Validation(Noticed):
    """What would become of a manifest. Nothing was stored."""

    success: Literal[True]
    would_create: Annotated[bool, "Whether the upload would create the manifest now."]
    refusal: Annotated[ValidationRefusal | None, "What the upload would answer otherwise."]
    further_refusals: Annotated[
        list[ValidationRefusal], "What would be refused next, as far as it is known: reading goes on where it can."
    ]
    country: Annotated[str | None, known_words(SERVED), "The country of the destination; null if it is unknown."]
    mawb: Annotated[str | None, "In its normal form; null if none was found."]
    eta: Annotated[Moment | None, "Scheduled arrival, in the offset it came in."]
    flight: Annotated[ValidatedFlight | None, "Null if nothing could be read."]
    guides_found: Annotated[Count, "Guides that could be read; of a JSON manifest, those without a problem."]
    totals: Annotated[Totals | None, "Of the guides found; null without any."]
    columns: Annotated[list[Column], "The columns that serve, from left to right; empty for JSON."]
    kept: Annotated[list[KeptColumn], "The filled columns that no field reads; empty for JSON."]
    questions: Annotated[list[Question], "The fields in doubt; empty for JSON."]
    rows: Annotated[Rows | None, "How each row of the table was counted; null for JSON."]


class MawbHead(TypedDict):
    """The fields of a MAWB common to list and detail."""

    manifest_id: Uuid
    mawb: _Mawb
    status: Annotated[
        str,
        known_words(MAWB_STATUSES),
        "The least advanced progress status among guides that are neither at their end nor in an exception. Without "
        "any: `exception`, `delivered` or `closed`.",
    ]
    eta: Annotated[Moment | None, "Scheduled arrival, in the offset it came in."]
    total_guides: Count
    total_weight_kg: Annotated[_Amount, "What is known, added up."]
    total_pieces: Count
    total_fob_usd: Annotated[_Amount, "What is known, added up; US dollars."]
    guides_by_status: Annotated[dict[str, PositiveCount], "Only statuses that some guide has."]
    updated_at: Annotated[Moment, "When the MAWB or one of its guides last changed; UTC."]


class MawbSummary(MawbHead):
    """A MAWB in a list."""

    created_at: Annotated[Moment, "When the manifest was taken in; UTC."]


class MawbList(TypedDict):
    """A page of MAWBs, newest first; may be empty."""

    mawbs: Annotated[list[MawbSummary], Keywords(maxItems=LARGEST_PAGE)]
    next_cursor: NextCursor


class GuideSummary(GuideCode):
    """A guide of a MAWB."""

    status: _Status
    status_code: _StatusCode


class GuideList(TypedDict):
    """A page of a MAWB's guides, ordered by HAWB."""

    guides: Annotated[list[GuideSummary], Keywords(maxItems=LARGEST_PAGE_OF_GUIDES)]
    next_cursor: NextCursor


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
    sequence: NotRequired[
        Annotated[PositiveCount, "The number of this change of status, as in webhooks; without it the status stayed."]
    ]
    reason: NotRequired[Annotated[str, "A note for you, if there is one; for people."]]


class Retention(TypedDict):
    """What customs retains until its import declaration is cleared."""

    required: Annotated[bool, "Whether it still applies."]
    reason: Annotated[str, "For people; empty once personal data is erased."]
    lifted_at: Annotated[Moment | None, "UTC."]


class ReviewReason(TypedDict):
    """Why a guide waits for a review, as far as a correction by its sender ends it."""

    field: Annotated[str, "The field to correct."]
    error_code: Annotated[str, "Such as `rut_invalid_format`. More may come."]
    message: Annotated[str, "For a person."]


class ChangedGuide(GuideCode):
    """A guide in a list over all MAWBs."""

    mawb: _Mawb
    status: _Status
    status_code: _StatusCode
    sequence: Annotated[PositiveCount, "Counts the changes of its status: that of its last event that changed it."]
    updated_at: _UpdatedAt
    needs_correction: _NeedsCorrection


class ChangedGuides(TypedDict):
    """A page of guides, the oldest change first; may be empty."""

    guides: Annotated[list[ChangedGuide], Keywords(maxItems=LARGEST_PAGE)]
    next_cursor: NextCursor


class CorrectedByCourier(TypedDict):
    """What a courier corrected. Details are the owner's alone."""

    success: Literal[True]
    tracking_code: str
    fields: Annotated[list[str], "The fields that changed."]


class Voided(TypedDict):
    """A MAWB that was voided. It can be sent again."""

    success: Literal[True]
    mawb: _Mawb
    manifest_id: Uuid
    voided_at: Annotated[Moment, "UTC."]
    guides_cancelled: Annotated[Count, "Guides that were cancelled by it."]


class _GuideHead(TypedDict):
    """The fields that precede a guide's own fields."""

    hawb: str
    tracking_code: str
    mawb: _Mawb
    status: _Status
    status_code: _StatusCode


def _annotate(field: GuideField) -> object:
    """Return the type of a field of the table, with its description for the OpenAPI document."""
    note = (
        "Personal data: treat it so." if field.personal == "consignee" else f"{field.note[:1].upper()}{field.note[1:]}"
    )
    if isinstance(field.kind, DecimalNumber):
        return Annotated[_Amount | None, f"{note}."]
    if isinstance(field.kind, YesNo):
        return Annotated[bool | None, note]
    if isinstance(field.kind, Text):
        plain = str if field.unknown == "" else str | None
        return Annotated[plain, note] if note else plain
    return PositiveCount


AnsweredGuide: type[object] = TypedDict(
    "AnsweredGuide",
    {
        **get_type_hints(_GuideHead, include_extras=True),  # type: ignore[misc]  # the table says which fields there are
        **{field.name: _annotate(field) for field in ANSWERED_FIELDS},
        "retention": Annotated[Retention | None, "Peru: whether customs retains it; null if it never did."],
        "needs_correction": _NeedsCorrection,
        "review": Annotated[list[ReviewReason], "What you can correct; empty unless `needs_correction`."],
        "updated_at": _UpdatedAt,
        "events": Annotated[list[AnsweredGuideEvent], "The timeline, oldest first."],
    },
)
AnsweredGuide.__doc__ = "A guide with its timeline. Numbers that are not in the manifest are null."

CorrectedGuide: type[object] = TypedDict(
    "CorrectedGuide",
    {
        **get_type_hints(AnsweredGuide, include_extras=True),  # type: ignore[misc]  # as above
        "warnings": Annotated[list[AnsweredRowWarning], "About what was corrected, as in the answer to a POST."],
    },
)
CorrectedGuide.__doc__ = "A guide after its correction."
