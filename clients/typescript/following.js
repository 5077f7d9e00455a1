/** Compare a client's copy of its shipments with the record. `known`: MAWB -> tracking code -> status_code. */

const [DELIVERED, ENDS_BADLY] = [6, 91]; // by status_code; nothing follows either
const OVERLAP_MS = 120_000; // a change may be committed later than the time it has
const [RECENT, AT_ONCE] = [50, 100];

/** One round: yields each change, puts it into `known`, returns the newest moment that is in `known` now. */
export async function* round(client, known, since, options) {
  if (since === undefined) return yield* firstRound(client, known, options);
  const seen = new Set();
  let newest = since;
  const overlapping = new Date(since.getTime() - OVERLAP_MS).toISOString();
  for await (const guide of client.guides({ updated_since: overlapping }, options)) {
    seen.add(guide.mawb);
    newest = latest(newest, new Date(guide.updated_at));
    const codes = (known[guide.mawb] ??= {});
    if (codes[guide.tracking_code] !== guide.status_code) {
      codes[guide.tracking_code] = guide.status_code;
      yield changed(guide.mawb, guide);
    }
  }
  yield* voided(client, known, seen, options);
  return newest;
}

async function* firstRound(client, known, options) {
  const numbers = new Set();
  let newest;
  let left = RECENT;
  for await (const mawb of client.listMawbs({ limit: RECENT }, options)) {
    numbers.add(mawb.mawb);
    newest = latest(newest ?? new Date(0), new Date(mawb.updated_at));
    if ((left -= 1) === 0) break;
  }
  for (const number of [...numbers, ...Object.keys(known).filter((number) => !numbers.has(number))]) {
    if (!hasEnded(known[number] ?? {})) yield* readAgain(client, known, number, options);
  }
  return newest;
}

/** Ask for one guide of each MAWB that may have been voided: one that is not found is read again. */
async function* voided(client, known, seen, options) {
  const rest = Object.entries(known).filter(([number, codes]) => !seen.has(number) && !hasEnded(codes));
  const samples = rest.flatMap(([number, codes]) => Object.keys(codes).slice(0, 1).map((code) => [code, number]));
  while (samples.length) {
    const some = samples.splice(0, AT_ONCE);
    const found = new Set();
    for await (const guide of client.guides({ tracking_code: some.map(([code]) => code) }, options)) {
      found.add(guide.tracking_code);
    }
    for (const [code, number] of some) if (!found.has(code)) yield* readAgain(client, known, number, options);
  }
}

async function* readAgain(client, known, number, options) {
  const before = known[number] ?? {};
  delete known[number];
  const guides = await guidesOf(client, number, options);
  if (guides) known[number] = Object.fromEntries(guides.map((guide) => [guide.tracking_code, guide.status_code]));
  for (const guide of guides ?? []) {
    if (before[guide.tracking_code] !== guide.status_code) yield changed(number, guide);
  }
  for (const code of Object.keys(before).filter((code) => !(code in (known[number] ?? {})))) {
    yield { mawb: number, tracking_code: code, status: "", status_code: null };
  }
}

/** The guides of a MAWB; undefined if it was voided. */
async function guidesOf(client, number, options) {
  try {
    return (await client.getMawb(number, options)).guides;
  } catch (refused) {
    if (refused.code !== "not_found") throw refused;
    return undefined;
  }
}

function changed(mawb, { tracking_code, status, status_code }) {
  return { mawb, tracking_code, status, status_code };
}

function hasEnded(codes) {
  const all = Object.values(codes);
  return all.length > 0 && all.every((code) => code === DELIVERED || code >= ENDS_BADLY);
}

function latest(one, other) {
  return one > other ? one : other;
}
