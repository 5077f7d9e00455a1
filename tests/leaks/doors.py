"""Every entrance of the product, and a marked person put through each: `DOORS`, in the order of their use."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from tempfile import NamedTemporaryFile
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from base.admin.confirmed_action import RUN, STEP
from shipments.carriers.guides import bind_by_hand
from shipments.carriers.processing import process, store_receipt
from shipments.layouts.answering import answer_layout
from shipments.models import (
    Action,
    CarrierCode,
    CarrierEvent,
    CarrierNumber,
    EventOutcome,
    Guide,
    Layout,
    LayoutAnswer,
    Manifest,
    ManifestDraft,
    Note,
    OutgoingLayout,
    RefusedRequest,
    UploadJob,
)
from shipments.outgoing import OF_GUIDE, proposed_columns
from shipments.statuses import GuideStatus
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal
from tests.books import HEADER, guide_row, workbook_bytes
from tests.companies.operators.tokens.speaking import Program
from tests.conftest import BASE, Caller, as_file
from tests.documents import guide as json_guide
from tests.documents import manifest as json_manifest
from tests.leaks.marked import ADDRESS, EMAIL, NAME, NOTE, PERSON, PHONE, ROW, RUT, SPELLED
from tests.shipments.admin.pages import GUIDES, moved, of_guide, of_manifest, ticked, told
from tests.shipments.carriers.sending import BODIES, Sender, at, event, make_sender
from tests.shipments.inbound.scanning import opened, scan, scanned
from tests.shipments.layouts.rows import make_layout
from tests.shipments.layouts.rows import questions as layout_questions
from tests.shipments.layouts.telling import HEADINGS as STRANGE
from tests.shipments.layouts.telling import strange
from tests.shipments.shipping import tell
from webhooks.models import Delivery, DeliveryAttempt, State
from webhooks.subscriptions import register_signed

HAWB, JSON_HAWB, JOB_HAWB, LATE_HAWB, BATCH_HAWB = "ZQH100001", "ZQH200002", "ZQH300003", "ZQH400004", "ZQH500005"
NUMBER = "ZQN900900900"
SAID = f"{NAME}, {SPELLED}, {PHONE}"
PDF = b"%PDF-1.4 invoice of " + NAME.encode()
MAWBS = [f"045-{number:07d}{number % 7}" for number in range(1000001, 1000021)]
HEADINGS = (*HEADER, "Correo")


@dataclass
class House:
    """Two companies, the people and programs that work for them, and what they have brought in."""

    acme: Caller
    rival: Caller
    staff: Client
    scanner: Program
    sender: Sender
    lima: Program
    after: list[Callable[[], object]] = field(default_factory=list)
    """What is sent once the person is erased."""

    def guide(self, hawb: str = HAWB) -> Guide:
        return Guide.objects.select_related("manifest").get(hawb=hawb, manifest__company=self.acme.company)


DOORS: dict[str, Callable[[House], None]] = {}


def door(go: Callable[[House], None]) -> Callable[[House], None]:
    DOORS[go.__name__] = go
    return go


def row(hawb: str, **changes: Any) -> dict[str, Any]:
    return guide_row(1, **{**ROW, "HAWB": hawb, "Correo": EMAIL, **changes})


def other(number: int = 2) -> dict[str, Any]:
    return guide_row(number, RUT="7654321-6", **{"Nombre destinatario": "Pedro Soto", "HAWB": f"P{number}"})


def book(hawb: str, mawb: str, *rows: dict[str, Any]) -> bytes:
    return workbook_bytes([row(hawb), other(), *rows], mawb=mawb, header=HEADINGS)


def unknown_book(mawb: str | None) -> bytes:
    return workbook_bytes([dict.fromkeys([NAME, "Zother"], SAID)], mawb=mawb, header=[NAME, "Zother"])


def work() -> None:
    """Let the worker read what waits; other tests may have the machine's places for reading."""
    unread = UploadJob.objects.unfinished()
    deadline = time.monotonic() + 120
    while unread.exists() and time.monotonic() < deadline:
        call_command("work", "--once")


# --- clients ----------------------------------------------------------------------------------------------------


