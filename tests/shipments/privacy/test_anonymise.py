"""manage.py anonymise: what is removed, what stays, and what the admin shows of it."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError
from django.test import Client
from django.utils import timezone

from base.admin.confirmed_action import RUN, STEP
from base.errors import ValidationFailed
from shipments.files.storage import DurableStorage
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS
from shipments.models import Guide, GuideEvent, Manifest, ManifestFile
from shipments.privacy.anonymise import BLANK
from shipments.tracking.review import lift_retention
from shipments.tracking.totals import check_totals
from shipments.tracking.voiding import void_manifest
from tests.books import guide_row, workbook_bytes
from tests.companies.admin_pages import operator
from tests.conftest import Caller
from tests.shipments.admin.pages import of_guide, of_manifest, text_of
from tests.shipments.manifests import payloads
from tests.shipments.privacy.conftest import PDF, PERSON, SOMEBODY_ELSE, Run, guide, later, stored
from tests.shipments.shipping import assert_sound, correct_as_operator, shipped, tell
from webhooks.models import Delivery, State
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

KEPT = {
    "id", "manifest_id", "company_id", "hawb", "tracking_code", "status", "weight_kg", "packages_count",
    "platform_name", "bag",
    "created_at", "reviewed_at", "reviewed_by", "retention_required", "retention_lifted_at", "retention_lifted_by",
    "anonymised_at", "updated_at", "sequence", "customs_since", "vat_collected",
}  # fmt: skip


class TestWhatGoes:
    @pytest.fixture
    def erased(self, uploaded: dict[str, Manifest], run: Run) -> Manifest:
        """ACME's manifest after Marta was forgotten; everything that can quote her did before."""
        manifest = uploaded["ACME"]
        marta = guide(manifest, "M1")
        register(manifest.company, "https://example.com/hook")
        tell(marta, "in_transit", internal_note="Handed to Marta Quispe's neighbour")
        Delivery.objects.update(state=State.DELIVERED, finished_at=timezone.now(), excerpt="thanks for Marta Quispe")
        about = {"row_index": 4, "code": "x", "params": {"taken": "Marta"}}
        manifest.warnings = [{**about, "hawb": f"{h}1"} for h in "MP"]
        manifest.save(update_fields=["warnings"])
        run("anonymise", "--document", "-", stdin=PERSON)
        manifest.refresh_from_db()
        return manifest

    def test_files_go_for_they_hold_everybody_and_remarks_lose_their_words_for_that_hawb_alone(
        self, erased: Manifest, media: Path
    ) -> None:
        assert not erased.files.exists()
        assert erased.files_erased_at is not None
        assert stored(media) == 0
        assert [remark["params"] for remark in erased.warnings] == [{}, {"taken": "Marta"}]

    def test_what_is_quoted_of_the_workbook_goes_with_the_last_guide(self, erased: Manifest, run: Run) -> None:
        def quoted(manifest: Manifest) -> list[str]:
            left_out = (manifest.row_account or {})["left_out_rows"]
            asked = [column for question in manifest.questions for column in question["columns"]]
            headed = [*(manifest.columns or []), *manifest.kept_columns, *asked]
            others = [*(column["key"] for column in manifest.kept_columns), *(column["samples"] for column in asked)]
            return [*(column["heading"] for column in headed), *(row["hawb"] for row in left_out), *others]

        named = {"row_index": 9, "reason": "no_consignee", "hawb": "MARTA", "sheet": "M"}
        erased.row_account = {**(erased.row_account or {}), "left_out_rows": [named]}
        erased.kept_columns = [{"column": "I", "heading": "MARTA", "key": "x_marta"}]
        column = {"column": "J", "heading": "Peso de MARTA", "samples": ["1.5"]}
        erased.questions = [{"field": "weight_kg", "reason": "weak_heading", "columns": [column]}]
        erased.save(update_fields=["row_account", "kept_columns", "questions"])
        assert all(quoted(erased))
        assert not Manifest.objects.exclude(anonymised_at=None).exists()
        run("anonymise", "--document", "-", stdin=SOMEBODY_ELSE)
        erased.refresh_from_db()
        assert erased.anonymised_at is not None
        assert [remark["params"] for remark in erased.warnings] == [{}, {}]
        assert not any(quoted(erased))
        assert erased.columns
        assert erased.columns[0] == {"field": "hawb", "heading": "", "column": "A", "strength": "sure"}

    def test_totals_stay_and_a_recount_agrees(self, erased: Manifest) -> None:
        assert (erased.total_guides, erased.total_fob_usd) == (2, Decimal("108.00"))
        assert list(check_totals(fix=True)) == []
        assert_sound(erased)
        erased.refresh_from_db()
        assert erased.total_fob_usd == Decimal("108.00")

    def test_the_api_answers_by_the_contracts_types(self, erased: Manifest, acme: Caller) -> None:
        answer = acme.get(f"/guides/{guide(erased, 'M1').tracking_code}")
        assert answer.status_code == 200
        body = answer.json()
        assert (body["consignee_name"], body["description_original"], body["fob_usd"]) == ("", "", None)
        assert (body["hawb"], body["weight_kg"], body["packages_count"]) == ("M1", 1.5, 1)
        assert [event["status"] for event in body["events"]] == ["registered", "in_transit"]

    def test_the_guide_still_moves_and_keeps_no_new_reason(self, erased: Manifest) -> None:
        marta = guide(erased, "M1")
        assert tell(marta, "delivered", client_note="Signed by Marta Quispe").outcome == "advanced"
        notes = GuideEvent.objects.filter(guide=marta).values_list("internal_note", "client_note")
        assert not any(note for both in notes for note in both)
        newest = Delivery.objects.filter(subject=marta.tracking_code).latest("pk")
        assert b"guide.delivered" in bytes(newest.body)
        assert b"Marta" not in bytes(newest.body)

    def test_a_correction_that_comes_too_late_is_refused(self, erased: Manifest) -> None:
        with pytest.raises(ValidationFailed):
            correct_as_operator(guide(erased, "M1"), {"consignee_name": "Marta Quispe"}, actor="olga")
        assert guide(erased, "M1").consignee_name == ""


