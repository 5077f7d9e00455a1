// Generated from the OpenAPI document.

export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};

export type Webhooks = PreAlertIngestedEventWebhookRequest | GuideStatusChangedEventWebhookRequest | GuideOutForDeliveryEventWebhookRequest | GuideDeliveredEventWebhookRequest | GuideExceptionEventWebhookRequest | WebhookTestEventWebhookRequest | PreAlertVoidedEventWebhookRequest | GuideCorrectedEventWebhookRequest | UploadSucceededEventWebhookRequest | UploadFailedEventWebhookRequest | WebhookSubscriptionDisabledEventWebhookRequest;

/**
 * Why a guide is cancelled.
 */
export type Cancellation = {
    /**
     * For operators.
     */
    reason: string;
};

export type CancellationResult = Guide | CorrectedByCourier;

/**
 * A guide in a list over all MAWBs.
 */
export type ChangedGuide = {
    /**
     * The house air waybill, trimmed and in capitals.
     */
    hawb: string;
    /**
     * Issued by the service. Keep it: it is the way to the guide.
     */
    tracking_code: string;
    /**
     * In its normal form.
     */
    mawb: string;
    /**
     * More may come: treat those you do not know by `status_code`.
     */
    status: string;
    /**
     * The status as a number: from 21 an exception, from 91 a final one.
     */
    status_code: number;
    /**
     * Counts the changes of its status: that of its last event that changed it.
     */
    sequence: number;
    /**
     * When anything shown here last changed; UTC.
     */
    updated_at: string;
    /**
     * It waits for a review that your correction can end.
     */
    needs_correction: boolean;
};

/**
 * A page of guides, the oldest change first; may be empty.
 */
export type ChangedGuides = {
    guides: Array<ChangedGuide>;
    /**
     * null on the last page.
     */
    next_cursor: string | null;
};

/**
 * The fields of a webhook to change; the others stay.
 */
export type ChangedSubscription = {
    url?: string;
    event_types?: Array<'pre_alert.ingested' | 'guide.status_changed' | 'guide.out_for_delivery' | 'guide.delivered' | 'guide.exception' | 'webhook.test' | 'pre_alert.voided' | 'guide.corrected' | 'upload.succeeded' | 'upload.failed' | 'webhook.subscription_disabled'> | null;
    countries?: Array<'CL' | 'PE' | 'AR'> | null;
    /**
     * For yourself.
     */
    description?: string;
    is_active?: boolean;
};

/**
 * A client that a courier posts for.
 */
export type ClientOfCourier = {
    client_code: string;
    name: string;
    /**
     * ISO 3166 alpha-2.
     */
    countries: Array<string>;
};

/**
 * A column of a workbook, as it was read.
 */
export type Column = {
    /**
     * The field that it serves, such as `weight_kg`. More may come.
     */
    field: string;
    /**
     * As written; empty when the column has none.
     */
    heading: string;
    /**
     * Its letters, as the spreadsheet shows them.
     */
    column: string;
    /**
     * Of a weight, such as `kg` or `lb`.
     */
    unit?: string;
    /**
     * Of a value: `USD`.
     */
    currency?: string;
    /**
     * With `format`: the decimal mark of numbers in text, `comma` or `point`, or `numeric` for none.
     */
    decimals?: string;
};

/**
 * What a courier corrected. Details are the owner's alone.
 */
export type CorrectedByCourier = {
    success: true;
    tracking_code: string;
    /**
     * The fields that changed.
     */
    fields: Array<string>;
};

/**
 * A guide after its correction.
 */
export type CorrectedGuide = {
    hawb: string;
    tracking_code: string;
    /**
     * In its normal form.
     */
    mawb: string;
    /**
     * More may come: treat those you do not know by `status_code`.
     */
    status: string;
    /**
     * The status as a number: from 21 an exception, from 91 a final one.
     */
    status_code: number;
    /**
     * Personal data: treat it so.
     */
    consignee_name: string;
    /**
     * Of the whole guide, in kg.
     */
    weight_kg: number | null;
    packages_count: number;
    description_original: string;
    /**
     * US dollars.
     */
    fob_usd: number | null;
    /**
     * Whether VAT was charged at the sale; see Chile's rules
     */
    vat_collected: boolean | null;
    /**
     * Of the platform that charged it: its RUT, or another registration
     */
    platform_tax_id: string | null;
    /**
     * The unique identifier of the sale
     */
    sale_id: string | null;
    /**
     * Peru: whether customs retains it; null if it never did.
     */
    retention: Retention | null;
    /**
     * It waits for a review that your correction can end.
     */
    needs_correction: boolean;
    /**
     * What you can mend; empty unless `needs_correction`.
     */
    review: Array<ReviewReason>;
    /**
     * When anything shown here last changed; UTC.
     */
    updated_at: string;
    /**
     * The timeline, oldest first.
     */
    events: Array<GuideEvent>;
    /**
     * About what was corrected, as in the answer to a POST.
     */
    warnings: Array<RowWarning>;
};

export type CorrectionResult = CorrectedGuide | CorrectedByCourier;

/**
 * One POST. Its number restarts at 1 after a replay.
 */
export type DeliveryAttempt = {
    duration_ms: number | null;
    /**
     * null without a response.
     */
    http_status: number | null;
    /**
     * Why it failed. More values may be added.
     */
    error: string | null;
    /**
     * The same in words.
     */
    reason: string | null;
    number: number;
    at: string;
};

/**
 * One delivery with its attempts, oldest first, and the body as it is sent.
 */
export type DeliveryDetail = {
    duration_ms: number | null;
    /**
     * null without a response.
     */
    http_status: number | null;
    /**
     * Why it failed. More values may be added.
     */
    error: string | null;
    /**
     * The same in words.
     */
    reason: string | null;
    /**
     * The delivery's id: the body's `id`, and the header `webhook-id`.
     */
    id: string;
    /**
     * The webhook's id.
     */
    subscription: string | null;
    /**
     * An event type. More may be added.
     */
    type: string;
    /**
     * A tracking code or a MAWB; `test` for a test.
     */
    subject: string;
    /**
     * `pending`, `sending`: about to be sent, being sent. `waiting`: for the next attempt. `dead`: given up. Version 1: `failed`, or `abandoned` if the outcome is unknown. `cancelled`: with its webhook.
     */
    state: string;
    created_at: string;
    next_attempt_at: string | null;
    replays: number;
    body: {
        [key: string]: unknown;
    };
    attempts: Array<DeliveryAttempt>;
};

/**
 * A delivery in the log.
 */
export type DeliveryItem = {
    duration_ms: number | null;
    /**
     * null without a response.
     */
    http_status: number | null;
    /**
     * Why it failed. More values may be added.
     */
    error: string | null;
    /**
     * The same in words.
     */
    reason: string | null;
    /**
     * The delivery's id: the body's `id`, and the header `webhook-id`.
     */
    id: string;
    /**
     * The webhook's id.
     */
    subscription: string | null;
    /**
     * An event type. More may be added.
     */
    type: string;
    /**
     * A tracking code or a MAWB; `test` for a test.
     */
    subject: string;
    /**
     * `pending`, `sending`: about to be sent, being sent. `waiting`: for the next attempt. `dead`: given up. Version 1: `failed`, or `abandoned` if the outcome is unknown. `cancelled`: with its webhook.
     */
    state: string;
    created_at: string;
    next_attempt_at: string | null;
    replays: number;
    /**
     * Since it was created, or replayed.
     */
    attempts: number;
};

/**
 * A page of the log, newest first.
 */
export type DeliveryList = {
    deliveries: Array<DeliveryItem>;
    /**
     * null on the last page.
     */
    next_cursor: string | null;
};

/**
 * The MAWB, or the request with this key, came before; or it is too late for what is asked.
 */
export type Duplicate = {
    success: false;
    /**
     * The stable code. More may come in minor releases.
     */
    error: string;
    /**
     * One sentence for a person; it may be reworded at any time.
     */
    message: string;
    /**
     * With `validation_failed`, where fields are concerned: what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
    /**
     * With `mawb_already_exists`: the manifest that exists.
     */
    manifest_id?: string;
    /**
     * With `guide_under_way`: the guide's status.
     */
    status?: string;
    /**
     * With `guide_under_way`: the fields that came too late.
     */
    fields?: Array<string>;
    /**
     * With `manifest_under_way`: only statuses that some guide has.
     */
    guides_by_status?: {
        [key: string]: number;
    };
};

/**
 * Every refusal. Branch on `error`; treat a code that you do not know by its HTTP status.
 */
