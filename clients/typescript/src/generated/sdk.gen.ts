// Generated from the OpenAPI document.

import { client } from './client.gen.js';
import { type Client, formDataBodySerializer, type Options as Options2, type TDataShape } from './client/index.js';
import type { CancelData, CancelErrors, CancelResponses, ChangeSubscriptionData, ChangeSubscriptionErrors, ChangeSubscriptionResponses, CorrectData, CorrectErrors, CorrectResponses, CreateSubscriptionData, CreateSubscriptionErrors, CreateSubscriptionResponses, DeleteSubscriptionData, DeleteSubscriptionErrors, DeleteSubscriptionResponses, GetDeliveryData, GetDeliveryErrors, GetDeliveryResponses, GetFindingsData, GetFindingsErrors, GetFindingsResponses, GetGuideData, GetGuideErrors, GetGuideResponses, GetJobData, GetJobErrors, GetJobResponses, GetMawbData, GetMawbErrors, GetMawbResponses, GetSubscriptionData, GetSubscriptionErrors, GetSubscriptionResponses, GuidesData, GuidesErrors, GuidesResponses, HealthData, HealthErrors, HealthResponses, ListDeliveriesData, ListDeliveriesErrors, ListDeliveriesResponses, ListEventTypesData, ListEventTypesErrors, ListEventTypesResponses, ListGuidesData, ListGuidesErrors, ListGuidesResponses, ListMawbsData, ListMawbsErrors, ListMawbsResponses, ListSubscriptionsData, ListSubscriptionsErrors, ListSubscriptionsResponses, ManifestTemplateArData, ManifestTemplateArErrors, ManifestTemplateArResponses, ManifestTemplateClData, ManifestTemplateClErrors, ManifestTemplateClResponses, ManifestTemplatePeData, ManifestTemplatePeErrors, ManifestTemplatePeResponses, MeData, MeErrors, MeResponses, PostManifestData, PostManifestErrors, PostManifestResponses, ReadyData, ReadyErrors, ReadyResponses, ReplayDeliveryData, ReplayDeliveryErrors, ReplayDeliveryResponses, ReplayRangeData, ReplayRangeErrors, ReplayRangeResponses, RotateSecretData, RotateSecretErrors, RotateSecretResponses, SendTestData, SendTestErrors, SendTestResponses, UploadManifestData, UploadManifestErrors, UploadManifestResponses, ValidateManifestData, ValidateManifestErrors, ValidateManifestResponses, ValidateWorkbookData, ValidateWorkbookErrors, ValidateWorkbookResponses, VoidData, VoidErrors, VoidResponses } from './types.gen.js';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: Record<string, unknown>;
};

/**
 * Send a workbook
 *
 * An Excel manifest to Chile, perhaps with its invoice. A row with invalid values gives a warning and never stops the upload.
 *
 * **Safe to repeat under an `Idempotency-Key`:** when the answer was lost, send the same again and get the same answer. Without a key, ask `GET /mawbs/{mawb}` first: of any number of identical uploads exactly one gets the 201, and the others get `mawb_already_exists` with its `manifest_id`.
 *
 * The first failure is the answer, so mending one error may show the next.
 */
export const uploadManifest = <ThrowOnError extends boolean = false>(options: Options<UploadManifestData, ThrowOnError>) => (options.client ?? client).post<UploadManifestResponses, UploadManifestErrors, ThrowOnError>({
    ...formDataBodySerializer,
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/upload',
    ...options,
    headers: {
        'Content-Type': null,
        ...options.headers
    }
});

/**
 * One guide with its timeline
 *
 * Nothing follows a terminal status, unless it was recorded by mistake and taken back: its event then leaves the timeline, and the status that holds is a further event. A late scan is on the timeline at its time.
 */
export const getGuide = <ThrowOnError extends boolean = false>(options: Options<GetGuideData, ThrowOnError>) => (options.client ?? client).get<GetGuideResponses, GetGuideErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/guides/{tracking_code}',
    ...options
});

/**
 * Correct a guide
 *
 * Only what is sent, and what follows from it, is judged, by the rules of a row of the JSON manifest; `null` empties an optional field. Where the consignee lives and is reached: until the guide is out for delivery. Everything else: while it is `registered`. Safe to repeat: what is so already is never too late.
 *
 * A courier sends the `client_code` of the client it posted the guide for, and is answered without details.
 */
