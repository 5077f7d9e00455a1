/** A client of the Pre-Alerts API, and a verifier of its webhooks. Types and descriptions: `index.d.ts`. */

import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import createClient from "openapi-fetch";
import { Webhook } from "standardwebhooks";
import { round } from "./following.js";
import { ApiError, PreAlertsError, SPREADSHEET, Unavailable, patientFetch, retryAfter, sleep } from "./transport.js";

export { ApiError, PreAlertsError, Unavailable };

export const VERSION = "2.0.2";
const BASE = "/api/public/pre-alerts/v1";

export class Client {
  #settings;

  constructor(address, password, settings = {}) {
    const word = String(password ?? "").trim();
    if (!/^[\x21-\x7e]+$/.test(word)) throw new TypeError("The API password is empty or has characters that are not printable ASCII.");
    const defaults = { attempts: 6, language: "en", readSeconds: 30, writeSeconds: 120, fetch: globalThis.fetch, sleep };
    this.#settings = { ...defaults, ...settings, onResponse: (response) => (this.lastResponse = response) };
    this.api = createClient({
      baseUrl: String(address).replace(/\/+$/, ""),
      headers: {
        Authorization: `Bearer ${word}`,
        "Accept-Language": this.#settings.language,
        "User-Agent": `prealerts-client-typescript/${VERSION}`,
      },
      redirect: "manual",
      pathSerializer: filled,
      fetch: (request) => patientFetch(request, this.#settings),
    });
  }

  me(options) {
    return this.#get("/me", {}, options);
  }

  // --- pre-alerts ---------------------------------------------------------------------------------------------------

  async uploadManifest(manifest, form = {}, options = {}) {
    const { idempotencyKey = crypto.randomUUID(), wait = true } = options;
    const header = { "Idempotency-Key": idempotencyKey, ...(wait ? {} : { Prefer: "respond-async" }) };
    return this.#post("/upload", { body: await multipart(manifest, form), params: { header } }, options);
  }

  postManifest(manifest, options = {}) {
    const header = { "Idempotency-Key": options.idempotencyKey ?? crypto.randomUUID() };
    return this.#post("/process-pre-alert-json", { body: manifest, params: { header } }, options);
  }

  getJob(job, options) {
    return this.#get("/jobs/{job}", { path: { job } }, options);
  }

  async wait(job, options = {}) {
    const id = typeof job === "string" ? job : job.job_id;
    if (id === undefined) return job;
    for (let waited = 0; ; ) {
      const answer = await this.getJob(id, options);
      const headers = this.lastResponse.headers;
      if (answer.result) return answer.result;
      if (answer.error) throw refusedJob(answer.error, headers);
      if (waited >= (options.seconds ?? 600) * 1000) {
        throw new Unavailable(`The job ${id} is still ${answer.status} after ${waited / 1000} seconds.`);
      }
      const pause = Math.min(retryAfter(headers) || 1000, 60_000);
      await this.#settings.sleep(pause, options.signal);
      waited += pause;
    }
  }

  async validateWorkbook(manifest, form = {}, options = {}) {
    return this.#post("/upload/validate", { body: await multipart(manifest, form) }, options);
  }

  async annotateWorkbook(manifest, form = {}, options = {}) {
    const sent = { body: await multipart(manifest, form), headers: { Accept: SPREADSHEET }, parseAs: "blob" };
    const content = await this.#post("/upload/validate", sent, options);
    if (content.type.startsWith(SPREADSHEET)) return content;
    const { refusal } = JSON.parse(await content.text()); // the request itself was refused, so there is no copy
    throw new ApiError(refusal?.status ?? 0, refusal ?? {}, this.lastResponse.headers, "no workbook");
  }

  validateManifest(manifest, options) {
    return this.#post("/process-pre-alert-json/validate", { body: manifest }, options);
  }

  listLayouts(query, options) {
    return this.#pages("/layouts", {}, query, options, "layouts");
  }

  answerLayout(layout, said, options) {
    const sent = { params: { path: { layout } }, body: said };
    return this.#data(this.api.PUT(`${BASE}/layouts/{layout}/answers`, { ...sent, signal: options?.signal }));
  }

  // --- tracking -----------------------------------------------------------------------------------------------------

  listMawbs(query, options) {
    return this.#pages("/mawbs", {}, query, options, "mawbs");
  }

  getMawb(mawb, options) {
    return this.#get("/mawbs/{mawb}", { path: { mawb } }, options);
  }

  listGuides(mawb, query, options) {
    return this.#pages("/mawbs/{mawb}/guides", { path: { mawb } }, query, options, "guides");
  }

  getFindings(mawb, options) {
    return this.#get("/mawbs/{mawb}/findings", { path: { mawb } }, options);
  }

  getGuide(tracking_code, options) {
    return this.#get("/guides/{tracking_code}", { path: { tracking_code } }, options);
  }

  guides(query, options) {
    return this.#pages("/guides", {}, query, options, "guides");
  }

  correct(tracking_code, fields, options) {
    const sent = { params: { path: { tracking_code } }, body: fields };
    return this.#data(this.api.PATCH(`${BASE}/guides/{tracking_code}`, { ...sent, signal: options?.signal }));
  }

  cancel(tracking_code, body, options) {
    return this.#post("/guides/{tracking_code}/cancel", { params: { path: { tracking_code } }, body }, options);
  }

  void_(mawb, body, options) {
    return this.#post("/mawbs/{mawb}/void", { params: { path: { mawb } }, body }, options);
  }

  async *reconcile(known, options = {}) {
    yield* round(this, known, options.since && new Date(options.since), options);
  }

  async *watch(known, options = {}) {
    for (let since = options.since && new Date(options.since); ; ) {
      try {
        since = yield* round(this, known, since, options);
      } catch (failed) {
        if (!(failed instanceof Unavailable || [408, 429].includes(failed.status))) throw failed; // the next round makes up for it
        this.#settings.logger?.(`This round failed: ${failed.message}`);
      }
      await this.#settings.sleep((options.everySeconds ?? 180) * 1000, options.signal);
    }
  }

  // --- webhooks -----------------------------------------------------------------------------------------------------

  listSubscriptions(query, options) {
    return this.#pages("/webhooks/subscriptions", {}, query, options, "subscriptions");
  }

  createSubscription(subscription, options) {
    return this.#post("/webhooks/subscriptions", { body: { secret: newSecret(), ...subscription } }, options);
  }

  deleteSubscription(subscription_id, options) {
    const sent = { params: { path: { subscription_id } }, signal: options?.signal };
    return this.#data(this.api.DELETE(`${BASE}/webhooks/subscriptions/{subscription_id}`, sent));
  }

  rotateSecret(subscription_id, rotation = {}, options = undefined) {
    const sent = { params: { path: { subscription_id } }, body: { secret: newSecret(), ...rotation } };
    return this.#post("/webhooks/subscriptions/{subscription_id}/rotate-secret", sent, options);
  }

  replayRange(subscription_id, range, options) {
    const sent = { params: { path: { subscription_id } }, body: range };
    return this.#post("/webhooks/subscriptions/{subscription_id}/replay", sent, options);
  }

  listDeliveries(query, options) {
    return this.#pages("/webhooks/deliveries", {}, query, options, "deliveries");
  }

  // --- requests -----------------------------------------------------------------------------------------------------

  #get(path, params, options) {
    return this.#data(this.api.GET(BASE + path, { params, signal: options?.signal }));
  }

