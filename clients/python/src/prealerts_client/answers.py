"""The types of the answers.

They are plain dicts: fields that are newer than this package are in them as well.
What each field means is in the reference, at `/docs/` on the service. This module is written from the OpenAPI document.
"""

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class CorrectedByCourier(TypedDict):
    success: Literal[True]
    tracking_code: str
    fields: list[str]


class GuideEvent(TypedDict):
    status: str
    status_code: int
    timestamp: str
    source: str
    sequence: NotRequired[int]
    reason: NotRequired[str]


class Retention(TypedDict):
    required: bool
    reason: str
    lifted_at: str | None


class ReviewReason(TypedDict):
    field: str
    error_code: str
    message: str


class Guide(TypedDict):
    hawb: str
    tracking_code: str
    mawb: str
    status: str
    status_code: int
    consignee_name: str
    weight_kg: float | None
    packages_count: int
    description_original: str
    fob_usd: float | None
    vat_collected: bool | None
    platform_tax_id: str | None
    sale_id: str | None
    retention: Retention | None
    needs_correction: bool
    review: list[ReviewReason]
    updated_at: str
    events: list[GuideEvent]


CancellationResult: TypeAlias = Guide | CorrectedByCourier


class ChangedGuide(TypedDict):
    hawb: str
    tracking_code: str
    mawb: str
    status: str
    status_code: int
    sequence: int
    updated_at: str
    needs_correction: bool


class ChangedGuides(TypedDict):
    guides: list[ChangedGuide]
    next_cursor: str | None


class ClientOfCourier(TypedDict):
    client_code: str
    name: str
    countries: list[str]


class Column(TypedDict):
    field: str
    heading: str
    column: str
    unit: NotRequired[str]
    currency: NotRequired[str]
    decimals: NotRequired[str]


class RowWarning(TypedDict):
    row_index: int
    hawb: str
    field: str
    error_code: str
    severity: str
    message: str


class CorrectedGuide(TypedDict):
    hawb: str
    tracking_code: str
    mawb: str
    status: str
    status_code: int
    consignee_name: str
    weight_kg: float | None
    packages_count: int
    description_original: str
    fob_usd: float | None
    vat_collected: bool | None
    platform_tax_id: str | None
    sale_id: str | None
    retention: Retention | None
    needs_correction: bool
    review: list[ReviewReason]
    updated_at: str
    events: list[GuideEvent]
    warnings: list[RowWarning]


CorrectionResult: TypeAlias = CorrectedGuide | CorrectedByCourier


class DeliveryAttempt(TypedDict):
    duration_ms: int | None
    http_status: int | None
    error: str | None
    reason: str | None
    number: int
    at: str


class DeliveryDetail(TypedDict):
    duration_ms: int | None
    http_status: int | None
    error: str | None
    reason: str | None
    id: str
    subscription: str | None
    type: str
    subject: str
    state: str
    created_at: str
    next_attempt_at: str | None
    replays: int
    body: dict[str, Any]
    attempts: list[DeliveryAttempt]


class DeliveryItem(TypedDict):
    duration_ms: int | None
    http_status: int | None
    error: str | None
    reason: str | None
    id: str
    subscription: str | None
    type: str
    subject: str
    state: str
    created_at: str
    next_attempt_at: str | None
    replays: int
    attempts: int


class DeliveryList(TypedDict):
    deliveries: list[DeliveryItem]
    next_cursor: str | None


class EventTypeItem(TypedDict):
    type: str
    meaning: str
    versions: list[str]
    sample: dict[str, Any]


class EventTypeList(TypedDict):
    event_types: list[EventTypeItem]


class Notice(TypedDict):
    code: str
    message: str
    row_index: int | None
    hawb: str | None


class LeftOutRow(TypedDict):
    row_index: int
    reason: str
    hawb: str
    sheet: str


class Rows(TypedDict):
    in_table: int
    guides: int
    products: int
    totals: int
    left_out: int
    left_out_rows: list[LeftOutRow]


class Totals(TypedDict):
    guides: int
    weight_kg: float
    pieces: int
    fob_usd: float


class Findings(TypedDict):
    rut_invalid_count: int
    warnings: list[RowWarning]
    notices: list[Notice]
    columns: list[Column]
    totals: Totals
    rows: Rows | None


class GuideCode(TypedDict):
    hawb: str
    tracking_code: str


class GuideSummary(TypedDict):
    hawb: str
    tracking_code: str
    status: str
    status_code: int


class GuideList(TypedDict):
    guides: list[GuideSummary]
    next_cursor: str | None


class InvalidRow(TypedDict):
    row_index: int
    hawb: str
    field: str
    error_code: str
    message: str


class JobError(TypedDict):
    http_status: int
    success: Literal[False]
    error: str
    message: str
    details: NotRequired[dict[str, list[str]]]
    manifest_id: NotRequired[str]


class ReadingFormat(TypedDict):
    name: str
    version: int


class UploadResult(TypedDict):
    success: Literal[True]
    manifest_id: str
    flight_id: str
    mawb: str
    eta: str | None
    guides_created: int
    guides: list[GuideCode]
    rut_invalid_count: int
    warnings: list[RowWarning]
    notices: list[Notice]
    columns: list[Column]
    totals: Totals
    rows: Rows
    format: NotRequired[ReadingFormat]
    country: NotRequired[str]