export type Error = {
    success: false;
    /**
     * The stable code. More may come in minor releases.
     */
    error: string;
    /**
     * One sentence for a person; it may be reworded at any time.
     */
    message: string;
    /**
     * With `validation_failed`, where fields are concerned: what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
};

/**
 * An event type.
 */
export type EventTypeItem = {
    /**
     * An event type. More may be added.
     */
    type: string;
    meaning: string;
    versions: Array<'v1' | 'v2'>;
    /**
     * `data` as version 2 sends it.
     */
    sample: {
        [key: string]: unknown;
    };
};

/**
 * The catalogue.
 */
export type EventTypeList = {
    event_types: Array<EventTypeItem>;
};

/**
 * An error of the service.
 */
export type Failure = {
    success: false;
    /**
     * The stable code. More may come in minor releases.
     */
    error: string;
    /**
     * One sentence for a person; it may be reworded at any time.
     */
    message: string;
    /**
     * With `validation_failed`, where fields are concerned: what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
    /**
     * Give it to the operators.
     */
    request_id: string;
};

/**
 * The warnings and notices of a manifest, as returned when it was created.
 */
export type Findings = {
    /**
     * Guides with a missing or invalid RUT; always 0 for JSON, which refuses them.
     */
    rut_invalid_count: number;
    /**
     * The first 1,000 by row; a notice counts the others.
     */
    warnings: Array<RowWarning>;
    /**
     * At most 1,000: of the whole manifest first, then by row.
     */
    notices: Array<Notice>;
    /**
     * How a workbook's columns were understood; empty for JSON.
     */
    columns: Array<Column>;
    totals: Totals;
    rows: Rows | null;
};

/**
 * Authenticated, and not allowed.
 */
export type Forbidden = {
    success: false;
    /**
     * The stable code. More may come in minor releases.
     */
    error: string;
    /**
     * One sentence for a person; it may be reworded at any time.
     */
    message: string;
    /**
     * With `validation_failed`, where fields are concerned: what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
    /**
     * With `country_not_allowed`: the destination. With `unsupported_country`: yours.
     */
    country?: string;
    /**
     * With `unsupported_country`: yours.
     */
    allowed_countries?: Array<string>;
    /**
     * With `client_not_resolved`: as it was sent.
     */
    client_code?: string;
};

/**
 * A guide with its timeline. Numbers that are not in the manifest are null.
 */
export type Guide = {
    hawb: string;
    tracking_code: string;
    /**
     * In its normal form.
     */
    mawb: string;
    /**
     * More may come: treat those you do not know by `status_code`.
     */
    status: string;
    /**
     * The status as a number: from 21 an exception, from 91 a final one.
     */
    status_code: number;
    /**
     * Personal data: treat it so.
     */
    consignee_name: string;
    /**
     * Of the whole guide, in kg.
     */
    weight_kg: number | null;
    packages_count: number;
    description_original: string;
    /**
     * US dollars.
     */
    fob_usd: number | null;
    /**
     * Whether VAT was charged at the sale; see Chile's rules
     */
    vat_collected: boolean | null;
    /**
     * Of the platform that charged it: its RUT, or another registration
     */
    platform_tax_id: string | null;
    /**
     * The unique identifier of the sale
     */
    sale_id: string | null;
    /**
     * Peru: whether customs retains it; null if it never did.
     */
    retention: Retention | null;
    /**
     * It waits for a review that your correction can end.
     */
    needs_correction: boolean;
    /**
     * What you can mend; empty unless `needs_correction`.
     */
    review: Array<ReviewReason>;
    /**
     * When anything shown here last changed; UTC.
     */
    updated_at: string;
    /**
     * The timeline, oldest first.
     */
    events: Array<GuideEvent>;
};

/**
 * A guide that was created.
 */
export type GuideCode = {
    /**
     * The house air waybill, trimmed and in capitals.
     */
    hawb: string;
    /**
     * Issued by the service. Keep it: it is the way to the guide.
     */
    tracking_code: string;
};

/**
 * A guide whose data was corrected by API. Names fields, and never their values.
 */
export type GuideCorrectedData = {
    manifest_id: string;
    mawb: string;
    hawb: string;
    tracking_code: string;
    /**
     * The names of the fields that changed, as in the JSON manifest.
     */
    fields: Array<string>;
    /**
     * The version of the MAWB after this change; every change raises it.
     */
    mawb_version: number;
    /**
     * ISO 3166 alpha-2 of the destination.
     */
    country: string;
};

/**
 * The body of a `guide.corrected` delivery.
 */
export type GuideCorrectedEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'guide.corrected';
    api_version: 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: GuideCorrectedData;
};

/**
 * null empties an optional field. With products, weight, values, description and HS code follow from them and are not sent.
 */
export type GuideCorrection = {
    /**
     * Text, at most 255 characters.
     */
    consignee_name?: string | null;
    /**
     * Text, at most 16 characters. See the country's rules.
     */
    consignee_document_type?: string | null;
    /**
     * Text, at most 32 characters. See the country's rules.
     */
    consignee_document?: string | null;
    /**
     * Text, at most 512 characters.
     */
    consignee_address?: string | null;
    /**
     * Text, at most 128 characters.
     */
    consignee_city?: string | null;
    /**
     * Text, at most 128 characters.
     */
    consignee_region?: string | null;
    /**
     * Text, at most 32 characters.
     */
    consignee_postal_code?: string | null;
    /**
     * Text, at most 64 characters.
     */
    consignee_phone?: string | null;
    /**
     * Text, at most 254 characters.
     */
    consignee_email?: string | null;
    /**
     * Text, at most 255 characters.
     */
    shipper_name?: string | null;
    /**
     * Number, 0.001 to 999999999.999, rounded half up to 3 decimals. Of the whole guide, in kg.
     */
    weight_kg?: number | null;
    /**
     * Whole number, 1 to 1,000,000. 1 when it is left out.
     */
    packages_count?: number | null;
    /**
     * Text, at most 2000 characters.
     */
    description_original?: string | null;
    /**
     * Number, 0 to 999999999999.99, rounded half up to 2 decimals. US dollars.
     */
    product_value?: number | null;
    /**
     * Number, 0 to 999999999999.99, rounded half up to 2 decimals. US dollars.
     */
    fob_usd?: number | null;
    /**
     * Text, at most 255 characters. 6 to 12 digits and at most one letter; another code is kept, with a warning.
     */
    hs_code?: string | null;
    /**
     * True or false. Whether VAT was charged at the sale; see Chile's rules.
     */
    vat_collected?: boolean | null;
    /**
     * Text, at most 32 characters. Of the platform that charged it: its RUT, or another registration.
     */
    platform_tax_id?: string | null;
    /**
     * Text, at most 64 characters. The unique identifier of the sale.
     */
    sale_id?: string | null;
    /**
     * Array, at most 1,000 objects. When there are any, the guide's weight, values, description and HS code come from them.
     */
    products?: Array<JsonProduct> | null;
    /**
     * Couriers only.
     */
    client_code?: string | null;
};

/**
 * The body of a `guide.delivered` delivery.
 */
export type GuideDeliveredEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'guide.delivered';
    api_version: 'v1' | 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: GuideMovedData;
};

/**
 * An entry of the timeline.
 */
export type GuideEvent = {
    /**
     * More may come: treat those you do not know by `status_code`.
     */
    status: string;
    /**
     * The status as a number: from 21 an exception, from 91 a final one.
     */
    status_code: number;
    /**
     * When it happened; UTC.
     */
    timestamp: string;
    /**
     * Who reported it. More may come.
     */
    source: string;
    /**
     * The number of this change of status, as in webhooks; without it the status stayed.
     */
    sequence?: number;
    /**
     * A note for you, if there is one; for people.
     */
    reason?: string;
};

/**
 * The body of a `guide.exception` delivery.
 */
export type GuideExceptionEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'guide.exception';
    api_version: 'v1' | 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: GuideMovedData;
};

/**
 * A page of a MAWB's guides, ordered by HAWB.
 */
export type GuideList = {
    guides: Array<GuideSummary>;
    /**
     * null on the last page.
     */
    next_cursor: string | null;
};

/**
 * A guide whose status changed. Never contains a consignee's data.
 */
export type GuideMovedData = {
    manifest_id: string;
    mawb: string;
    hawb: string;
    tracking_code: string;
    /**
     * The guide's new status. More values may be added.
     */
    status: string;
    status_code: number;
    /**
     * Its previous status.
     */
    previous_status: string;
    /**
     * Who reported it. More values may be added.
     */
    source: string;
    /**
     * Counts the changes of the guide's status, without gaps: 1 is `registered`. Order by this.
     */
    sequence: number;
    /**
     * The version of the MAWB after this change; every change raises it.
     */
    mawb_version: number;
    /**
     * A note for you, if there is one; for people.
     */
    reason?: string;
    /**
     * ISO 3166 alpha-2 of the destination; always and only in version 2.
     */
    country?: string;
};

/**
 * The body of a `guide.out_for_delivery` delivery.
 */
export type GuideOutForDeliveryEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'guide.out_for_delivery';
    api_version: 'v1' | 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: GuideMovedData;
};

/**
 * The body of a `guide.status_changed` delivery.
 */
export type GuideStatusChangedEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'guide.status_changed';
    api_version: 'v1' | 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: GuideMovedData;
};

/**
 * A guide of a MAWB.
 */
export type GuideSummary = {
    /**
     * The house air waybill, trimmed and in capitals.
     */
    hawb: string;
    /**
     * Issued by the service. Keep it: it is the way to the guide.
     */
    tracking_code: string;
    /**
     * More may come: treat those you do not know by `status_code`.
     */
    status: string;
    /**
     * The status as a number: from 21 an exception, from 91 a final one.
     */
    status_code: number;
};

/**
 * A problem of a row; `row_index` is the position in `guides`, from 0.
 */
export type InvalidRow = {
    row_index: number;
    /**
     * As it was sent; empty when the row has none.
     */
    hawb: string;
    /**
     * Such as `weight_kg` or `products[1].quantity`.
     */
    field: string;
    /**
     * Such as `required`, `invalid`, `rut_invalid_format`. More may come.
     */
    error_code: string;
    /**
     * For a person.
     */
    message: string;
};

/**
 * An upload with `Prefer: respond-async`.
 */
export type Job = {
    job_id: string;
    status: string;
    /**
     * When it was received; UTC.
     */
    created_at: string;
    /**
     * When it was first begun; UTC.
     */
    started_at: string | null;
    /**
     * When it ended; UTC.
     */
    finished_at: string | null;
    /**
     * With `succeeded`: the 201 of the upload.
     */
    result: UploadResult | null;
    /**
     * With `failed`: what the upload would have been answered.
     */
    error: JobError | null;
};

/**
 * A refusal of an upload job: the body of the upload's refusal, with its status.
 */
export type JobError = {
    /**
     * The status of the refusal.
     */
    http_status: number;
    success: false;
    /**
     * The stable code.
     */
    error: string;
    /**
     * One sentence for a person.
     */
    message: string;
    /**
     * Field -> what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
    /**
     * With `mawb_already_exists`: the manifest that exists.
     */
    manifest_id?: string;
};

/**
 * An upload that is stored and not read yet.
 */
export type JobQueued = {
    success: true;
    job_id: string;
    /**
     * `queued`; in a repeated answer, the job's status by now.
     */
    status: string;
};

/**
 * Without products, `weight_kg`, `description_original`, `fob_usd` are required. With products, weight, values, description and HS code are the products', and the guide's own are ignored. Unknown keys are ignored, with a notice.
 */