@door
def a_workbook_and_an_invoice(house: House) -> None:
    left_out = {**other(3), "HAWB": None, "Nombre destinatario": NAME}
    answer = house.acme.client.post(
        f"{BASE}/upload",
        {
            "manifest_file": as_file(book(HAWB, MAWBS[0], left_out), f"{NAME}.xlsx"),
            "invoice_file": as_file(PDF, f"{NAME}.pdf"),
        },
        headers={**house.acme.headers, "Idempotency-Key": f"order of {NAME}"},
    )
    assert answer.status_code == 201, answer.content


@door
def what_a_manifest_quotes_of_its_workbook(house: House) -> None:
    """A heading in the notices, a sheet's name, a HAWB cell of a row without a guide: as the reader keeps them."""
    manifest = house.guide().manifest
    said = {"row_index": 9, "code": "row_left_out", "sentence": "%(text)s"}
    manifest.notices = [*manifest.notices, {**said, "hawb": "", "params": {"text": NAME}}]
    manifest.warnings = [*manifest.warnings, {**said, "hawb": "P2", "params": {"text": SAID}}]
    (manifest.columns or [{}])[0]["heading"] = NAME
    manifest.kept_columns = [{"column": "Z", "heading": NAME, "key": "x_z"}]
    manifest.questions = [
        {"field": "hawb", "reason": "rival", "columns": [{"column": "Z", "heading": NAME, "samples": []}]}
    ]
    left_out = {"row_index": 9, "reason": "no_consignee", "hawb": NAME, "sheet": NAME}
    manifest.row_account = {**(manifest.row_account or {}), "left_out_rows": [left_out]}
    manifest.save()


@door
def what_a_client_says_of_its_columns(house: House) -> None:
    """A person where a heading, a label or a text of a column should be, before and after an operator looked at it."""
    said = {
        "answers": [
            {"heading": NAME, "group": NAME, "field": "consignee_document_type", "values": {NAME: "RUT"}},
            {"heading": "Otra", "field": None, "key": NAME},
        ],
        "labels": [{"label": NAME, "field": "mawb"}],
    }
    layout = make_layout(house.acme.company, columns={NAME: {"group": NAME}, "Otra": {}})
    answer_layout(layout, said, None)
    answer_layout(layout, {}, User.objects.create_user("otto"))
    answer_layout(layout, said, None)
    LayoutAnswer.objects.create(layout=layout, kind="constant", name="origin", field="origin", value=NAME)
    Layout.objects.filter(pk=layout.pk).update(
        questions=layout_questions("hawb", "A", heading=NAME), changed_columns=[{"name": NAME.lower(), "heading": NAME}]
    )


@door
def a_manifest_as_json(house: House) -> None:
    person: dict[str, Any] = {**PERSON, "hawb": JSON_HAWB, "extra_data": {"note": NOTE, "carrier_number": NUMBER}}
    sent = json_manifest(json_guide(1, **person), json_guide(2, hawb="P9"), mawb=MAWBS[1])
    answer = house.acme.post_json(sent)
    assert answer.status_code == 201, answer.content


def queue(house: House, content: bytes, name: str = f"{NAME}.xlsx", **form: Any) -> UploadJob:
    answer = house.acme.client.post(
        f"{BASE}/upload",
        {"manifest_file": as_file(content, name), **form},
        headers={**house.acme.headers, "Prefer": "respond-async"},
    )
    assert answer.status_code == 202, answer.content
    return UploadJob.objects.get(pk=answer.json()["job_id"])


@door
def a_job_that_is_accepted(house: House) -> None:
    job = queue(house, book(JOB_HAWB, MAWBS[2]), **{NAME: RUT})
    work()
    job.refresh_from_db()
    assert job.state == "succeeded", job.error


@door
def a_job_that_is_refused(house: House) -> None:
    job = queue(house, unknown_book(MAWBS[3]))
    work()
    job.refresh_from_db()
    assert job.state == "failed"
    job.error = {**(job.error or {}), "message": SAID}
    job.save()