  #post(path, sent, options) {
    return this.#data(this.api.POST(BASE + path, { ...sent, signal: options?.signal }));
  }

  async #data(answer) {
    return (await answer).data;
  }

  /** The members of a list, page after page as they are taken. */
  async *#pages(path, params, query, options, noun) {
    for (let cursor; cursor !== null; ) {
      const page = await this.#get(path, { ...params, query: { ...query, cursor } }, options);
      yield* page[noun];
      cursor = page.next_cursor ?? null;
    }
  }
}

export function verify(body, headers, secrets) {
  const known = [secrets].flat().map((secret) => new Webhook(checked(secret)));
  if (!known.length) throw new TypeError("No webhook secret was given.");
  for (const webhook of known.slice(0, -1)) {
    try {
      return webhook.verify(body, headers);
    } catch {
      continue; // another secret may have signed it: they overlap during a rotation
    }
  }
  return known[known.length - 1].verify(body, headers);
}

/** A secret of version 2. An empty one would verify what anybody signs. */
function checked(secret) {
  const coded = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(secret ?? "");
  const size = coded ? Buffer.from(coded[1], "base64").length : 0;
  if (size < 24 || size > 64) throw new TypeError("A webhook secret is whsec_ and 24 to 64 bytes in base64.");
  return secret;
}

function newSecret() {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
}

function refusedJob({ http_status, ...body }, headers) {
  if (http_status < 500) return new ApiError(http_status, body, headers);
  return new Unavailable(`${http_status} ${body.error}: ${body.message}`);
}

/** A path with its parameters. Throws TypeError for an empty one, which would name another address. */
function filled(path, parameters) {
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = String(parameters[name] ?? "");
    if (value.trim() === "" || /^\.\.?$/.test(value)) throw new TypeError(`${name} is empty, or names no part of an address: ${JSON.stringify(value)}.`);
    return encodeURIComponent(value);
  });
}

async function multipart(manifest, { invoice_file, ...fields }) {
  const form = new FormData();
  form.set("manifest_file", await asFile(manifest, "manifest.xlsx", SPREADSHEET));
  if (invoice_file !== undefined) form.set("invoice_file", await asFile(invoice_file, "invoice.pdf", "application/pdf"));
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(name, value instanceof Date ? value.toISOString() : value);
  }
  return form;
}

/** A path, a Blob, bytes or a stream as a file of the form, so that it can be sent again. */
async function asFile(source, name, type) {
  if (source instanceof File) return source;
  if (typeof source === "string") return new File([await openAsBlob(source)], basename(source), { type });
  const parts = source instanceof Blob || ArrayBuffer.isView(source) ? [source] : [];
  if (!parts.length) for await (const part of source) parts.push(part);
  return new File(parts, name, { type });
}
