"""Idempotency-Key: the same request under the same key creates one manifest and gets the same answer."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, OperationalError
from django.utils import timezone

from companies.models import Company
from shipments.errors import ParserBusy
from shipments.intake import upload as uploading
from shipments.intake.idempotency import _Hold, prune
from shipments.intake.ingest import ingest
from shipments.intake.workbook_reading import read_workbook
from shipments.models import IdempotencyKey, Manifest
from shipments.tracking.voiding import void_manifest
from tests.api.answers import error
from tests.api.changing import void
from tests.api.keyed import BOOK, KEY, OTHER_BOOK, assert_same, is_replay, post, upload
from tests.conftest import BASE, Caller, as_file
from tests.documents import guide, manifest

pytestmark = pytest.mark.django_db


class TestTheSameRequestAgain:
    def test_an_upload_has_the_same_answer_whatever_its_boundary(self, acme: Caller, rival: Caller) -> None:
        first = upload(acme, flight_number="LA2471", scheduled_arrival="2026-11-25T08:30:00-03:00")
        parts = {"scheduled_arrival": b"2026-11-25T08:30:00-03:00", "flight_number": b"LA2471"}
        body = b"".join(
            b'--OTHER\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value)
            for name, value in parts.items()
        )
        body += b'--OTHER\r\nContent-Disposition: form-data; name="manifest_file"; filename="m.xlsx"\r\n\r\n'
        headers = {**acme.headers, "Idempotency-Key": KEY}
        content_type = "multipart/form-data; boundary=OTHER"
        again = acme.client.generic(
            "POST", f"{BASE}/upload/", body + BOOK + b"\r\n--OTHER--\r\n", content_type, headers=headers
        )
        assert_same(first, again)
        assert first.json()["warnings"]
        assert Manifest.objects.count() == 1
        assert rival.get("/mawbs").json()["mawbs"] == []

    def test_json_has_the_same_answer(self, acme: Caller) -> None:
        body = manifest(guide(1, "PE", fob_usd=2500), guide(2, "PE"), country="PE")
        assert_same(post(acme, body=body), post(acme, body=body))
        assert Manifest.objects.count() == 1

    def test_a_courier_gets_its_answer_again_though_it_reads_nothing_else(self, acme: Caller, courier: Caller) -> None:
        body = manifest(client_code="ACME")
        assert_same(post(courier, body=body), post(courier, body=body))
        assert Manifest.objects.get().company == acme.company
        assert error(post(acme)) == (409, "mawb_already_exists")  # the client's own keys are others

    def test_a_courier_that_may_no_longer_post_for_the_client_gets_nothing(self, acme: Caller, courier: Caller) -> None:
        body = manifest(client_code="ACME")
        assert post(courier, body=body).status_code == 201
        courier.company.posts_for.remove(acme.company)
        assert error(post(courier, body=body)) == (403, "client_not_resolved")

    def test_sentences_follow_the_language_of_the_request(self, acme: Caller) -> None:
        first = upload(acme)
        headers = {**acme.headers, "Idempotency-Key": KEY, "Accept-Language": "es"}
        again = acme.client.post(f"{BASE}/upload", {"manifest_file": as_file(BOOK)}, headers=headers)
        assert is_replay(again)
        assert again.json()["warnings"][0]["message"] != first.json()["warnings"][0]["message"]
        assert again.json()["guides"] == first.json()["guides"]

    def test_anonymised_parts_are_blank_and_codes_stay(self, acme: Caller) -> None:
        first = upload(acme).json()
        Manifest.objects.update(created_at=timezone.now() - timedelta(days=30))
        call_command("anonymise", "--older-than", "7", stdout=StringIO())
        again = upload(acme)
        assert is_replay(again)
        assert {name: again.json()[name] for name in ("manifest_id", "guides", "totals")} == {
            name: first[name] for name in ("manifest_id", "guides", "totals")
        }
        assert {column["heading"] for column in again.json()["columns"]} == {""}

    def test_quotes_around_the_key_make_no_difference(self, acme: Caller) -> None:
        assert_same(post(acme, '"order \\"7\\" \\\\"'), post(acme, 'order "7" \\'))

    def test_two_companies_may_use_the_same_key(self, acme: Caller, rival: Caller) -> None:
        first, other = post(acme), post(rival)
        assert (first.status_code, other.status_code, is_replay(other)) == (201, 201, False)
        assert first.json()["manifest_id"] != other.json()["manifest_id"]
        assert_same(other, post(rival))

    @pytest.mark.parametrize("key", [None, "a new key"])
    def test_without_the_key_the_mawb_is_a_duplicate_as_ever(self, acme: Caller, key: str | None) -> None:
        post(acme)
        answer = acme.post_json(manifest()) if key is None else post(acme, key)
        assert error(answer) == (409, "mawb_already_exists")
        assert answer.json()["manifest_id"] == str(Manifest.objects.get().pk)


class TestAnotherRequestUnderTheKey:
    @pytest.mark.parametrize(
        "changed",
        [
            lambda caller: upload(caller, content=OTHER_BOOK),
            lambda caller: upload(caller, flight_number="LA2471"),
            lambda caller: upload(caller, remark="unknown fields count too"),
            lambda caller: upload(caller, invoice_file=as_file(b"%PDF-1.7\n", "invoice.pdf")),
            post,
        ],
        ids=["a cell", "a field", "an unknown field", "an invoice", "the other endpoint"],
    )
    def test_is_refused(self, acme: Caller, changed: Callable[[Caller], Any]) -> None:
        upload(acme)
        assert error(changed(acme)) == (422, "idempotency_key_reused")
        assert Manifest.objects.count() == 1
        assert is_replay(upload(acme))

    def test_is_refused_for_json_by_the_bytes_of_its_body(self, acme: Caller) -> None:
        post(acme)
        assert error(post(acme, body=manifest(guide(1)))) == (422, "idempotency_key_reused")
        assert is_replay(post(acme))

    def test_is_accepted_once_the_key_has_expired(self, acme: Caller, clock: Any) -> None:
        post(acme)
        clock.shift(timedelta(days=7, seconds=1))
        answer = post(acme, body=manifest(mawb="045-12345686"))
        assert (answer.status_code, is_replay(answer)) == (201, False)
        assert Manifest.objects.count() == 2


class TestARefusalFreesTheKey:
    def test_so_that_a_country_granted_meanwhile_counts(self, acme: Caller) -> None:
        Company.objects.update(allowed_countries=["PE"])
        assert error(post(acme)) == (403, "country_not_allowed")
        assert not IdempotencyKey.objects.exists()
        Company.objects.update(allowed_countries=["PE", "CL"])
        answer = post(acme)
        assert (answer.status_code, is_replay(answer)) == (201, False)

    def test_so_that_a_corrected_workbook_goes_in_under_the_same_key(self, acme: Caller) -> None:
        assert error(upload(acme, content=b"no workbook")) == (400, "excel_parse_error")
        assert upload(acme).status_code == 201

    @pytest.mark.parametrize(
        ("failure", "status"), [(ParserBusy(), 503), (OperationalError("away"), 503), (RuntimeError("a bug"), 500)]
    )
    def test_an_internal_error_too(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int
    ) -> None:
        def fail(*_args: Any) -> None:
            raise failure

        monkeypatch.setattr(uploading, "read_workbook", fail)
        assert upload(acme).status_code == status
        monkeypatch.undo()
        answer = upload(acme)
        assert (answer.status_code, is_replay(answer)) == (201, False)

    def test_a_duplicate_of_another_keys_manifest_too(self, acme: Caller) -> None:
        post(acme, "first")
        assert error(post(acme, "second")) == (409, "mawb_already_exists")
        void_manifest(Manifest.objects.get(), reason="sent by mistake", actor="ana")
        assert post(acme, "second").status_code == 201

    def test_a_key_that_cannot_be_freed_does_not_hide_the_refusal(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch, clock: Any
    ) -> None:
        def lost(_hold: Any) -> None:
            raise DatabaseError("the connection is closed")

        monkeypatch.setattr(_Hold, "_unfinished", lost)
        assert error(upload(acme, content=b"no workbook")) == (400, "excel_parse_error")
        monkeypatch.undo()
        assert error(upload(acme, content=b"no workbook")) == (409, "idempotency_in_progress")
        clock.shift(121)
        assert error(upload(acme, content=b"no workbook")) == (400, "excel_parse_error")

    def test_what_was_committed_before_the_failure_is_answered_again(
        self, acme: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def committed_and_lost(*args: Any, **kwargs: Any) -> None:
            ingest(*args, **kwargs)
            raise OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(uploading, "ingest", committed_and_lost)
        assert error(upload(acme)) == (503, "unavailable")
        monkeypatch.undo()
        answer = upload(acme)
        assert is_replay(answer)
        assert [each["tracking_code"] for each in answer.json()["guides"]] == list(
            Manifest.objects.get().guides.values_list("tracking_code", flat=True)
        )


def of_a_job(caller: Caller) -> Any:
    """Send a workbook for the worker, and let it read. Returns the job, or the refusal."""
    headers = {**caller.headers, "Idempotency-Key": KEY, "Prefer": "respond-async"}
    queued = caller.client.post(f"{BASE}/upload", {"manifest_file": as_file(BOOK)}, headers=headers)
    call_command("work", "--once")
    return caller.get(f"/jobs/{queued.json()['job_id']}") if queued.status_code == 202 else queued


def by_command(_caller: Caller, mawb: str) -> None:
    call_command("void_manifest", company="ACME", mawb=mawb, reason="sent by mistake", stdout=StringIO())


class TestAVoidFreesTheKey:
    """Of its manifest, whoever voids it and however it came, but not for what was under way: within a minute."""

    @pytest.mark.parametrize(
        "send",
        [upload, post, of_a_job, lambda caller: post(caller, body=manifest(client_code="ACME"))],
        ids=["a workbook", "JSON", "a job", "a courier for its client"],
    )
    def test_so_that_it_can_be_sent_again_under_it(
        self, acme: Caller, rival: Caller, courier: Caller, clock: Any, request: pytest.FixtureRequest, send: Any
    ) -> None:
        sender = courier if request.node.callspec.id.startswith("a courier") else acme
        theirs = upload(rival)
        send(sender)
        first = Manifest.objects.get(company=acme.company)
        void_manifest(first, reason="sent by mistake", actor="ana")
        clock.shift(58.5)
        refused = send(sender)
        assert error(refused) == (409, "idempotency_in_progress")
        assert "voided" in refused.json()["message"]
        assert refused["Retry-After"] == "2"
        assert not Manifest.objects.of(acme.company).exists()
        clock.shift(2)
        again = send(sender)
        assert (again.status_code, is_replay(again)) == ((200 if send is of_a_job else 201), False)
        second = Manifest.objects.of(acme.company).get()
        codes = {each.tracking_code for each in (*first.guides.all(), *second.guides.all())}
        assert len(codes) == 2 * second.guides.count()
        assert_same(theirs, upload(rival))

    @pytest.mark.parametrize("void_it", [void, by_command], ids=["the client", "the command"])
    def test_whoever_voids_it(self, acme: Caller, clock: Any, void_it: Any) -> None:
        mawb = post(acme).json()["mawb"]
        void_it(acme, mawb)
        assert error(post(acme)) == (409, "idempotency_in_progress")
        clock.shift(61)
        assert (post(acme).status_code, Manifest.objects.count()) == (201, 2)

    def test_for_a_corrected_workbook_too(self, acme: Caller, clock: Any) -> None:
        upload(acme)
        void_manifest(Manifest.objects.get(), reason="wrong rows", actor="ana")
        assert error(upload(acme, content=OTHER_BOOK)) == (409, "idempotency_in_progress")
        clock.shift(61)
        assert upload(acme, content=OTHER_BOOK).status_code == 201
        assert error(upload(acme)) == (422, "idempotency_key_reused")

    def test_and_no_other_one(self, acme: Caller, clock: Any) -> None:
        upload(acme)
        kept = post(acme, "another key", manifest(mawb="045-12345686"))
        void_manifest(Manifest.objects.get(mawb=upload(acme).json()["mawb"]), reason="sent twice", actor="ana")
        clock.shift(61)
        assert_same(kept, post(acme, "another key", manifest(mawb="045-12345686")))
        assert prune() is False
        assert [row.key for row in IdempotencyKey.objects.all()] == ["another key"]

    def test_of_an_attempt_that_was_slower_than_the_void(
        self, acme: Caller, clock: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It lost its hold to a second one, whose manifest was voided before the first has read its workbook."""

        def slow(*args: Any) -> Any:
            monkeypatch.undo()
            clock.shift(46)
            assert upload(acme).status_code == 201
            void_manifest(Manifest.objects.get(), reason="sent by mistake", actor="ana")
            return read_workbook(*args)

        monkeypatch.setattr(uploading, "read_workbook", slow)
        assert error(upload(acme)) == (409, "idempotency_in_progress")
        assert not Manifest.objects.of(acme.company).exists()


