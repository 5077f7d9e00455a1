/** A client of the Pre-Alerts API: retries, Idempotency-Keys, pages as async iterators, and webhooks that are verified. */
import { Webhook } from "standardwebhooks";
import { createClient } from "./generated/client/index.js";
import * as sdk from "./generated/sdk.gen.js";
export * from "./generated/index.js";
/** The service refused the request. Branch on `code`; treat one that you do not know by its `status`. */
export class ApiError extends Error {
    status;
    body;
    requestId;
    code;
    details;
    /** body: the whole answer, with `invalid_rows`, `manifest_id` and whatever else belongs to the code. */
    constructor(status, body, requestId) {
        super(`${status} ${String(body.error ?? "")}: ${String(body.message ?? "")} (request ${requestId})`);
        this.status = status;
        this.body = body;
        this.requestId = requestId;
        this.code = String(body.error ?? "");
        this.details = (body.details ?? {});
    }
}
/** No answer that counts, however often it was tried. A POST under `idempotencyKey` may have arrived all the same. */
export class Unavailable extends Error {
    idempotencyKey;
    constructor(reason, idempotencyKey, cause) {
        super(reason, { cause });
        this.idempotencyKey = idempotencyKey;
    }
}
const IN_PROGRESS_MS = 60_000; // a crash in the middle of an attempt holds its key for 45 seconds
const [FIRST_WAIT_MS, LONGEST_WAIT_MS, READ_MS, WRITE_MS] = [500, 60_000, 30_000, 120_000];
/** One company's way to the service. Every method throws `ApiError` for a refusal, and `Unavailable`. */
export class Client {
    /** For any operation of the API: `await rotateSecret({ ...client.call, path: { subscription_id: id } })`. */
    call;
    #settings;
    /** address: such as `https://prealerts.example.com`. */
    constructor(address, password, settings = {}) {
        const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
        this.#settings = { attempts: 6, language: "en", sleep, ...settings };
        const client = createClient({
            baseUrl: address.replace(/\/+$/, ""),
            auth: password,
            headers: { "Accept-Language": this.#settings.language },
            redirect: "manual",
            fetch: (request) => this.#patient(request),
        });
        client.interceptors.error.use((error, response) => (response ? refusal(error, response) : error));
        this.call = { client, throwOnError: true };
    }
    /** Your company: the countries and workbooks open to it, its tracking prefix, its rate limit. */
    async me() {
        return (await sdk.me(this.call)).data;
    }
    /** Send a workbook. The manifest is created once, however often it has to be sent. key: of an earlier attempt. */
    async uploadManifest(manifest, flight = {}, key = crypto.randomUUID()) {
        const sent = { body: { manifest_file: manifest, ...flight }, headers: { "Idempotency-Key": key } };
        return (await sdk.uploadManifest({ ...this.call, ...sent })).data; // a job: with `Prefer` alone
    }
    /** Send a JSON manifest; as `uploadManifest`. */
    async postManifest(manifest, key = crypto.randomUUID()) {
        return (await sdk.postManifest({ ...this.call, body: manifest, headers: { "Idempotency-Key": key } })).data;
    }
    /** Try a workbook: what `uploadManifest` would be answered. Nothing is stored. */
    async validateWorkbook(manifest, flight = {}) {
        return (await sdk.validateWorkbook({ ...this.call, body: { manifest_file: manifest, ...flight } })).data;
    }
    /** Try a JSON manifest; as `validateWorkbook`. */
    async validateManifest(manifest) {
        return (await sdk.validateManifest({ ...this.call, body: manifest })).data;
    }
    async getMawb(mawb) {
        return (await sdk.getMawb({ ...this.call, path: { mawb } })).data;
    }
    async getGuide(tracking_code) {
        return (await sdk.getGuide({ ...this.call, path: { tracking_code } })).data;
    }
    /** All MAWBs, newest first, page after page as they are taken. */
    listMawbs(query = {}) {
        return pages((cursor) => sdk.listMawbs({ ...this.call, query: { ...query, cursor } }), (page) => page.mawbs);
    }
    /** The guides of one MAWB, page after page: for those of many thousands. */
    listGuides(mawb, query = {}) {
        const ask = (cursor) => sdk.listGuides({ ...this.call, path: { mawb }, query: { ...query, cursor } });
        return pages(ask, (page) => page.guides);
    }
    /** The log of webhooks, newest first, all pages. */
    listDeliveries(query = {}) {
        return pages((cursor) => sdk.listDeliveries({ ...this.call, query: { ...query, cursor } }), (page) => page.deliveries);
    }
    async #patient(request) {
        const key = request.headers.get("Idempotency-Key") ?? undefined;
        const isSafe = request.method === "GET" || key !== undefined || /\/validate\/?$/.test(new URL(request.url).pathname);
        for (let failures = 0, waited = 0;;) {
            const { answer, reason } = await attempt(request.clone());
            const code = answer?.status === 409 ? await errorCode(answer) : "";
            const isInProgress = code === "idempotency_in_progress" && waited < IN_PROGRESS_MS;
            const mayHelp = !answer || answer.status === 429 || answer.status >= 500 || code === "idempotency_in_progress";
            if (answer && !(mayHelp && isSafe))
                return answer;
            if (!isInProgress)
                failures += 1;
            if (!isSafe || failures >= this.#settings.attempts) {
                if (answer?.status === 429)
                    return answer;
                throw new Unavailable(`${failures} attempts, the last: ${answer?.status ?? String(reason)}`, key, reason);
            }
            const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
            const pause = retryAfter(answer) + Math.random() * bound;
            if (isInProgress)
                waited += pause;
            await this.#settings.sleep(pause);
        }
    }
}
/** One request, read to its end: a connection that breaks in the middle of an answer is a failure like any other. */
async function attempt(request) {
    try {
        const signal = AbortSignal.timeout(request.method === "GET" ? READ_MS : WRITE_MS);
        const answer = await fetch(new Request(request, { signal: AbortSignal.any([signal, request.signal]) }));
        const body = answer.status === 204 || answer.status === 304 ? null : await answer.arrayBuffer();
        return { answer: new Response(body, answer) };
    }
    catch (reason) {
        if (request.signal.aborted)
            throw reason;
        return { reason };
    }
}
async function errorCode(answer) {
    return (await answer.clone().json().catch(() => ({}))).error;
}
function retryAfter(answer) {
    const text = answer?.headers.get("Retry-After") ?? "";
    const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
    return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}
function refusal(error, response) {
    const body = typeof error === "object" && error !== null ? error : {};
    return new ApiError(response.status, body, response.headers.get("X-Request-Id") ?? "");
}
async function* pages(ask, items) {
    let cursor;
    do {
        const { data } = await ask(cursor);
        yield* items(data);
        cursor = data.next_cursor ?? undefined;
    } while (cursor !== undefined);
}
/** The event of a webhook of version 2. body: as it came. secrets: several during a rotation. Throws if none signed it. */
export function verify(body, headers, secrets) {
    const [secret, ...others] = [secrets].flat();
    try {
        return new Webhook(secret ?? "").verify(body, headers);
    }
    catch (invalid) {
        if (others.length)
            return verify(body, headers, others);
        throw invalid;
    }
}