@door
def uploads_that_are_refused(house: House) -> None:
    house.acme.upload(unknown_book(None))
    house.acme.post_json({NAME: RUT, "mawb": NAME})
    house.acme.upload(book(HAWB, MAWBS[0]))  # again
    RefusedRequest.objects.filter(pk=RefusedRequest.objects.earliest("pk").pk).update(
        headings=["Masa", NAME], about={"missing": [NAME]}, findings={NAME: 1}, request_id=f"{NAME}"
    )


@door
def a_validation_that_creates_nothing(house: House) -> None:
    house.acme.client.post(
        f"{BASE}/upload/validate", {"manifest_file": as_file(book("V1", MAWBS[3]))}, headers=house.acme.headers
    )


@door
def a_correction_by_the_client(house: House) -> None:
    path = f"{BASE}/guides/{house.guide().tracking_code}"
    sent = json.dumps({"consignee_address": f"{ADDRESS} bis"})
    house.acme.client.generic("PATCH", path, sent, "application/json", headers=house.acme.headers)


@door
def a_subscription_whose_receiver_talks(house: House) -> None:
    guide = house.guide()
    register_signed(house.acme.company, "https://93.184.216.34/hook")
    moved(house.staff, of_guide(guide, "advance"), told("in_transit", internal_note=NOTE, client_note=SAID))
    delivery = Delivery.objects.filter(subject=guide.tracking_code).earliest("pk")
    done = {"state": State.FAILED, "finished_at": timezone.now(), "excerpt": SAID, "attempted_at": timezone.now()}
    Delivery.objects.filter(pk=delivery.pk).update(**done)
    DeliveryAttempt.objects.create(delivery=delivery, number=1, begun_at=timezone.now(), excerpt=SAID)


# --- operators in the admin -------------------------------------------------------------------------------------


@door
def notes_on_the_guide_another_and_the_manifest(house: House) -> None:
    guide = house.guide()
    house.staff.post(of_guide(guide, "add_note"), {"text": NOTE, STEP: RUN})
    house.staff.post(of_manifest(guide.manifest, "add_note"), {"text": f"The parcel of {SAID}", STEP: RUN})
    neighbour = Guide.objects.filter(manifest=guide.manifest).exclude(pk=guide.pk).earliest("pk")
    house.staff.post(of_guide(neighbour, "add_note"), {"text": f"Not {NAME}'s, see {HAWB}", STEP: RUN})
    moved(house.staff, of_guide(neighbour, "advance"), told("in_transit", internal_note=SAID, client_note=SAID))
    assert Note.objects.filter(text__contains=NAME).count() == 2


@door
def a_correction_in_the_admin(house: House) -> None:
    form = {name: str(value) for name, value in PERSON.items() if name.startswith("consignee_")}
    Guide.objects.filter(pk=house.guide().pk).update(needs_review=True, retention_required=True)
    house.staff.post(of_guide(house.guide(), "correct_consignee"), {**form, "consignee_region": NAME, STEP: RUN})


@door
def a_file_for_a_broker(house: House) -> None:
    """Downloaded with every column of the person; nothing of it may stay but who took it."""
    columns = [{**column, "field": name} for name in OF_GUIDE for column in proposed_columns([name])]
    layout = OutgoingLayout.objects.create(
        name="Broker", country="CL", sheet="Carga", columns=columns, is_checked=True, company=house.acme.company
    )
    page = reverse("admin:shipments_manifest_broker", args=[house.guide().manifest_id])
    for kind in ("xlsx", "csv"):
        assert house.staff.get(page, {"layout": str(layout.pk), "format": kind}).getvalue()


@door
def a_review_and_a_retention(house: House) -> None:
    guide = house.guide()
    Guide.objects.filter(pk=guide.pk).update(review_reasons=[SAID])
    Guide.objects.filter(pk=guide.pk).update(retention_reason=f"FOB of {NAME}")
    house.staff.post(of_guide(guide, "lift_retention"), {"reason": SAID, STEP: RUN})


@door
def a_status_that_is_taken_back(house: House) -> None:
    guide = house.guide()
    tell(guide, "lost", internal_note=NOTE, client_note=SAID)
    (result,) = take_back(
        Guide.objects.filter(pk=guide.pk), Withdrawal(GuideStatus.LOST, None, None, SAID, SAID), actor="olga"
    )
    assert result.refusal is None, result.refusal
    assert guide.events.exclude(withdrawn_reason="").exists()