export const correct = <ThrowOnError extends boolean = false>(options: Options<CorrectData, ThrowOnError>) => (options.client ?? client).patch<CorrectResponses, CorrectErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/guides/{tracking_code}',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Many guides in one call
 *
 * Of any of your MAWBs, the oldest change first. One of `hawb`, `tracking_code`, `mawb` and `updated_since` is needed; filters apply together, and unknown parameters are ignored.
 *
 * To follow what changes, keep the last `updated_at` and ask with `updated_since`: that time, less two minutes, because a change may become visible a moment after its time.
 */
export const guides = <ThrowOnError extends boolean = false>(options?: Options<GuidesData, ThrowOnError>) => (options?.client ?? client).get<GuidesResponses, GuidesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/guides',
    ...options
});

/**
 * Cancel a guide
 *
 * While it is `registered`. Safe to repeat: a cancelled guide is answered as it is. The reason goes to the operators. A courier sends `client_code`, too.
 */
export const cancel = <ThrowOnError extends boolean = false>(options: Options<CancelData, ThrowOnError>) => (options.client ?? client).post<CancelResponses, CancelErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/guides/{tracking_code}/cancel',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Send JSON
 *
 * A canonical manifest to Chile, Peru or Argentina, at most 10 MB. All or nothing: when any guide is incomplete or breaks its country's rules, nothing is created, and one response lists every problem of every row.
 *
 * The destination decides the country. A courier names the client it posts for in `client_code`.
 *
 * **Safe to repeat under an `Idempotency-Key`**, as an upload is.
 */
export const postManifest = <ThrowOnError extends boolean = false>(options: Options<PostManifestData, ThrowOnError>) => (options.client ?? client).post<PostManifestResponses, PostManifestErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/process-pre-alert-json',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Try a workbook
 *
 * The same request as *Send a workbook*, read in the same way, and **nothing is stored**: no manifest, no file, no webhook, no key. Safe to repeat. A refusal is content of this answer, with its status in it.
 *
 * Reading goes on after a refusal where it can, so that changed columns and the problems of all rows are reported at once. With `Accept: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` the answer is the workbook itself, with each problem at its cell and a list of all problems; it contains what was sent, personal data included.
 *
 * Validations never take the last place for reading workbooks from an upload; without a place within 5 seconds the answer is a 503.
 */
export const validateWorkbook = <ThrowOnError extends boolean = false>(options: Options<ValidateWorkbookData, ThrowOnError>) => (options.client ?? client).post<ValidateWorkbookResponses, ValidateWorkbookErrors, ThrowOnError>({
    ...formDataBodySerializer,
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/upload/validate',
    ...options,
    headers: {
        'Content-Type': null,
        ...options.headers
    }
});

/**
 * Try JSON
 *
 * The same request as *Send JSON*, checked in the same way, and **nothing is stored**. Safe to repeat. A refusal is content of this answer. The problems of the manifest's own fields and of all rows are reported at once.
 */
export const validateManifest = <ThrowOnError extends boolean = false>(options: Options<ValidateManifestData, ThrowOnError>) => (options.client ?? client).post<ValidateManifestResponses, ValidateManifestErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/process-pre-alert-json/validate',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Your company
 *
 * What your password opens: countries, workbooks, the tracking prefix, the rate limit. Begin here: couriers and companies without a country are answered, too.
 */
export const me = <ThrowOnError extends boolean = false>(options?: Options<MeData, ThrowOnError>) => (options?.client ?? client).get<MeResponses, MeErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/me',
    ...options
});

/**
 * One upload job
 *
 * What became of an upload with `Prefer: respond-async`. Ask again after `Retry-After` until `status` is `succeeded` or `failed`, or subscribe to `upload.succeeded` and `upload.failed`. Kept for 7 days after its end.
 */
export const getJob = <ThrowOnError extends boolean = false>(options: Options<GetJobData, ThrowOnError>) => (options.client ?? client).get<GetJobResponses, GetJobErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/jobs/{job}',
    ...options
});

