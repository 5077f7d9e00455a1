"""manage.py anonymise: what goes, what stays, and that a run that was stopped is finished by the next."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from shipments.admin.steps import RUN, STEP
from shipments.errors import ValidationFailed
from shipments.models import Guide, GuideEvent, Manifest, ManifestFile
from shipments.privacy import anonymise
from shipments.privacy.person import Documents
from shipments.privacy.personal_fields import BLANK
from shipments.review import CONSIGNEE_FIELDS, correct_consignee
from shipments.storage import DurableStorage
from shipments.totals import check_totals
from tests.companies.desk import operator
from tests.conftest import Caller
from tests.desk.pages import of_guide, of_manifest, text_of
from tests.manifests import payloads
from tests.privacy.conftest import PERSON, guide
from tests.shipments.shipping import assert_sound, shipped, tell
from webhooks.models import Delivery, State
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

Run = Callable[..., str]
KEPT = {
    "id", "manifest_id", "hawb", "tracking_code", "status", "weight_kg", "packages_count", "platform_name",
    "created_at", "reviewed_at", "reviewed_by", "retention_required", "retention_lifted_at", "retention_lifted_by",
    "anonymised_at",
}  # fmt: skip


def later(days: int) -> Any:
    return time_machine.travel(timezone.now() + timedelta(days=days), tick=True)


def stored(media: Path) -> int:
    return sum(path.is_file() for path in media.rglob("*") if ".incoming" not in path.parts)


class TestByDocument:
    def test_blanks_the_persons_guides_with_every_company_and_nobody_elses(
        self, uploaded: dict[str, Manifest], run: Run
    ) -> None:
        before = {each.pk: each for each in Guide.objects.filter(hawb="P1")}
        said = run("anonymise", "--document", "-", stdin=f"{PERSON}\n")
        assert "Anonymised 2 guides of 2 manifests" in said
        for manifest in uploaded.values():
            gone, other = guide(manifest, "M1"), guide(manifest, "P1")
            assert {name: getattr(gone, name) for name in BLANK} == dict(BLANK)
            assert gone.anonymised_at is not None
            assert {name: getattr(other, name) for name in BLANK} == {
                name: getattr(before[other.pk], name) for name in BLANK
            }
            assert other.anonymised_at is None

    @pytest.mark.parametrize(
        "typed", ["12.345.678-5", "123456785", " 12 345 678 - 5 ", "012345678-5", "12.345.678\u20115"]
    )
    def test_finds_a_document_however_it_is_typed(self, uploaded: dict[str, Manifest], run: Run, typed: str) -> None:  # noqa: ARG002  # for what it leaves
        assert "Anonymised 2 guides" in run("anonymise", "--document", "-", stdin=typed)

    @pytest.mark.parametrize(
        ("kept", "typed"),
        [
            ("12.345.678-9", "123456789"),  # an invalid RUT stays as it came
            ("1.234.567 8-9", "12345678-9"),
            ("ab-123.456", "AB123456"),  # a passport in the column of RUTs
            (".12345678-9", "12.345.678-9"),
            ("1\u20132345678 9", "123456789"),
        ],
    )
    def test_finds_what_was_kept_as_it_came(self, acme: Caller, run: Run, kept: str, typed: str) -> None:
        shipped(acme.company, 1, consignee_document=kept, consignee_name="Marta")
        assert "Anonymised 1 guides" in run("anonymise", "--document", "-", stdin=typed)

    def test_leaves_documents_that_only_begin_alike(self, acme: Caller, run: Run) -> None:
        shipped(acme.company, 1, consignee_document="123456785", consignee_name="Marta")
        shipped(acme.company, 1, consignee_document="1234567851", consignee_name="Juana")
        shipped(acme.company, 1, consignee_document="12345678", consignee_name="Rosa")
        run("anonymise", "--document", "-", stdin="12345678-5")
        assert set(Guide.objects.values_list("consignee_name", flat=True)) == {"", "Juana", "Rosa"}

    def test_several_documents_of_a_person_come_one_a_line(self, acme: Caller, run: Run) -> None:
        shipped(acme.company, 1, consignee_document="20267565393", country="AR")
        shipped(acme.company, 1, consignee_document="26756539", country="AR")
        assert "Anonymised 2 guides of 2" in run("anonymise", "--document", "-", stdin="20-26756539-3\n\n26.756.539\n")

    def test_a_country_keeps_apart_whom_a_number_means_there(self, acme: Caller, run: Run) -> None:
        shipped(acme.company, 1, consignee_document="26756539", country="AR", consignee_name="Marta")
        shipped(acme.company, 1, consignee_document="26756539", country="PE", consignee_name="Rosa")
        run("anonymise", "--document", "-", "--country", "AR", stdin="26756539")
        assert set(Guide.objects.values_list("manifest__country", "consignee_name")) == {("AR", ""), ("PE", "Rosa")}

    @pytest.mark.parametrize("typed", ["", "\n \n", "123", "1" * 33, "Marta Quispe", "11.111.111-1", "1234*678"])
    def test_refuses_what_is_no_persons_document_without_repeating_it(self, run: Run, typed: str) -> None:
        with pytest.raises(CommandError) as refused:
            run("anonymise", "--document", "-", stdin=typed)
        assert not typed.strip() or typed not in str(refused.value)

    def test_takes_no_document_as_an_argument(self, run: Run) -> None:
        with pytest.raises(CommandError) as refused:
            run("anonymise", "--document", PERSON)
        assert PERSON not in str(refused.value)

    def test_finds_nobody_a_second_time(self, uploaded: dict[str, Manifest], run: Run) -> None:  # noqa: ARG002  # for what it leaves
        run("anonymise", "--document", "-", stdin=PERSON)
        assert "Anonymised 0 guides of 0 manifests" in run("anonymise", "--document", "-", stdin=PERSON)

    def test_asks_the_index_not_the_table(self, acme: Caller) -> None:
        shipped(acme.company, 1)
        if connection.vendor != "postgresql":
            pytest.skip("SQLite compares beginnings without an index")
        with connection.cursor() as cursor, CaptureQueriesContext(connection) as asked:
            cursor.execute("SET LOCAL enable_seqscan = off")
            Documents([PERSON]).guides()
            cursor.execute(f"EXPLAIN {asked[-1]['sql']}")
            plan = "\n".join(row[0] for row in cursor.fetchall())
        assert "guide_by_document" in plan
        assert "Seq Scan" not in plan


class TestWhatGoes:
    @pytest.fixture
    def erased(self, uploaded: dict[str, Manifest], run: Run) -> Manifest:
        """ACME's manifest after Marta was forgotten; everything that can quote her did before."""
        manifest = uploaded["ACME"]
        marta = guide(manifest, "M1")
        register(manifest.company, "https://example.com/hook")
        tell(marta, "in_transit", reason="Handed to Marta Quispe's neighbour")
        Delivery.objects.update(state=State.DELIVERED, finished_at=timezone.now(), excerpt="thanks for Marta Quispe")
        manifest.warnings = [{"row_index": n, "hawb": f"{h}1", "message": f"about {h}"} for n, h in enumerate("MP")]
        manifest.save(update_fields=["warnings"])
        run("anonymise", "--document", "-", stdin=PERSON)
        manifest.refresh_from_db()
        return manifest

    def test_files_go_for_they_hold_everybody(self, erased: Manifest, media: Path) -> None:
        assert not erased.files.exists()
        assert erased.files_erased_at is not None
        assert stored(media) == 0

    def test_reasons_of_events_go_and_the_events_stay(self, erased: Manifest) -> None:
        events = guide(erased, "M1").events.values_list("status", "reason")
        assert list(events) == [("registered", ""), ("in_transit", "")]

    def test_bodies_and_excerpts_of_deliveries_lose_their_texts(self, erased: Manifest) -> None:
        (delivery,) = Delivery.objects.filter(subject=guide(erased, "M1").tracking_code)
        assert b"Marta" not in bytes(delivery.body)
        assert b'"status":"in_transit"' in bytes(delivery.body)
        assert delivery.excerpt == ""

    def test_remarks_lose_their_words_for_that_hawb_alone(self, erased: Manifest) -> None:
        assert [remark["message"] for remark in erased.warnings] == ["", "about P"]

    def test_a_manifest_is_done_only_with_its_last_guide(self, erased: Manifest, run: Run) -> None:
        done = Manifest.objects.filter(pk=erased.pk).exclude(anonymised_at=None)
        assert not done.exists()
        run("anonymise", "--document", "-", stdin="7654321-6")
        assert {remark["message"] for remark in done.get().warnings} == {""}

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
        assert tell(marta, "delivered", reason="Signed by Marta Quispe").outcome == "advanced"
        assert not GuideEvent.objects.filter(guide=marta).exclude(reason="").exists()
        newest = Delivery.objects.filter(subject=marta.tracking_code).latest("pk")
        assert b"guide.delivered" in bytes(newest.body)
        assert b"Marta" not in bytes(newest.body)

    def test_a_correction_that_comes_too_late_is_refused(self, erased: Manifest) -> None:
        with pytest.raises(ValidationFailed):
            correct_consignee(guide(erased, "M1"), {"consignee_name": "Marta Quispe"}, actor="olga")
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
    assert {name: after[name] for name in KEPT - {"anonymised_at"}} == {
        name: before[name] for name in KEPT - {"anonymised_at"}
    }
    assert {name: after[name] for name in BLANK} == dict(BLANK)
    assert after["retention_required"], "what customs keeps it keeps"