@door
def a_file_of_events(house: House) -> None:
    content = f"tracking_code,status,internal_note\n{house.guide().tracking_code},on_hold,{NOTE}\n{NAME},{RUT},x\n"
    file = SimpleUploadedFile(f"{NAME}.csv", content.encode())
    answer: Any = house.staff.post(reverse("import-events"), {"file": file})
    assert answer.status_code == 302
    house.staff.post(answer.url, {STEP: RUN})


@door
def a_file_of_events_that_nobody_confirms(house: House) -> None:
    content = f"tracking_code,status,internal_note\n{house.guide(JSON_HAWB).tracking_code},on_hold,{NOTE}\n"
    house.staff.post(reverse("import-events"), {"file": SimpleUploadedFile(f"{RUT}.csv", content.encode())})


@door
def a_file_of_events_whose_columns_are_asked(house: House) -> None:
    content = f"Código,Estado raro,Notas\n{house.guide(JSON_HAWB).tracking_code},on_hold,{NAME}\n"
    house.staff.post(reverse("import-events"), {"file": SimpleUploadedFile("asked.csv", content.encode())})


@door
def a_file_of_events_by_command(house: House) -> None:
    with NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(f'tracking_code,status,internal_note\n{house.guide().tracking_code},in_transit,"{SAID}"\n')
        file.flush()
        call_command("import_events", file.name, "--no-color", stdout=StringIO())


@door
def drafts_of_manifests(house: House) -> None:
    page = reverse("enter-manifest")
    hidden = workbook_bytes([row("ZQH600006")], mawb=MAWBS[4], header=HEADINGS)
    sent = {"company": house.acme.company.client_code, "manifest_file": as_file(hidden, f"{NAME}.xlsx")}
    assert house.staff.post(page, {**sent, "invoice_file": as_file(PDF, f"{NAME}.pdf")}).status_code == 302
    body = json.dumps(json_manifest(json_guide(1, **dict[str, Any](PERSON)), mawb=MAWBS[5])).encode()
    sent = {"company": house.acme.company.client_code, "manifest_file": as_file(body, f"{NAME}.json")}
    assert house.staff.post(page, sent).status_code == 302
    assert ManifestDraft.objects.filter(manifest=None).count() == 2


@door
def a_draft_that_is_confirmed(house: House) -> None:
    sent = {
        "company": house.acme.company.client_code,
        "manifest_file": as_file(book(BATCH_HAWB, MAWBS[6]), f"{NAME}.xlsx"),
    }
    preview: Any = house.staff.post(reverse("enter-manifest"), sent)
    assert house.staff.post(preview["Location"]).status_code == 302
    assert Guide.objects.filter(hawb=BATCH_HAWB).exists()


@door
def views_searches_lists_and_exports(house: House) -> None:
    views = reverse("admin:shipments_guide_views")
    house.staff.post(f"{views}?q={RUT}", {"step": "save", "name": f"parcels of {NAME}"})
    guide = house.guide()
    for path in (f"{GUIDES}?q={NAME}", f"{GUIDES}?q={EMAIL}", of_guide(guide), of_manifest(guide.manifest)):
        assert house.staff.get(path).status_code == 200
    house.staff.post(reverse("search"), {"s": NAME})
    for kind in ("csv", "xlsx"):
        answer: Any = house.staff.get(f"{GUIDES}export.{kind}?q={NAME}")
        b"".join(answer.streaming_content)
        answer.close()
    house.staff.post(GUIDES, ticked("export_ticked_as_csv", guide))


# --- operators' programs ----------------------------------------------------------------------------------------


@door
def a_correction_by_a_program(house: House) -> None:
    path = f"/guides/{house.guide().tracking_code}/consignee"
    house.scanner.patch(path, {"consignee_city": NAME})
    house.scanner.get(f"/guides/{house.guide().tracking_code}")


