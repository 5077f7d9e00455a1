/** Requests and their answers: errors, time limits, repeats. */

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 60_000];
const IN_PROGRESS_MS = 60_000; // how long to go on while another attempt holds the key; after a crash it holds it for 45 s

/** Base of what the client throws. */
export class PreAlertsError extends Error {
  name = "PreAlertsError";
}

/** The service refused the request. */
export class ApiError extends PreAlertsError {
  name = "ApiError";

  constructor(status, body, headers = new Headers(), reason = "") {
    const details = typeof body.details === "object" && body.details !== null ? body.details : {};
    const requestId = headers.get("X-Request-Id") ?? "";
    const named = Object.entries(details).map(([field, messages]) => `; ${field}: ${[messages].flat().join(" ")}`);
    const location = headers.get("Location");
    const said = body.error
      ? `${body.error}: ${body.message ?? ""}${named.join("")}`
      : `${reason}, not an answer of the service${location ? `; Location: ${location}` : ""}`;
    super(`${status} ${said} (request ${requestId || "unknown"})`);
    this.code = String(body.error ?? "");
    Object.assign(this, { status, body, details, requestId, headers, retryAfterSeconds: retryAfter(headers) / 1000 });
  }
}

/** No answer that counts, however often it was tried. */
export class Unavailable extends PreAlertsError {
  name = "Unavailable";

  constructor(reason, idempotencyKey, retryAfterSeconds = 0, cause = undefined) {
    super(reason, { cause });
    Object.assign(this, { idempotencyKey, retryAfterSeconds });
  }
}

/** What `fetch` is for the client: repeats what may be repeated, and throws what the service refuses. */
export async function patientFetch(request, settings) {
  const key = request.headers.get("Idempotency-Key") ?? undefined;
  const mayRepeat = isRepeatable(request, key);
  const attempts = mayRepeat ? settings.attempts : 1;
  for (let failures = 0, waited = 0; ; ) {
    const { answer, refused, reason } = await attempt(request.clone(), settings);
    if (answer) return answer;
    const isInProgress = refused?.code === "idempotency_in_progress" && waited < IN_PROGRESS_MS;
    if (refused && !mayHelp(refused)) throw refused;
    if (!isInProgress || !mayRepeat) failures += 1;
    const asked = refused?.retryAfterSeconds ?? 0;
    if (failures >= attempts || asked * 1000 > LONGEST_WAIT_MS) {
      if (refused && (refused.status === 429 || (!mayRepeat && refused.status >= 300))) throw refused;
      const last = refused?.message ?? String(reason);
      throw new Unavailable(`${failures} attempts, the last: ${last}`, key, asked, refused ?? reason);
    }
    const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
    const pause = asked * 1000 + Math.random() * bound;
    if (isInProgress) waited += pause;
    settings.logger?.(`Trying again in ${(pause / 1000).toFixed(1)} s: ${refused?.message ?? reason}`);
    await settings.sleep(pause, request.signal);
  }
}

/** One request, read to its end: `answer`, or why there is none. A connection may break in the middle of an answer. */
async function attempt(request, settings) {
  const seconds = request.method === "GET" ? settings.readSeconds : settings.writeSeconds;
  const limit = new AbortController();
  const late = new DOMException(`No answer in ${seconds} s.`, "TimeoutError");
  const timer = setTimeout(() => limit.abort(late), seconds * 1000);
  const signal = AbortSignal.any([limit.signal, request.signal]);
  const ended = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  ended.catch(() => {}); // whoever aborts later is no unhandled rejection
  let response;
  let content;
  try {
    // Raced: Node 20 does not end every `arrayBuffer()` whose signal is aborted, nor does every `fetch` of a user.
    response = await Promise.race([settings.fetch(new Request(request, { signal })), ended]);
    content = await Promise.race([response.arrayBuffer(), ended]);
  } catch (reason) {
    if (request.signal.aborted) throw request.signal.reason;
    return { reason };
  } finally {
    clearTimeout(timer);
  }
  const { status, statusText, headers } = response;
  settings.onResponse(response);
  const body = headers.get("Content-Type")?.startsWith(SPREADSHEET) ? {} : objectOf(content);
  if (status === 204 || status === 304) return { answer: new Response(null, { status, headers }) };
  if (response.ok && body) return { answer: new Response(content, { status, statusText, headers }) };
  return { refused: new ApiError(status, body ?? {}, headers, response.ok ? "a body that is no JSON object" : statusText) };
}

export const SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Whether the same request may arrive twice: it reads, tries, has a key, or says how things should be. */
function isRepeatable(request, key) {
  const { pathname } = new URL(request.url);
  return (
    request.method === "GET" ||
    key !== undefined ||
    /\/(validate|cancel|void)$/.test(pathname) ||
    request.method === "PUT" ||
    (request.method === "PATCH" && /\/guides\/[^/]+$/.test(pathname))
  );
}

/** Whether a refusal may be otherwise in a moment; a success without its body was cut off. */
function mayHelp({ status, code }) {
  return status < 300 || status === 408 || status === 429 || status >= 500 || code === "idempotency_in_progress";
}

/** The milliseconds of `Retry-After`, which may also be a date (RFC 9110, 10.2.3); 0 for anything else. */
export function retryAfter(headers) {
  const text = headers.get("Retry-After") ?? "";
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}

function objectOf(content) {
  try {
    const body = JSON.parse(new TextDecoder().decode(content));
    return typeof body === "object" && body !== null && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Wait, unless the signal is aborted: then throws its reason. */
export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}