export type JsonGuide = {
    /**
     * Text, at most 64 characters. Unique within the manifest.
     */
    hawb: string;
    /**
     * Text, at most 255 characters.
     */
    consignee_name: string;
    /**
     * Text, at most 16 characters. See the country's rules.
     */
    consignee_document_type?: string | null;
    /**
     * Text, at most 32 characters. See the country's rules.
     */
    consignee_document: string;
    /**
     * Text, at most 512 characters.
     */
    consignee_address?: string | null;
    /**
     * Text, at most 128 characters.
     */
    consignee_city?: string | null;
    /**
     * Text, at most 128 characters.
     */
    consignee_region?: string | null;
    /**
     * Text, at most 32 characters.
     */
    consignee_postal_code?: string | null;
    /**
     * Text, at most 64 characters.
     */
    consignee_phone?: string | null;
    /**
     * Text, at most 254 characters.
     */
    consignee_email?: string | null;
    /**
     * Text, at most 255 characters.
     */
    shipper_name?: string | null;
    /**
     * Number, 0.001 to 999999999.999, rounded half up to 3 decimals. Of the whole guide, in kg.
     */
    weight_kg?: number | null;
    /**
     * Whole number, 1 to 1,000,000. 1 when it is left out.
     */
    packages_count?: number | null;
    /**
     * Text, at most 2000 characters.
     */
    description_original?: string | null;
    /**
     * Number, 0 to 999999999999.99, rounded half up to 2 decimals. US dollars.
     */
    product_value?: number | null;
    /**
     * Number, 0 to 999999999999.99, rounded half up to 2 decimals. US dollars.
     */
    fob_usd?: number | null;
    /**
     * Text, at most 255 characters. 6 to 12 digits and at most one letter; another code is kept, with a warning.
     */
    hs_code?: string | null;
    /**
     * Whole number, 1 to 4. Peru's express category; ignored elsewhere.
     */
    category?: number | null;
    /**
     * Text, at most 64 characters. Marketplace or source of the order.
     */
    platform_name?: string | null;
    /**
     * True or false. Whether VAT was charged at the sale; see Chile's rules.
     */
    vat_collected?: boolean | null;
    /**
     * Text, at most 32 characters. Of the platform that charged it: its RUT, or another registration.
     */
    platform_tax_id?: string | null;
    /**
     * Text, at most 64 characters. The unique identifier of the sale.
     */
    sale_id?: string | null;
    /**
     * Array, at most 1,000 objects. When there are any, the guide's weight, values, description and HS code come from them.
     */
    products?: Array<JsonProduct> | null;
    /**
     * Object, at most 16 KiB and 8 levels deep. Stored as sent, its numbers as doubles.
     */
    extra_data?: {
        /**
         * Only for a certain marketplace's client, who sends it with every guide.
         */
        marketplace_cop_no?: string;
        /**
         * Only for a certain marketplace's client, who sends it with every guide.
         */
        marketplace_waybill?: string;
        [key: string]: unknown;
    } | null;
};

/**
 * By air `destination_airport` is required, on the ground `destination_country`. Unknown keys are ignored, with a notice.
 */
export type JsonManifest = {
    /**
     * Three digits and eight, with a space, a hyphen or nothing between.
     */
    mawb: string;
    /**
     * `air` or `ground`.
     */
    transport_mode: 'air' | 'ground';
    /**
     * Text; couriers only: the client they post for.
     */
    client_code?: string | null;
    /**
     * Airline designator, 1 to 4 digits, at most one letter.
     */
    flight_number?: string | null;
    /**
     * IATA code of an airport or metropolitan area.
     */
    origin_airport?: string | null;
    /**
     * ISO 3166 alpha-2.
     */
    origin_country?: string | null;
    /**
     * IATA code in Chile, Peru or Argentina; required by air.
     */
    destination_airport?: string | null;
    /**
     * ISO 3166 alpha-2; required on the ground, ignored by air.
     */
    destination_country?: string | null;
    /**
     * ISO 8601 with offset, 1990 to 2100.
     */
    scheduled_departure?: string | null;
    /**
     * ISO 8601 with offset, 1990 to 2100; not before the departure.
     */
    scheduled_arrival?: string | null;
    /**
     * Ignored: derived from the destination.
     */
    country?: string | null;
    /**
     * Array, 1 to 50,000 objects.
     */
    guides: Array<JsonGuide>;
};

export type JsonProduct = {
    /**
     * Text, at most 2000 characters.
     */
    description: string;
    /**
     * Number, 0.001 to 999999999.999, rounded half up to 3 decimals.
     */
    quantity: number;
    /**
     * Number, 0 to 9999999999.9999, rounded half up to 4 decimals. US dollars.
     */
    unit_value: number;
    /**
     * Number, 0 to 999999999.999, rounded half up to 3 decimals. The line's total, in kg.
     */
    weight_kg: number;
    /**
     * Text, at most 255 characters. 6 to 12 digits and at most one letter; another code is kept, with a warning.
     */
    hs_code?: string | null;
};

/**
 * A canonical JSON pre-alert that was accepted.
 */
export type JsonResult = {
    success: true;
    /**
     * The manifest that was created.
     */
    manifest_id: string;
    /**
     * Its flight.
     */
    flight_id: string;
    /**
     * In its normal form.
     */
    mawb: string;
    /**
     * Scheduled arrival, in the offset it came in; null when unknown.
     */
    eta: string | null;
    guides_created: number;
    /**
     * One for each guide, in the manifest's order.
     */
    guides: Array<GuideCode>;
    /**
     * Guides with a missing or invalid RUT; always 0 for JSON, which refuses them.
     */
    rut_invalid_count: number;
    /**
     * The first 1,000 by row; a notice counts the others.
     */
    warnings: Array<RowWarning>;
    /**
     * At most 1,000: of the whole manifest first, then by row.
     */
    notices: Array<Notice>;
    totals: Totals;
    /**
     * The country of the destination.
     */
    country: string;
};

/**
 * A row below the headings that is not part of any guide.
 */
export type LeftOutRow = {
    /**
     * The row as the spreadsheet numbers it, from 1.
     */
    row_index: number;
    /**
     * Why it made no guide. More may come.
     */
    reason: string;
    /**
     * The row's HAWB, or empty.
     */
    hawb: string;
    /**
     * The name of its sheet.
     */
    sheet: string;
};

/**
 * The process lives.
 */
export type Liveness = {
    status: 'ok';
};

/**
 * A MAWB with its guides.
 */
export type MawbDetail = {
    manifest_id: string;
    /**
     * In its normal form.
     */
    mawb: string;
    /**
     * The least advanced progress status among guides that are neither at their end nor in an exception. Without any: `exception`, `delivered` or `closed`.
     */
    status: string;
    /**
     * Scheduled arrival, in the offset it came in.
     */
    eta: string | null;
    total_guides: number;
    /**
     * What is known, added up.
     */
    total_weight_kg: number;
    total_pieces: number;
    /**
     * What is known, added up; US dollars.
     */
    total_fob_usd: number;
    /**
     * Only statuses that some guide has.
     */
    guides_by_status: {
        [key: string]: number;
    };
    /**
     * When the MAWB or one of its guides last changed; UTC.
     */
    updated_at: string;
    /**
     * All warnings, reported or not.
     */
    warnings_count: number;
    /**
     * All notices, reported or not.
     */
    notices_count: number;
    /**
     * Guides created with a missing or invalid RUT.
     */
    rut_invalid_count: number;
    guides: Array<GuideSummary>;
};

/**
 * A page of MAWBs, newest first; may be empty.
 */
export type MawbList = {
    mawbs: Array<MawbSummary>;
    /**
     * null on the last page.
     */
    next_cursor: string | null;
};

/**
 * A MAWB in a list.
 */
export type MawbSummary = {
    manifest_id: string;
    /**
     * In its normal form.
     */
    mawb: string;
    /**
     * The least advanced progress status among guides that are neither at their end nor in an exception. Without any: `exception`, `delivered` or `closed`.
     */
    status: string;
    /**
     * Scheduled arrival, in the offset it came in.
     */
    eta: string | null;
    total_guides: number;
    /**
     * What is known, added up.
     */
    total_weight_kg: number;
    total_pieces: number;
    /**
     * What is known, added up; US dollars.
     */
    total_fob_usd: number;
    /**
     * Only statuses that some guide has.
     */
    guides_by_status: {
        [key: string]: number;
    };
    /**
     * When the MAWB or one of its guides last changed; UTC.
     */
    updated_at: string;
    /**
     * When the manifest was taken in; UTC.
     */
    created_at: string;
};

/**
 * The company that a password belongs to, and what it may do.
 */
export type Me = {
    company: Myself;
    /**
     * A courier posts on behalf of clients.
     */
    kind: 'client' | 'courier';
    /**
     * Destinations that the company may ship to and that are served.
     */
    countries: Array<string>;
    /**
     * Those of them whose workbooks `POST upload` reads for the company.
     */
    workbook_countries: Array<string>;
    /**
     * How its tracking codes begin; without one its pre-alerts are refused.
     */
    tracking_prefix: string | null;
    /**
     * Its rate limit; null without one.
     */
    requests_per_second: number | null;
    /**
     * When the password that was used ends, after a rotation; UTC.
     */
    password_expires_at: string | null;
    /**
     * Whether it may correct and cancel by API what it sent.
     */
    may_correct: boolean;
    /**
     * Whether this is a sandbox.
     */
    sandbox: boolean;
    /**
     * For a courier: the active clients that it posts for.
     */
    clients?: Array<ClientOfCourier>;
};

/**
 * The company that a password belongs to.
 */
export type Myself = {
    /**
     * The client code: couriers name the company by it.
     */
    code: string;
    name: string;
};

/**
 * A webhook to create. A filter that is left out or null matches everything.
 */
export type NewSubscription = {
    /**
     * https, with a public host.
     */
    url: string;
    event_types?: Array<'pre_alert.ingested' | 'guide.status_changed' | 'guide.out_for_delivery' | 'guide.delivered' | 'guide.exception' | 'webhook.test' | 'pre_alert.voided' | 'guide.corrected' | 'upload.succeeded' | 'upload.failed' | 'webhook.subscription_disabled'> | null;
    countries?: Array<'CL' | 'PE' | 'AR'> | null;
    /**
     * For yourself.
     */
    description?: string;
    /**
     * Your own: `whsec_` and standard base64 of 24 to 64 bytes. Left out, it is generated.
     */
    secret?: string;
};