class Job(TypedDict):
    job_id: str
    status: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    result: UploadResult | None
    error: JobError | None


class JobQueued(TypedDict):
    success: Literal[True]
    job_id: str
    status: str


class JsonResult(TypedDict):
    success: Literal[True]
    manifest_id: str
    flight_id: str
    mawb: str
    eta: str | None
    guides_created: int
    guides: list[GuideCode]
    rut_invalid_count: int
    warnings: list[RowWarning]
    notices: list[Notice]
    totals: Totals
    country: str


class Liveness(TypedDict):
    status: Literal["ok"]


class MawbDetail(TypedDict):
    manifest_id: str
    mawb: str
    status: str
    eta: str | None
    total_guides: int
    total_weight_kg: float
    total_pieces: int
    total_fob_usd: float
    guides_by_status: dict[str, int]
    updated_at: str
    warnings_count: int
    notices_count: int
    rut_invalid_count: int
    guides: list[GuideSummary]


class MawbSummary(TypedDict):
    manifest_id: str
    mawb: str
    status: str
    eta: str | None
    total_guides: int
    total_weight_kg: float
    total_pieces: int
    total_fob_usd: float
    guides_by_status: dict[str, int]
    updated_at: str
    created_at: str


class MawbList(TypedDict):
    mawbs: list[MawbSummary]
    next_cursor: str | None


class Myself(TypedDict):
    code: str
    name: str


class Me(TypedDict):
    company: Myself
    kind: str
    countries: list[str]
    workbook_countries: list[str]
    tracking_prefix: str | None
    requests_per_second: int | None
    password_expires_at: str | None
    may_correct: bool
    sandbox: bool
    clients: NotRequired[list[ClientOfCourier]]


class ReplayedDelivery(TypedDict):
    duration_ms: int | None
    http_status: int | None
    error: str | None
    reason: str | None
    id: str
    subscription: str | None
    type: str
    subject: str
    state: str
    created_at: str
    next_attempt_at: str | None
    replays: int
    attempts: int
    success: Literal[True]


class ReplayedRange(TypedDict):
    success: Literal[True]
    replayed: int
    has_more: bool


class SubscriptionChanged(TypedDict):
    id: str
    version: str
    url: str
    event_types: list[str] | None
    countries: list[str] | None
    description: str
    is_active: bool
    created_at: str
    secret_set_at: str
    previous_secret_until: str | None
    failing_since: str | None
    disabled_at: str | None
    disabled_reason: str | None
    warning: NotRequired[str]
    success: Literal[True]


class SubscriptionCreated(TypedDict):
    id: str
    version: str
    url: str
    event_types: list[str] | None
    countries: list[str] | None
    description: str
    is_active: bool
    created_at: str
    secret_set_at: str
    previous_secret_until: str | None
    failing_since: str | None
    disabled_at: str | None
    disabled_reason: str | None
    success: Literal[True]
    secret: str
    warning: NotRequired[str]


class SubscriptionItem(TypedDict):
    id: str
    version: str
    url: str
    event_types: list[str] | None
    countries: list[str] | None
    description: str
    is_active: bool
    created_at: str
    secret_set_at: str
    previous_secret_until: str | None
    failing_since: str | None
    disabled_at: str | None
    disabled_reason: str | None


class SubscriptionList(TypedDict):
    subscriptions: list[SubscriptionItem]
    next_cursor: str | None


class SubscriptionSecret(TypedDict):
    id: str
    version: str
    url: str
    event_types: list[str] | None
    countries: list[str] | None
    description: str
    is_active: bool
    created_at: str
    secret_set_at: str
    previous_secret_until: str | None
    failing_since: str | None
    disabled_at: str | None
    disabled_reason: str | None
    success: Literal[True]
    secret: str


class TestSent(TypedDict):
    success: Literal[True]
    delivery_id: str


class ValidatedFlight(TypedDict):
    flight_number: str
    origin_airport: str
    origin_country: str
    destination_airport: str
    scheduled_departure: str | None
    scheduled_arrival: str | None


class ValidationRefusal(TypedDict):
    status: int
    error: str
    message: str
    details: NotRequired[dict[str, list[str]]]
    country: NotRequired[str | None]
    manifest_id: NotRequired[str]
    format: NotRequired[ReadingFormat]
    missing: NotRequired[list[str]]
    repeated: NotRequired[list[str]]
    new: NotRequired[list[str]]
    invalid_rows: NotRequired[list[InvalidRow]]
    invalid_rows_total: NotRequired[int]


class Validation(TypedDict):
    rut_invalid_count: int
    warnings: list[RowWarning]
    notices: list[Notice]
    success: Literal[True]
    would_create: bool
    refusal: ValidationRefusal | None
    further_refusals: list[ValidationRefusal]
    country: str | None
    format: ReadingFormat | None
    mawb: str | None
    eta: str | None
    flight: ValidatedFlight | None
    guides_found: int
    totals: Totals | None
    columns: list[Column]
    rows: Rows | None


class Voided(TypedDict):
    success: Literal[True]
    mawb: str
    manifest_id: str
    voided_at: str
    guides_cancelled: int
