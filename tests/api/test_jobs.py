"""Uploads with `Prefer: respond-async`, and the worker that reads them."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.utils import timezone

from base.errors import DomainError
from base.work import HoldLostError
from companies.countries import SERVED
from companies.models import Company
from shipments.intake import drafts, jobs
from shipments.intake.ingest import ingest
from shipments.manifests.xlsx import parse_slots
from shipments.models import Chore, Guide, IdempotencyKey, Manifest, RefusedRequest, UploadJob
from shipments.models.uploads import KEPT_FOR
from shipments.tracking.voiding import void_manifest
from tests.api.keyed import BOOK, KEY, OTHER_BOOK
from tests.books import guide_row, workbook_bytes
from tests.conftest import BASE, Caller, as_file
from webhooks.models import Delivery
from webhooks.subscriptions import register_signed

pytestmark = pytest.mark.django_db


def queue(caller: Caller, content: bytes = BOOK, *, key: str = "", prefer: str = "respond-async", **form: Any) -> Any:
    headers = {**caller.headers, "Prefer": prefer, **({"Idempotency-Key": key} if key else {})}
    return caller.client.post(f"{BASE}/upload", {"manifest_file": as_file(content), **form}, headers=headers)


def job_of(caller: Caller, answer: Any) -> Any:
    assert answer.status_code == 202, answer.content
    return caller.get(f"/jobs/{answer.json()['job_id']}").json()


def work() -> None:
    call_command("work", "--once")


def stored(media: Path) -> list[str]:
    return [path.name for path in media.glob("2*/*/*") if path.is_file()]


def without_ids(body: dict[str, Any]) -> dict[str, Any]:
    own = {"manifest_id", "flight_id"}
    guides = [guide["hawb"] for guide in body["guides"]]
    return {name: value for name, value in body.items() if name not in own} | {"guides": guides}


class TestAnAcceptedUpload:
    def test_answers_at_once_and_then_what_a_synchronous_upload_answers(self, acme: Caller, rival: Caller) -> None:
        form: dict[str, Any] = {"flight_number": "LA2369", "colour": "red"}
        answer = queue(acme, **form)
        assert answer.json() == {"success": True, "job_id": answer.json()["job_id"], "status": "queued"}
        assert answer["Preference-Applied"] == "respond-async"
        assert answer["Retry-After"] == "2"
        assert answer["Location"].endswith(f"{BASE}/jobs/{answer.json()['job_id']}")
        assert Manifest.objects.count() == 0
        waiting = acme.get(f"/jobs/{answer.json()['job_id']}")
        assert (waiting.json()["status"], waiting.json()["result"], waiting["Retry-After"]) == ("queued", None, "2")
        work()
        job = job_of(acme, answer)
        assert (job["status"], job["error"]) == ("succeeded", None)
        assert job["created_at"] <= job["started_at"] <= job["finished_at"]
        at_once = rival.upload(BOOK, **form)
        assert at_once.status_code == 201
        assert without_ids(job["result"]) == without_ids(at_once.json())

    @pytest.mark.parametrize(
        ("prefer", "status"),
        [
            ("Respond-Async", 202), ("wait=10, respond-async; x=1", 202), ("return=minimal,respond-async", 202),
            ("", 201), ("wait=10", 201), ("respond-asynchronously", 201), ('x="a, respond-async, b"', 201),
        ],
    )  # fmt: skip
    def test_is_queued_by_any_spelling_of_the_preference_alone(self, acme: Caller, prefer: str, status: int) -> None:
        answer = queue(acme, prefer=prefer)
        assert (answer.status_code, "Preference-Applied" in answer) == (status, status == 202)

    def test_is_published_once_to_those_who_name_it(self, acme: Caller, rival: Caller) -> None:
        for company in (acme.company, rival.company):
            register_signed(company, "https://93.184.216.34/all")
        named = ["upload.succeeded", "upload.failed"]
        register_signed(acme.company, "https://93.184.216.34/named", event_types=named)
        queue(acme)
        work()
        queue(acme)
        work()
        found = Delivery.objects.filter(event_type__startswith="upload.").values_list("company", "event_type")
        assert sorted(found) == [(acme.company.pk, "upload.failed"), (acme.company.pk, "upload.succeeded")]


class TestARefusedUpload:
    def test_ends_as_the_synchronous_upload_would_and_leaves_no_file(self, acme: Caller, media: Path) -> None:
        empty = workbook_bytes([])
        at_once = acme.upload(empty)
        RefusedRequest.objects.all().delete()
        answer = queue(acme, empty)
        work()
        job = job_of(acme, answer)
        assert (job["status"], job["result"]) == ("failed", None)
        assert job["error"] == {"http_status": at_once.status_code, **at_once.json()}
        assert stored(media) == []
        refused = RefusedRequest.objects.get()
        assert (refused.endpoint, refused.code) == ("POST upload", at_once.json()["error"])
        assert refused.request_id == answer["X-Request-Id"]
        assert refused.file_extension == "xlsx"

    def test_is_refused_before_it_is_stored_where_that_takes_no_reading(self, acme: Caller, media: Path) -> None:
        for content, form, code in [
            (b"no workbook", {}, "excel_parse_error"),
            (BOOK, {"flight_number": "?"}, "validation_failed"),
        ]:
            answer = queue(acme, content, **form)
            assert (answer.status_code, answer.json()["error"]) == (400, code)
        assert not UploadJob.objects.exists()
        assert stored(media) == []

    def test_belongs_to_its_company_alone(self, acme: Caller, rival: Caller) -> None:
        job = queue(acme).json()["job_id"]
        for caller, asked in [(rival, job), (acme, uuid.uuid4()), (acme, "none")]:
            answer = caller.get(f"/jobs/{asked}")
            assert (answer.status_code, answer.json()["error"]) == (404, "not_found")

    def test_past_the_most_unfinished_ones_must_wait_and_stores_nothing(
        self, acme: Caller, rival: Caller, media: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "MOST_UNFINISHED", 2)
        assert [queue(acme).status_code for _each in range(2)] == [202, 202]
        before = stored(media)
        answer = queue(acme)
        assert (answer.status_code, answer.json()["error"], answer["Retry-After"]) == (429, "rate_limited", "5")
        assert stored(media) == before
        assert queue(rival).status_code == 202

    def test_is_judged_by_the_day_on_which_it_was_accepted(self, acme: Caller) -> None:
        queue(acme)
        accepted = timezone.now() - timedelta(days=2)
        UploadJob.objects.update(created_at=accepted)
        work()
        clock = SERVED["CL"].clock
        assert Manifest.objects.get().arrival_day == accepted.astimezone(clock).date()

    def test_that_was_accepted_before_its_mawb_was_voided_brings_nothing_back(
        self, acme: Caller, rival: Caller
    ) -> None:
        acme.upload(BOOK)
        early, theirs = queue(acme, key=KEY), queue(rival)
        void_manifest(Manifest.objects.get(), reason="sent by mistake", actor="ana")
        work()
        job = job_of(acme, early)
        assert (job["status"], job["error"]["http_status"], job["error"]["error"]) == ("failed", 409, "superseded")
        assert job_of(rival, theirs)["status"] == "succeeded"
        assert not Manifest.objects.of(acme.company).exists()
        refused = RefusedRequest.objects.get()
        assert (refused.code, refused.company, refused.mawb) == ("superseded", acme.company, "045-12345675")
        later = queue(acme, key=KEY)
        work()
        assert job_of(acme, later)["status"] == "succeeded"

    def test_that_is_voided_while_it_is_read_brings_nothing_back(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        acme.upload(BOOK)
        answer = queue(acme)

        def voided_first(*args: Any, **kwargs: Any) -> Any:
            void_manifest(Manifest.objects.get(), reason="sent by mistake", actor="ana")
            return ingest(*args, **kwargs)

        monkeypatch.setattr(drafts, "ingest", voided_first)
        work()
        assert job_of(acme, answer)["error"]["error"] == "superseded"
        assert not Manifest.objects.of(acme.company).exists()

    def test_of_a_company_that_was_deactivated_since_is_no_manifest(
        self, acme: Caller, rival: Caller, media: Path
    ) -> None:
        answer, theirs = queue(acme), queue(rival)
        Company.objects.filter(pk=acme.company.pk).update(is_active=False)
        work()
        Company.objects.filter(pk=acme.company.pk).update(is_active=True)
        assert job_of(acme, answer)["error"]["error"] == "invalid_api_key"
        assert [manifest.company for manifest in Manifest.objects.all()] == [rival.company]
        assert job_of(rival, theirs)["status"] == "succeeded"
        assert len(stored(media)) == 1


class TestAKey:
    def test_gives_the_same_job_with_and_without_the_preference(self, acme: Caller) -> None:
        first = queue(acme, key=KEY)
        for prefer in ("respond-async", ""):
            again = queue(acme, key=KEY, prefer=prefer)
            assert again.status_code == 202
            assert again.json() == first.json()
            assert again["Idempotent-Replayed"] == "true"
        assert queue(acme, OTHER_BOOK, key=KEY).json()["error"] == "idempotency_key_reused"
        work()
        assert queue(acme, key=KEY).json()["job_id"] == first.json()["job_id"]

    def test_that_was_used_without_the_preference_replays_its_201(self, acme: Caller) -> None:
        first = queue(acme, key=KEY, prefer="")
        again = queue(acme, key=KEY)
        assert (again.status_code, again.content) == (201, first.content)

    def test_is_freed_when_the_job_fails(self, acme: Caller) -> None:
        acme.upload(BOOK)
        failed = queue(acme, key=KEY)
        work()
        assert job_of(acme, failed)["status"] == "failed"
        assert queue(acme, key=KEY).json()["job_id"] != failed.json()["job_id"]


class TestTheWorker:
    def test_gives_each_company_its_turn(self, acme: Caller, rival: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        sent = [(caller, queue(caller).json()["job_id"]) for caller in (acme, acme, acme, rival, rival)]
        begun: list[tuple[Company, str]] = []

        def read(job: UploadJob) -> None:
            begun.append((job.company, str(job.pk)))
            UploadJob.objects.filter(pk=job.pk).delete()

        monkeypatch.setattr(jobs, "_read", read)
        work()
        assert begun == [(caller.company, sent_id) for caller, sent_id in (sent[n] for n in (0, 3, 1, 4, 2))]

    @pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer, and nobody to skip")
    @pytest.mark.django_db(transaction=True)
    def test_shares_the_jobs_with_others_so_that_each_is_taken_once(self, acme: Caller, rival: Caller) -> None:
        sent = {queue(caller).json()["job_id"]: caller.company.pk for caller in [acme] * 16 + [rival] * 4}
        start = threading.Barrier(4)

        def take(_worker: int) -> list[UploadJob]:
            try:
                start.wait(timeout=60)
                return list(iter(jobs._claim, None))
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as pool:
            taken = [job for each in pool.map(take, range(4)) for job in each]
        assert sorted(str(job.pk) for job in taken) == sorted(sent)
        assert {str(job.pk): job.company_id for job in taken} == sent

    def test_waits_for_a_slot_without_counting_an_attempt(self, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = queue(acme)
        with monkeypatch.context() as busy:
            busy.setattr(parse_slots, "_take", lambda *_all: None)
            work()
        job = UploadJob.objects.get()
        assert (job.state, job.attempts) == ("queued", 0)
        work()
        assert job_of(acme, answer)["status"] == "succeeded"

    def test_takes_over_the_job_of_a_dead_one_and_gives_up_after_three_attempts(
        self, acme: Caller, media: Path
    ) -> None:
        answer = queue(acme)
        for attempt in (1, 2, 3):
            assert jobs._claim() is not None
            work()  # still held
            job = UploadJob.objects.get()
            assert (job.state, job.attempts) == ("running", attempt)
            UploadJob.objects.update(held_until=timezone.now())
        work()
        ended = job_of(acme, answer)
        assert (ended["status"], ended["error"]["error"]) == ("failed", "internal_server_error")
        assert (Manifest.objects.count(), stored(media)) == (0, [])

    def test_that_lost_its_hold_creates_nothing(self, acme: Caller) -> None:
        queue(acme)
        slow = jobs._claim()
        assert slow is not None
        UploadJob.objects.update(held_until=timezone.now() - timedelta(seconds=1))
        work()
        with pytest.raises((HoldLostError, DomainError)):
            jobs._read(slow)
        assert Manifest.objects.count() == 1
        assert UploadJob.objects.get().state == "succeeded"

    def test_prunes_old_jobs_and_expired_keys(self, acme: Caller) -> None:
        queue(acme, key=KEY)
        work()
        queue(acme, OTHER_BOOK)
        UploadJob.objects.exclude(finished_at=None).update(finished_at=timezone.now() - KEPT_FOR - timedelta(hours=1))
        IdempotencyKey.objects.update(expires_at=timezone.now() - timedelta(hours=1))
        Chore.objects.update(due_at=timezone.now())
        work()
        assert not IdempotencyKey.objects.exists()
        assert UploadJob.objects.count() == 1

    def test_files_of_unfinished_jobs_are_not_swept(self, acme: Caller, media: Path) -> None:
        queue(acme)
        call_command("sweep_files", older_than_hours=0)
        assert len(stored(media)) == 1


class TestAPersonIsErased:
    """At once, and once more when the uploads have been read that were accepted before and may name the person."""

    @staticmethod
    def erase(monkeypatch: pytest.MonkeyPatch, *options: str) -> str:
        monkeypatch.setattr("sys.stdin", StringIO("12345678-5"))
        said = StringIO()
        call_command("anonymise", "--document", "-", *options, stdout=said)
        return said.getvalue()

    def test_once_more_when_it_has_been_read(
        self, acme: Caller, rival: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queue(acme, workbook_bytes([guide_row(RUT="12345678-5"), guide_row(2, RUT="7654321-6")]))
        said = self.erase(monkeypatch)
        assert "Uploads that are not read yet, and may name this person: 1." in said
        assert "Anonymised 0 guides of 0 manifests" in said
        queue(rival, workbook_bytes([guide_row(RUT="12345678-5")]))  # a new purchase
        work()
        left = Guide.objects.filter(consignee_document="12345678-5")
        assert [guide.manifest.company for guide in left] == [rival.company]

    def test_at_once_and_for_good_if_it_cannot_be_of_the_country(
        self, company_maker: Callable[..., Caller], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queue(company_maker("CHILE", allowed_countries=["CL"]))
        assert "not read yet" not in self.erase(monkeypatch, "--country", "PE")
        assert "may name this person: 1." in self.erase(monkeypatch, "--country", "CL")