/**
 * A remark on content accepted unchanged; `row_index` and `hawb` are null if it does not concern a row.
 */
export type Notice = {
    /**
     * What was noticed, such as `mawb_check_digit_mismatch`. More may come.
     */
    code: string;
    /**
     * For a person.
     */
    message: string;
    row_index: number | null;
    hawb: string | null;
};

/**
 * A manifest that was accepted.
 */
export type PreAlertIngestedData = {
    manifest_id: string;
    mawb: string;
    /**
     * ISO 3166 alpha-2 of the destination.
     */
    country: string;
    eta: string | null;
    total_guides: number;
    guides_by_status: {
        [key: string]: number;
    };
    /**
     * The version of the MAWB after this change; every change raises it.
     */
    mawb_version: number;
};

/**
 * The body of a `pre_alert.ingested` delivery.
 */
export type PreAlertIngestedEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'pre_alert.ingested';
    api_version: 'v1' | 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: PreAlertIngestedData;
};

/**
 * A manifest that was voided, with all its guides.
 */
export type PreAlertVoidedData = {
    manifest_id: string;
    mawb: string;
    /**
     * ISO 3166 alpha-2 of the destination.
     */
    country: string;
    total_guides: number;
    /**
     * The version of the MAWB after this change; every change raises it.
     */
    mawb_version: number;
};

/**
 * The body of a `pre_alert.voided` delivery.
 */
export type PreAlertVoidedEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'pre_alert.voided';
    api_version: 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: PreAlertVoidedData;
};

/**
 * Which deliveries to send again: those created from `since` to before `until`.
 */
export type Range = {
    /**
     * At most 30 days ago; older deliveries are left out.
     */
    since: string;
    /**
     * A time in the future means now.
     */
    until: string;
    states?: Array<'dead' | 'delivered'>;
    event_types?: Array<'pre_alert.ingested' | 'guide.status_changed' | 'guide.out_for_delivery' | 'guide.delivered' | 'guide.exception' | 'webhook.test' | 'pre_alert.voided' | 'guide.corrected' | 'upload.succeeded' | 'upload.failed' | 'webhook.subscription_disabled'> | null;
};

/**
 * A company's own workbook format.
 */
export type ReadingFormat = {
    name: string;
    version: number;
};

/**
 * A request that cannot be taken as it is.
 */
export type Refused = {
    success: false;
    /**
     * The stable code. More may come in minor releases.
     */
    error: string;
    /**
     * One sentence for a person; it may be reworded at any time.
     */
    message: string;
    /**
     * With `validation_failed`, where fields are concerned: what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
    /**
     * With `no_parser_for_format`.
     */
    country?: string | null;
    /**
     * With `workbook_format_changed`: its name and version.
     */
    format?: ReadingFormat;
    /**
     * With `workbook_format_changed`: required headings that are not there.
     */
    missing?: Array<string>;
    /**
     * With `workbook_format_changed`: headings that are there repeatedly.
     */
    repeated?: Array<string>;
    /**
     * With `workbook_format_changed`: headings that the format does not have.
     */
    new?: Array<string>;
    /**
     * With `manifest_validation_failed`: the problems in the order of the rows, at most 1,000.
     */
    invalid_rows?: Array<InvalidRow>;
    /**
     * How many problems there are in all.
     */
    invalid_rows_total?: number;
};

/**
 * A delivery that will be sent again.
 */
export type ReplayedDelivery = {
    duration_ms: number | null;
    /**
     * null without a response.
     */
    http_status: number | null;
    /**
     * Why it failed. More values may be added.
     */
    error: string | null;
    /**
     * The same in words.
     */
    reason: string | null;
    /**
     * The delivery's id: the body's `id`, and the header `webhook-id`.
     */
    id: string;
    /**
     * The webhook's id.
     */
    subscription: string | null;
    /**
     * An event type. More may be added.
     */
    type: string;
    /**
     * A tracking code or a MAWB; `test` for a test.
     */
    subject: string;
    /**
     * `pending`, `sending`: about to be sent, being sent. `waiting`: for the next attempt. `dead`: given up. Version 1: `failed`, or `abandoned` if the outcome is unknown. `cancelled`: with its webhook.
     */
    state: string;
    created_at: string;
    next_attempt_at: string | null;
    replays: number;
    /**
     * Since it was created, or replayed.
     */
    attempts: number;
    success: true;
};

/**
 * What will be sent again.
 */
export type ReplayedRange = {
    success: true;
    replayed: number;
    /**
     * Repeat the request with the same range.
     */
    has_more: boolean;
};

/**
 * What customs retains until its import declaration is cleared.
 */
export type Retention = {
    /**
     * Whether it still applies.
     */
    required: boolean;
    /**
     * For people; empty once personal data is erased.
     */
    reason: string;
    /**
     * UTC.
     */
    lifted_at: string | null;
};

/**
 * Why a guide waits for a review, as far as a correction by its sender ends it.
 */
export type ReviewReason = {
    /**
     * The field to correct.
     */
    field: string;
    /**
     * Such as `rut_invalid_format`. More may come.
     */
    error_code: string;
    /**
     * For a person.
     */
    message: string;
};

/**
 * How long the previous secret also signs.
 */
export type Rotation = {
    overlap_hours?: number;
    /**
     * Your own: `whsec_` and standard base64 of 24 to 64 bytes. Left out, it is generated.
     */
    secret?: string;
};

/**
 * A problem in a row that was accepted nevertheless.
 */
export type RowWarning = {
    /**
     * Workbook: the row as the spreadsheet numbers it, from 1. JSON: the position, from 0.
     */
    row_index: number;
    /**
     * The row's HAWB; may be empty.
     */
    hawb: string;
    /**
     * The field concerned, such as `consignee_rut`.
     */
    field: string;
    /**
     * What is wrong, such as `rut_invalid_format`. More may come.
     */
    error_code: string;
    /**
     * `warning`.
     */
    severity: string;
    /**
     * For a person.
     */
    message: string;
};

/**
 * The rows below the headings: `in_table` = `guides` + `products` + `totals` + `left_out`.
 */
export type Rows = {
    /**
     * Rows under the headings that hold anything.
     */
    in_table: number;
    /**
     * Rows that began a guide.
     */
    guides: number;
    /**
     * Further rows of a guide.
     */
    products: number;
    /**
     * Totals, subtotals and sums carried over.
     */
    totals: number;
    /**
     * All others, repeated headings and footers among them.
     */
    left_out: number;
    /**
     * The first 50 of those left out; what may be goods before headings and notes.
     */
    left_out_rows: Array<LeftOutRow>;
};

/**
 * A well-formed request that is wrong for this client, or for its key.
 */
export type RowsRefused = {
    success: false;
    /**
     * The stable code. More may come in minor releases.
     */
    error: string;
    /**
     * One sentence for a person; it may be reworded at any time.
     */
    message: string;
    /**
     * With `validation_failed`, where fields are concerned: what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
    /**
     * With `marketplace_fields_...`: the problems in the order of the rows, at most 1,000.
     */
    invalid_rows?: Array<InvalidRow>;
    /**
     * How many problems there are in all.
     */
    invalid_rows_total?: number;
};

/**
 * A webhook that was changed.
 */
export type SubscriptionChanged = {
    /**
     * The webhook's id.
     */
    id: string;
    /**
     * Webhooks of `v1` are managed by the operators.
     */
    version: 'v1' | 'v2';
    url: string;
    /**
     * null: all except `webhook.*`.
     */
    event_types: Array<string> | null;
    /**
     * null: all your countries.
     */
    countries: Array<string> | null;
    description: string;
    is_active: boolean;
    created_at: string;
    secret_set_at: string;
    /**
     * Until then the previous secret signs as well.
     */
    previous_secret_until: string | null;
    /**
     * Every attempt since then has failed.
     */
    failing_since: string | null;
    disabled_at: string | null;
    /**
     * Why the service disabled it; null if a person did.
     */
    disabled_reason: string | null;
    /**
     * A possible problem with the URL, which was accepted.
     */
    warning?: string;
    success: true;
};

/**
 * A webhook that was created.
 */
export type SubscriptionCreated = {
    /**
     * The webhook's id.
     */
    id: string;
    /**
     * Webhooks of `v1` are managed by the operators.
     */
    version: 'v1' | 'v2';
    url: string;
    /**
     * null: all except `webhook.*`.
     */
    event_types: Array<string> | null;
    /**
     * null: all your countries.
     */
    countries: Array<string> | null;
    description: string;
    is_active: boolean;
    created_at: string;
    secret_set_at: string;
    /**
     * Until then the previous secret signs as well.
     */
    previous_secret_until: string | null;
    /**
     * Every attempt since then has failed.
     */
    failing_since: string | null;
    disabled_at: string | null;
    /**
     * Why the service disabled it; null if a person did.
     */
    disabled_reason: string | null;
    success: true;
    /**
     * The key that signs: standard base64 after the prefix. Keep it; it is not shown again.
     */
    secret: string;
    /**
     * A possible problem with the URL, which was accepted.
     */
    warning?: string;
};

/**
 * Another of your webhooks, which the service disabled.
 */
export type SubscriptionDisabledData = {
    /**
     * The webhook's id.
     */
    subscription: string;
    /**
     * Without its query, which may be secret.
     */
    url: string;
    /**
     * Why. More values may be added.
     */
    reason: string;
};

/**
 * A webhook, without its secret.
 */
export type SubscriptionItem = {
    /**
     * The webhook's id.
     */
    id: string;
    /**
     * Webhooks of `v1` are managed by the operators.
     */
    version: 'v1' | 'v2';
    url: string;
    /**
     * null: all except `webhook.*`.
     */
    event_types: Array<string> | null;
    /**
     * null: all your countries.
     */
    countries: Array<string> | null;
    description: string;
    is_active: boolean;
    created_at: string;
    secret_set_at: string;
    /**
     * Until then the previous secret signs as well.
     */
    previous_secret_until: string | null;
    /**
     * Every attempt since then has failed.
     */
    failing_since: string | null;
    disabled_at: string | null;
    /**
     * Why the service disabled it; null if a person did.
     */
    disabled_reason: string | null;
};