/**
 * Your MAWBs
 *
 * Newest first, in pages. Without parameters: the 50 newest. Filters apply together; unknown parameters are ignored.
 *
 * To follow what changes, ask with `updated_since`: the time of the last request, less two minutes, because a change may become visible a moment after its time.
 */
export const listMawbs = <ThrowOnError extends boolean = false>(options?: Options<ListMawbsData, ThrowOnError>) => (options?.client ?? client).get<ListMawbsResponses, ListMawbsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs',
    ...options
});

/**
 * One MAWB with its guides
 *
 * Also shows whether a POST whose response was lost has arrived.
 */
export const getMawb = <ThrowOnError extends boolean = false>(options: Options<GetMawbData, ThrowOnError>) => (options.client ?? client).get<GetMawbResponses, GetMawbErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}',
    ...options
});

/**
 * Void a MAWB
 *
 * While every guide is `registered` or `cancelled`: its guides are cancelled, it is a 404 from then on, and it can be sent again. Safe to repeat, and with `manifest_id` even after it was sent again: another manifest is never voided. A courier sends `client_code`, too.
 */
export const void_ = <ThrowOnError extends boolean = false>(options: Options<VoidData, ThrowOnError>) => (options.client ?? client).post<VoidResponses, VoidErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/void',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * The guides of one MAWB in pages
 *
 * By HAWB. For a MAWB with many guides, of which the detail always shows all.
 */
export const listGuides = <ThrowOnError extends boolean = false>(options: Options<ListGuidesData, ThrowOnError>) => (options.client ?? client).get<ListGuidesResponses, ListGuidesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/guides',
    ...options
});

/**
 * What was noticed in one MAWB
 *
 * Warnings and notices, how a workbook's columns were understood, what the guides add up to, and what became of the rows: what the answer to the POST said, for when that answer was lost.
 */
export const getFindings = <ThrowOnError extends boolean = false>(options: Options<GetFindingsData, ThrowOnError>) => (options.client ?? client).get<GetFindingsResponses, GetFindingsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/findings',
    ...options
});

/**
 * The event types
 *
 * Every event type with a description, an example of its `data`, and the versions that send it.
 */
export const listEventTypes = <ThrowOnError extends boolean = false>(options?: Options<ListEventTypesData, ThrowOnError>) => (options?.client ?? client).get<ListEventTypesResponses, ListEventTypesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/event-types',
    ...options
});

/**
 * Your webhooks
 *
 * Newest first, including those of version 1, which operators manage.
 */
export const listSubscriptions = <ThrowOnError extends boolean = false>(options?: Options<ListSubscriptionsData, ThrowOnError>) => (options?.client ?? client).get<ListSubscriptionsResponses, ListSubscriptionsErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions',
    ...options
});

/**
 * Create a webhook of version 2
 *
 * At most 10 active ones. The secret is your own, or generated, and shown only once. Without `event_types` it receives everything except `webhook.*`; filters apply to new events. `warning` says so if the host does not resolve to a public address at the moment.
 */
export const createSubscription = <ThrowOnError extends boolean = false>(options: Options<CreateSubscriptionData, ThrowOnError>) => (options.client ?? client).post<CreateSubscriptionResponses, CreateSubscriptionErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Delete a webhook
 *
 * Waiting deliveries are cancelled; the log stays.
 */
export const deleteSubscription = <ThrowOnError extends boolean = false>(options: Options<DeleteSubscriptionData, ThrowOnError>) => (options.client ?? client).delete<DeleteSubscriptionResponses, DeleteSubscriptionErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}',
    ...options
});

/**
 * One webhook
 *
 * With its health: since when every attempt has failed, and why the service disabled it.
 */
export const getSubscription = <ThrowOnError extends boolean = false>(options: Options<GetSubscriptionData, ThrowOnError>) => (options.client ?? client).get<GetSubscriptionResponses, GetSubscriptionErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}',
    ...options
});

/**
 * Change a webhook
 *
 * Fields that are left out stay. Once deactivated, nothing more is sent and waiting deliveries are given up: replay them once the webhook is active again; activating does not send them.
 */
