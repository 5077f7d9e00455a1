"""The TypeScript client as integrators get it: packed, compiled strictly against, run in Node with a live service."""

import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.javascript.packages import require_node
from tests.live import server
from tests.live.scripted import Answer, scripted
from tests.live.server import ROOT, Server, free_port
from tests.live.test_page_receivers import assert_stores_what_is_signed, receiver, running
from tests.live.test_pages import PAGES, blocks
from tools import typescript_client

pytestmark = [pytest.mark.live, pytest.mark.slow]

PACKAGE = typescript_client.PLACE
CONFIGURATION = """{
  "compilerOptions": {
    "target": "ES2022", "module": "NodeNext", "strict": true, "noUncheckedIndexedAccess": true, "types": ["node"]
  }
}"""
PROGRAM = """
import { createReadStream, openAsBlob, readFileSync } from "node:fs";
import { createServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { ApiError, Client, type Known, verify } from "prealerts-client";

const [address, port, certificate, workbook] = process.argv.slice(2) as [string, string, string, string];
const client = new Client(address, process.env.PREALERTS_PASSWORD!);
const subscription = await client.createSubscription({
  url: `https://localhost:${port}/hooks`,
  event_types: ["pre_alert.ingested"],
});
const other = `whsec_${Buffer.alloc(24).toString("base64")}`;

const pem = readFileSync(certificate);
const listener = createServer({ key: pem, cert: pem }, async (request, response) => {
  const event = verify(await buffer(request), request.headers, [other, subscription.secret]);
  if (event.type === "pre_alert.ingested") console.log("heard", event.data.mawb, event.data.total_guides);
  response.writeHead(204).end(() => process.exit(0));
});
listener.listen(Number(port));

const created = await client.uploadManifest(createReadStream(workbook), { flight_number: "LA2369" });
try {
  await client.uploadManifest(await openAsBlob(workbook));
} catch (refused) {
  if (!(refused instanceof ApiError)) throw refused;
  console.log(refused.status, refused.code, refused.body.manifest_id === created.manifest_id);
}
let count = 0;
for await (const guide of client.listGuides(created.mawb, { limit: 3 })) count += guide.status_code;
console.log("paged", count);
console.log("tried", (await client.validateWorkbook(readFileSync(workbook))).would_create);
console.log("copied", (await client.annotateWorkbook(workbook)).size > 1000);

const known: Known = {};
const changes = async () => {
  const statuses: string[] = [];
  for await (const change of client.reconcile(known)) statuses.push(change.status);
  return statuses;
};
console.log("known", (await changes()).length, (await changes()).length);
const [guide] = created.guides;
await client.correct(guide!.tracking_code, { consignee_phone: "+56 2 2345 6789" });
await client.cancel(guide!.tracking_code, { reason: "Sent twice" });
console.log("changed", ...(await changes()));
const { data: types } = await client.api.GET("/api/public/pre-alerts/v1/webhooks/event-types");
console.log("typed", types!.event_types.length > 5, client.lastResponse!.headers.has("X-Request-Id"));
console.log("ready");
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in a directory of its own, with what `npm ci` installed."""
    require_node()
    if not (PACKAGE / "node_modules").is_dir():
        pytest.skip("npm ci has not run in clients/typescript")
    place = tmp_path_factory.mktemp("package") / "typescript"
    shutil.copytree(PACKAGE, place, ignore=shutil.ignore_patterns("node_modules"))
    (place / "node_modules").symlink_to(PACKAGE / "node_modules")
    return place


@pytest.fixture(scope="module")
def packed(copy: Path) -> bytes:
    """What `npm pack` makes, without a network."""
    run(["npm", "pack", "--silent", "--offline"], copy)
    (archive,) = copy.glob("*.tgz")
    return archive.read_bytes()


SAMPLES = [page for page in PAGES if page.name != "README.md"]


@pytest.fixture(scope="module")
def project(packed: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the packed client, its dependencies, Node's types, and all programs, with which the compiler was
    content at once."""
    tmp_path = tmp_path_factory.mktemp("project")
    modules = tmp_path / "node_modules"
    modules.mkdir()
    for each in (PACKAGE / "node_modules").iterdir():
        (modules / each.name).symlink_to(each)
    for name, content in contents(packed).items():
        path = modules / "prealerts-client" / name.removeprefix("package/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "tsconfig.json").write_text(CONFIGURATION, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for example in (ROOT / "docs" / "examples").iterdir():
        (tmp_path / example.name).symlink_to(example)
    programs = {"strict": PROGRAM, "patience": PATIENCE, "receiver": receiver("typescript", "createServer")}
    programs |= {page.stem: "\n".join(blocks(page, "typescript", without="createServer")) for page in SAMPLES}
    for name, program in programs.items():
        (tmp_path / f"{name}.ts").write_text(program, encoding="utf-8")
    run(["node_modules/.bin/tsc", "-p", "."], tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A service that delivers to this machine, and the certificate that it trusts."""
    place = tmp_path_factory.mktemp("hooked")
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"]
    run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost", *names],
        place,
    )
    (place / "both.pem").write_bytes((place / "key.pem").read_bytes() + (place / "cert.pem").read_bytes())
    allowed = {"WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8", "WEBHOOK_CA_BUNDLE": str(place / "cert.pem")}
    with server.served(place, **allowed) as running_service:
        yield running_service, place / "both.pem"