/**
 * A page of webhooks, newest first.
 */
export type SubscriptionList = {
    subscriptions: Array<SubscriptionItem>;
    /**
     * null on the last page.
     */
    next_cursor: string | null;
};

/**
 * A webhook with its new secret, which is shown only once.
 */
export type SubscriptionSecret = {
    /**
     * The webhook's id.
     */
    id: string;
    /**
     * Webhooks of `v1` are managed by the operators.
     */
    version: 'v1' | 'v2';
    url: string;
    /**
     * null: all except `webhook.*`.
     */
    event_types: Array<string> | null;
    /**
     * null: all your countries.
     */
    countries: Array<string> | null;
    description: string;
    is_active: boolean;
    created_at: string;
    secret_set_at: string;
    /**
     * Until then the previous secret signs as well.
     */
    previous_secret_until: string | null;
    /**
     * Every attempt since then has failed.
     */
    failing_since: string | null;
    disabled_at: string | null;
    /**
     * Why the service disabled it; null if a person did.
     */
    disabled_reason: string | null;
    success: true;
    /**
     * The key that signs: standard base64 after the prefix. Keep it; it is not shown again.
     */
    secret: string;
};

/**
 * The event type to test; its example is sent.
 */
export type Test = {
    type?: 'pre_alert.ingested' | 'guide.status_changed' | 'guide.out_for_delivery' | 'guide.delivered' | 'guide.exception' | 'webhook.test' | 'pre_alert.voided' | 'guide.corrected' | 'upload.succeeded' | 'upload.failed' | 'webhook.subscription_disabled';
};

/**
 * The event that an operator's test sends.
 */
export type TestData = {
    message: string;
    /**
     * The reason in a test that a client requested by API.
     */
    test?: true;
};

/**
 * A test that will be sent.
 */
export type TestSent = {
    success: true;
    /**
     * The delivery's id: the body's `id`, and the header `webhook-id`.
     */
    delivery_id: string;
};

/**
 * The totals of the guides, to compare with your own. Unknown values are not counted.
 */
export type Totals = {
    guides: number;
    /**
     * What is known, added up.
     */
    weight_kg: number;
    pieces: number;
    /**
     * What is known, added up; US dollars.
     */
    fob_usd: number;
};

/**
 * An upload that was answered with 202, and refused.
 */
export type UploadFailedData = {
    job_id: string;
    /**
     * The code, as in `GET jobs/{job_id}`.
     */
    error: string;
};

/**
 * The body of a `upload.failed` delivery.
 */
export type UploadFailedEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'upload.failed';
    api_version: 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: UploadFailedData;
};

/**
 * Unknown fields are ignored.
 */
export type UploadForm = {
    /**
     * The manifest, an .xlsx of at most 20 MB. The MAWB is read from it.
     */
    manifest_file: Blob | File;
    /**
     * The customs invoice, a PDF of at most 20 MB; kept, not read.
     */
    invoice_file?: Blob | File;
    /**
     * Airline designator, 1 to 4 digits, at most one letter.
     */
    flight_number?: string;
    /**
     * IATA code of an airport or metropolitan area.
     */
    origin_airport?: string;
    /**
     * ISO 3166 alpha-2.
     */
    origin_country?: string;
    /**
     * IATA code of an airport or metropolitan area.
     */
    destination_airport?: string;
    /**
     * ISO 8601 with offset, 1990 to 2100.
     */
    scheduled_departure?: string;
    /**
     * ISO 8601 with offset, 1990 to 2100; not before the departure.
     */
    scheduled_arrival?: string;
};

/**
 * A workbook that was accepted.
 */
export type UploadResult = {
    success: true;
    /**
     * The manifest that was created.
     */
    manifest_id: string;
    /**
     * Its flight.
     */
    flight_id: string;
    /**
     * In its normal form.
     */
    mawb: string;
    /**
     * Scheduled arrival, in the offset it came in; null when unknown.
     */
    eta: string | null;
    guides_created: number;
    /**
     * One for each guide, in the manifest's order.
     */
    guides: Array<GuideCode>;
    /**
     * Guides with a missing or invalid RUT; always 0 for JSON, which refuses them.
     */
    rut_invalid_count: number;
    /**
     * The first 1,000 by row; a notice counts the others.
     */
    warnings: Array<RowWarning>;
    /**
     * At most 1,000: of the whole manifest first, then by row.
     */
    notices: Array<Notice>;
    /**
     * The columns that serve, from left to right.
     */
    columns: Array<Column>;
    totals: Totals;
    rows: Rows;
    /**
     * Your own workbook format, if one read the workbook.
     */
    format?: ReadingFormat;
    /**
     * The country of the destination, alpha-2; with `format` only.
     */
    country?: string;
};

/**
 * An upload that was answered with 202, and accepted.
 */
export type UploadSucceededData = {
    job_id: string;
    mawb: string;
};

/**
 * The body of a `upload.succeeded` delivery.
 */
export type UploadSucceededEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'upload.succeeded';
    api_version: 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: UploadSucceededData;
};

/**
 * The flight as it would be stored; empty and null where nothing is known.
 */
export type ValidatedFlight = {
    flight_number: string;
    origin_airport: string;
    origin_country: string;
    destination_airport: string;
    scheduled_departure: string | null;
    scheduled_arrival: string | null;
};

/**
 * What would become of a manifest. Nothing was stored.
 */
export type Validation = {
    /**
     * Guides with a missing or invalid RUT; always 0 for JSON, which refuses them.
     */
    rut_invalid_count: number;
    /**
     * The first 1,000 by row; a notice counts the others.
     */
    warnings: Array<RowWarning>;
    /**
     * At most 1,000: of the whole manifest first, then by row.
     */
    notices: Array<Notice>;
    success: true;
    /**
     * Whether the upload would create the manifest now.
     */
    would_create: boolean;
    /**
     * What the upload would answer otherwise.
     */
    refusal: ValidationRefusal | null;
    /**
     * What would be refused next, as far as it is known: reading goes on where it can.
     */
    further_refusals: Array<ValidationRefusal>;
    /**
     * The country of the destination; null if it is unknown.
     */
    country: string | null;
    /**
     * Your own workbook format, if the workbook has one.
     */
    format: ReadingFormat | null;
    /**
     * In its normal form; null if none was found.
     */
    mawb: string | null;
    /**
     * Scheduled arrival, in the offset it came in.
     */
    eta: string | null;
    /**
     * Null if nothing could be read.
     */
    flight: ValidatedFlight | null;
    /**
     * Guides that could be read; of a JSON manifest, those without a problem.
     */
    guides_found: number;
    /**
     * Of the guides found; null without any.
     */
    totals: Totals | null;
    /**
     * The columns that serve, from left to right; empty for JSON.
     */
    columns: Array<Column>;
    /**
     * How each row of the table was counted; null for JSON.
     */
    rows: Rows | null;
};

/**
 * A refusal as the upload would answer it, with its HTTP status.
 */
export type ValidationRefusal = {
    /**
     * The upload's HTTP status, such as 400.
     */
    status: number;
    /**
     * The stable code. More may come.
     */
    error: string;
    /**
     * One sentence for a person.
     */
    message: string;
    /**
     * Where fields are concerned: what is wrong.
     */
    details?: {
        [key: string]: Array<string>;
    };
    /**
     * With `country_not_allowed` and `no_parser_for_format`.
     */
    country?: string | null;
    /**
     * With `mawb_already_exists`: the manifest that exists.
     */
    manifest_id?: string;
    /**
     * With `workbook_format_changed`: its name and version.
     */
    format?: ReadingFormat;
    /**
     * With `workbook_format_changed`: required headings that are not there.
     */
    missing?: Array<string>;
    /**
     * With `workbook_format_changed`: headings that are there repeatedly.
     */
    repeated?: Array<string>;
    /**
     * With `workbook_format_changed`: headings that the format does not have.
     */
    new?: Array<string>;
    /**
     * Of a JSON manifest: the problems of its rows.
     */
    invalid_rows?: Array<InvalidRow>;
    invalid_rows_total?: number;
};

/**
 * A MAWB that was voided. It can be sent again.
 */
export type Voided = {
    success: true;
    /**
     * In its normal form.
     */
    mawb: string;
    manifest_id: string;
    /**
     * UTC.
     */
    voided_at: string;
    /**
     * Guides that were cancelled by it.
     */
    guides_cancelled: number;
};

/**
 * Why a MAWB is voided, and which manifest is meant.
 */
export type Voiding = {
    /**
     * For operators.
     */
    reason: string;
    /**
     * So that a late repetition does not void what was sent again since.
     */
    manifest_id?: string;
};

/**
 * The body of a `webhook.subscription_disabled` delivery.
 */
export type WebhookSubscriptionDisabledEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'webhook.subscription_disabled';
    api_version: 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: SubscriptionDisabledData;
};

/**
 * The body of a `webhook.test` delivery.
 */
export type WebhookTestEvent = {
    /**
     * Unique to the delivery, as in X-Service-Delivery-Id: ignore an id that you have processed.
     */
    id: string;
    /**
     * Only in a sandbox, where shipments are invented.
     */
    sandbox?: true;
    type: 'webhook.test';
    api_version: 'v1' | 'v2';
    /**
     * When the event was created; UTC. Later for each event of a guide.
     */
    timestamp: string;
    /**
     * When it happened; UTC. Order the events of a guide by `data.sequence`.
     */
    occurred_at: string;
    data: TestData;
};

