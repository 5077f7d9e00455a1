// Generated from the OpenAPI document.
import { client } from './client.gen.js';
import { formDataBodySerializer } from './client/index.js';
/**
 * Send a workbook
 *
 * An Excel manifest to Chile, perhaps with its invoice. A row with invalid values gives a warning and never stops the upload.
 *
 * **Safe to repeat under an `Idempotency-Key`:** when the answer was lost, send the same again and get the same answer. Without a key, ask `GET /mawbs/{mawb}` first: of any number of identical uploads exactly one gets the 201, and the others get `mawb_already_exists` with its `manifest_id`.
 *
 * The first failure is the answer, so mending one error may show the next.
 */
export const uploadManifest = (options) => (options.client ?? client).post({
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
export const getGuide = (options) => (options.client ?? client).get({
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
export const correct = (options) => (options.client ?? client).patch({
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
export const guides = (options) => (options?.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/guides',
    ...options
});
/**
 * Cancel a guide
 *
 * While it is `registered`. Safe to repeat: a cancelled guide is answered as it is. The reason goes to the operators. A courier sends `client_code`, too.
 */
export const cancel = (options) => (options.client ?? client).post({
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
export const postManifest = (options) => (options.client ?? client).post({
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
export const validateWorkbook = (options) => (options.client ?? client).post({
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
export const validateManifest = (options) => (options.client ?? client).post({
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
export const me = (options) => (options?.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/me',
    ...options
});
/**
 * One upload job
 *
 * What became of an upload with `Prefer: respond-async`. Ask again after `Retry-After` until `status` is `succeeded` or `failed`, or subscribe to `upload.succeeded` and `upload.failed`. Kept for 7 days after its end.
 */
export const getJob = (options) => (options.client ?? client).get({
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
export const listMawbs = (options) => (options?.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs',
    ...options
});
/**
 * One MAWB with its guides
 *
 * Also shows whether a POST whose response was lost has arrived.
 */
export const getMawb = (options) => (options.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}',
    ...options
});
/**
 * Void a MAWB
 *
 * While every guide is `registered` or `cancelled`: its guides are cancelled, it is a 404 from then on, and it can be sent again. Safe to repeat, and with `manifest_id` even after it was sent again: another manifest is never voided. A courier sends `client_code`, too.
 */
export const void_ = (options) => (options.client ?? client).post({
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
export const listGuides = (options) => (options.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/guides',
    ...options
});
/**
 * What was noticed in one MAWB
 *
 * Warnings and notices, how a workbook's columns were understood, what the guides add up to, and what became of the rows: what the answer to the POST said, for when that answer was lost.
 */
export const getFindings = (options) => (options.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/mawbs/{mawb}/findings',
    ...options
});
/**
 * The event types
 *
 * Every event type with a description, an example of its `data`, and the versions that send it.
 */
export const listEventTypes = (options) => (options?.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/event-types',
    ...options
});
/**
 * Your webhooks
 *
 * Newest first, including those of version 1, which operators manage.
 */
export const listSubscriptions = (options) => (options?.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions',
    ...options
});
/**
 * Create a webhook of version 2
 *
 * At most 10 active ones. The secret is your own, or generated, and shown only once. Without `event_types` it receives everything except `webhook.*`; filters apply to new events. `warning` says so if the host does not resolve to a public address at the moment.
 */
export const createSubscription = (options) => (options.client ?? client).post({
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
export const deleteSubscription = (options) => (options.client ?? client).delete({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}',
    ...options
});
/**
 * One webhook
 *
 * With its health: since when every attempt has failed, and why the service disabled it.
 */
export const getSubscription = (options) => (options.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/subscriptions/{subscription_id}',
    ...options
});
/**
 * Change a webhook
 *
 * Fields that are left out stay. Once deactivated, nothing more is sent and waiting deliveries are given up: replay them once the webhook is active again; activating does not send them.
 */
export const changeSubscription = (options) => (options.client ?? client).patch({
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
export const rotateSecret = (options) => (options.client ?? client).post({
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
export const sendTest = (options) => (options.client ?? client).post({
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
export const replayRange = (options) => (options.client ?? client).post({
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
export const listDeliveries = (options) => (options?.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/deliveries',
    ...options
});
/**
 * One delivery
 *
 * Its body as sent, and every attempt.
 */
export const getDelivery = (options) => (options.client ?? client).get({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/deliveries/{delivery_id}',
    ...options
});
/**
 * Replay a delivery
 *
 * With the same id and body, from the first attempt. Only version 2, within the last 30 days, if it is dead, delivered or waiting.
 */
export const replayDelivery = (options) => (options.client ?? client).post({
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/public/pre-alerts/v1/webhooks/deliveries/{delivery_id}/replay',
    ...options
});
/**
 * Is the process alive?
 *
 * Constant and unlimited.
 */
export const health = (options) => (options?.client ?? client).get({ url: '/health', ...options });
/**
 * Can it serve?
 *
 * For operations: whether this machine reaches its database and has space for uploads. Within a second, without the reason.
 */
export const ready = (options) => (options?.client ?? client).get({ url: '/health/ready', ...options });
/**
 * The workbook for Chile, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export const manifestTemplateCl = (options) => (options?.client ?? client).get({ url: '/docs/templates/manifest-CL.xlsx', ...options });
/**
 * The workbook for Peru, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export const manifestTemplatePe = (options) => (options?.client ?? client).get({ url: '/docs/templates/manifest-PE.xlsx', ...options });
/**
 * The workbook for Argentina, to be filled in
 *
 * Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its format to your company first.
 */
export const manifestTemplateAr = (options) => (options?.client ?? client).get({ url: '/docs/templates/manifest-AR.xlsx', ...options });
