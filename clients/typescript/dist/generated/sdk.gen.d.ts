import { type Client, type Options as Options2, type TDataShape } from './client/index.js';
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
export declare const uploadManifest: <ThrowOnError extends boolean = false>(options: Options<UploadManifestData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<UploadManifestResponses, UploadManifestErrors, ThrowOnError, "fields">;
/**
 * One guide with its timeline
 *
 * Nothing follows a terminal status, unless it was recorded by mistake and taken back: its event then leaves the timeline, and the status that holds is a further event. A late scan is on the timeline at its time.
 */
export declare const getGuide: <ThrowOnError extends boolean = false>(options: Options<GetGuideData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetGuideResponses, GetGuideErrors, ThrowOnError, "fields">;
/**
 * Correct a guide
 *
 * Only what is sent, and what follows from it, is judged, by the rules of a row of the JSON manifest; `null` empties an optional field. Where the consignee lives and is reached: until the guide is out for delivery. Everything else: while it is `registered`. Safe to repeat: what is so already is never too late.
 *
 * A courier sends the `client_code` of the client it posted the guide for, and is answered without details.
 */
export declare const correct: <ThrowOnError extends boolean = false>(options: Options<CorrectData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<CorrectResponses, CorrectErrors, ThrowOnError, "fields">;
/**
 * Many guides in one call
 *
 * Of any of your MAWBs, the oldest change first. One of `hawb`, `tracking_code`, `mawb` and `updated_since` is needed; filters apply together, and unknown parameters are ignored.
 *
 * To follow what changes, keep the last `updated_at` and ask with `updated_since`: that time, less two minutes, because a change may become visible a moment after its time.
 */
export declare const guides: <ThrowOnError extends boolean = false>(options?: Options<GuidesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GuidesResponses, GuidesErrors, ThrowOnError, "fields">;
/**
 * Cancel a guide
 *
 * While it is `registered`. Safe to repeat: a cancelled guide is answered as it is. The reason goes to the operators. A courier sends `client_code`, too.
 */
export declare const cancel: <ThrowOnError extends boolean = false>(options: Options<CancelData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<CancelResponses, CancelErrors, ThrowOnError, "fields">;
/**
 * Send JSON
 *
 * A canonical manifest to Chile, Peru or Argentina, at most 10 MB. All or nothing: when any guide is incomplete or breaks its country's rules, nothing is created, and one response lists every problem of every row.
 *
 * The destination decides the country. A courier names the client it posts for in `client_code`.
 *
 * **Safe to repeat under an `Idempotency-Key`**, as an upload is.
 */
export declare const postManifest: <ThrowOnError extends boolean = false>(options: Options<PostManifestData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<PostManifestResponses, PostManifestErrors, ThrowOnError, "fields">;
/**
 * Try a workbook
 *
 * The same request as *Send a workbook*, read in the same way, and **nothing is stored**: no manifest, no file, no webhook, no key. Safe to repeat. A refusal is content of this answer, with its status in it.
 *
 * Reading goes on after a refusal where it can, so that changed columns and the problems of all rows are reported at once. With `Accept: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` the answer is the workbook itself, with each problem at its cell and a list of all problems; it contains what was sent, personal data included.
 *
 * Validations never take the last place for reading workbooks from an upload; without a place within 5 seconds the answer is a 503.
 */
export declare const validateWorkbook: <ThrowOnError extends boolean = false>(options: Options<ValidateWorkbookData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ValidateWorkbookResponses, ValidateWorkbookErrors, ThrowOnError, "fields">;
/**
 * Try JSON
 *
 * The same request as *Send JSON*, checked in the same way, and **nothing is stored**. Safe to repeat. A refusal is content of this answer. The problems of the manifest's own fields and of all rows are reported at once.
 */
export declare const validateManifest: <ThrowOnError extends boolean = false>(options: Options<ValidateManifestData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ValidateManifestResponses, ValidateManifestErrors, ThrowOnError, "fields">;
/**
 * Your company
 *
 * What your password opens: countries, workbooks, the tracking prefix, the rate limit. Begin here: couriers and companies without a country are answered, too.
 */
export declare const me: <ThrowOnError extends boolean = false>(options?: Options<MeData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<MeResponses, MeErrors, ThrowOnError, "fields">;
/**
 * One upload job
 *
 * What became of an upload with `Prefer: respond-async`. Ask again after `Retry-After` until `status` is `succeeded` or `failed`, or subscribe to `upload.succeeded` and `upload.failed`. Kept for 7 days after its end.
 */
export declare const getJob: <ThrowOnError extends boolean = false>(options: Options<GetJobData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetJobResponses, GetJobErrors, ThrowOnError, "fields">;
/**
 * Your MAWBs
 *
 * Newest first, in pages. Without parameters: the 50 newest. Filters apply together; unknown parameters are ignored.
 *
 * To follow what changes, ask with `updated_since`: the time of the last request, less two minutes, because a change may become visible a moment after its time.
 */
export declare const listMawbs: <ThrowOnError extends boolean = false>(options?: Options<ListMawbsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListMawbsResponses, ListMawbsErrors, ThrowOnError, "fields">;
/**
 * One MAWB with its guides
 *
 * Also shows whether a POST whose response was lost has arrived.
 */
export declare const getMawb: <ThrowOnError extends boolean = false>(options: Options<GetMawbData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetMawbResponses, GetMawbErrors, ThrowOnError, "fields">;
/**
 * Void a MAWB
 *
 * While every guide is `registered` or `cancelled`: its guides are cancelled, it is a 404 from then on, and it can be sent again. Safe to repeat, and with `manifest_id` even after it was sent again: another manifest is never voided. A courier sends `client_code`, too.
 */
export declare const void_: <ThrowOnError extends boolean = false>(options: Options<VoidData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<VoidResponses, VoidErrors, ThrowOnError, "fields">;
/**
 * The guides of one MAWB in pages
 *
 * By HAWB. For a MAWB with many guides, of which the detail always shows all.
 */
export declare const listGuides: <ThrowOnError extends boolean = false>(options: Options<ListGuidesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListGuidesResponses, ListGuidesErrors, ThrowOnError, "fields">;
/**
 * What was noticed in one MAWB
 *
 * Warnings and notices, how a workbook's columns were understood, what the guides add up to, and what became of the rows: what the answer to the POST said, for when that answer was lost.
 */
export declare const getFindings: <ThrowOnError extends boolean = false>(options: Options<GetFindingsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetFindingsResponses, GetFindingsErrors, ThrowOnError, "fields">;
/**
 * The event types
 *
 * Every event type with a description, an example of its `data`, and the versions that send it.
 */
export declare const listEventTypes: <ThrowOnError extends boolean = false>(options?: Options<ListEventTypesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListEventTypesResponses, ListEventTypesErrors, ThrowOnError, "fields">;
/**
 * Your webhooks
 *
 * Newest first, including those of version 1, which operators manage.
 */
export declare const listSubscriptions: <ThrowOnError extends boolean = false>(options?: Options<ListSubscriptionsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListSubscriptionsResponses, ListSubscriptionsErrors, ThrowOnError, "fields">;
/**
 * Create a webhook of version 2
 *
 * At most 10 active ones. The secret is your own, or generated, and shown only once. Without `event_types` it receives everything except `webhook.*`; filters apply to new events. `warning` says so if the host does not resolve to a public address at the moment.
 */
export declare const createSubscription: <ThrowOnError extends boolean = false>(options: Options<CreateSubscriptionData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<CreateSubscriptionResponses, CreateSubscriptionErrors, ThrowOnError, "fields">;
/**
 * Delete a webhook
 *
 * Waiting deliveries are cancelled; the log stays.
 */
export declare const deleteSubscription: <ThrowOnError extends boolean = false>(options: Options<DeleteSubscriptionData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DeleteSubscriptionResponses, DeleteSubscriptionErrors, ThrowOnError, "fields">;
/**
 * One webhook
 *
 * With its health: since when every attempt has failed, and why the service disabled it.
 */
export declare const getSubscription: <ThrowOnError extends boolean = false>(options: Options<GetSubscriptionData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetSubscriptionResponses, GetSubscriptionErrors, ThrowOnError, "fields">;
/**
 * Change a webhook
 *
 * Fields that are left out stay. Once deactivated, nothing more is sent and waiting deliveries are given up: replay them once the webhook is active again; activating does not send them.
 */
export declare const changeSubscription: <ThrowOnError extends boolean = false>(options: Options<ChangeSubscriptionData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ChangeSubscriptionResponses, ChangeSubscriptionErrors, ThrowOnError, "fields">;
/**
 * A new secret
 *
 * Both secrets sign for `overlap_hours`, then only the new one; 0 drops the old one immediately. Rotating to the current secret changes nothing, so that a rotation with a `secret` of your own is safe to repeat.
 */
export declare const rotateSecret: <ThrowOnError extends boolean = false>(options: Options<RotateSecretData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<RotateSecretResponses, RotateSecretErrors, ThrowOnError, "fields">;
/**
 * Send a test
 *
 * Send the example of a type, with `test: true` in `data`, to this webhook only, regardless of its filters. At most 10 a minute.
 */
export declare const sendTest: <ThrowOnError extends boolean = false>(options: Options<SendTestData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SendTestResponses, SendTestErrors, ThrowOnError, "fields">;
/**
 * Replay a range
 *
 * Deliveries created from `since` to before `until`, within the last 30 days, at most 5,000 per call; oldest first, behind current events. Only version 2.
 */
export declare const replayRange: <ThrowOnError extends boolean = false>(options: Options<ReplayRangeData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ReplayRangeResponses, ReplayRangeErrors, ThrowOnError, "fields">;
/**
 * The log
 *
 * Every delivery to your webhooks, newest first, with its last attempt.
 */
export declare const listDeliveries: <ThrowOnError extends boolean = false>(options?: Options<ListDeliveriesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListDeliveriesResponses, ListDeliveriesErrors, ThrowOnError, "fields">;
/**
 * One delivery
 *
 * Its body as sent, and every attempt.
 */
export declare const getDelivery: <ThrowOnError extends boolean = false>(options: Options<GetDeliveryData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetDeliveryResponses, GetDeliveryErrors, ThrowOnError, "fields">;
/**
 * Replay a delivery
 *
 * With the same id and body, from the first attempt. Only version 2, within the last 30 days, if it is dead, delivered or waiting.
 */
export declare const replayDelivery: <ThrowOnError extends boolean = false>(options: Options<ReplayDeliveryData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ReplayDeliveryResponses, ReplayDeliveryErrors, ThrowOnError, "fields">;
/**
 * Is the process alive?
 *
 * Constant and unlimited.
 */
export declare const health: <ThrowOnError extends boolean = false>(options?: Options<HealthData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HealthResponses, HealthErrors, ThrowOnError, "fields">;
/**
 * Can it serve?
 *
 * For operations: whether this machine reaches its database and has space for uploads. Within a second, without the reason.
 */
export declare const ready: <ThrowOnError extends boolean = false>(options?: Options<ReadyData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ReadyResponses, ReadyErrors, ThrowOnError, "fields">;
/**
 * The workbook for Chile, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export declare const manifestTemplateCl: <ThrowOnError extends boolean = false>(options?: Options<ManifestTemplateClData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ManifestTemplateClResponses, ManifestTemplateClErrors, ThrowOnError, "fields">;
/**
 * The workbook for Peru, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export declare const manifestTemplatePe: <ThrowOnError extends boolean = false>(options?: Options<ManifestTemplatePeData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ManifestTemplatePeResponses, ManifestTemplatePeErrors, ThrowOnError, "fields">;
/**
 * The workbook for Argentina, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export declare const manifestTemplateAr: <ThrowOnError extends boolean = false>(options?: Options<ManifestTemplateArData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ManifestTemplateArResponses, ManifestTemplateArErrors, ThrowOnError, "fields">;