export type UploadManifestData = {
    body: UploadForm;
    headers?: {
        /**
         * A name of your own for this request, such as a UUID: 1 to 255 printable ASCII characters, with or without quotes around them. Sent again within 7 days with the same content, it gets the first success again, with `Idempotent-Replayed: true`. A refusal frees it.
         */
        'Idempotency-Key'?: string;
        /**
         * `respond-async` (RFC 7240): store the files and answer 202 with a job, without waiting for the workbook to be read. Other preferences are ignored.
         */
        Prefer?: string;
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/public/pre-alerts/v1/upload';
};

export type UploadManifestErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `company_is_courier`: A courier posted without naming the client it posts for.
     * - `manifest_file_required`: The upload has no `manifest_file`.
     * - `validation_failed`: Fields of the request are invalid. `details` gives the reasons for each field.
     * - `no_parser_for_format`: No workbook format is available for the destination country.
     * - `excel_parse_error`: The file is not a readable workbook. The message gives the reason and how to fix it.
     * - `workbook_format_changed`: The workbook has the company's own format, but columns are missing, repeated or change what others mean.
     * - `destination_unresolved`: The destination country cannot be determined.
     * - `mawb_not_found_in_file`: The workbook has no MAWB, or several labelled MAWBs that differ.
     * - `no_rows_parsed`: The workbook has no header row followed by guides.
     * - `tracking_prefix_missing`: The company has no tracking prefix, so no tracking codes can be assigned.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     * - `country_not_allowed`: The destination is not among the company's allowed countries. Extra `country`.
     */
    403: Forbidden;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Sent before, still being processed under this key, or too late: see `error`.
     *
     * - `idempotency_in_progress`: The first request with this `Idempotency-Key` is still being processed.
     * - `mawb_already_exists`: The company already has a manifest with this MAWB. Extra: `manifest_id`, the existing manifest.
     */
    409: Duplicate;
    /**
     * A well-formed request that is wrong for this client, or for its key.
     *
     * - `idempotency_key_reused`: The `Idempotency-Key` was sent before, with another request.
     */
    422: RowsRefused;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company has as many unfinished upload jobs as allowed. Nothing was stored.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type UploadManifestError = UploadManifestErrors[keyof UploadManifestErrors];

export type UploadManifestResponses = {
    /**
     * A workbook that was accepted.
     */
    201: UploadResult;
    /**
     * An upload that is stored and not read yet.
     */
    202: JobQueued;
};

export type UploadManifestResponse = UploadManifestResponses[keyof UploadManifestResponses];

export type GetGuideData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path: {
        /**
         * As the answer to the upload gave it; capitals do not matter.
         */
        tracking_code: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/guides/{tracking_code}';
};

export type GetGuideErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type GetGuideError = GetGuideErrors[keyof GetGuideErrors];

export type GetGuideResponses = {
    /**
     * A guide with its timeline. Numbers that are not in the manifest are null.
     */
    200: Guide;
};

export type GetGuideResponse = GetGuideResponses[keyof GetGuideResponses];

export type CorrectData = {
    body?: GuideCorrection;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * As the answer to the upload gave it; capitals do not matter.
         */
        tracking_code: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/guides/{tracking_code}';
};

export type CorrectErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The request body is not a valid JSON object.
     * - `company_is_courier`: A courier posted without naming the client it posts for.
     * - `validation_failed`: Fields of the request are invalid. `details` gives the reasons for each field.
     * - `invalid_document`: The number of a consignee's document is invalid.
     * - `invalid_document_type`: The type of a consignee's document is not one of the country's, or is missing.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: The operators have switched off corrections and cancellations by API for the company.
     * - `client_code_not_allowed`: A client sent a client_code.
     * - `client_not_resolved`: The client is unknown, inactive or not linked to this courier: one error for all. Extra `client_code`.
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Sent before, still being processed under this key, or too late: see `error`.
     *
     * - `guide_under_way`: A correction came too late for some fields. Extras `status` and `fields`. Nothing was changed.
     */
    409: Duplicate;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type CorrectError = CorrectErrors[keyof CorrectErrors];

export type CorrectResponses = {
    /**
     * The guide as it is now; to a courier, which fields changed.
     */
    200: CorrectionResult;
};

export type CorrectResponse = CorrectResponses[keyof CorrectResponses];

export type GuidesData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: {
        /**
         * The number of rows of a page.
         */
        limit?: number;
        /**
         * `next_cursor` of the page before, with the filters of that page.
         */
        cursor?: string;
        /**
         * HAWBs, up to 100; capitals do not matter.
         */
        hawb?: Array<string>;
        /**
         * Tracking codes, up to 100; capitals do not matter.
         */
        tracking_code?: Array<string>;
        /**
         * Guides of this MAWB, in any spelling of its number.
         */
        mawb?: string;
        /**
         * One of several: `status=in_transit&status=out_for_delivery`.
         */
        status?: Array<'registered' | 'customs_processing' | 'customs_released' | 'in_transit' | 'out_for_delivery' | 'delivered' | 'customs_held' | 'customs_documents_required' | 'customs_duties_pending' | 'on_hold' | 'delivery_failed' | 'returning_to_sender' | 'customs_rejected' | 'returned' | 'lost' | 'cancelled'>;
        /**
         * Of the destination.
         */
        country?: 'CL' | 'PE' | 'AR';
        /**
         * Received or changed at this moment or later; with an offset.
         */
        updated_since?: string;
    };
    url: '/api/public/pre-alerts/v1/guides';
};

export type GuidesErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_query`: Parameters of a list are invalid. `details` gives the reasons for each.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type GuidesError = GuidesErrors[keyof GuidesErrors];

export type GuidesResponses = {
    /**
     * A page of guides, the oldest change first; may be empty.
     */
    200: ChangedGuides;
};

export type GuidesResponse = GuidesResponses[keyof GuidesResponses];

export type CancelData = {
    body: Cancellation;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * As the answer to the upload gave it; capitals do not matter.
         */
        tracking_code: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/guides/{tracking_code}/cancel';
};

export type CancelErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The request body is not a valid JSON object.
     * - `company_is_courier`: A courier posted without naming the client it posts for.
     * - `validation_failed`: Fields of the request are invalid. `details` gives the reasons for each field.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: The operators have switched off corrections and cancellations by API for the company.
     * - `client_code_not_allowed`: A client sent a client_code.
     * - `client_not_resolved`: The client is unknown, inactive or not linked to this courier: one error for all. Extra `client_code`.
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Sent before, still being processed under this key, or too late: see `error`.
     *
     * - `invalid_transition`: The guide cannot move from its status to the new one. The message names both.
     * - `guide_already_terminal`: The guide has a final status.
     */
    409: Duplicate;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type CancelError = CancelErrors[keyof CancelErrors];

export type CancelResponses = {
    /**
     * The guide as it is now; to a courier, which fields changed.
     */
    200: CancellationResult;
};

export type CancelResponse = CancelResponses[keyof CancelResponses];

export type PostManifestData = {
    body: JsonManifest;
    headers?: {
        /**
         * A name of your own for this request, such as a UUID: 1 to 255 printable ASCII characters, with or without quotes around them. Sent again within 7 days with the same content, it gets the first success again, with `Idempotent-Replayed: true`. A refusal frees it.
         */
        'Idempotency-Key'?: string;
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/public/pre-alerts/v1/process-pre-alert-json';
};

export type PostManifestErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The request body is not a valid JSON object.
     * - `company_is_courier`: A courier posted without naming the client it posts for.
     * - `unsupported_transport_mode`: `transport_mode` is neither `air` nor `ground`.
     * - `destination_unresolved`: The destination country cannot be determined.
     * - `validation_failed`: Fields of the request are invalid. `details` gives the reasons for each field.
     * - `manifest_validation_failed`: Rows of the manifest are invalid, so the whole manifest is refused.
     * - `tracking_prefix_missing`: The company has no tracking prefix, so no tracking codes can be assigned.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     * - `client_code_not_allowed`: A client sent a client_code.
     * - `client_not_resolved`: The client is unknown, inactive or not linked to this courier: one error for all. Extra `client_code`.
     * - `country_not_allowed`: The destination is not among the company's allowed countries. Extra `country`.
     */
    403: Forbidden;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Sent before, still being processed under this key, or too late: see `error`.
     *
     * - `idempotency_in_progress`: The first request with this `Idempotency-Key` is still being processed.
     * - `mawb_already_exists`: The company already has a manifest with this MAWB. Extra: `manifest_id`, the existing manifest.
     */
    409: Duplicate;
    /**
     * A well-formed request that is wrong for this client, or for its key.
     *
     * - `idempotency_key_reused`: The `Idempotency-Key` was sent before, with another request.
     * - `marketplace_fields_missing`: Rows of a marketplace client lack their identifiers. Extras as in `ManifestValidationFailed`.
     * - `marketplace_fields_not_allowed`: Rows of another client have marketplace identifiers. Extras as in `ManifestValidationFailed`.
     */
    422: RowsRefused;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type PostManifestError = PostManifestErrors[keyof PostManifestErrors];

export type PostManifestResponses = {
    /**
     * A canonical JSON pre-alert that was accepted.
     */
    201: JsonResult;
};

export type PostManifestResponse = PostManifestResponses[keyof PostManifestResponses];

export type ValidateWorkbookData = {
    body: UploadForm;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/public/pre-alerts/v1/upload/validate';
};

export type ValidateWorkbookErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `company_is_courier`: A courier posted without naming the client it posts for.
     * - `manifest_file_required`: The upload has no `manifest_file`.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ValidateWorkbookError = ValidateWorkbookErrors[keyof ValidateWorkbookErrors];

export type ValidateWorkbookResponses = {
    /**
     * What would become of a manifest. Nothing was stored.
     */
    200: Validation;
};

export type ValidateWorkbookResponse = ValidateWorkbookResponses[keyof ValidateWorkbookResponses];

export type ValidateManifestData = {
    body: JsonManifest;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/public/pre-alerts/v1/process-pre-alert-json/validate';
};

export type ValidateManifestErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `company_is_courier`: A courier posted without naming the client it posts for.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     * - `client_code_not_allowed`: A client sent a client_code.
     * - `client_not_resolved`: The client is unknown, inactive or not linked to this courier: one error for all. Extra `client_code`.
     */
    403: Forbidden;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ValidateManifestError = ValidateManifestErrors[keyof ValidateManifestErrors];

export type ValidateManifestResponses = {
    /**
     * What would become of a manifest. Nothing was stored.
     */
    200: Validation;
};

export type ValidateManifestResponse = ValidateManifestResponses[keyof ValidateManifestResponses];

export type MeData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/public/pre-alerts/v1/me';
};

export type MeErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type MeError = MeErrors[keyof MeErrors];

export type MeResponses = {
    /**
     * The company that a password belongs to, and what it may do.
     */
    200: Me;
};

export type MeResponse = MeResponses[keyof MeResponses];

export type GetJobData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path: {
        /**
         * The `job_id`.
         */
        job: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/jobs/{job}';
};

export type GetJobErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type GetJobError = GetJobErrors[keyof GetJobErrors];

export type GetJobResponses = {
    /**
     * An upload with `Prefer: respond-async`.
     */
    200: Job;
};

export type GetJobResponse = GetJobResponses[keyof GetJobResponses];

export type ListMawbsData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: {
        /**
         * The number of rows of a page.
         */
        limit?: number;
        /**
         * `next_cursor` of the page before, with the filters of that page.
         */
        cursor?: string;
        /**
         * One of several: `status=in_transit&status=out_for_delivery`.
         */
        status?: Array<'registered' | 'customs_processing' | 'customs_released' | 'in_transit' | 'out_for_delivery' | 'delivered' | 'exception' | 'closed'>;
        /**
         * Of the destination.
         */
        country?: 'CL' | 'PE' | 'AR';
        /**
         * Received at this moment or later; with an offset.
         */
        created_from?: string;
        /**
         * Received before this moment; with an offset.
         */
        created_to?: string;
        /**
         * Scheduled to arrive at this moment or later; with an offset.
         */
        eta_from?: string;
        /**
         * Scheduled to arrive before this moment; with an offset.
         */
        eta_to?: string;
        /**
         * Received or changed at this moment or later; with an offset.
         */
        updated_since?: string;
        /**
         * MAWBs with this guide; capitals do not matter.
         */
        hawb?: string;
    };
    url: '/api/public/pre-alerts/v1/mawbs';
};

export type ListMawbsErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_query`: Parameters of a list are invalid. `details` gives the reasons for each.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ListMawbsError = ListMawbsErrors[keyof ListMawbsErrors];

