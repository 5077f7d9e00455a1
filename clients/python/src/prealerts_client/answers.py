"""The types of the answers.

They are plain dicts: fields that are newer than this package are in them as well.
What each field means is in the reference, at `/docs/` on the service. This module is written from the OpenAPI document.
"""

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class AskedColumn(TypedDict):
    column: str
    heading: str
    samples: list[str]


class CorrectedByCourier(TypedDict):
    success: bool
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
    bag: str
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
    strength: str


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
    bag: str
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


class KeptColumn(TypedDict):
    column: str
    heading: str
    key: str


class Notice(TypedDict):
    code: str
    message: str
    row_index: int | None
    hawb: str | None


class Question(TypedDict):
    field: str
    reason: str
    columns: list[AskedColumn]


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
    kept: list[KeptColumn]
    questions: list[Question]
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
    success: bool
    error: str
    message: str
    details: NotRequired[dict[str, list[str]]]
    manifest_id: NotRequired[str]
    questions: NotRequired[list[Question]]


class UploadResult(TypedDict):
    success: bool
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
    kept: list[KeptColumn]
    questions: list[Question]
    totals: Totals
    rows: Rows
    country: str


class Job(TypedDict):
    job_id: str
    status: str
    created_at: str
    started_at: str | None
    finished_at: str | None
    result: UploadResult | None
    error: JobError | None


class JobQueued(TypedDict):
    success: bool
    job_id: str
    status: str


class JsonResult(TypedDict):
    success: bool
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


class LayoutColumn(TypedDict):
    column: str
    heading: str
    group: str
    strength: str
    field: str | None
    key: str
    unit: str
    currency: str
    decimals: str


class ToldColumn(TypedDict):
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
    label: NotRequired[str]
    field: str
    value: NotRequired[str]
    zone: NotRequired[str]


class Layout(TypedDict):
    id: str
    country: str
    confirmed_at: str | None
    first_seen_at: str
    last_seen_at: str
    columns: list[LayoutColumn]
    questions: list[Question]
    answers: list[ToldColumn]
    labels: list[ToldLabel]
    rows_without_hawb: str | None


class LayoutList(TypedDict):
    layouts: list[Layout]
    next_cursor: str | None


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
    success: bool


class ReplayedRange(TypedDict):
    success: bool
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
    success: bool


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
    success: bool
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
    success: bool
    secret: str


class TestSent(TypedDict):
    success: bool
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
    questions: NotRequired[list[Question]]
    missing: NotRequired[list[str]]
    repeated: NotRequired[list[str]]
    new: NotRequired[list[str]]
    layout: NotRequired[str]
    invalid_rows: NotRequired[list[InvalidRow]]
    invalid_rows_total: NotRequired[int]


class Validation(TypedDict):
    rut_invalid_count: int
    warnings: list[RowWarning]
    notices: list[Notice]
    success: bool
    would_create: bool
    refusal: ValidationRefusal | None
    further_refusals: list[ValidationRefusal]
    country: str | None
    mawb: str | None
    eta: str | None
    flight: ValidatedFlight | None
    guides_found: int
    totals: Totals | None
    columns: list[Column]
    kept: list[KeptColumn]
    questions: list[Question]
    rows: Rows | None


class Voided(TypedDict):
    success: bool
    mawb: str
    manifest_id: str
    voided_at: str
    guides_cancelled: int
