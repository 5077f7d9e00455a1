/** A client of the Pre-Alerts API: retries, Idempotency-Keys, pages as async iterators, and webhooks that are verified. */

import type { Client as TypedFetch } from "openapi-fetch";
import type { components, paths, webhooks } from "./schema.js";

export type { components, paths, webhooks };

/** What the API takes and answers, by name: `Schemas["Guide"]`. */
export type Schemas = components["schemas"];

type Base = "/api/public/pre-alerts/v1";
type Query<Path extends string> = `${Base}${Path}` extends infer Full extends keyof paths
  ? paths[Full] extends { get: { parameters: { query?: infer Filters } } }
    ? Omit<NonNullable<Filters>, "cursor">
    : never
  : never;

/** A path, a Blob or File, bytes, or a stream, which is read to its end before it is sent. */
export type Source = string | Blob | Uint8Array | AsyncIterable<Uint8Array | string>;

/** The fields of an upload's form beside the workbook; they win over what it says. */
export type Form = Omit<Schemas["UploadForm"], "manifest_file" | "invoice_file" | "scheduled_departure" | "scheduled_arrival"> & {
  invoice_file?: Source;
  scheduled_departure?: string | Date;
  scheduled_arrival?: string | Date;
};

/** MAWB -> tracking code -> status_code: your copy of the record. Keep it where you keep your data. */
export type Known = Record<string, Record<string, number>>;

/** A guide whose status differs from what was known. status_code: null when its manifest was voided. */
export interface Change {
  mawb: string;
  tracking_code: string;
  status: string;
  status_code: number | null;
}

/** The event of a webhook of version 2; `type` says which. */
export type Event = webhooks[keyof webhooks] extends infer Each
  ? Each extends { post: { requestBody?: infer Body } }
    ? NonNullable<Body> extends { content: { "application/json": infer Content } }
      ? Content
      : never
    : never
  : never;

/** Base of what the client throws for an error of the service, or for no valid answer. An invalid argument is a TypeError. */
export class PreAlertsError extends Error {}

/** The service answered with an error. Use `code`; judge one that you do not know by its `status`. */
export class ApiError extends PreAlertsError {
  readonly status: number;
  /** Such as `mawb_already_exists`; empty where the answer was not the service's own, such as a proxy's page. */
  readonly code: string;
  /** Field -> messages; they are in `message`, too. */
  readonly details: Record<string, string[]>;
  /** The whole answer, with `invalid_rows`, `manifest_id` and whatever else belongs to the code. */
  readonly body: Record<string, unknown>;
  /** What the operators find the request by. */
  readonly requestId: string;
  readonly headers: Headers;
  /** What the service asks to wait; 0 if it does not say. */
  readonly retryAfterSeconds: number;
}

/** No attempt had a valid answer. A POST may have arrived in spite of this: repeat it with its key. */
export class Unavailable extends PreAlertsError {
  readonly idempotencyKey: string | undefined;
  readonly retryAfterSeconds: number;
}

export interface Settings {
  /** How often a request that may be repeated is tried. Default: 6. */
  attempts?: number;
  /** `en` or `es`, of messages. Default: `en`. */
  language?: string;
  /** How long an answer to a GET may take. Default: 30. */
  readSeconds?: number;
  /** How long an answer to another request may take. Default: 120. */
  writeSeconds?: number;
  /** Sends one request, such as a fetch with a proxy. Default: `globalThis.fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Is told before each pause what failed. */
  logger?: (message: string) => void;
  /** Waits between attempts; ends early with the signal's reason. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface Options {
  /** Ends the request, and the pause before the next attempt. */
  signal?: AbortSignal;
}

export interface PostOptions extends Options {
  /** Of an earlier attempt that threw `Unavailable`, or your own; a new one by default. */
  idempotencyKey?: string;
}

export interface FollowOptions extends Options {
  /** Only what has changed since; without it, the 50 newest MAWBs and all that is known are read. */
  since?: string | Date;
}

/**
 * A client of the API for one company. Methods throw `ApiError` for an error, `Unavailable` if there is no valid answer.
 *
 * Repeated, with exponential backoff and never sooner than `Retry-After` says: reads, validations, corrections,
 * cancellations, voids, and what has an Idempotency-Key. A service that asks for more than a minute is not waited for:
 * the error has `retryAfterSeconds`. Everything else is sent once.
 */
export class Client {
  /** address: such as `https://prealerts.example.com`. Throws TypeError for a password that cannot be sent. */
  constructor(address: string, password: string, settings?: Settings);

  /** Any operation by its path, typed: `await client.api.GET("/api/public/pre-alerts/v1/webhooks/event-types")`. */
  readonly api: TypedFetch<paths>;
  /** The last answer, for its headers. Its body has been read. */
  lastResponse: Response | undefined;

  /** Your company: the countries and workbooks open to it, its tracking prefix, its rate limit. */
  me(options?: Options): Promise<Schemas["Me"]>;