export type ListMawbsResponses = {
    /**
     * A page of MAWBs, newest first; may be empty.
     */
    200: MawbList;
};

export type ListMawbsResponse = ListMawbsResponses[keyof ListMawbsResponses];

export type GetMawbData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path: {
        /**
         * The number, with a hyphen, a space or nothing between its three and eight digits.
         */
        mawb: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}';
};

export type GetMawbErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type GetMawbError = GetMawbErrors[keyof GetMawbErrors];

export type GetMawbResponses = {
    /**
     * A MAWB with its guides.
     */
    200: MawbDetail;
};

export type GetMawbResponse = GetMawbResponses[keyof GetMawbResponses];

export type VoidData = {
    body: Voiding;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The number, with a hyphen, a space or nothing between its three and eight digits.
         */
        mawb: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/void';
};

export type VoidErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The request body is not a valid JSON object.
     * - `company_is_courier`: A courier posted without naming the client it posts for.
     * - `validation_failed`: Fields of the request are invalid. `details` gives the reasons for each field.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: The operators have switched off corrections and cancellations by API for the company.
     * - `client_code_not_allowed`: A client sent a client_code.
     * - `client_not_resolved`: The client is unknown, inactive or not linked to this courier: one error for all. Extra `client_code`.
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Sent before, still being processed under this key, or too late: see `error`.
     *
     * - `manifest_under_way`: The manifest cannot be voided, because some of its guides have left `registered`.
     * - `manifest_already_voided`: The manifest is already voided.
     */
    409: Duplicate;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type VoidError = VoidErrors[keyof VoidErrors];

export type VoidResponses = {
    /**
     * A MAWB that was voided. It can be sent again.
     */
    200: Voided;
};

export type VoidResponse = VoidResponses[keyof VoidResponses];

export type ListGuidesData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path: {
        /**
         * The number, with a hyphen, a space or nothing between its three and eight digits.
         */
        mawb: string;
    };
    query?: {
        /**
         * The number of rows of a page.
         */
        limit?: number;
        /**
         * `next_cursor` of the page before, with the filters of that page.
         */
        cursor?: string;
        /**
         * One of several: `status=in_transit&status=out_for_delivery`.
         */
        status?: Array<'registered' | 'customs_processing' | 'customs_released' | 'in_transit' | 'out_for_delivery' | 'delivered' | 'customs_held' | 'customs_documents_required' | 'customs_duties_pending' | 'on_hold' | 'delivery_failed' | 'returning_to_sender' | 'customs_rejected' | 'returned' | 'lost' | 'cancelled'>;
    };
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/guides';
};

export type ListGuidesErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_query`: Parameters of a list are invalid. `details` gives the reasons for each.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ListGuidesError = ListGuidesErrors[keyof ListGuidesErrors];

export type ListGuidesResponses = {
    /**
     * A page of a MAWB's guides, ordered by HAWB.
     */
    200: GuideList;
};

export type ListGuidesResponse = ListGuidesResponses[keyof ListGuidesResponses];

export type GetFindingsData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
        /**
         * The `ETag` of the answer that you keep, or several: `304` if nothing has changed since.
         */
        'If-None-Match'?: string;
    };
    path: {
        /**
         * The number, with a hyphen, a space or nothing between its three and eight digits.
         */
        mawb: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/findings';
};

export type GetFindingsErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Refused;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `unsupported_country`: This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`.
     */
    403: Forbidden;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The resource does not exist or belongs to another company.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type GetFindingsError = GetFindingsErrors[keyof GetFindingsErrors];

export type GetFindingsResponses = {
    /**
     * The warnings and notices of a manifest, as returned when it was created.
     */
    200: Findings;
};

export type GetFindingsResponse = GetFindingsResponses[keyof GetFindingsResponses];

export type ListEventTypesData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/event-types';
};

export type ListEventTypesErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ListEventTypesError = ListEventTypesErrors[keyof ListEventTypesErrors];

export type ListEventTypesResponses = {
    /**
     * The catalogue.
     */
    200: EventTypeList;
};

export type ListEventTypesResponse = ListEventTypesResponses[keyof ListEventTypesResponses];

export type ListSubscriptionsData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: {
        limit?: number;
        /**
         * `next_cursor` of the previous page.
         */
        cursor?: string;
    };
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions';
};

export type ListSubscriptionsErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_query`: Query parameters are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ListSubscriptionsError = ListSubscriptionsErrors[keyof ListSubscriptionsErrors];

export type ListSubscriptionsResponses = {
    /**
     * A page of webhooks, newest first.
     */
    200: SubscriptionList;
};

export type ListSubscriptionsResponse = ListSubscriptionsResponses[keyof ListSubscriptionsResponses];

export type CreateSubscriptionData = {
    body: NewSubscription;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions';
};

export type CreateSubscriptionErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The body is not a JSON object.
     * - `validation_failed`: Fields of the body are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Not in this state of things.
     *
     * - `subscription_limit`: The company has as many active subscriptions as it may have.
     * - `subscription_exists`: The company already has an active subscription with this URL: each event would arrive twice, with two ids.
     */
    409: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type CreateSubscriptionError = CreateSubscriptionErrors[keyof CreateSubscriptionErrors];

export type CreateSubscriptionResponses = {
    /**
     * A webhook that was created.
     */
    201: SubscriptionCreated;
};

export type CreateSubscriptionResponse = CreateSubscriptionResponses[keyof CreateSubscriptionResponses];

export type DeleteSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a webhook.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}';
};

export type DeleteSubscriptionErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Not in this state of things.
     *
     * - `subscription_managed_by_operators`: Subscriptions of version 1 are managed by operators.
     */
    409: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type DeleteSubscriptionError = DeleteSubscriptionErrors[keyof DeleteSubscriptionErrors];

export type DeleteSubscriptionResponses = {
    /**
     * Done.
     */
    204: void;
};

export type DeleteSubscriptionResponse = DeleteSubscriptionResponses[keyof DeleteSubscriptionResponses];

export type GetSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a webhook.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}';
};

export type GetSubscriptionErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type GetSubscriptionError = GetSubscriptionErrors[keyof GetSubscriptionErrors];

export type GetSubscriptionResponses = {
    /**
     * A webhook, without its secret.
     */
    200: SubscriptionItem;
};

export type GetSubscriptionResponse = GetSubscriptionResponses[keyof GetSubscriptionResponses];

export type ChangeSubscriptionData = {
    body?: ChangedSubscription;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a webhook.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}';
};

export type ChangeSubscriptionErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The body is not a JSON object.
     * - `validation_failed`: Fields of the body are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Not in this state of things.
     *
     * - `subscription_managed_by_operators`: Subscriptions of version 1 are managed by operators.
     * - `subscription_exists`: The company already has an active subscription with this URL: each event would arrive twice, with two ids.
     * - `subscription_limit`: The company has as many active subscriptions as it may have.
     */
    409: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ChangeSubscriptionError = ChangeSubscriptionErrors[keyof ChangeSubscriptionErrors];

export type ChangeSubscriptionResponses = {
    /**
     * A webhook that was changed.
     */
    200: SubscriptionChanged;
};

export type ChangeSubscriptionResponse = ChangeSubscriptionResponses[keyof ChangeSubscriptionResponses];

export type RotateSecretData = {
    body?: Rotation;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a webhook.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}/rotate-secret';
};

export type RotateSecretErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The body is not a JSON object.
     * - `validation_failed`: Fields of the body are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Not in this state of things.
     *
     * - `subscription_managed_by_operators`: Subscriptions of version 1 are managed by operators.
     */
    409: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type RotateSecretError = RotateSecretErrors[keyof RotateSecretErrors];

export type RotateSecretResponses = {
    /**
     * A webhook with its new secret, which is shown only once.
     */
    200: SubscriptionSecret;
};

export type RotateSecretResponse = RotateSecretResponses[keyof RotateSecretResponses];

export type SendTestData = {
    body?: Test;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a webhook.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}/test';
};

export type SendTestErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The body is not a JSON object.
     * - `validation_failed`: Fields of the body are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Not in this state of things.
     *
     * - `subscription_managed_by_operators`: Subscriptions of version 1 are managed by operators.
     */
    409: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: Too many test deliveries for the company within a minute.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type SendTestError = SendTestErrors[keyof SendTestErrors];

export type SendTestResponses = {
    /**
     * A test that will be sent.
     */
    202: TestSent;
};

export type SendTestResponse = SendTestResponses[keyof SendTestResponses];

export type ReplayRangeData = {
    body: Range;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a webhook.
         */
        subscription_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}/replay';
};

export type ReplayRangeErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The body is not a JSON object.
     * - `validation_failed`: Fields of the body are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Not in this state of things.
     *
     * - `replay_not_available`: The delivery cannot be replayed; the message says why.
     */
    409: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ReplayRangeError = ReplayRangeErrors[keyof ReplayRangeErrors];

export type ReplayRangeResponses = {
    /**
     * What will be sent again.
     */
    200: ReplayedRange;
};

export type ReplayRangeResponse = ReplayRangeResponses[keyof ReplayRangeResponses];

export type ListDeliveriesData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path?: never;
    query?: {
        limit?: number;
        /**
         * `next_cursor` of the previous page.
         */
        cursor?: string;
        subscription?: string;
        state?: 'pending' | 'sending' | 'delivered' | 'failed' | 'abandoned' | 'cancelled' | 'waiting' | 'dead';
        type?: 'pre_alert.ingested' | 'guide.status_changed' | 'guide.out_for_delivery' | 'guide.delivered' | 'guide.exception' | 'webhook.test' | 'pre_alert.voided' | 'guide.corrected' | 'upload.succeeded' | 'upload.failed' | 'webhook.subscription_disabled';
        /**
         * A whole tracking code or MAWB.
         */
        subject?: string;
        /**
         * Created before this time; with an offset.
         */
        to?: string;
        /**
         * Created at this time or later; with an offset.
         */
        from?: string;
    };
    url: '/api/public/pre-alerts/v1/webhooks/deliveries';
};

export type ListDeliveriesErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_query`: Query parameters are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ListDeliveriesError = ListDeliveriesErrors[keyof ListDeliveriesErrors];

