"""A month of two clients, a courier, a carrier and their operators: each answer, the rows it made, and the webhooks."""

import json
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from datetime import timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile as File
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from shipments.models import Guide, Manifest, UploadJob
from tests.books import guide_row, workbook_bytes
from tests.documents import guide, manifest
from tests.factories import ClientFactory, CourierFactory, password_of
from tests.shipments.carriers.sending import event, make_sender
from tools.recordings.addresses import PASSWORD, make_operator
from tools.recordings.journal import Journal, content_of, head_of
from webhooks.models import Delivery

CLIENTS, OPERATORS = "/api/public/pre-alerts/v1", "/api/operators/v1"
JSON_PATH = "/process-pre-alert-json"


def mawb(number: int) -> str:
    return f"045-{7_031_000 + number}{(7_031_000 + number) % 7}"


class Script:
    """Does things, one after the other, and writes down what came of each."""

    def __init__(self, journal: Journal, clock: Any) -> None:
        self.journal, self.clock = journal, clock
        self.acme = ClientFactory.create(name="Acme Ltda.", client_code="ACME", tracking_prefix="ACM")
        rival = ClientFactory.create(name="Rival Ltda.", client_code="RIVAL", tracking_prefix="RIV")
        swift = CourierFactory.create(name="Swift", client_code="SWIFT", posts_for=[self.acme])
        self.sender = make_sender("andes")
        self.bearers = {each.client_code: password_of(each) for each in (self.acme, rival, swift)}
        make_operator("olga", ["all"])
        make_operator("camila", ["CL"])
        self.browser = Client(headers={"Accept-Language": "en"})
        self.rows = counts()

    @contextmanager
    def step(self, title: str, *sent: str) -> Iterator[list[str]]:
        """Write what the body of the `with` says, then the tables whose number of rows changed."""
        said: list[str] = []
        self.clock.shift(60)
        yield said
        before, self.rows = self.rows, counts()
        changes = [f"{name} {self.rows[name] - rows:+}" for name, rows in before.items() if self.rows[name] != rows]
        self.journal.write(title, *sent, *said, "rows: " + (", ".join(changes) or "none"))

    def call(self, who: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Ask as a client, the courier or an operator's program: a dict as a form if it has a file, else as JSON."""
        address = (CLIENTS if who.isupper() else OPERATORS) + path
        headers = {"Authorization": f"Bearer {self.bearers[who]}", **headers}
        with self.step(f"{who}: {method} {path}") as said:
            if isinstance(body, dict) and any(isinstance(value, File) for value in body.values()):
                answer: Any = Client().post(address, body, headers=headers)
            else:
                content = body if isinstance(body, str) else "" if body is None else json.dumps(body)
                answer = Client().generic(method, address, content, "application/json", headers=headers)
            said += [head_of(answer), content_of(answer)]
        return answer

    def read(self, who: str, *paths: str) -> None:
        for path in paths:
            self.call(who, "GET", path)

    def upload(self, content: bytes, path: str = "/upload", headers: Any = None, **form: Any) -> None:
        self.call("ACME", "POST", path, {"manifest_file": File("m.xlsx", content), **form}, **headers or {})

    def command(self, *words: str) -> None:
        with self.step(f"manage.py {' '.join(words)}") as said:
            out = StringIO()
            try:
                call_command(*words, stdout=out, stderr=out)
            except (CommandError, SystemExit) as refusal:
                said.append(f"{type(refusal).__name__}: {refusal}")
            said.append(out.getvalue())

    def page(self, address: str, sent: dict[str, Any] | None = None) -> Any:
        """Ask for a page of the admin, or send a form, and follow where it leads."""
        with self.step(f"olga: {'GET' if sent is None else 'POST'} {address}") as said:
            answer = self.browser.get(address) if sent is None else self.browser.post(address, sent, follow=True)
            said += [head_of(answer), content_of(answer)]
        return answer

    def carrier(self, *events: Any) -> None:
        with self.step("the carrier sends events", json.dumps(events)) as said:
            answer = self.sender.post({"events": [*events]})
            said += [head_of(answer), content_of(answer)]

    def code(self, hawb: str) -> str:
        return str(Guide.objects.get(hawb=hawb, manifest__company=self.acme).tracking_code)


def counts() -> dict[str, int]:
    return {model._meta.db_table: model._base_manager.count() for model in apps.get_models()}


def clients(do: Script) -> None:
    """Register webhooks, send manifests in every way, and be refused in many."""
    hooks = "/webhooks/subscriptions"
    for who in ("ACME", "RIVAL"):
        do.call(who, "GET", "/me")
        do.call(who, "POST", hooks, {"url": f"https://93.184.216.34/{who.lower()}"})
    hook = do.call("ACME", "GET", hooks).json()["subscriptions"][0]["id"]
    do.call("ACME", "POST", f"{hooks}/{hook}/test", {"type": "guide.delivered"})
    do.call("ACME", "PATCH", f"{hooks}/{hook}", {"countries": ["CL", "PE"]})
    do.call("ACME", "GET", "/webhooks/event-types")
    rows = [guide_row(number, HAWB=f"CL{number}") for number in range(1, 6)]
    rows[2] |= {"RUT": "11.111.111-1"}
    rows[3] |= {"Valor FOB USD": 3200, "Peso (kg)": "2,5 lb"}
    book = workbook_bytes(rows, mawb=mawb(1), labels={"ETA": "2026-11-20 08:00", "Vuelo": "LA2369", "Destino": "SCL"})
    do.upload(book, "/upload/validate")
    for _ in range(2):
        do.upload(book, headers={"Idempotency-Key": "one"}, invoice_file=File("i.pdf", b"%PDF-1.4 an invoice"))
    do.upload(book)
    do.upload(workbook_bytes(mawb=None), destination_airport="SCL")
    do.upload(workbook_bytes([{"Nombre": "x"}], header=["Nombre", "Zother"], mawb=mawb(9)))
    do.upload(b"not a workbook")
    do.upload(workbook_bytes([guide_row(1, HAWB="J1")], mawb=mawb(2)), headers={"Prefer": "respond-async"})
    do.command("work", "--once")
    do.call("ACME", "GET", f"/jobs/{UploadJob.objects.latest('created_at').pk}")
    for country, number, kind in (("PE", 3, {"consignee_document_type": "DNI"}), ("AR", 4, {})):
        more = {"bag": f"BAG{country}", "freight_usd": 8, **kind}
        guides = [guide(n, country, hawb=f"{country}{n}", **more) for n in range(1, 5)]
        guides[1] |= {"fob_usd": 2500, "consignee_phone": "999", "goods_country": "China"}
        guides[2] |= {"products": [{"description": "Libro", "quantity": 2, "unit_value": 9, "weight_kg": 1}]}
        sent = manifest(*guides, country=country, mawb=mawb(number), client_code="ACME")
        bad = {**sent, "guides": [*guides[:3], {**guides[3], "consignee_document": "1"}]}
        for path in (f"{JSON_PATH}/validate", JSON_PATH):
            do.call("SWIFT", "POST", path, bad)
            do.call("SWIFT", "POST", path, sent)
    do.call("RIVAL", "POST", JSON_PATH, manifest(guide(1, hawb="CL1"), mawb=mawb(1)))
    do.call("RIVAL", "POST", JSON_PATH, manifest(client_code="ACME"))
    do.call("ACME", "POST", f"{JSON_PATH}/validate", manifest(guide(1, "PE"), country="PE"))
    wrong: dict[str, Any]
    for wrong in ({"mawb": "1"}, {"guides": []}, {"guides": [guide(1, weight_kg=0)]}, {"client_code": "RIVAL"},
                  {"guides": [guide(1), guide(1)]}, {"destination_airport": "MIA"}, {"x": 1}):  # fmt: skip
        do.call("ACME", "POST", JSON_PATH, {**manifest(mawb=mawb(8)), **wrong})
    do.call("ACME", "POST", JSON_PATH, "{")


def reads(do: Script) -> None:
    """Read what was sent, and change some of it, as its owner and as another."""
    first, code = f"/mawbs/{mawb(1)}", do.code("CL1")
    do.read("ACME", "/mawbs", "/mawbs?limit=1", first, f"{first}/guides", "/mawbs?status=x", "/x", f"{first}/findings",
            f"/mawbs/{mawb(7)}", "/guides?hawb=CL1", "/guides", "/layouts")  # fmt: skip
    do.call("RIVAL", "GET", f"/guides/{code}")
    do.call("ACME", "PATCH", f"/guides/{code}", {"consignee_city": "Arica", "weight_kg": 2.5, "bag": "SACO 1"})
    do.call("ACME", "PATCH", f"/guides/{code}", {"consignee_document": "1", "status": "delivered"})
    do.call("ACME", "POST", f"/guides/{do.code('CL5')}/cancel", {"reason": "Returned by the buyer"})


def operators(do: Script) -> None:
    """Two programs, of all countries and of Chile, and the carrier's events, move what arrived."""
    peru, ids = mawb(3), [do.code(f"CL{number}") for number in range(1, 5)]
    sent: dict[str, Any]
    for name in ("olga", "camila"):
        do.bearers[name] = "none"
        sent = {"grant_type": "password", "username": name, "password": PASSWORD}
        do.bearers[name] = do.call(name, "POST", "/tokens", sent).json()["access_token"]
        do.call(name, "GET", "/me")
    for name in ("olga", "camila"):
        do.read(name, "/guides?updated_since=2026-11-01T00:00:00Z&fields=all", f"/guides?mawb={peru}", "/mawbs",
                "/companies", "/outgoing-layouts", f"/mawbs/{mawb(1)}", f"/guides?id={peru}/PE1",
                "/guides")  # fmt: skip
        moves = {"ids": [ids[0], f"{peru}/PE1", do.code("CL5"), "NOBODYS"], "status": "in_transit"}
        for more in ({"dry_run": True}, {"internal_note": "gate 4", "client_note": "Soon"}):
            do.call(name, "POST", "/guides/bulk-advance-status", {**moves, **more})
    for status, country in (("held", "CL"), ("released", "CL"), ("released", "PE")):
        sent = {"ids": ids, "country": country, "customs_status": status, "declaration": "D-1", "channel": "red"}
        do.call("camila", "POST", "/guides/bulk-customs-status", sent)
    do.call("camila", "PATCH", f"/guides/{ids[2]}/consignee", {"consignee_document": "7654321-6"})
    batch = do.call("camila", "POST", "/inbound-batches", {"facility": "SCL-01", "country": "CL", "mawbs": [mawb(1)]})
    where = f"/inbound-batches/{batch.json()['id']}"
    scans = [{"scan_id": f"00000000-0000-4000-8000-00000000000{at}", "code": code, "scanned_at": "2026-11-20T09:00:00Z"}
             for at, code in enumerate([*ids[:3], ids[0], "PE1", "NOBODYS"])]  # fmt: skip
    for some in (scans, scans[:1]):
        do.call("camila", "POST", f"{where}/scans", {"scans": some})
    for bag in ("SACO 1", "NOBAG"):
        do.call("camila", "POST", f"{where}/bags", {"bag": bag, "dry_run": True})
    do.read("camila", where, f"{where}/scans", "/inbound-batches")
    do.call("camila", "POST", f"{where}/close", {})
    known = event("DEP", tracking_code=ids[0], event_id="e1", description="Departed")
    do.carrier(known, event("DLV", 1, hawb="PE2", mawb=peru), event("DEP", 2, hawb="NOBODYS"), {"code": 1})
    do.carrier(known)
    do.command("map_carrier_code", "andes", "DEP", "out_for_delivery")
    do.command("map_carrier_code", "andes", "DLV", "delivered")
    do.carrier(event("DEP", 20, tracking_code=ids[0]), event("DLV", 25, hawb="PE2", mawb=peru))


def desk(do: Script) -> None:
    """What operators do in the admin and at the shell."""
    do.browser.force_login(User.objects.get(username="olga"))
    first, second = Guide.objects.get(tracking_code=do.code("CL2")), Guide.objects.get(tracking_code=do.code("PE3"))
    for name in ("advance", "correct_consignee", "lift_retention", "add_note", "take_back"):
        do.page(reverse(f"admin:shipments_guide_{name}", args=[second.pk]))
    move = {"status": "in_transit", "source": "operator", "zone": "America/Santiago", "client_note": "On its way"}
    preview = do.page(reverse("admin:shipments_guide_advance", args=[second.pk]), {"step": "preview", **move})
    if preview.redirect_chain:
        do.page(preview.redirect_chain[-1][0], {"step": "run"})
    do.page(reverse("admin:shipments_guide_add_note", args=[first.pk]), {"text": "Rang twice", "step": "run"})
    file = File("e.csv", f"tracking_code,status\n{do.code('AR1')},on_hold\nX,lost\n".encode())
    asked = do.page(reverse("import-events"), {"file": file})
    do.page(asked.redirect_chain[-1][0], {"step": "run"})
    book = File("m.xlsx", workbook_bytes([guide_row(1, HAWB="E1")], mawb=mawb(5)))
    draft = do.page(reverse("enter-manifest"), {"company": "ACME", "manifest_file": book})
    do.page(draft.redirect_chain[-1][0], {})
    do.page(reverse("search"), {"s": "CL2"})
    do.command("advance_status", first.tracking_code, "--to=out_for_delivery", "--source=courier_scan")
    do.command("advance_status", first.tracking_code, "--to=delivered", "--client-note=Left with the neighbour")
    for _ in range(2):
        wrong = ("--wrong=delivered", "--to=out_for_delivery", "--reason=It was not.")
        do.command("take_back_status", first.tracking_code, *wrong)
    do.command("lift_retention", do.code("PE2"), "--reason=Released")
    past = {"status": "in_transit", "occurred_at": "2026-11-10T10:00:00Z"}
    moved = [guide(n, hawb=f"M{n}", tracking_code=f"OLD-{n:06}", events=[past]) for n in (1, 2)]
    with TemporaryDirectory() as scratch, chdir(scratch):
        Path("old.json").write_text(json.dumps(manifest(*moved, mawb=mawb(6))))
        for more in (["--dry-run"], [], []):
            do.command("import_guides", "ACME", "old.json", "--country=CL", *more)
    do.command("void_manifest", "--company=ACME", f"--mawb={mawb(2)}", "--reason=Sent twice")
    for words in ("judge --country=CL --on=2027-06-01", "check_totals", "check_layouts ACME", "list_companies",
                  "exposed --company=ACME --since=2026-11-01", "list_webhooks", "check_files",
                  "personal_data --country=CL --document=7654321-6"):  # fmt: skip
        do.command(*words.split())


def record(directory: Path, clock: Any) -> None:
    journal = Journal(directory / "month.txt")
    do = Script(journal, clock)
    clients(do)
    for part in (reads, operators, desk):
        part(do)
        clock.shift(timedelta(days=9))
    for who in ("ACME", "RIVAL"):
        do.read(who, "/mawbs", "/guides?updated_since=2026-11-01T00:00:00Z", "/webhooks/deliveries")
    do.call("ACME", "GET", f"/guides/{do.code('CL2')}")
    do.command("anonymise", "--country=CL", "--document=7654321-6")
    do.command("work", "--once")
    do.call("ACME", "GET", f"/mawbs/{mawb(1)}/guides")
    journal.write("rows by table", *(f"{name}: {count}" for name, count in counts().items() if count))
    hooks = Journal(directory / "webhooks.txt")
    for sent in Delivery.objects.order_by("pk").select_related("company"):
        body = json.dumps(json.loads(bytes(sent.body)), indent=1)
        hooks.write(f"{sent.company.client_code}: {sent.event_type}", body)
    journal.write("manifests", *(f"{each.mawb}: {each.guides_by_status}" for each in Manifest.objects.order_by("mawb")))