@door
def a_copy_of_everything_by_a_program(house: House) -> None:
    copy = house.scanner.get("/guides?updated_since=2020-01-01T00:00:00Z&fields=all")
    assert NAME in copy.content.decode()


@door
def statuses_by_a_program(house: House) -> None:
    sent = {"ids": [house.guide(JSON_HAWB).tracking_code], "status": "in_transit", "internal_note": NOTE}
    assert house.scanner.post("/guides/bulk-advance-status", {**sent, "client_note": SAID}).status_code == 200


@door
def scans_of_every_outcome(house: House) -> None:
    """Matched, surplus, ambiguous and foreign; and again once the person is erased."""
    guide = house.guide(BATCH_HAWB)
    twin = house.rival.post_json(json_manifest(json_guide(1, hawb=HAWB), mawb=MAWBS[10]))
    assert twin.status_code == 201, twin.content
    batch = opened(house.scanner, guide.manifest, note=SAID)
    scans = [
        scan(guide.tracking_code, note=NOTE, is_damaged=True),
        scan("ZQX-NOBODYS", note=SAID),
        scan(HAWB, note=f"{NAME}?"),
        scan(NAME, note="a name as a code"),
    ]
    scanned(house.scanner, batch, scans)
    peru = house.acme.post_json(json_manifest(json_guide(1, "PE", hawb="PE1"), country="PE", mawb=MAWBS[11]))
    assert peru.status_code == 201, peru.content
    abroad = opened(house.lima, Manifest.objects.get(mawb=MAWBS[11]), country="PE")
    scanned(house.lima, abroad, [scan(guide.tracking_code, note=SAID)])
    house.after.append(lambda: scanned(house.scanner, batch, [scan(guide.tracking_code, note=SAID)]))
    house.after.append(lambda: scanned(house.scanner, batch, [scan(HAWB, note=SAID)]))


# --- carriers ---------------------------------------------------------------------------------------------------


@door
def events_of_a_carrier(house: House) -> None:
    """Applied, repeated, unmapped, parked by number, by MAWB and by HAWB, refused, rejected."""
    sender, guide = house.sender, house.guide()
    bind_by_hand(sender.carrier, NUMBER, house.guide(JSON_HAWB))
    place = {"city": NAME, "country": "CL"}
    known = event("DEP", tracking_code=guide.tracking_code, description=SAID, location=place)
    sender.send(known)
    sender.send(known)
    sender.send(event("ZQNEW", 1, tracking_code=guide.tracking_code, description=SAID, event_id=f"{NAME} 1"))
    sender.send(event("DEP", 2, carrier_number=f"{NUMBER}1", description=SAID, location=place))
    sender.send(event("DEP", 3, mawb=MAWBS[0], description=SAID, location=place))
    sender.send(event("DEP", 4, hawb="ZQNOBODYS", description=SAID, location=place))
    sender.send(event(f"left with {NAME}", 5, hawb=HAWB, description=SAID))
    sender.send({"reference": {"tracking_code": guide.tracking_code}, "code": NAME, "occurred_at": "never"}, SAID)
    sender.post({"events": {"tracking_code": guide.tracking_code, "to": NAME}})
    sender.post(f'{{"to": "{NAME}"'.encode())
    sender.post({"wrong": [{"hawb": HAWB, "x": 1}]})
    CarrierEvent.objects.filter(hawb="ZQNOBODYS").update(outcome=EventOutcome.EXPIRED)

    def send_again() -> None:
        sender.send(known)
        for hours, name in ((30, {"tracking_code": guide.tracking_code}), (31, {"carrier_number": NUMBER})):
            sender.send(event("DEP", hours, description=SAID, location=place, **name))
            sender.send(event("ZQNEW", hours, description=SAID, **name))
        sender.send({"reference": {"tracking_code": guide.tracking_code}, "code": NAME, "occurred_at": "never"})
        sender.post({"events": {"tracking_code": guide.tracking_code, "to": NAME}})

    house.after.append(send_again)


