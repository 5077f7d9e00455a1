"""Every entrance of the product, and a marked person put through each: `DOORS`, in the order of their use.

Here are clients, operators and their programs; `later_doors` adds the others.
"""

import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from base.admin.confirmed_action import RUN, STEP
from shipments.layouts.answering import answer_layout
from shipments.models import (
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
from shipments.outgoing import OF_GUIDE, suggest_columns
from shipments.statuses import GuideStatus
from shipments.tracking.taking_back import take_back
from shipments.tracking.withdrawals import Withdrawal
from tests.books import workbook_bytes
from tests.conftest import BASE, as_file
from tests.documents import guide as json_guide, manifest as json_manifest
from tests.leaks.house import (
    BATCH_HAWB,
    HAWB,
    HEADINGS,
    JOB_HAWB,
    JSON_HAWB,
    MAWBS,
    NUMBER,
    PDF,
    SAID,
    House,
    book,
    call_with_file,
    other,
    queue,
    row,
    unknown_book,
    work,
)
from tests.leaks.marked import ADDRESS, EMAIL, NAME, NOTE, PERSON, RUT
from tests.shipments.admin.pages import GUIDES, moved, of_guide, of_manifest, ticked, told
from tests.shipments.inbound.scanning import opened, scan, scanned
from tests.shipments.layouts.rows import make_layout, questions as layout_questions
from tests.shipments.shipping import tell
from webhooks.models import Delivery, DeliveryAttempt, State
from webhooks.subscriptions import register_signed

Door = Callable[[House], None]
DOORS: list[Door] = []


def door(enter: Door) -> Door:
    DOORS.append(enter)
    return enter


# --- clients ----------------------------------------------------------------------------------------------------


@door
def a_workbook_and_an_invoice(house: House) -> None:
    left_out = {**other(3), "HAWB": None, "Nombre destinatario": NAME}
    files = {
        "manifest_file": as_file(book(HAWB, MAWBS[0], left_out), f"{NAME}.xlsx"),
        "invoice_file": as_file(PDF, f"{NAME}.pdf"),
    }
    headers = {**house.acme.headers, "Idempotency-Key": f"order of {NAME}"}
    answer = house.acme.client.post(f"{BASE}/upload", files, headers=headers)
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


@door
def a_job_that_is_accepted(house: House) -> None:
    queue(house, book(JOB_HAWB, MAWBS[2]), **{NAME: RUT})
    work()
    assert house.guide(JOB_HAWB).manifest.mawb == MAWBS[2]


@door
def a_job_that_is_refused(house: House) -> None:
    queue(house, unknown_book(MAWBS[3]))
    work()
    job = UploadJob.objects.get(state="failed")
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
    columns = [{**column, "field": name} for name in OF_GUIDE for column in suggest_columns([name])]
    layout = OutgoingLayout.objects.create(
        name="Broker", country="CL", sheet="Carga", columns=columns, is_checked=True, company=house.acme.company
    )
    page = reverse("admin:shipments_manifest_broker", args=[house.guide().manifest_id])
    for kind in ("xlsx", "csv"):
        assert house.staff.get(page, {"layout": str(layout.pk), "format": kind}).getvalue()


@door
def a_review_and_a_retention(house: House) -> None:
    guide = house.guide()
    Guide.objects.filter(pk=guide.pk).update(review_reasons=[SAID], retention_reason=f"FOB of {NAME}")
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
def files_of_events(house: House) -> None:
    """One that is confirmed, one that nobody confirms, one whose columns are asked, and one by the command."""
    headings, guide, second = "tracking_code,status,internal_note", house.guide(), house.guide(JSON_HAWB)
    first: Any = None
    for name, content in (
        (NAME, f"{headings}\n{guide.tracking_code},on_hold,{NOTE}\n{NAME},{RUT},x\n"),
        (RUT, f"{headings}\n{second.tracking_code},on_hold,{NOTE}\n"),
        ("asked", f"Código,Estado raro,Notas\n{second.tracking_code},on_hold,{NAME}\n"),
    ):
        file = SimpleUploadedFile(f"{name}.csv", content.encode())
        answer: Any = house.staff.post(reverse("import-events"), {"file": file})
        first = first or answer
    assert first.status_code == 302
    house.staff.post(first.url, {STEP: RUN})
    call_with_file("import_events", f'{headings}\n{guide.tracking_code},in_transit,"{SAID}"\n', ".csv", "--no-color")


@door
def drafts_of_manifests(house: House) -> None:
    """Two that nobody confirms, with an invoice and as JSON, and one that is confirmed."""

    def enter(content: bytes, kind: str, **further: Any) -> str:
        file = as_file(content, f"{NAME}.{kind}")
        sent = {"company": house.acme.company.client_code, "manifest_file": file, **further}
        answer: Any = house.staff.post(reverse("enter-manifest"), sent)
        assert answer.status_code == 302
        return str(answer.url)

    hidden = workbook_bytes([row("ZQH600006")], mawb=MAWBS[4], header=HEADINGS)
    enter(hidden, "xlsx", invoice_file=as_file(PDF, f"{NAME}.pdf"))
    enter(json.dumps(json_manifest(json_guide(1, **dict[str, Any](PERSON)), mawb=MAWBS[5])).encode(), "json")
    assert ManifestDraft.objects.filter(manifest=None).count() == 2
    assert house.staff.post(enter(book(BATCH_HAWB, MAWBS[6]), "xlsx")).status_code == 302
    assert house.guide(BATCH_HAWB).manifest.mawb == MAWBS[6]


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
