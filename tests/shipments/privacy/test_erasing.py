"""An erasure with its receipt: at once, once more after the uploads before it, and to its end whatever happens."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base import encryption
from base.models import SavedView
from shipments.models import (
    CarrierEvent,
    CarrierReceipt,
    Erasure,
    Guide,
    InboundScan,
    Manifest,
    ManifestDraft,
    UploadJob,
)
from shipments.models.erasures import oldest_unfinished_at
from shipments.privacy import erasing, erasures_file
from shipments.privacy.anonymise import anonymise_guides
from shipments.privacy.person import Documents, Person
from shipments.privacy.record import personal_record
from tests.api.test_jobs import queue, work
from tests.books import guide_row, workbook_bytes
from tests.companies.operators.tokens.speaking import program
from tests.conftest import BASE, Caller, as_file
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.admin.entry.entering import PAGE as ENTER
from tests.shipments.carriers.sending import event, make_sender
from tests.shipments.inbound.scanning import opened, scan, scanned
from tests.shipments.privacy.conftest import PERSON, SOMEBODY_ELSE, Run, guide
from tests.shipments.shipping import correct_as_operator, shipped

pytestmark = pytest.mark.django_db

PAGE = reverse("privacy")
ASKED = {"documents": PERSON, "country": "CL", "reference": "PRIV-2026-014"}
ERASE = {**ASKED, "step": "erase", "typed": ASKED["reference"]}


@pytest.fixture
def officer(uploaded: dict[str, Manifest]) -> Client:  # noqa: ARG001  # something to erase
    return operator_of("CL", role="Privacy")


def test_a_document_in_the_extra_data_of_a_guide_elsewhere_is_found_told_and_erased(
    officer: Client, acme: Caller, rival: Caller
) -> None:
    """A doubtful column of documents leaves the field empty and its values in the extra data."""
    kept = {"asked_consignee_document_C": "12.345.678-5", "x_tono": "verde", "x_serie": "912345678501"}
    elsewhere = shipped(acme.company, 1, country="CL", extra_data=kept).guides.get()
    other = shipped(rival.company, 1, country="CL", extra_data={"x_serie": "912345678501"}).guides.get()
    page = text_of(officer.post(PAGE, ASKED))
    assert elsewhere.tracking_code in page
    assert other.tracking_code not in page
    record: list[Any] = list(personal_record(Person(Documents([PERSON]))))
    assert [row["extra_data"]["extra_data"] for row in record if "extra_data" in row] == [["12.345.678-5"]]
    officer.post(PAGE, ERASE)
    for each, left in ((elsewhere, {"x_tono": "verde", "x_serie": "912345678501"}), (other, other.extra_data)):
        each.refresh_from_db()
        assert {key: text for key, text in each.extra_data.items() if text in kept.values()} == left
        assert "12.345.678-5" not in str(each.extra_data)


def test_a_correction_of_the_consignee_mends_what_a_column_in_doubt_said_of_it(acme: Caller) -> None:
    kept = {
        "asked_consignee_name_B": "Marta Quispe",
        "asked_consignee_document_type_D": "RUT",
        "x_tono": "Marta Quispe",
    }
    guide = shipped(acme.company, 1, country="CL", extra_data=kept, consignee_document=PERSON).guides.get()
    correct_as_operator(guide, {"consignee_name": "Marta Rojas"}, actor="ana")
    guide.refresh_from_db()
    assert guide.extra_data == {**kept, "asked_consignee_name_B": "Marta Rojas"}
    path = f"{BASE}/guides/{guide.tracking_code}"
    sent = json.dumps({"consignee_name": "Marta Soto"})
    answer = acme.client.generic("PATCH", path, sent, "application/json", headers=acme.headers)
    assert answer.status_code == 200, answer.content
    guide.refresh_from_db()
    assert guide.extra_data == {**kept, "asked_consignee_name_B": "Marta Soto"}


def marta(hawb: str, mawb: str) -> bytes:
    row = guide_row(1, HAWB=hawb, RUT=PERSON, **{"Nombre destinatario": "Marta Quispe"})
    return workbook_bytes([row, guide_row(2, HAWB="X2", RUT=SOMEBODY_ELSE)], mawb=mawb)


def named() -> int:
    return Guide.objects.filter(consignee_name="Marta Quispe").count()


def erased(**person: Any) -> Erasure:
    whom = Person(Documents([PERSON]), **person)
    return erasing.erase_person(whom, reference="PRIV-1", actor="camila")[0]


class TestUploadsThatWait:
    def test_are_no_reason_to_wait_and_are_erased_once_they_are_read(self, officer: Client, acme: Caller) -> None:
        queue(acme, marta("M7", "045-10000012"))
        officer.post(PAGE, ERASE)
        receipt = Erasure.objects.get()
        assert (named(), receipt.guides, receipt.finished_at) == (0, 2, None)
        assert receipt.erased_at is not None
        page = reverse("admin:shipments_erasure_change", args=[receipt.pk])
        assert "once more after 1 upload is read" in text_of(officer.get(page))
        work()
        receipt.refresh_from_db()
        assert (named(), receipt.guides, receipt.manifests) == (0, 3, 3)
        assert receipt.finished_at is not None
        assert receipt.sealed_person == ""

    def test_that_came_after_it_are_a_new_purchase(self, officer: Client, acme: Caller) -> None:
        queue(acme, marta("M7", "045-10000012"))
        officer.post(PAGE, ERASE)
        queue(acme, marta("M8", "045-10000023"))
        work()
        assert [*Guide.objects.filter(consignee_name="Marta Quispe").values_list("hawb", flat=True)] == ["M8"]

    def test_of_companies_that_do_not_ship_there_are_not_waited_for(
        self, officer: Client, company_maker: Callable[..., Caller]
    ) -> None:
        lima = company_maker("LIMA", allowed_countries=["PE"]).company
        UploadJob.objects.create(company=lima, received={}, flight={}, language="en")
        officer.post(PAGE, ERASE)
        assert Erasure.objects.get().finished_at is not None


class TestKilledHalfWay:
    @pytest.fixture
    def begun(self, officer: Client, monkeypatch: pytest.MonkeyPatch) -> Erasure:
        """The process dies between two manifests; what its first run held has run out."""
        real, done = anonymise_guides, []

        def dies(guides: Any, **options: Any) -> Any:
            done.append(real(guides[:1], **options))
            raise KeyboardInterrupt

        with monkeypatch.context() as dying:
            dying.setattr(erasing, "anonymise_guides", dies)
            with pytest.raises(KeyboardInterrupt):
                officer.post(PAGE, ERASE)
        return Erasure.objects.get()

    def test_it_is_shown_as_begun_and_goes_on_by_itself(self, officer: Client, begun: Erasure) -> None:
        assert (named(), begun.guides, begun.finished_at) == (1, 1, None)
        page = reverse("admin:shipments_erasure_change", args=[begun.pk])
        assert "started; it continues by itself" in text_of(officer.get(page))
        work()
        assert named() == 1, "whoever holds it may still live"
        Erasure.objects.update(held_until=timezone.now())
        work()
        begun.refresh_from_db()
        assert (named(), begun.guides, begun.manifests, begun.files) == (0, 2, begun.manifests, 4)
        assert begun.finished_at is not None

    def test_its_receipt_holds_whom_it_is_about_sealed_until_it_has_ended(self, begun: Erasure) -> None:
        row = str(Erasure.objects.values().get())
        assert "Quispe" not in row
        assert "123456785" not in row
        kept = json.loads(encryption.unseal(begun.sealed_person))
        assert kept["documents"] == ["123456785"]
        assert {guide.tracking_code for guide in Guide.objects.filter(hawb="M1")} <= set(kept["terms"]["codes"])
        Erasure.objects.update(held_until=None)
        work()
        assert Erasure.objects.get().sealed_person == ""

    def test_a_lost_key_stops_nothing_else_and_seven_days_are_an_alarm(self, begun: Erasure, settings: Any) -> None:
        settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
        Erasure.objects.update(held_until=None, created_at=timezone.now() - timedelta(days=8))
        work()
        assert Erasure.objects.get().finished_at is None
        oldest = oldest_unfinished_at(connection)
        assert oldest is not None
        assert timezone.now() - oldest > erasing.OVERDUE_AFTER
        boss = operator_of(username="elsa", role="Privacy")
        assert "Erasures that do not end" in text_of(boss.get(reverse("admin:index")))
        assert "Erasures that do not end" not in text_of(operator_of("PE", username="rosa").get(reverse("admin:index")))
        assert begun.pk


class TestARunThatLostItsHold:
    """It took longer than its hold lasts, between two batches."""

    @pytest.fixture
    def erase_slowly(self, officer: Client, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
        """Begin an erasure on the page, and do something else before its guides are anonymised."""

        def erase(meanwhile: Callable[[], object]) -> None:
            def paused(guides: Any, **options: Any) -> Any:
                with monkeypatch.context() as awake:
                    awake.setattr(erasing, "anonymise_guides", anonymise_guides)
                    meanwhile()
                return anonymise_guides(guides, **options)

            with monkeypatch.context() as slow:
                slow.setattr(erasing, "anonymise_guides", paused)
                assert officer.post(PAGE, ERASE).status_code == 302

        return erase

    def test_seals_nobody_again_once_the_worker_has_finished(self, erase_slowly: Callable[..., None]) -> None:
        def take_over() -> None:
            Erasure.objects.update(held_until=timezone.now())
            work()
            assert Erasure.objects.get().finished_at is not None

        erase_slowly(take_over)
        receipt = Erasure.objects.get()
        assert (receipt.sealed_person, receipt.token, receipt.held_until) == ("", None, None)
        assert (named(), receipt.guides, receipt.manifests, receipt.files) == (0, 2, 2, 4)

    def test_blanks_no_guide_that_it_does_not_count(self, erase_slowly: Callable[..., None]) -> None:
        before = named()
        erase_slowly(lambda: Erasure.objects.update(token=uuid4()))
        receipt = Erasure.objects.get()
        assert (named(), receipt.guides, receipt.finished_at) == (before, 0, None)
        Erasure.objects.update(held_until=timezone.now())
        work()
        receipt.refresh_from_db()
        assert (named(), receipt.guides, receipt.files) == (0, 2, 4)
        assert receipt.finished_at is not None


class TestTheFileBesideTheDatabase:
    """`ERASURES_FILE`, for the day of a restore."""

    def test_it_has_a_line_for_each_erasure_once_it_has_ended(
        self, officer: Client, acme: Caller, tmp_path: Path, settings: Any
    ) -> None:
        settings.ERASURES_FILE = str(tmp_path / "erasures")
        begun = timezone.now()
        queue(acme, marta("M7", "045-10000012"))
        officer.post(PAGE, ERASE)
        assert not (tmp_path / "erasures").exists()
        work()
        receipt = Erasure.objects.get()
        assert receipt.finished_at is not None
        line = f"{receipt.digest}\t{receipt.finished_at.isoformat()}\tPRIV-2026-014"
        assert erasures_file.newer_than(begun) == [line]
        assert erasures_file.newer_than(receipt.finished_at) == []
        assert (tmp_path / "erasures").stat().st_mode & 0o777 == 0o600
        assert "Quispe" not in line

    def test_a_line_that_was_cut_off_is_named_rather_than_passed_over(self, tmp_path: Path, settings: Any) -> None:
        settings.ERASURES_FILE = str(tmp_path / "erasures")
        Path(settings.ERASURES_FILE).write_text("abc\t2026-01-01T00:00:00+00:00\tPRIV-1\nabd\t2026-")
        assert erasures_file.newer_than(timezone.now()) == ["abd\t2026-"]

    def test_where_it_cannot_be_written_the_erasure_has_not_ended(
        self, officer: Client, tmp_path: Path, settings: Any
    ) -> None:
        settings.ERASURES_FILE = str(tmp_path / "missing" / "erasures")
        officer.post(PAGE, ERASE)
        receipt = Erasure.objects.get()
        assert (named(), receipt.finished_at) == (0, None)
        settings.ERASURES_FILE = str(tmp_path / "erasures")
        Erasure.objects.update(held_until=timezone.now())
        work()
        receipt.refresh_from_db()
        assert receipt.finished_at is not None
        assert receipt.digest in (tmp_path / "erasures").read_text()


class TestAMistypedDocument:
    @pytest.fixture
    def mistyped(self, acme: Caller, rival: Caller) -> list[Guide]:
        """One guide with her e-mail, one with her phone, one with neither; and one of hers with both."""
        contact = {"consignee_email": "Marta@example.com", "consignee_phone": "+56 9 5550 0101"}
        shipped(acme.company, 1, consignee_document=PERSON, consignee_name="Marta", **contact)
        others = (
            {"consignee_email": "marta@EXAMPLE.com"},
            {"consignee_phone": "(+56) 955500101"},
            {"consignee_email": "pedro@example.com"},
        )
        return [
            shipped(rival.company, 1, consignee_document="12345678-K", consignee_name="Marta", **each).guides.get()
            for each in others
        ]

    def test_is_listed_to_be_ticked(self, mistyped: list[Guide], officer: Client) -> None:
        page = text_of(officer.post(PAGE, ASKED))
        by_email, by_phone, neither = mistyped
        for one in (by_email, by_phone):
            assert one.tracking_code in page
            assert f'name="guides" value="{one.pk}"' in page
        assert neither.tracking_code not in page

    def test_is_exported_and_erased_with_the_others_once_it_is_ticked(
        self, mistyped: list[Guide], officer: Client
    ) -> None:
        by_email, by_phone, neither = mistyped
        ticked = {"guides": [by_email.pk, neither.pk]}
        answer = officer.post(PAGE, {**ASKED, **ticked, "step": "export"})
        codes = {entry["guide"]["tracking_code"] for entry in json.loads(answer.content) if "guide" in entry}
        assert by_email.tracking_code in codes
        assert not {by_phone.tracking_code, neither.tracking_code} & codes
        officer.post(PAGE, {**ERASE, **ticked})
        left = Guide.objects.filter(pk__in=[one.pk for one in mistyped], anonymised_at=None)
        assert {*left} == {by_phone, neither}

    def test_is_named_by_the_command_and_given_to_it(self, mistyped: list[Guide], run: Run) -> None:
        by_email, by_phone, _neither = mistyped
        said = run("anonymise", "--document", "-", "--dry-run", stdin=PERSON)
        assert f"{by_phone.tracking_code}, {by_email.tracking_code}" in said
        run("anonymise", "--document", "-", "--guide", by_email.tracking_code, stdin=PERSON)
        assert {*Guide.objects.filter(pk__in=[one.pk for one in mistyped], anonymised_at=None)} == {*mistyped[1:]}


class TestDrafts:
    @pytest.fixture
    def drafts(self, acme: Caller) -> Client:
        """One that names her, one that does not."""
        staff = operator_of("CL", "PE", "AR", username="dora")
        others = workbook_bytes([guide_row(5, RUT=SOMEBODY_ELSE)], mawb="045-10000023")
        for content in (marta("M9", "045-10000012"), others):
            file = as_file(content, "acme.xlsx")
            assert staff.post(ENTER, {"company": acme.company.client_code, "manifest_file": file}).status_code == 302
        return staff

    def test_that_name_her_are_ended_and_cannot_be_confirmed(
        self, uploaded: dict[str, Manifest], drafts: Client, officer: Client, company_maker: Callable[..., Caller]
    ) -> None:
        ours, other = ManifestDraft.objects.order_by("created_at")
        lima = company_maker("LIMA", allowed_countries=["PE"]).company
        abroad = ManifestDraft.objects.create(company=lima, operator=ours.operator, flight={"origin": PERSON})
        assert "unconfirmed drafts 1" in text_of(officer.post(PAGE, ASKED))
        done = officer.post(PAGE, ERASE)
        ours.refresh_from_db()
        assert (ours.ended_at is not None, ours.manifest_file.name, ours.received) == (True, "", {})
        assert ManifestDraft.objects.filter(pk=abroad.pk, ended_at=None).exists(), "it does not ship to Chile"
        told = Erasure.objects.get().drafts
        assert [(each["company"], each["operator"]) for each in told] == [("ACME", "dora")]
        assert "ACME, uploaded by dora on" in text_of(officer.get(done["Location"]))
        for answer in (drafts.get, drafts.post):
            gone: Any = answer(reverse("enter-manifest-preview", args=[ours.pk]), follow=True)
            assert "named a person whose data was erased" in gone.content.decode()
        assert drafts.post(reverse("enter-manifest-preview", args=[other.pk])).status_code == 302
        assert named() == 0
        assert uploaded


class TestAfterwards:
    def test_nothing_that_a_carrier_says_of_an_anonymised_guide_is_stored(self, uploaded: dict[str, Manifest]) -> None:
        sender, gone, kept = make_sender(), guide(uploaded["ACME"], "M1"), guide(uploaded["ACME"], "P1")
        erased()
        said: dict[str, Any] = {"description": "Signed by Marta", "location": {"city": "Marta's"}}
        sender.send(event("DEP", tracking_code=gone.tracking_code, **said))
        sender.send({"reference": {"tracking_code": gone.tracking_code}, "code": "Marta", "occurred_at": "never"})
        assert sender.post({"events": {"hawb": gone.hawb, "to": "Marta"}}).status_code == 400
        assert not CarrierReceipt.objects.exclude(body=None).exists()
        assert not CarrierEvent.objects.exclude(description="", place="").exists()
        sender.send(event("DEP", tracking_code=kept.tracking_code, **said))
        assert CarrierEvent.objects.exclude(description="").count() == 1
        assert CarrierReceipt.objects.exclude(body=None).count() == 1

    def test_nor_a_scanners_note_even_where_its_hawb_is_ambiguous(
        self, uploaded: dict[str, Manifest], settings: Any
    ) -> None:
        settings.ADMIN_SECOND_FACTOR = False
        scanner, manifest = program("counter", "CL"), uploaded["ACME"]
        gone, kept = guide(manifest, "M1"), guide(manifest, "P1")
        batch = opened(scanner, *uploaded.values())
        erased()
        codes = (gone.tracking_code, "M1", kept.tracking_code)
        scanned(scanner, batch, [scan(code, note="for Marta") for code in codes])
        assert [*InboundScan.objects.order_by("pk").values_list("note", flat=True)] == ["", "", "for Marta"]

    def test_what_has_no_guide_goes_after_its_days(self, uploaded: dict[str, Manifest], settings: Any) -> None:
        settings.ADMIN_SECOND_FACTOR = False
        sender, scanner = make_sender(), program("counter", "CL")
        kept = guide(uploaded["ACME"], "P1")
        for reference in (
            {"mawb": kept.manifest.mawb},
            {"carrier_number": "N1"},
            {"tracking_code": kept.tracking_code},
        ):
            sender.send(event("DEP", description="Firmado", **dict[str, Any](reference)))
        batch = opened(scanner, uploaded["ACME"])
        scanned(scanner, batch, [scan("NOBODYS", note="?"), scan(kept.tracking_code, note="!")])
        long_ago = timezone.now() - timedelta(days=31)
        CarrierEvent.objects.update(recorded_at=long_ago)
        InboundScan.objects.update(recorded_at=long_ago)
        settings.RETENTION_DAYS_UNMATCHED_EVENTS = 40
        call_command("sweep_files")
        assert (CarrierEvent.objects.count(), InboundScan.objects.filter(note="?").count()) == (3, 1)
        settings.RETENTION_DAYS_UNMATCHED_EVENTS = 30
        call_command("sweep_files")
        assert [each.guide for each in CarrierEvent.objects.all()] == [kept]
        assert [*InboundScan.objects.order_by("pk").values_list("code", "note")] == [
            ("", ""),
            (kept.tracking_code, "!"),
        ]


def test_texts_that_name_somebody_alike_stay(uploaded: dict[str, Manifest], acme: Caller, admin_user: Any) -> None:
    """Of another Marta, a longer number, another guide, a town, and a phone that somebody else has too."""
    contact = {"consignee_email": "m@example.com", "consignee_phone": "955500101", "consignee_address": "Los Robles 7"}
    shipped(acme.company, 1, consignee_document=PERSON, **contact)
    for document in (PERSON, SOMEBODY_ELSE):
        shipped(acme.company, 1, consignee_document=document, consignee_phone="955500202", consignee_address="Talca")
    ours, others = (guide(uploaded["ACME"], hawb).tracking_code for hawb in ("M1", "P1"))
    kept = {"Marta+Soto", "123456785300", "12.345.678-53", "Quispe", "955500202", "Talca", others}
    gone = {"quispe%2C+M%C3%A1rta", "12.345.678-5", "5550-0101", "M@example.com", "7+los+robles", ours.lower()}
    for query in kept | gone:
        SavedView.objects.create(operator=admin_user, list_name="shipments.guide", name=query, query=f"q={query}")
    erased()
    assert {*SavedView.objects.values_list("query", flat=True)} == {f"q={query}" for query in kept}