class TestTheHeader:
    @pytest.mark.parametrize("key", ["", " ", "ñ", "a\tb", "x" * 256, '""', '"open', '"a";b=1', '"a\\n"', '"', '\\"é"'])
    def test_that_is_not_a_key_is_refused_by_its_name(self, acme: Caller, key: str) -> None:
        answer = post(acme, key)
        assert error(answer) == (400, "validation_failed")
        assert list(answer.json()["details"]) == ["Idempotency-Key"]
        assert not Manifest.objects.exists()

    def test_is_checked_before_an_upload_too(self, acme: Caller) -> None:
        assert list(upload(acme, "ñ", content=b"").json()["details"]) == ["Idempotency-Key"]

    @pytest.mark.parametrize("key", ["x", "x" * 255, "a b", "~", "key,with;signs=1", f'"{"x" * 255}"'])
    def test_of_printable_ascii_is_a_key(self, acme: Caller, key: str) -> None:
        assert_same(post(acme, key), post(acme, key))

    def test_is_looked_up_after_the_form_and_before_the_workbook(self, acme: Caller) -> None:
        upload(acme)
        assert error(upload(acme, flight_number="LATAM")) == (400, "validation_failed")
        assert error(upload(acme, content=b"no workbook")) == (422, "idempotency_key_reused")

    def test_is_looked_up_after_the_client_and_before_the_rows(self, acme: Caller) -> None:
        post(acme)
        assert error(post(acme, body="{")) == (400, "invalid_body")
        assert error(post(acme, body=manifest(client_code="ACME"))) == (403, "client_code_not_allowed")
        assert error(post(acme, body=manifest(transport_mode="sea"))) == (422, "idempotency_key_reused")

    def test_of_a_courier_does_not_open_the_upload(self, courier: Caller) -> None:
        assert error(upload(courier)) == (400, "company_is_courier")
        assert not IdempotencyKey.objects.exists()


class TestPruning:
    def test_deletes_what_expired_and_nothing_else(self, acme: Caller, clock: Any) -> None:
        post(acme, "old")
        clock.shift(timedelta(days=6))
        post(acme, "young", manifest(mawb="045-12345686"))
        clock.shift(timedelta(days=1, seconds=1))
        assert prune() is False
        assert [row.key for row in IdempotencyKey.objects.all()] == ["young"]
        assert Manifest.objects.count() == 2
