"""Every entrance of the product, continued: carriers, layouts, moving in, endings, and what comes after an erasure."""

import json
from io import BytesIO, StringIO
from typing import Any

from django.core.management import call_command
from django.urls import reverse
from openpyxl import load_workbook

from base.admin.confirmed_action import RUN, STEP
from shipments.carriers.guides import bind_by_hand
from shipments.carriers.processing import process, store_receipt
from shipments.models import (
    Action,
    CarrierCode,
    CarrierEvent,
    CarrierNumber,
    EventOutcome,
    Guide,
    Layout,
)
from tests.books import workbook_bytes
from tests.conftest import BASE, as_file
from tests.documents import guide as json_guide, manifest as json_manifest
from tests.leaks.doors import DOORS, door
from tests.leaks.house import (
    BATCH_HAWB,
    HAWB,
    HEADINGS,
    JOB_HAWB,
    JSON_HAWB,
    LATE_HAWB,
    MAWBS,
    NUMBER,
    SAID,
    House,
    book,
    call_with_file,
    other,
    queue,
    row,
    unknown_book,
)
from tests.leaks.marked import EMAIL, NAME, NOTE, PERSON, RUT
from tests.shipments.admin.pages import GUIDES, moved, of_manifest, ticked, told
from tests.shipments.carriers.sending import BODIES, at, event, make_sender
from tests.shipments.inbound.scanning import opened, scan
from tests.shipments.layouts.telling import HEADINGS as STRANGE, strange

__all__ = ["DOORS"]

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
    call_with_file("import_layouts", json.dumps(layouts), ".json", before=["RIVAL"])


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


def moving(hawb: str, mawb: str, code: str) -> str:
    past = [
        {"status": "registered", "occurred_at": "2026-11-18T09:00:00-03:00"},
        {"status": "in_transit", "occurred_at": "2026-11-19T09:00:00-03:00", "reason": SAID},
    ]
    person: dict[str, Any] = {**PERSON, "hawb": hawb, "tracking_code": code, "events": past}
    return json.dumps(json_manifest(json_guide(1, **person), mawb=mawb))


@door
def a_client_that_moves_in(house: House) -> None:
    """Checked, refused and written in the admin."""
    page = reverse("move-in", args=[house.acme.company.pk])
    good, refused = moving("ZQH900001", MAWBS[15], "ZQMOVED01"), moving("ZQH900002", MAWBS[16], NAME)
    statuses = [
        house.staff.post(page, {"file": as_file(content.encode(), f"{NAME}.json"), **further}).status_code
        for content, further in ((good, {"check": "1"}), (good, {}), (refused, {}))
    ]
    assert statuses[2] == 400
    assert set(statuses[:2]) <= {200, 302}
    assert house.guide("ZQH900001").events.filter(client_note=SAID).exists()


@door
def statuses_by_command(_house: House) -> None:
    """A guide moved in by the command, and each command that takes a text about it."""
    content = moving("ZQH900003", MAWBS[17], "ZQMOVED03")
    call_with_file("import_guides", content, ".json", "--country", "CL", before=["ACME"])
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