def test_nothing_is_left_of_what_the_json_endpoint_took(acme: Caller, run: Run) -> None:
    """Every column that was filled is blank or one of those that say what happened to a parcel."""
    row = payloads.guide(
        "PE",
        consignee_address="Jr. Union 1", consignee_city="Lima", consignee_region="Lima", consignee_postal_code="15001",
        consignee_phone="+51 1", consignee_email="m@example.com", shipper_name="Tia Rosa", category=4,
        fob_usd=2500, product_value=2500, hs_code="640399", platform_name="Market",
        extra_data={"note": "for Maria Perez"}, products=[payloads.product(unit_value=2500)],
    )  # fmt: skip
    answer = acme.post_json(payloads.body(row, to="PE"))
    assert answer.status_code == 201, answer.json()
    before: dict[str, Any] = dict(Guide.objects.values().get())
    run("anonymise", "--document", "-", stdin="12345678")
    after: dict[str, Any] = dict(Guide.objects.values().get())
    assert {name for name in after if name not in BLANK} == KEPT
    same = KEPT - {"anonymised_at", "updated_at"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert {name: after[name] for name in BLANK} == dict(BLANK)
    assert after["retention_required"], "what customs keeps it keeps"


def test_values_that_a_correction_quoted_leave_the_admins_log(acme: Caller, run: Run) -> None:
    manifest = shipped(acme.company, 2, consignee_document="nonsense", review_reasons=("rut_invalid_format",))
    marta, other = manifest.guides.order_by("pk")
    staff = operator("view_guide", "change_guide")
    for corrected, document in ((marta, "12.345.678-5"), (other, "7.654.321-6")):
        form = dict.fromkeys(CONSIGNEE_FIELDS, "") | {"consignee_name": "Marta Quispe", "consignee_document": document}
        assert staff.post(of_guide(corrected, "correct_consignee"), {**form, STEP: RUN}).status_code == 302
    staff.get(of_guide(marta))
    said = run("anonymise", "--document", "-", stdin=PERSON)
    assert "activity log entries: 1," in said
    messages = {
        pk: list(LogEntry.objects.filter(object_id=str(pk)).order_by("pk").values_list("change_message", flat=True))
        for pk in (marta.pk, other.pk)
    }
    assert "Marta" not in str(messages[marta.pk])
    assert "consignee_name" in messages[marta.pk][0]
    assert "guide_opened" in str(messages[marta.pk]), "who saw it stays known"
    assert "Marta Quispe" in str(messages[other.pk])


def test_a_dry_run_counts_and_changes_nothing(uploaded: dict[str, Manifest], run: Run, media: Path) -> None:
    tell(guide(uploaded["ACME"], "M1"), "in_transit", internal_note="Left with Marta")
    before = list(Guide.objects.order_by("pk").values())
    said = run("anonymise", "--document", "-", "--dry-run", stdin=PERSON)
    assert "Would anonymise 2 guides of 2 manifests; files: 4, reasons of events: 1." in said
    with later(days=10):
        said = run("anonymise", "--older-than", "5", "--dry-run")
    assert "Would anonymise 4 guides of 2 manifests; files: 4, reasons of events: 1." in said
    assert list(Guide.objects.order_by("pk").values()) == before
    assert stored(media) == 4
    assert GuideEvent.objects.filter(internal_note="Left with Marta").exists()


def test_a_file_that_cannot_be_deleted_is_reported_and_swept_later(
    uploaded: dict[str, Manifest], run: Run, monkeypatch: pytest.MonkeyPatch  # noqa: ARG001  # for what it leaves
) -> None:  # fmt: skip
    with monkeypatch.context() as broken:
        broken.setattr(DurableStorage, "delete", _refuse)
        with pytest.raises(CommandError, match="4 files could not be deleted"):
            run("anonymise", "--document", "-", stdin=PERSON)
    assert not ManifestFile.objects.exists()
    assert "Deleted 4 stored" in run("sweep_files", "--older-than-hours", "0")


def _refuse(*_arguments: object) -> None:
    raise PermissionError("read-only file system")


def test_the_admin_shows_what_was_anonymised(uploaded: dict[str, Manifest], run: Run, admin_client: Client) -> None:
    Guide.objects.update(needs_review=True)
    run("anonymise", "--document", "-", stdin=PERSON)
    manifest = uploaded["ACME"]
    page = text_of(admin_client.get(of_guide(guide(manifest, "M1"))))
    assert "is not kept" in page or "are not stored" in page
    assert "Mark as reviewed" not in page
    assert "are not stored" not in text_of(admin_client.get(of_guide(guide(manifest, "P1"))))
    assert "The stored files were erased" in text_of(admin_client.get(of_manifest(manifest)))
    listed = text_of(admin_client.get(of_guide(guide(manifest, "M1")).rsplit("/", 3)[0] + "/"))
    assert listed.count(">anonymised<") == 2


def test_reasons_that_are_given_afterwards_are_not_kept(acme: Caller, run: Run) -> None:
    manifest = shipped(acme.company, 1, retention_reason="FOB")
    with later(days=10):
        run("anonymise", "--older-than", "5")
    lifted = lift_retention(guide(manifest, "H001"), reason="Marta paid", actor="ana")
    assert (lifted.retention_required, lifted.retention_lifted_by, lifted.retention_lifted_reason) == (False, "ana", "")
    void_manifest(manifest, reason="Marta sent it twice", actor="ana")
    manifest.refresh_from_db()
    assert (manifest.voided_by, manifest.void_reason) == ("ana", "")
    assert set(GuideEvent.objects.values_list("internal_note", flat=True)) == {""}


def test_an_anonymised_manifest_is_offered_and_takes_no_invoice(acme: Caller, run: Run, admin_client: Client) -> None:
    manifest = shipped(acme.company, 1)
    attach = of_manifest(manifest, "attach_invoice")
    assert attach in text_of(admin_client.get(of_manifest(manifest)))
    with later(days=10):
        run("anonymise", "--older-than", "5")
    assert attach not in text_of(admin_client.get(of_manifest(manifest)))
    sent = {STEP: RUN, "invoice_file": SimpleUploadedFile("invoice.pdf", PDF)}
    assert "files can no longer be attached" in text_of(admin_client.post(attach, sent))
    assert not ManifestFile.objects.exists()


def test_findings_stay_without_their_parameters(acme: Caller, run: Run, admin_client: Client) -> None:
    rows = [guide_row(1), guide_row(1, Contenido="Reloj"), guide_row(2, RUT=None)]
    acme.upload(workbook_bytes(rows, labels={"Vuelo": "LA2369 / LA2371"}))
    manifest = Manifest.objects.get()
    assert any(each["params"] for each in manifest.notices)
    with later(days=10):
        run("anonymise", "--older-than", "5")
    manifest.refresh_from_db()
    assert not any(each["params"] for each in (*manifest.warnings, *manifest.notices))
    page = text_of(admin_client.get(of_manifest(manifest), headers={"accept-language": "en"}))
    assert "Several rows have the same HAWB and consignee" in page
    assert "The RUT is missing. The guide was created and is marked for review." in page
    assert "%(" not in page