export const changeSubscription = <ThrowOnError extends boolean = false>(options: Options<ChangeSubscriptionData, ThrowOnError>) => (options.client ?? client).patch<ChangeSubscriptionResponses, ChangeSubscriptionErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * A new secret
 *
 * Both secrets sign for `overlap_hours`, then only the new one; 0 drops the old one immediately. Rotating to the current secret changes nothing, so that a rotation with a `secret` of your own is safe to repeat.
 */
export const rotateSecret = <ThrowOnError extends boolean = false>(options: Options<RotateSecretData, ThrowOnError>) => (options.client ?? client).post<RotateSecretResponses, RotateSecretErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}/rotate-secret',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Send a test
 *
 * Send the example of a type, with `test: true` in `data`, to this webhook only, regardless of its filters. At most 10 a minute.
 */
export const sendTest = <ThrowOnError extends boolean = false>(options: Options<SendTestData, ThrowOnError>) => (options.client ?? client).post<SendTestResponses, SendTestErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}/test',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Replay a range
 *
 * Deliveries created from `since` to before `until`, within the last 30 days, at most 5,000 per call; oldest first, behind current events. Only version 2.
 */
export const replayRange = <ThrowOnError extends boolean = false>(options: Options<ReplayRangeData, ThrowOnError>) => (options.client ?? client).post<ReplayRangeResponses, ReplayRangeErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}/replay',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * The log
 *
 * Every delivery to your webhooks, newest first, with its last attempt.
 */
export const listDeliveries = <ThrowOnError extends boolean = false>(options?: Options<ListDeliveriesData, ThrowOnError>) => (options?.client ?? client).get<ListDeliveriesResponses, ListDeliveriesErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/deliveries',
    ...options
});

/**
 * One delivery
 *
 * Its body as sent, and every attempt.
 */
export const getDelivery = <ThrowOnError extends boolean = false>(options: Options<GetDeliveryData, ThrowOnError>) => (options.client ?? client).get<GetDeliveryResponses, GetDeliveryErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/deliveries/{delivery_id}',
    ...options
});

/**
 * Replay a delivery
 *
 * With the same id and body, from the first attempt. Only version 2, within the last 30 days, if it is dead, delivered or waiting.
 */
export const replayDelivery = <ThrowOnError extends boolean = false>(options: Options<ReplayDeliveryData, ThrowOnError>) => (options.client ?? client).post<ReplayDeliveryResponses, ReplayDeliveryErrors, ThrowOnError>({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/deliveries/{delivery_id}/replay',
    ...options
});

/**
 * Is the process alive?
 *
 * Constant and unlimited.
 */
export const health = <ThrowOnError extends boolean = false>(options?: Options<HealthData, ThrowOnError>) => (options?.client ?? client).get<HealthResponses, HealthErrors, ThrowOnError>({ url: '/health', ...options });

/**
 * Can it serve?
 *
 * For operations: whether this machine reaches its database and has space for uploads. Within a second, without the reason.
 */
export const ready = <ThrowOnError extends boolean = false>(options?: Options<ReadyData, ThrowOnError>) => (options?.client ?? client).get<ReadyResponses, ReadyErrors, ThrowOnError>({ url: '/health/ready', ...options });

/**
 * The workbook for Chile, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export const manifestTemplateCl = <ThrowOnError extends boolean = false>(options?: Options<ManifestTemplateClData, ThrowOnError>) => (options?.client ?? client).get<ManifestTemplateClResponses, ManifestTemplateClErrors, ThrowOnError>({ url: '/docs/templates/manifest-CL.xlsx', ...options });

/**
 * The workbook for Peru, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export const manifestTemplatePe = <ThrowOnError extends boolean = false>(options?: Options<ManifestTemplatePeData, ThrowOnError>) => (options?.client ?? client).get<ManifestTemplatePeResponses, ManifestTemplatePeErrors, ThrowOnError>({ url: '/docs/templates/manifest-PE.xlsx', ...options });

/**
 * The workbook for Argentina, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export const manifestTemplateAr = <ThrowOnError extends boolean = false>(options?: Options<ManifestTemplateArData, ThrowOnError>) => (options?.client ?? client).get<ManifestTemplateArResponses, ManifestTemplateArErrors, ThrowOnError>({ url: '/docs/templates/manifest-AR.xlsx', ...options });