@door
def events_of_other_schemes(house: House) -> None:
    """AfterShip and EasyPost, signed as they sign, and a carrier with a secret header."""
    guide = house.guide(JOB_HAWB)
    for adapter, file, number in (("aftership", "aftership.json", "111111111111"), ("easypost", "easypost.json", "1")):
        theirs = make_sender(f"zq-{adapter}", adapter=adapter, scheme="hmac", source="courier_scan")
        CarrierNumber.objects.create(carrier=theirs.carrier, number=number, guide=guide)
        body = (BODIES / file).read_bytes().replace(b"ORLANDO", NAME.upper().encode())
        body = body.replace(b"Shipment information sent to FedEx", f"for {NAME}".encode())
        assert theirs.post(body).status_code == 200
        house.after.append(lambda theirs=theirs, body=body: theirs.post(body))  # type: ignore[misc]
    plain = make_sender("zq-plain", scheme="header", signature_header="X-Key", secret="s" * 32)
    plain.send(event("DEP", tracking_code=guide.tracking_code, description=SAID))


@door
def a_mapped_code_and_an_assignment(house: House) -> None:
    """An operator gives codes a meaning: what waited is applied, and its code stays among the carrier's."""
    CarrierCode.objects.filter(carrier=house.sender.carrier, code="DEP").update(action=Action.EVENT_ONLY, status="")
    house.sender.send(event("DEP", 8, tracking_code=house.guide().tracking_code, description=SAID))
    house.sender.send(event("DEP", 9, mawb=MAWBS[0], description=SAID))


# --- what a layout is made of ---------------------------------------------------------------------------------------


@door
def columns_in_doubt_and_kept(house: House) -> None:
    """A person in a column that no field reads, in one that is asked about, and in their headings."""
    headings = (*HEADINGS, "Nombre del chofer", f"Peso según {NAME}")
    rows = [{**row("ZQH700007"), headings[-2]: NAME, headings[-1]: SAID}, {**other(), headings[-1]: "1"}]
    answer = house.acme.upload(workbook_bytes(rows, mawb=MAWBS[12], header=headings))
    assert answer.status_code == 201, answer.content
    assert answer.json()["kept"]
    assert NAME in json.dumps(house.guide("ZQH700007").extra_data)


@door
def a_workbook_that_waits_for_an_answer(house: House) -> None:
    """Refused for a doubt about its HAWB, kept for the operators, answered by the client, seen by an operator."""
    headings = [NAME if name == "Qué" else name for name in STRANGE]
    refused = house.acme.upload(strange(MAWBS[13], headings=headings), destination_airport="SCL")
    assert refused.json()["error"] == "hawb_in_doubt", refused.content
    layout = Layout.objects.latest("pk")
    said = {"answers": [{"heading": NAME, "field": "description_original", "values": {SAID: "x"}}]}
    path = f"{BASE}/layouts/{layout.pk}/answers"
    answer = house.acme.client.put(path, json.dumps(said), "application/json", headers=house.acme.headers)
    assert answer.status_code in {200, 400}, answer.content
    assert house.staff.get(reverse("admin:shipments_layout_change", args=[layout.pk])).status_code == 200


@door
def a_sample_of_a_layout(house: House) -> None:
    sample = as_file(book("ZQH800008", MAWBS[14]), f"{NAME}.xlsx")
    sent = {"company": house.acme.company.client_code, "country": "CL", "manifest_file": sample}
    answer: Any = house.staff.post(reverse("admin:shipments_layout_sample"), sent)
    assert answer.status_code == 302
    assert NAME in house.staff.get(answer["Location"]).content.decode()


@door
def layouts_by_command(_house: House) -> None:
    """Exported and imported; the file has the headings of the layouts, and what was said of them."""
    out = StringIO()
    call_command("export_layouts", "ACME", stdout=out)
    layouts = json.loads(out.getvalue())
    for layout in layouts["layouts"]:
        layout["labels"] = [label for label in layout.get("labels", ()) if "label" in label]  # not what no API takes
    with NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(layouts, file)
        file.flush()
        call_command("import_layouts", "RIVAL", file.name, stdout=StringIO())