  /** Send a workbook. The manifest is created once, however often it has to be sent. */
  uploadManifest(manifest: Source, form?: Form, options?: PostOptions & { wait?: true }): Promise<Schemas["UploadResult"]>;
  /** The same, answered as soon as the files are stored; give the answer to `wait`. */
  uploadManifest(
    manifest: Source,
    form: Form | undefined,
    options: PostOptions & { wait: boolean },
  ): Promise<Schemas["UploadResult"] | Schemas["JobQueued"]>;
  /** Send a JSON manifest; as `uploadManifest`. */
  postManifest(manifest: Schemas["JsonManifest"], options?: PostOptions): Promise<Schemas["JsonResult"]>;
  getJob(job: string, options?: Options): Promise<Schemas["Job"]>;
  /** Wait for an upload job to end and return what the upload created. seconds: how long; default: 600. */
  wait(
    job: string | Schemas["JobQueued"] | Schemas["UploadResult"],
    options?: Options & { seconds?: number },
  ): Promise<Schemas["UploadResult"]>;
  /** Try a workbook: what `uploadManifest` would be answered. Nothing is stored. */
  validateWorkbook(manifest: Source, form?: Form, options?: Options): Promise<Schemas["Validation"]>;
  /** Try a workbook: a copy of it with each problem at its cell. Nothing is stored. */
  annotateWorkbook(manifest: Source, form?: Form, options?: Options): Promise<Blob>;
  /** Try a JSON manifest; as `validateWorkbook`. */
  validateManifest(manifest: Schemas["JsonManifest"], options?: Options): Promise<Schemas["Validation"]>;
  /** The layouts of your workbooks, newest first, page after page as they are taken. */
  listLayouts(query?: Query<"/layouts">, options?: Options): AsyncGenerator<Schemas["Layout"]>;
  /** Say what columns of a layout are, from the next workbook on. It replaces what was said before. */
  answerLayout(layout: string, said: Schemas["LayoutAnswers"], options?: Options): Promise<Schemas["Layout"]>;

  /** MAWBs, newest first, page after page as they are taken. */
  listMawbs(query?: Query<"/mawbs">, options?: Options): AsyncGenerator<Schemas["MawbSummary"]>;
  getMawb(mawb: string, options?: Options): Promise<Schemas["MawbDetail"]>;
  /** The guides of one MAWB, page after page: for those of many thousands. */
  listGuides(mawb: string, query?: Query<"/mawbs/{mawb}/guides">, options?: Options): AsyncGenerator<Schemas["GuideSummary"]>;
  /** The warnings and notices of a MAWB, and what was understood of it. */
  getFindings(mawb: string, options?: Options): Promise<Schemas["Findings"]>;
  getGuide(trackingCode: string, options?: Options): Promise<Schemas["Guide"]>;
  /** Guides of any MAWBs, the oldest change first, page after page. Needs `hawb`, `tracking_code`, `mawb` or `updated_since`. */
  guides(query: Query<"/guides">, options?: Options): AsyncGenerator<Schemas["ChangedGuide"]>;
  /** Correct fields of a guide; null empties one. */
  correct(trackingCode: string, fields: Schemas["GuideCorrection"], options?: Options): Promise<Schemas["CorrectionResult"]>;
  /** Cancel a guide that customs does not have. */
  cancel(trackingCode: string, body: Schemas["Cancellation"], options?: Options): Promise<Schemas["CancellationResult"]>;
  /** Void a MAWB none of whose guides is under way. Give `manifest_id`, or a repetition may void what was sent again. */
  void_(mawb: string, body: Schemas["Voiding"], options?: Options): Promise<Schemas["Voided"]>;
  /** Compare `known` with the record once: each change is put into it, and yielded. */
  reconcile(known: Known, options?: FollowOptions): AsyncGenerator<Change>;
  /** Reconcile until the signal is aborted. If a round fails, the next one reads what it missed. everySeconds: 180. */
  watch(known: Known, options?: FollowOptions & { everySeconds?: number }): AsyncGenerator<Change>;

  listSubscriptions(query?: Query<"/webhooks/subscriptions">, options?: Options): AsyncGenerator<Schemas["SubscriptionItem"]>;
  /** Make a webhook of version 2. Its `secret` is in the answer, this once; give your own, and a lost answer loses nothing. */
  createSubscription(subscription: Schemas["NewSubscription"], options?: Options): Promise<Schemas["SubscriptionCreated"]>;
  /** Delete a webhook; what waits for it is not sent. */
  deleteSubscription(subscription: string, options?: Options): Promise<void>;
  /** A new secret; the one before signs as well for `overlap_hours`, 0 to 72. */
  rotateSecret(
    subscription: string,
    rotation?: Partial<Schemas["Rotation"]>,
    options?: Options,
  ): Promise<Schemas["SubscriptionSecret"]>;
  /** Send again what was made from `since` until before `until`; ask again while `has_more`. */
  replayRange(subscription: string, range: Schemas["Range"], options?: Options): Promise<Schemas["ReplayedRange"]>;
  /** The log of webhooks, newest first, all pages. */
  listDeliveries(query?: Query<"/webhooks/deliveries">, options?: Options): AsyncGenerator<Schemas["DeliveryItem"]>;
}

/**
 * The event of a webhook of version 2. body: the bytes as they came. secrets: several during a rotation.
 *
 * Throws if none of them signed it, and TypeError for a secret that is none.
 */
export function verify(
  body: string | Uint8Array,
  headers: Record<string, string | string[] | undefined>,
  secrets: string | string[],
): Event;

export const VERSION: string;