def run(command: list[str | Path], place: Path, **environment: str) -> str:
    finished = subprocess.run(
        command, cwd=place, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=250
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_the_committed_types_are_what_the_document_makes(copy: Path, tmp_path: Path) -> None:
    typescript_client.write(tmp_path / "schema.d.ts")
    made = (tmp_path / "schema.d.ts").read_text(encoding="utf-8")
    assert made == (copy / "schema.d.ts").read_text(encoding="utf-8"), "run make typescript-client"


def test_the_service_offers_what_is_packed(packed: bytes, service: Server) -> None:
    answer = requests.get(f"{service.address}/docs/examples/prealerts-client.tgz", timeout=60)
    assert contents(answer.content) == contents(packed)


def contents(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {each.name: (files.extractfile(each) or io.BytesIO()).read() for each in files if each.isfile()}


def test_a_strict_program_uploads_pages_and_verifies_a_webhook(hooked: tuple[Server, Path], project: Path) -> None:
    service, certificate = hooked
    word = service.company("TYPESCRIPT")["Authorization"].split()[1]
    node: list[str | Path] = [
        require_node(),
        "strict.js",
        service.address,
        str(free_port()),
        certificate,
        "manifest-CL.xlsx",
    ]
    environment = {**os.environ, "PREALERTS_PASSWORD": word}
    with subprocess.Popen(node, cwd=project, env=environment, stdout=subprocess.PIPE, text=True) as process:
        said = [line.strip() for line in iter(process.stdout.readline, "ready\n") if line] if process.stdout else []
        assert said == [
            "409 mawb_already_exists true", "paged 8", "tried false", "copied true", "known 8 0", "changed cancelled",
            "typed true true",
        ]  # fmt: skip
        service.manage("dispatch_webhooks", "--once")
        heard, _ = process.communicate(timeout=60)
    assert heard.split() == ["heard", "045-48216350", "8"]


@pytest.mark.parametrize("page", SAMPLES, ids=lambda page: page.name)
def test_the_samples_of_the_pages_work_as_they_stand(
    page: Path, service: Server, companies: Iterator[dict[str, str]], project: Path
) -> None:
    word = next(companies)["Authorization"].split()[1]
    for _reader in ("first", "second"):
        run([require_node(), f"{page.stem}.js"], project, PREALERTS_ADDRESS=service.address, PREALERTS_PASSWORD=word)


def test_the_receiver_of_the_page(project: Path) -> None:
    with running([require_node(), "receiver.js"], project) as address:
        assert_stores_what_is_signed(
            address, lambda: [path.read_bytes() for path in sorted((project / "events").iterdir())]
        )


PATIENCE = """
import { ApiError, Client, Unavailable, verify } from "prealerts-client";

const pauses: number[] = [];
const said: string[] = [];
const sleep = async (milliseconds: number) => void pauses.push(milliseconds);
const client = new Client(process.argv[2]!, "pa_live_x\\n", { sleep, logger: (line) => said.push(line) });
const impatient = new Client(process.argv[2]!, "pa_live_x");
const once = { sleep, attempts: 1, readSeconds: 1 };
const deaf = async (request: Request) => fetch(request).then(() => new Promise<Response>(() => {}));
const manifest = { mawb: "045-70310133", transport_mode: "air", destination_airport: "SCL", guides: [] } as const;
const signal = AbortSignal.timeout(200);
const calls: Record<string, () => Promise<unknown>> = {
  post: () => client.postManifest({ ...manifest, guides: [] }),
  get: () => client.getMawb("045-70310133"),
  correct: () => client.correct("CODE1", { consignee_phone: null }),
  void: () => client.void_("045-70310133", { reason: "Sent twice" }),
  wait: () => client.wait("job_1"),
  watch: () => client.watch({}, { since: "2026-11-24T09:58:00Z" }).next(),
  rotate: () => client.rotateSecret("sub_1"),
  once: () => new Client(process.argv[2]!, "pa_live_x", once).me(),
  stuck: () => new Client(process.argv[2]!, "pa_live_x", { ...once, fetch: deaf }).me(),
  abort: () => impatient.getMawb("045-70310133", { signal }),
  nothing: () => client.getMawb(""),
  dots: () => client.getGuide(".."),
  word: async () => new Client(process.argv[2]!, "contraseña"),
  blank: async () => new Client(process.argv[2]!, " "),
  secret: async () => verify("{}", {}, ["whsec_" + Buffer.alloc(24).toString("base64"), ""]),
  secrets: async () => verify("{}", {}, []),
};
let [ended, seconds] = ["done", 0];
try {
  await calls[process.argv[3]!]!();
} catch (raised) {
  ended = (raised as Error).name;
  if (raised instanceof ApiError) ended = raised.message;
  else if (raised instanceof Unavailable) ended = `Unavailable ${raised.idempotencyKey !== undefined}`;
  if (raised instanceof ApiError || raised instanceof Unavailable) seconds = raised.retryAfterSeconds;
}
console.log(JSON.stringify({ ended, seconds, pauses, said: said.length }));
"""
AWAY: Answer = (503, {"Retry-After": "7"}, "<html>")
HELD: Answer = (409, {"Retry-After": "5"}, '{"success": false, "error": "idempotency_in_progress", "message": "..."}')
LIMITED: Answer = (429, {"Retry-After": "1"}, '{"success": false, "error": "rate_limited", "message": "..."}')
REFUSED: Answer = (422, {}, '{"success": false, "error": "brand_new", "message": "..."}')
TAKEN: Answer = (201, {}, '{"success": true}')


DETAILED: Answer = (
    400,
    {"X-Request-Id": "r1"},
    '{"success": false, "error": "validation_failed", "message": "Mend it.", "details": {"eta": ["Late.", "Odd."]}}',
)
CUT: Answer = (201, {}, '{"success": tr')
PORTAL: Answer = (200, {"Content-Type": "text/html"}, "<html>Accept our terms")
MOVED: Answer = (302, {"Location": "/a"}, "")
LATER: Answer = (503, {"Retry-After": "3600"}, "<html>")
QUEUED: Answer = (200, {"Retry-After": "5"}, '{"status": "queued", "result": null, "error": null}')
ENDED: Answer = (
    200,
    {},
    '{"result": null, "error": {"success": false, "http_status": 400, "error": "no_rows_parsed", "message": "M"}}',
)
NO_CHANGES: Answer = (200, {}, '{"guides": [], "next_cursor": null}')
GONE: Answer = (404, {}, '{"success": false, "error": "not_found", "message": "M"}')


def test_what_may_help_is_tried_again_and_nothing_else(project: Path) -> None:
    """Call, answers -> how it ends, the number of requests, and the least that it waits, in seconds."""
    cases: list[tuple[str, list[Answer], str, int, int]] = [
        ("post", [AWAY, HELD, TAKEN], "done", 3, 12),
        ("post", [HELD] * 11 + [TAKEN], "done", 12, 55),
        ("post", [HELD] * 20, "Unavailable true", 18, 60),
        ("post", [LIMITED] * 6, "429 rate_limited: ... (request unknown)", 6, 5),
        ("post", [REFUSED], "422 brand_new: ... (request unknown)", 1, 0),
        ("post", [DETAILED], "400 validation_failed: Mend it.; eta: Late. Odd. (request r1)", 1, 0),
        ("post", [CUT, PORTAL, TAKEN], "done", 3, 0),
        ("get", [AWAY] * 6, "Unavailable false", 6, 35),
        ("get", [LATER], "Unavailable false", 1, 0),
        ("get", [PORTAL] * 6, "Unavailable false", 6, 0),
        ("get", [MOVED], "302 Found, not an answer of the service; Location: /a (request unknown)", 1, 0),
        ("correct", [AWAY, (200, {}, "{}")], "done", 2, 7),
        ("void", [AWAY, (200, {}, "{}")], "done", 2, 7),
        ("wait", [QUEUED, QUEUED, ENDED], "400 no_rows_parsed: M (request unknown)", 3, 10),
        ("watch", [(408, {}, "")] * 6 + [NO_CHANGES, GONE], "404 not_found: M (request unknown)", 8, 180),
        ("rotate", [AWAY], "503 Service Unavailable, not an answer of the service (request unknown)", 1, 0),
        ("rotate", [PORTAL], "Unavailable false", 1, 0),
        ("once", [AWAY], "Unavailable false", 1, 0),
        ("stuck", [TAKEN], "Unavailable false", 1, 0),
        ("abort", [AWAY], "TimeoutError", 1, 0),
    ]  # fmt: skip
    for call, answers, ended, requests_seen, seconds in cases:
        with scripted(*answers) as (address, seen):
            told = json.loads(run([require_node(), "patience.js", address, call], project))
        assert (told["ended"], len(seen)) == (ended, requests_seen), (call, told)
        assert sum(told["pauses"]) >= seconds * 1000
        assert bool(told["said"]) == (call != "wait" and bool(told["pauses"]))
        assert len({asked.headers.get("Idempotency-Key", asked.headers.get("idempotency-key")) for asked in seen}) == 1
        assert all("prealerts-client-typescript/" in str(asked.headers).lower() for asked in seen)
        assert told["seconds"] == (3600 if LATER in answers else told["seconds"])


@pytest.mark.parametrize("call", ["nothing", "dots", "word", "blank", "secret", "secrets"])
def test_an_argument_that_can_only_be_a_mistake_is_refused_before_anything_is_sent(call: str, project: Path) -> None:
    with scripted() as (address, seen):
        told = json.loads(run([require_node(), "patience.js", address, call], project))
    assert (told["ended"], seen) == ("TypeError", [])