export type ListDeliveriesResponses = {
    /**
     * A page of the log, newest first.
     */
    200: DeliveryList;
};

export type ListDeliveriesResponse = ListDeliveriesResponses[keyof ListDeliveriesResponses];

export type GetDeliveryData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a delivery.
         */
        delivery_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/deliveries/{delivery_id}';
};

export type GetDeliveryErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type GetDeliveryError = GetDeliveryErrors[keyof GetDeliveryErrors];

export type GetDeliveryResponses = {
    /**
     * One delivery with its attempts, oldest first, and the body as it is sent.
     */
    200: DeliveryDetail;
};

export type GetDeliveryResponse = GetDeliveryResponses[keyof GetDeliveryResponses];

export type ReplayDeliveryData = {
    body?: never;
    headers?: {
        /**
         * Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.
         */
        'X-Request-Id'?: string;
        /**
         * `es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the same in both.
         */
        'Accept-Language'?: string;
    };
    path: {
        /**
         * The `id` of a delivery.
         */
        delivery_id: string;
    };
    query?: never;
    url: '/api/public/pre-alerts/v1/webhooks/deliveries/{delivery_id}/replay';
};

export type ReplayDeliveryErrors = {
    /**
     * The request cannot be taken as it is.
     *
     * - `invalid_body`: The body is not a JSON object.
     * - `validation_failed`: Fields of the body are invalid; `details` lists each with its reasons.
     * - `invalid_host`: The request's `Host` is none of the service's.
     */
    400: Error;
    /**
     * No password, or none that counts.
     *
     * - `missing_api_key`: The request has no `Authorization: Bearer <password>` header.
     * - `invalid_api_key`: The password belongs to no active company: the same error for unknown, rotated and deactivated ones.
     */
    401: Error;
    /**
     * Authenticated, and not allowed.
     *
     * - `forbidden`: A courier tried to subscribe; its clients receive the events, never the courier.
     */
    403: Error;
    /**
     * Not among what the caller's company owns.
     *
     * - `not_found`: The caller has no such subscription or delivery.
     */
    404: Error;
    /**
     * Another method than those of this route; `Allow` lists them.
     *
     * - `method_not_allowed`: The route does not take this method.
     */
    405: Error;
    /**
     * Not in this state of things.
     *
     * - `replay_not_available`: The delivery cannot be replayed; the message says why.
     * - `delivery_in_flight`: The delivery is about to be sent, or is being sent.
     */
    409: Error;
    /**
     * Too many requests, or too many test deliveries. Wait as long as Retry-After says.
     *
     * - `rate_limited`: The company sends more requests than its limit allows. Wait as long as `Retry-After` says.
     */
    429: Error;
    /**
     * An error of the service. Send a POST again under its `Idempotency-Key`, or confirm by GET first.
     *
     * - `internal_server_error`: Something went wrong on our side.
     */
    500: Failure;
    /**
     * Wait as long as Retry-After says; send a POST again under its `Idempotency-Key`, or confirm by GET.
     *
     * - `unavailable`: The database cannot be reached, the disk is full, or no place to read workbooks came free in 30 seconds.
     */
    503: Error;
};

export type ReplayDeliveryError = ReplayDeliveryErrors[keyof ReplayDeliveryErrors];

export type ReplayDeliveryResponses = {
    /**
     * A delivery that will be sent again.
     */
    202: ReplayedDelivery;
};

export type ReplayDeliveryResponse = ReplayDeliveryResponses[keyof ReplayDeliveryResponses];

export type HealthData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/health';
};

export type HealthErrors = {
    /**
     * Another method than GET; `Allow` lists them.
     */
    405: unknown;
};

export type HealthResponses = {
    /**
     * It is.
     */
    200: Liveness;
};

export type HealthResponse = HealthResponses[keyof HealthResponses];

export type ReadyData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/health/ready';
};

export type ReadyErrors = {
    /**
     * Another method than GET; `Allow` lists them.
     */
    405: unknown;
    /**
     * It cannot.
     */
    503: unknown;
};

export type ReadyResponses = {
    /**
     * It can.
     */
    200: unknown;
};

export type ManifestTemplateClData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/docs/templates/manifest-CL.xlsx';
};

export type ManifestTemplateClErrors = {
    /**
     * Another method than GET; `Allow` lists them.
     */
    405: unknown;
};

export type ManifestTemplateClResponses = {
    /**
     * The workbook.
     */
    200: Blob | File;
};

export type ManifestTemplateClResponse = ManifestTemplateClResponses[keyof ManifestTemplateClResponses];

export type ManifestTemplatePeData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/docs/templates/manifest-PE.xlsx';
};

export type ManifestTemplatePeErrors = {
    /**
     * Another method than GET; `Allow` lists them.
     */
    405: unknown;
};

export type ManifestTemplatePeResponses = {
    /**
     * The workbook.
     */
    200: Blob | File;
};

export type ManifestTemplatePeResponse = ManifestTemplatePeResponses[keyof ManifestTemplatePeResponses];

export type ManifestTemplateArData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/docs/templates/manifest-AR.xlsx';
};

export type ManifestTemplateArErrors = {
    /**
     * Another method than GET; `Allow` lists them.
     */
    405: unknown;
};

export type ManifestTemplateArResponses = {
    /**
     * The workbook.
     */
    200: Blob | File;
};

export type ManifestTemplateArResponse = ManifestTemplateArResponses[keyof ManifestTemplateArResponses];

export type PreAlertIngestedEventWebhookPayload = PreAlertIngestedEvent;

export type PreAlertIngestedEventWebhookRequest = {
    body: PreAlertIngestedEventWebhookPayload;
    key: 'pre_alert.ingested';
    path?: never;
    query?: never;
};

export type GuideStatusChangedEventWebhookPayload = GuideStatusChangedEvent;

export type GuideStatusChangedEventWebhookRequest = {
    body: GuideStatusChangedEventWebhookPayload;
    key: 'guide.status_changed';
    path?: never;
    query?: never;
};

export type GuideOutForDeliveryEventWebhookPayload = GuideOutForDeliveryEvent;

export type GuideOutForDeliveryEventWebhookRequest = {
    body: GuideOutForDeliveryEventWebhookPayload;
    key: 'guide.out_for_delivery';
    path?: never;
    query?: never;
};

export type GuideDeliveredEventWebhookPayload = GuideDeliveredEvent;

export type GuideDeliveredEventWebhookRequest = {
    body: GuideDeliveredEventWebhookPayload;
    key: 'guide.delivered';
    path?: never;
    query?: never;
};

export type GuideExceptionEventWebhookPayload = GuideExceptionEvent;

export type GuideExceptionEventWebhookRequest = {
    body: GuideExceptionEventWebhookPayload;
    key: 'guide.exception';
    path?: never;
    query?: never;
};

export type WebhookTestEventWebhookPayload = WebhookTestEvent;

export type WebhookTestEventWebhookRequest = {
    body: WebhookTestEventWebhookPayload;
    key: 'webhook.test';
    path?: never;
    query?: never;
};

export type PreAlertVoidedEventWebhookPayload = PreAlertVoidedEvent;

export type PreAlertVoidedEventWebhookRequest = {
    body: PreAlertVoidedEventWebhookPayload;
    key: 'pre_alert.voided';
    path?: never;
    query?: never;
};

export type GuideCorrectedEventWebhookPayload = GuideCorrectedEvent;

export type GuideCorrectedEventWebhookRequest = {
    body: GuideCorrectedEventWebhookPayload;
    key: 'guide.corrected';
    path?: never;
    query?: never;
};

export type UploadSucceededEventWebhookPayload = UploadSucceededEvent;

export type UploadSucceededEventWebhookRequest = {
    body: UploadSucceededEventWebhookPayload;
    key: 'upload.succeeded';
    path?: never;
    query?: never;
};

export type UploadFailedEventWebhookPayload = UploadFailedEvent;

export type UploadFailedEventWebhookRequest = {
    body: UploadFailedEventWebhookPayload;
    key: 'upload.failed';
    path?: never;
    query?: never;
};

export type WebhookSubscriptionDisabledEventWebhookPayload = WebhookSubscriptionDisabledEvent;

export type WebhookSubscriptionDisabledEventWebhookRequest = {
    body: WebhookSubscriptionDisabledEventWebhookPayload;
    key: 'webhook.subscription_disabled';
    path?: never;
    query?: never;
};
