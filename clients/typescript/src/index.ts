/** A client of the Pre-Alerts API: retries, Idempotency-Keys, pages as async iterators, and webhooks that are verified. */

import { Webhook } from "standardwebhooks";
import { createClient } from "./generated/client/index.js";
import * as sdk from "./generated/sdk.gen.js";
import type * as types from "./generated/types.gen.js";

export * from "./generated/index.js";

/** The service refused the request. Branch on `code`; treat one that you do not know by its `status`. */
export class ApiError extends Error {
  readonly code: string;
  readonly details: Record<string, string[]>;

  /** body: the whole answer, with `invalid_rows`, `manifest_id` and whatever else belongs to the code. */
  constructor(
    readonly status: number,
    readonly body: Record<string, unknown>,
    readonly requestId: string,
  ) {
    super(`${status} ${String(body.error ?? "")}: ${String(body.message ?? "")} (request ${requestId})`);
    this.code = String(body.error ?? "");
    this.details = (body.details ?? {}) as Record<string, string[]>;
  }
}

/** No answer that counts, however often it was tried. A POST under `idempotencyKey` may have arrived all the same. */
export class Unavailable extends Error {
  constructor(
    reason: string,
    readonly idempotencyKey: string | undefined,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

export interface Settings {
  /** How often a request is tried. Default: 6. */
  attempts?: number;
  /** `en` or `es`, of the messages of warnings, notices and rows. */
  language?: string;
  /** What waits between attempts. */
  sleep?: (milliseconds: number) => Promise<void>;
}

type Flight = Omit<types.UploadForm, "manifest_file">;
type Query<Data extends { query?: object }> = Omit<NonNullable<Data["query"]>, "cursor">;
type Page = { next_cursor?: string | null };

const IN_PROGRESS_MS = 60_000; // a crash in the middle of an attempt holds its key for 45 seconds
const [FIRST_WAIT_MS, LONGEST_WAIT_MS, READ_MS, WRITE_MS] = [500, 60_000, 30_000, 120_000];

/** One company's way to the service. Every method throws `ApiError` for a refusal, and `Unavailable`. */
export class Client {
  /** For any operation of the API: `await rotateSecret({ ...client.call, path: { subscription_id: id } })`. */
  readonly call: { client: ReturnType<typeof createClient>; throwOnError: true };
  readonly #settings: Required<Settings>;

  /** address: such as `https://prealerts.example.com`. */
  constructor(address: string, password: string, settings: Settings = {}) {
    const sleep = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
    this.#settings = { attempts: 6, language: "en", sleep, ...settings };
    const client = createClient({
      baseUrl: address.replace(/\/+$/, ""),
      auth: password,
      headers: { "Accept-Language": this.#settings.language },
      redirect: "manual",
      fetch: (request) => this.#patient(request as Request),
    });
    client.interceptors.error.use((error, response) => (response ? refusal(error, response) : error));
    this.call = { client, throwOnError: true };
  }

  /** Your company: the countries and workbooks open to it, its tracking prefix, its rate limit. */
  async me(): Promise<types.Me> {
    return (await sdk.me(this.call)).data;
  }

  /** Send a workbook. The manifest is created once, however often it has to be sent. key: of an earlier attempt. */
  async uploadManifest(manifest: Blob, flight: Flight = {}, key: string = crypto.randomUUID()): Promise<types.UploadResult> {
    const sent = { body: { manifest_file: manifest, ...flight }, headers: { "Idempotency-Key": key } };
    return (await sdk.uploadManifest({ ...this.call, ...sent })).data as types.UploadResult; // a job: with `Prefer` alone
  }

  /** Send a JSON manifest; as `uploadManifest`. */
  async postManifest(manifest: types.JsonManifest, key: string = crypto.randomUUID()): Promise<types.JsonResult> {
    return (await sdk.postManifest({ ...this.call, body: manifest, headers: { "Idempotency-Key": key } })).data;
  }

  /** Try a workbook: what `uploadManifest` would be answered. Nothing is stored. */
  async validateWorkbook(manifest: Blob, flight: Flight = {}): Promise<types.Validation> {
    return (await sdk.validateWorkbook({ ...this.call, body: { manifest_file: manifest, ...flight } })).data as types.Validation;
  }

  /** Try a JSON manifest; as `validateWorkbook`. */
  async validateManifest(manifest: types.JsonManifest): Promise<types.Validation> {
    return (await sdk.validateManifest({ ...this.call, body: manifest })).data;
  }

  async getMawb(mawb: string): Promise<types.MawbDetail> {
    return (await sdk.getMawb({ ...this.call, path: { mawb } })).data;
  }

  async getGuide(tracking_code: string): Promise<types.Guide> {
    return (await sdk.getGuide({ ...this.call, path: { tracking_code } })).data;
  }

  /** All MAWBs, newest first, page after page as they are taken. */
  listMawbs(query: Query<types.ListMawbsData> = {}): AsyncGenerator<types.MawbSummary> {
    return pages((cursor) => sdk.listMawbs({ ...this.call, query: { ...query, cursor } }), (page) => page.mawbs);
  }

  /** The guides of one MAWB, page after page: for those of many thousands. */
  listGuides(mawb: string, query: Query<types.ListGuidesData> = {}): AsyncGenerator<types.GuideSummary> {
    const ask = (cursor?: string) => sdk.listGuides({ ...this.call, path: { mawb }, query: { ...query, cursor } });
    return pages(ask, (page) => page.guides);
  }

  /** The log of webhooks, newest first, all pages. */
  listDeliveries(query: Query<types.ListDeliveriesData> = {}): AsyncGenerator<types.DeliveryItem> {
    return pages((cursor) => sdk.listDeliveries({ ...this.call, query: { ...query, cursor } }), (page) => page.deliveries);
  }

  async #patient(request: Request): Promise<Response> {
    const key = request.headers.get("Idempotency-Key") ?? undefined;
    const isSafe = request.method === "GET" || key !== undefined || /\/validate\/?$/.test(new URL(request.url).pathname);
    for (let failures = 0, waited = 0; ; ) {
      const { answer, reason } = await attempt(request.clone());
      const code = answer?.status === 409 ? await errorCode(answer) : "";
      const isInProgress = code === "idempotency_in_progress" && waited < IN_PROGRESS_MS;
      const mayHelp = !answer || answer.status === 429 || answer.status >= 500 || code === "idempotency_in_progress";
      if (answer && !(mayHelp && isSafe)) return answer;
      if (!isInProgress) failures += 1;
      if (!isSafe || failures >= this.#settings.attempts) {
        if (answer?.status === 429) return answer;
        throw new Unavailable(`${failures} attempts, the last: ${answer?.status ?? String(reason)}`, key, reason);
      }
      const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
      const pause = retryAfter(answer) + Math.random() * bound;
      if (isInProgress) waited += pause;
      await this.#settings.sleep(pause);
    }
  }
}

/** One request, read to its end: a connection that breaks in the middle of an answer is a failure like any other. */
async function attempt(request: Request): Promise<{ answer?: Response; reason?: unknown }> {
  try {
    const signal = AbortSignal.timeout(request.method === "GET" ? READ_MS : WRITE_MS);
    const answer = await fetch(new Request(request, { signal: AbortSignal.any([signal, request.signal]) }));
    const body = answer.status === 204 || answer.status === 304 ? null : await answer.arrayBuffer();
    return { answer: new Response(body, answer) };
  } catch (reason) {
    if (request.signal.aborted) throw reason;
    return { reason };
  }
}

async function errorCode(answer: Response): Promise<unknown> {
  return ((await answer.clone().json().catch(() => ({}))) as { error?: unknown }).error;
}

function retryAfter(answer: Response | undefined): number {
  const text = answer?.headers.get("Retry-After") ?? "";
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}

function refusal(error: unknown, response: Response): ApiError {
  const body = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  return new ApiError(response.status, body, response.headers.get("X-Request-Id") ?? "");
}

async function* pages<P extends Page, Item>(
  ask: (cursor?: string) => Promise<{ data: P }>,
  items: (page: P) => Item[],
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const { data } = await ask(cursor);
    yield* items(data);
    cursor = data.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** The event of a webhook of version 2. body: as it came. secrets: several during a rotation. Throws if none signed it. */
export function verify(
  body: string | Buffer,
  headers: Record<string, string | string[] | undefined>,
  secrets: string | string[],
): types.Webhooks["body"] {
  const [secret, ...others] = [secrets].flat();
  try {
    return new Webhook(secret ?? "").verify(body, headers as Record<string, string>) as types.Webhooks["body"];
  } catch (invalid) {
    if (others.length) return verify(body, headers, others);
    throw invalid;
  }
}