def test_values_that_a_correction_quoted_leave_the_admins_log(acme: Caller, run: Run) -> None:
    manifest = shipped(acme.company, 2, consignee_document="nonsense", review_reasons=("rut_invalid_format",))
    marta, other = manifest.guides.order_by("pk")
    desk = operator("view_guide", "change_guide")
    for corrected, document in ((marta, "12.345.678-5"), (other, "7.654.321-6")):
        form = dict.fromkeys(CONSIGNEE_FIELDS, "") | {"consignee_name": "Marta Quispe", "consignee_document": document}
        assert desk.post(of_guide(corrected, "correct_consignee"), {**form, STEP: RUN}).status_code == 302
    desk.get(of_guide(marta))
    said = run("anonymise", "--document", "-", stdin=PERSON)
    assert "entries of the desk's log: 1," in said
    messages = {
        pk: list(LogEntry.objects.filter(object_id=str(pk)).order_by("pk").values_list("change_message", flat=True))
        for pk in (marta.pk, other.pk)
    }
    assert "Marta" not in str(messages[marta.pk])
    assert "consignee_name" in messages[marta.pk][0]
    assert "Opened." in str(messages[marta.pk]), "who saw it stays known"
    assert "Marta Quispe" in str(messages[other.pk])


class TestByAge:
    def test_takes_what_came_before_and_leaves_what_came_after(
        self, uploaded: dict[str, Manifest], acme: Caller, run: Run, media: Path
    ) -> None:
        with later(days=10):
            young = shipped(acme.company, 1, consignee_name="Young")
            said = run("anonymise", "--older-than", "5")
        assert "Anonymised 4 guides of 2 manifests; files: 4," in said
        assert set(Guide.objects.exclude(manifest=young).values_list("consignee_name", flat=True)) == {""}
        assert guide(young, "H001").consignee_name == "Young"
        assert stored(media) == 0
        assert all(each.anonymised_at for each in Manifest.objects.filter(pk__in=[one.pk for one in uploaded.values()]))
        assert list(check_totals()) == []

    def test_voided_manifests_and_those_without_guides_go_too(self, acme: Caller, run: Run) -> None:
        manifest = shipped(acme.company, 1, consignee_name="Marta")
        Manifest.objects.update(voided_at=timezone.now(), void_reason="Marta sent it twice")
        shipped(acme.company, 0)
        with later(days=10):
            assert "of 2 manifests" in run("anonymise", "--older-than", "5")
        manifest.refresh_from_db()
        assert manifest.void_reason == ""
        assert guide(manifest, "H001").consignee_name == ""

    def test_a_run_that_died_is_finished_by_the_next(
        self, acme: Caller, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        manifest = shipped(acme.company, 7, consignee_name="Marta", fob_usd=Decimal("1.10"))
        monkeypatch.setattr(anonymise, "BATCH_GUIDES", 2)
        monkeypatch.setattr(anonymise, "forget_texts", _dying_after(2))
        with later(days=10):
            with pytest.raises(DatabaseError):
                run("anonymise", "--older-than", "5")
            assert Guide.objects.filter(anonymised_at=None).count() == 3, "two batches stand, the third left nothing"
            monkeypatch.undo()
            run("anonymise", "--older-than", "5")
        assert not Guide.objects.filter(anonymised_at=None).exists()
        manifest.refresh_from_db()
        assert manifest.anonymised_fob_usd == Decimal("7.70")
        assert list(check_totals()) == []

    def test_works_in_more_batches_than_one_read(self, acme: Caller, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(anonymise, "READ_MANIFESTS", 2)
        for _ in range(5):
            shipped(acme.company, 1, consignee_name="Marta")
        with later(days=10):
            assert "Anonymised 5 guides of 5 manifests" in run("anonymise", "--older-than", "5")

    @pytest.mark.parametrize("days", ["0", "-3", "99999999"])
    def test_refuses_days_that_make_no_sense(self, run: Run, days: str) -> None:
        with pytest.raises(CommandError):
            run("anonymise", "--older-than", days)

    def test_only_a_persons_older_guides_when_both_are_asked(self, acme: Caller, run: Run) -> None:
        shipped(acme.company, 1, consignee_document=PERSON)
        with later(days=10):
            shipped(acme.company, 1, consignee_document=PERSON)
            assert "Anonymised 1 guides" in run("anonymise", "--older-than", "5", "--document", "-", stdin=PERSON)


def _dying_after(batches: int) -> Callable[..., int]:
    done = iter(range(batches))

    def forget_texts(_company_id: int, _subjects: object) -> int:
        if next(done, None) is None:
            raise DatabaseError("the server went away")
        return 0

    return forget_texts


class TestBySettings:
    def test_says_that_both_are_off_and_does_nothing(
        self, uploaded: dict[str, Manifest], run: Run, media: Path
    ) -> None:
        with later(days=4000):
            said = run("anonymise")
        assert "RETENTION_DAYS_PERSONAL_DATA is off" in said
        assert "RETENTION_DAYS_FILES is off" in said
        assert not Guide.objects.exclude(anonymised_at=None).exists()
        assert stored(media) == 2 * len(uploaded)

    def test_files_alone_go_at_their_age(
        self, uploaded: dict[str, Manifest], run: Run, settings: Any, media: Path
    ) -> None:
        settings.RETENTION_DAYS_FILES = 30
        with later(days=31):
            assert "files: 4" in run("anonymise", dry_run=True)
            assert "Anonymised 0 guides of 0 manifests; files: 4" in run("anonymise")
        assert stored(media) == 0
        for manifest in uploaded.values():
            manifest.refresh_from_db()
            assert (manifest.files_erased_at is not None, manifest.anonymised_at) == (True, None)
            assert guide(manifest, "M1").consignee_name == "Marta Quispe"

    def test_people_go_at_theirs(self, uploaded: dict[str, Manifest], run: Run, settings: Any) -> None:  # noqa: ARG002  # for what it leaves
        settings.RETENTION_DAYS_FILES, settings.RETENTION_DAYS_PERSONAL_DATA = 30, 300
        with later(days=299):
            assert "Anonymised 0 guides" in run("anonymise")
        with later(days=301):
            assert "Anonymised 4 guides of 2 manifests; files: 0" in run("anonymise")


def test_a_dry_run_counts_and_changes_nothing(uploaded: dict[str, Manifest], run: Run, media: Path) -> None:
    tell(guide(uploaded["ACME"], "M1"), "in_transit", reason="Left with Marta")
    before = list(Guide.objects.order_by("pk").values())
    said = run("anonymise", "--document", "-", "--dry-run", stdin=PERSON)
    assert "Would anonymise 2 guides of 2 manifests; files: 4, reasons of events: 1." in said
    with later(days=10):
        said = run("anonymise", "--older-than", "5", "--dry-run")
    assert "Would anonymise 4 guides of 2 manifests; files: 4, reasons of events: 1." in said
    assert list(Guide.objects.order_by("pk").values()) == before
    assert stored(media) == 4
    assert GuideEvent.objects.filter(reason="Left with Marta").exists()


def test_a_file_that_cannot_be_deleted_is_told_and_swept_later(
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


def test_the_desk_shows_what_was_anonymised(uploaded: dict[str, Manifest], run: Run, admin_client: Client) -> None:
    Guide.objects.update(needs_review=True)
    run("anonymise", "--document", "-", stdin=PERSON)
    manifest = uploaded["ACME"]
    page = text_of(admin_client.get(of_guide(guide(manifest, "M1"))))
    assert "is not kept" in page or "are not kept" in page
    assert "Mark as reviewed" not in page
    assert "are not kept" not in text_of(admin_client.get(of_guide(guide(manifest, "P1"))))
    assert "The stored files were erased" in text_of(admin_client.get(of_manifest(manifest)))
    listed = text_of(admin_client.get(of_guide(guide(manifest, "M1")).rsplit("/", 3)[0] + "/"))
    assert listed.count(">anonymised<") == 2