@door
def a_brokers_workbook_that_is_not_empty(house: House) -> None:
    """Only the headings of its first row are kept."""
    filled = workbook_bytes([row("ZQH800009")], header=HEADINGS, labels={}, mawb=None)
    book = load_workbook(BytesIO(filled))
    sheet: Any = book.active
    sheet.delete_rows(1, next(r for r in range(1, 9) if sheet.cell(r, 1).value == HEADINGS[0]) - 1)
    content = BytesIO()
    book.save(content)
    sent = {"name": "Filled", "country": "CL", "workbook": as_file(content.getvalue(), "filled.xlsx")}
    assert house.staff.post(reverse("admin:shipments_outgoinglayout_add"), sent).status_code == 302


# --- moving in ------------------------------------------------------------------------------------------------------


def moving(hawb: str, mawb: str, code: str) -> bytes:
    past = [
        {"status": "registered", "occurred_at": "2026-11-18T09:00:00-03:00"},
        {"status": "in_transit", "occurred_at": "2026-11-19T09:00:00-03:00", "reason": SAID},
    ]
    person: dict[str, Any] = {**PERSON, "hawb": hawb, "tracking_code": code, "events": past}
    return json.dumps(json_manifest(json_guide(1, **person), mawb=mawb)).encode()


@door
def a_client_that_moves_in(house: House) -> None:
    """Checked, refused and written in the admin."""
    page = reverse("move-in", args=[house.acme.company.pk])
    content = moving("ZQH900001", MAWBS[15], "ZQMOVED01")
    for sent in ({"file": as_file(content, f"{NAME}.json"), "check": "1"}, {"file": as_file(content, f"{NAME}.json")}):
        assert house.staff.post(page, sent).status_code in {200, 302}
    refused = moving("ZQH900002", MAWBS[16], NAME)
    assert house.staff.post(page, {"file": as_file(refused, f"{NAME}.json")}).status_code == 400
    assert house.guide("ZQH900001").events.filter(client_note=SAID).exists()


@door
def statuses_by_command(_house: House) -> None:
    """A guide moved in by the command, and each command that takes a text about it."""
    with NamedTemporaryFile("wb", suffix=".json") as file:
        file.write(moving("ZQH900003", MAWBS[17], "ZQMOVED03"))
        file.flush()
        call_command("import_guides", "ACME", file.name, "--country", "CL", stdout=StringIO())
    Guide.objects.filter(tracking_code="ZQMOVED03").update(retention_required=True)
    texts = ["--client-note", SAID]
    for command in (
        ["advance_status", "ZQMOVED03", "--to", "customs_held", "--internal-note", NOTE, *texts],
        ["take_back_status", "ZQMOVED03", "--wrong", "customs_held", "--reason", SAID, *texts],
        ["lift_retention", "ZQMOVED03", "--reason", SAID],
        ["exposed", "--company", "ACME", "--since", "2026-01-01"],
        ["judge", "--country", "CL", "--on", "2026-11-20"],
    ):
        call_command(*command, stdout=StringIO())


# --- endings, lists and headers -------------------------------------------------------------------------------------


@door
def a_cancellation_and_a_void_by_the_client(house: House) -> None:
    for number, mawb in ((1, MAWBS[18]), (2, MAWBS[19])):
        sent = json_manifest(json_guide(1, **{**PERSON, "hawb": f"ZQE90000{number}"}), mawb=mawb)  # type: ignore[arg-type]  # texts
        assert house.acme.post_json(sent).status_code == 201
    paths = (f"guides/{house.guide('ZQE900001').tracking_code}/cancel", f"mawbs/{MAWBS[19]}/void")
    for path in paths:
        answer = house.acme.client.post(
            f"{BASE}/{path}", json.dumps({"reason": SAID}), "application/json", headers=house.acme.headers
        )
        assert answer.status_code == 200, answer.content


@door
def a_move_of_what_is_ticked(house: House) -> None:
    guide = house.guide(JSON_HAWB)
    sent = told("on_hold", internal_note=NOTE, client_note=SAID)
    moved(house.staff, GUIDES, {**ticked("advance_selected", guide), **sent})
    assert guide.events.filter(status="on_hold", internal_note=NOTE).exists()


