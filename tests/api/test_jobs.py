"""Uploads with `Prefer: respond-async`, and the worker that reads them."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from companies.errors import DomainError
from shipments.intake import jobs
from shipments.intake.idempotency import HoldLostError
from shipments.management.commands import anonymise
from shipments.manifests.xlsx import parse_slots
from shipments.models import Guide, IdempotencyKey, Manifest, RefusedRequest, UploadJob
from shipments.models.uploads import KEPT_FOR
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

    @pytest.mark.parametrize("prefer", ["Respond-Async", "wait=10, respond-async; x=1", "return=minimal,respond-async"])
    def test_is_queued_by_any_spelling_of_the_preference(self, acme: Caller, prefer: str) -> None:
        assert queue(acme, prefer=prefer).status_code == 202

    @pytest.mark.parametrize("prefer", ["", "wait=10", "respond-asynchronously", 'x="a, respond-async, b"'])
    def test_is_read_at_once_without_it(self, acme: Caller, prefer: str) -> None:
        answer = queue(acme, prefer=prefer)
        assert answer.status_code == 201
        assert "Preference-Applied" not in answer

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
            (BOOK, {"destination_airport": "LIM"}, "no_parser_for_format"),
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

    def test_past_twenty_unfinished_ones_must_wait_and_stores_nothing(
        self, acme: Caller, rival: Caller, media: Path
    ) -> None:
        for _each in range(20):
            assert queue(acme).status_code == 202
        before = stored(media)
        answer = queue(acme)
        assert (answer.status_code, answer.json()["error"], answer["Retry-After"]) == (429, "rate_limited", "5")
        assert stored(media) == before
        assert queue(rival).status_code == 202


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
    def test_waits_for_a_slot_without_counting_an_attempt(self, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = queue(acme)
        with monkeypatch.context() as busy:
            busy.setattr(parse_slots, "_take_any", lambda _slots: None)
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
        work()
        assert not IdempotencyKey.objects.exists()
        assert UploadJob.objects.count() == 1

    def test_files_of_unfinished_jobs_are_not_swept(self, acme: Caller, media: Path) -> None:
        queue(acme)
        call_command("sweep_files", older_than_hours=0)
        assert len(stored(media)) == 1


class TestAPersonIsErased:
    """Not while an accepted upload, which may name the person, is unread."""

    @staticmethod
    def erase(monkeypatch: pytest.MonkeyPatch, meanwhile: Any, *options: str) -> str:
        """meanwhile: called instead of each second of waiting. Returns what the command says."""
        monkeypatch.setattr("sys.stdin", StringIO("12345678-5"))
        monkeypatch.setattr(anonymise, "time", SimpleNamespace(sleep=lambda _seconds: meanwhile()))
        said = StringIO()
        call_command("anonymise", "--document", "-", *options, stdout=said)
        return said.getvalue()

    def test_once_it_has_been_read(self, acme: Caller, rival: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        queue(acme, workbook_bytes([guide_row(RUT="12345678-5"), guide_row(2, RUT="7654321-6")]))

        def meanwhile() -> None:
            work()
            queue(rival, OTHER_BOOK)  # one that comes later is not waited for

        said = self.erase(monkeypatch, meanwhile)
        assert "Uploads that are not read yet, and may name this person: 1." in said
        assert "Waiting until they have ended, at most 10 minutes." in said
        assert "Anonymised 1 guides of 1 manifests" in said
        assert Guide.objects.filter(consignee_document="12345678-5").count() == 0

    def test_never_if_nothing_reads_it(self, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        queue(acme)
        seconds: list[None] = []
        with pytest.raises(
            CommandError, match=r"1 uploads are still not read and may name this person\. Nothing was erased"
        ):
            self.erase(monkeypatch, lambda: seconds.append(None))
        assert len(seconds) == 600

    def test_at_once_if_it_cannot_be_of_the_country_or_nothing_is_erased(
        self, company_maker: Callable[..., Caller], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queue(company_maker("CHILE", allowed_countries=["CL"]))
        assert "not read yet" not in self.erase(monkeypatch, pytest.fail, "--country", "PE")
        said = self.erase(monkeypatch, pytest.fail, "--country", "CL", "--dry-run")
        assert "may name this person: 1." in said