@door
def customs_by_a_program(house: House) -> None:
    sent = {"ids": [house.guide("ZQH900001").tracking_code], "country": "CL", "customs_status": "held"}
    answer = house.scanner.post("/guides/bulk-customs-status", {**sent, "declaration": NAME.upper(), "channel": "red"})
    assert answer.status_code == 200, answer.content


@door
def a_bag_and_scans_of_the_receiving_page(house: House) -> None:
    """A bag that is called as a person, received by a program; codes typed on the page."""
    guide = house.guide("ZQH900001")
    Guide.objects.filter(pk=guide.pk).update(bag="ZQBAG")
    batch = opened(house.scanner, guide.manifest, note=SAID)
    assert house.scanner.post(f"/inbound-batches/{batch}/bags", {"bag": "ZQBAG"}).status_code == 200
    assert house.scanner.post(f"/inbound-batches/{batch}/bags", {"bag": NAME}).status_code == 400
    scans = json.dumps({"scans": [scan(f"{NAME} {number}", note=SAID) for number in range(2)]})
    page = reverse("receive-scans", args=[batch])
    assert house.staff.post(page, scans, content_type="application/json").status_code == 200
    assert house.scanner.post(f"/inbound-batches/{batch}/close", None).status_code == 200


@door
def a_parked_event_that_is_assigned_by_hand(house: House) -> None:
    guide = house.guide("ZQH900001")
    house.sender.send(event("DEP", 12, carrier_number="ZQASSIGNED", description=SAID, location={"city": NAME}))
    parked = CarrierEvent.objects.get(number="ZQASSIGNED")
    page = reverse("admin:shipments_carrierevent_assign_guide", args=[parked.pk])
    assert house.staff.post(page, {STEP: RUN, "tracking_code": guide.tracking_code}).status_code == 302


@door
def what_a_carrier_answers_when_it_is_asked(house: House) -> None:
    """It takes the way of its webhooks: a stored body, done again by an operator."""
    theirs = make_sender("zq-asked", adapter="easypost", scheme="hmac", source="courier_scan")
    CarrierNumber.objects.create(carrier=theirs.carrier, number="EZ9", guide=house.guide("ZQH900001"))
    detail = {"object": "TrackingDetail", "status": "in_transit", "datetime": at(13), "message": SAID}
    detail["tracking_location"] = {"city": NAME}  # type: ignore[assignment]  # any JSON
    body = {"result": {"object": "Tracker", "tracking_code": "EZ9", "signed_by": NAME, "tracking_details": [detail]}}
    receipt = store_receipt(theirs.carrier, json.dumps(body).encode())
    process(receipt)
    page = reverse("admin:shipments_carrierreceipt_repeat", args=[receipt.pk])
    assert house.staff.post(page, {STEP: RUN}).status_code == 302


@door
def headers_paths_and_queries(house: House) -> None:
    """A person where nobody expects one. The log is searched by the test."""
    headers = {**house.acme.headers, "X-Request-Id": NAME, "User-Agent": SAID, "Idempotency-Key": RUT, "Referer": EMAIL}
    for path in (f"guides/{RUT}", f"mawbs?mawb={NAME}", f"guides?consignee={RUT}", f"mawbs?cursor={NAME}"):
        assert house.acme.client.get(f"{BASE}/{path}", headers=headers).status_code in {200, 400, 404}
    house.acme.client.post(f"{BASE}/mawbs/{RUT}/void", f'{{"reason": "{NAME}"', "application/json", headers=headers)
    house.scanner.get(f"/guides?hawb={NAME}&company=ACME")
    house.scanner.get(f"/mawbs/{RUT}")


# --- last -------------------------------------------------------------------------------------------------------


@door
def a_manifest_that_is_voided(house: House) -> None:
    manifest = house.guide(BATCH_HAWB).manifest
    sent = {"reason": SAID, "typed": manifest.mawb, STEP: RUN}
    assert house.staff.post(of_manifest(manifest, "void"), sent).status_code == 302


@door
def a_job_that_is_read_after_the_erasure(house: House) -> None:
    queue(house, book(LATE_HAWB, MAWBS[8]))


@door
def a_job_that_is_refused_after_the_erasure(house: House) -> None:
    queue(house, unknown_book(MAWBS[9]))
