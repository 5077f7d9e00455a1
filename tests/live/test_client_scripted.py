"""The Python client against answers that no live service gives when it is asked to."""

import copy
import json
import pickle
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from traceback import TracebackException, format_exception
from typing import Any
from urllib.parse import parse_qs

import pytest
import requests
from prealerts_client import (
    ApiError,
    AuthenticationError,
    Client,
    Conflict,
    NotFound,
    RateLimited,
    Unavailable,
    ValidationFailed,
)
from prealerts_client.requests_sent import File
from prealerts_client.webhooks import SignatureInvalid, verify

from tests.books import MAWB
from tests.documents import manifest
from tests.live.scripted import Answer, Pauses, scripted, scripted_client
from tests.live.unreliable import network

AWAY: Answer = (503, {}, "")
NONE: Answer = (200, {}, '{"mawbs": []}')
TAKEN: Answer = (201, {}, json.dumps({"success": True, "manifest_id": "M", "mawb": MAWB, "guides": []}))


def refused(code: str) -> str:
    return json.dumps({"success": False, "error": code, "message": "..."})


class TestThePassword:
    SECRET = "pa_live_s3cret"

    @pytest.mark.parametrize("sent", [SECRET, f" {SECRET}\r\n"])
    def test_is_sent_and_shown_nowhere(self, pauses: Pauses, sent: str) -> None:
        with scripted(NONE) as (address, seen):
            client = Client(address, sent, attempts=2, sleep=pauses.append)
            list(client.list_mawbs())
        assert seen[0].headers["Authorization"] == f"Bearer {self.SECRET}"
        with pytest.raises(Unavailable) as away:  # nobody is there any more
            client.me()
        ours = away.value.with_traceback(away.tb.tb_next)  # without this function, which has it
        raised = TracebackException.from_exception(ours, capture_locals=True)
        shown = "\n".join([*raised.format(), repr(client), *map(str, variables_of(client))])
        assert "client.py" in shown
        assert self.SECRET not in shown
        for copied in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError) as refused:
                copied(client)
            assert self.SECRET not in str(refused.value)

    @pytest.mark.parametrize("password", ["", " \n", "pa_live_s3\ncret", "pa_live_s3crét", "pa_live_s3cret\0", None])
    def test_that_cannot_be_one_is_refused_without_being_quoted(self, password: Any) -> None:
        with pytest.raises(ValueError, match="The API password is empty, or has a character") as refused:
            Client("https://prealerts.example.com", password)
        assert "s3" not in "".join(format_exception(refused.value))


def variables_of(client: Client) -> Iterator[object]:
    """The variables of the client, of what it holds, and so on."""
    waiting: list[Any] = [client]
    while waiting:
        yield (held := vars(waiting.pop()))
        waiting += [each for each in held.values() if hasattr(each, "__dict__")]


class TestBackingOff:
    def test_the_first_wait_is_below_half_a_second_and_the_bound_doubles(self, pauses: Pauses) -> None:
        with scripted(*[AWAY] * 6) as (address, seen), pytest.raises(Unavailable):
            scripted_client(address, pauses).get_mawb(MAWB)
        assert all(0 <= pause <= 0.5 * 2**attempt for attempt, pause in enumerate(pauses))
        assert (len(seen), len(set(pauses))) == (6, 5)  # it does not wait after the last one

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
    def test_it_waits_at_least_as_long_as_the_service_asks(self, pauses: Pauses, status: int) -> None:
        with scripted((status, {"Retry-After": "7"}, "<html>"), NONE) as (address, _seen):
            assert list(scripted_client(address, pauses).list_mawbs()) == []
        (pause,) = pauses
        assert 7 <= pause <= 7.5

    def test_a_date_is_waited_for_too_and_nonsense_is_not(self, pauses: Pauses) -> None:
        later = format_datetime(datetime.now(UTC) + timedelta(seconds=55), usegmt=True)
        answers = [(503, {"Retry-After": value}, "") for value in (later, "soon", "-5")]
        with scripted(*answers, NONE) as (address, _seen):
            list(scripted_client(address, pauses).list_mawbs())
        assert 40 <= pauses[0] <= 56
        assert all(0 <= pause <= 2 for pause in pauses[1:])

    @pytest.mark.parametrize("status", [408, 429, 503])
    def test_it_does_not_wait_for_more_than_a_minute(self, pauses: Pauses, status: int) -> None:
        with scripted((status, {"Retry-After": "61"}, ""), (status, {"Retry-After": "61"}, "")) as (address, _seen):
            client = scripted_client(address, pauses)
            for call in (client.me, lambda: client.post_manifest(manifest())):
                kind: Any = RateLimited if status == 429 else Unavailable
                with pytest.raises(kind) as raised:
                    call()
                assert raised.value.retry_after_seconds == 61
        assert pauses == []

    @pytest.mark.parametrize("body", ["", "<html>Accept our terms", "[]", "[" * 100_000, '{"logged_in": false}'])
    def test_a_success_that_is_not_the_services_counts_as_lost(self, pauses: Pauses, body: str) -> None:
        with scripted((200, {}, body), NONE) as (address, _seen):
            assert list(scripted_client(address, pauses).list_mawbs()) == []
        assert len(pauses) == 1

    def test_a_manifest_that_a_portal_took_is_sent_again_under_its_key(self, pauses: Pauses) -> None:
        with scripted((200, {}, "<html>"), (201, {}, '{"success": tr'), TAKEN) as (address, seen):
            assert scripted_client(address, pauses).post_manifest(manifest())["manifest_id"] == "M"
        assert len({asked.headers["Idempotency-Key"] for asked in seen}) == 1

    def test_what_is_sent_once_is_not_taken_for_done_by_a_portal(self, pauses: Pauses) -> None:
        with scripted((200, {}, "<html>")) as (address, _seen), pytest.raises(Unavailable):
            scripted_client(address, pauses).rotate_secret("sub_1")

    def test_a_redirect_is_not_followed(self, pauses: Pauses) -> None:
        said = r"302 Found, not an answer .*; Location: https://elsewhere.example/ "
        moved: Answer = (302, {"Location": "https://elsewhere.example/"}, "")
        with scripted(moved) as (address, _seen), pytest.raises(ApiError, match=said):
            scripted_client(address, pauses).get_mawb(MAWB)

    def test_a_proxys_404_does_not_count_as_not_found(self, pauses: Pauses) -> None:
        known = {MAWB: {"A": 1}}
        with scripted(NONE, (404, {}, "<html>")) as (address, _seen), pytest.raises(ApiError):
            list(scripted_client(address, pauses).reconcile(known))
        assert known == {MAWB: {"A": 1}}


class TestSendingOnce:
    def test_every_attempt_of_a_manifest_has_the_same_key_and_the_next_manifest_another(self, pauses: Pauses) -> None:
        in_progress: Answer = (409, {"Retry-After": "2"}, refused("idempotency_in_progress"))
        with scripted(AWAY, in_progress, TAKEN, TAKEN) as (address, seen):
            client = scripted_client(address, pauses)
            assert client.post_manifest(manifest())["manifest_id"] == "M"
            client.post_manifest(manifest())
        keys = [asked.headers["Idempotency-Key"] for asked in seen]
        assert keys[0] == keys[1] == keys[2] != keys[3]
        assert pauses[1] >= 2
        assert len({asked.body for asked in seen}) == 1

    def test_it_goes_on_for_a_minute_while_an_earlier_attempt_holds_the_key(self, pauses: Pauses) -> None:
        in_progress: Answer = (409, {"Retry-After": "5"}, refused("idempotency_in_progress"))
        with scripted(*[in_progress] * 11, TAKEN) as (address, _seen):
            assert scripted_client(address, pauses).post_manifest(manifest())["manifest_id"] == "M"
        pauses.clear()
        with scripted(*[in_progress] * 20) as (address, _seen), pytest.raises(Unavailable):
            scripted_client(address, pauses).post_manifest(manifest())
        assert 60 <= sum(pauses) < 180

    @pytest.mark.parametrize("how", ["path", "text", "bytes", "file"])
    def test_a_workbook_is_a_path_bytes_or_a_file(self, pauses: Pauses, tmp_path: Path, how: str) -> None:
        book = tmp_path / "may.xlsx"
        book.write_bytes(b"PK-whole-workbook")
        with scripted(AWAY, TAKEN) as (address, seen), book.open("rb") as opened:
            given: dict[str, File] = {"path": book, "text": str(book), "bytes": book.read_bytes(), "file": opened}
            departure = datetime(2026, 12, 14, 21, 30, tzinfo=UTC)
            client = scripted_client(address, pauses)
            client.upload_manifest(given[how], flight_number="LA2369", scheduled_departure=departure)
        assert [asked.body.count(b"PK-whole-workbook") for asked in seen] == [1, 1]
        assert all(b"2026-12-14T21:30:00+00:00" in asked.body and b"LA2369" in asked.body for asked in seen)

    def test_an_attempt_that_nobody_answered_can_be_continued_under_its_key(self, pauses: Pauses) -> None:
        with scripted(*[AWAY] * 6, TAKEN) as (address, seen):
            client = scripted_client(address, pauses)
            with pytest.raises(Unavailable) as away:
                client.post_manifest(manifest())
            client.post_manifest(manifest(), idempotency_key=away.value.idempotency_key)
        assert len({asked.headers["Idempotency-Key"] for asked in seen}) == 1

    def test_a_refusal_is_raised_at_once(self, pauses: Pauses) -> None:
        with scripted((422, {}, refused("idempotency_key_reused"))) as (address, seen):
            with pytest.raises(ApiError) as answered:
                scripted_client(address, pauses).post_manifest(manifest())
            assert (answered.value.code, len(seen)) == ("idempotency_key_reused", 1)

    @pytest.mark.parametrize("call", ["create_subscription", "delete_subscription", "replay_delivery", "rotate_secret"])
    def test_what_has_no_key_is_sent_once(self, pauses: Pauses, call: str) -> None:
        with scripted((503, {"Retry-After": "5"}, refused("unavailable"))) as (address, seen):
            with pytest.raises(ApiError) as answered:
                getattr(scripted_client(address, pauses), call)("sub_1")
            assert (answered.value.code, len(seen), pauses) == ("unavailable", 1, [])

    def test_a_lost_answer_to_what_has_no_key_is_reported(self, pauses: Pauses) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        with pytest.raises(Unavailable):
            scripted_client(f"http://127.0.0.1:{port}", pauses).replay_delivery("evt_1")
        assert pauses == []


class TestErrors:
    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            (400, "validation_failed", ValidationFailed),
            (422, "marketplace_fields_missing", ValidationFailed),
            (401, "invalid_api_key", AuthenticationError),
            (403, "country_not_allowed", ApiError),
            (404, "not_found", NotFound),
            (404, "", ApiError),
            (409, "mawb_already_exists", Conflict),
            (418, "brand_new", ApiError),
        ],
    )
    def test_have_a_kind(self, pauses: Pauses, status: int, code: str, kind: type[ApiError]) -> None:
        body = json.dumps({"error": code, "manifest_id": "M", "invalid_rows": [{"row_index": 0}]})
        with scripted((status, {}, body)) as (address, _seen), pytest.raises(ApiError) as raised:
            scripted_client(address, pauses).post_manifest(manifest())
        assert type(raised.value) is kind
        if isinstance(raised.value, Conflict):
            assert raised.value.manifest_id == "M"
        if isinstance(raised.value, ValidationFailed):
            assert raised.value.invalid_rows == [{"row_index": 0}]

    def test_say_what_is_wrong_with_each_field(self, pauses: Pauses) -> None:
        body = {"error": "validation_failed", "message": "See details.", "details": {"eta": ["Late.", "Odd."]}}
        with scripted((400, {"X-Request-Id": "r1"}, json.dumps(body))) as (address, _seen):
            client = scripted_client(address, pauses)
            with pytest.raises(ValidationFailed) as raised:
                client.post_manifest(manifest())
        assert str(raised.value) == "400 validation_failed: See details.; eta: Late. Odd. (request r1)"
        assert client.last_response
        assert (client.last_response.status, client.last_response.headers["x-request-id"]) == (400, "r1")

    @pytest.mark.parametrize(
        "call",
        [
            lambda client: client.get_mawb(""),
            lambda client: client.get_guide(".."),
            lambda client: client.list_guides(" "),
            lambda client: client.void(".", "Sent twice"),
            lambda client: client.wait(""),
            lambda client: client.delete_subscription(""),
            lambda client: client.post_manifest({"weight_kg": float("nan")}),
            lambda client: client.post_manifest({"guides": {1, 2}}),
            lambda client: client.post_manifest({}, idempotency_key="one\ntwo"),
            lambda client: next(client.watch({}, since=datetime(2026, 11, 20))),  # noqa: DTZ001  # on purpose
        ],
    )
    def test_an_argument_that_can_only_be_a_mistake_is_a_value_error_before_anything_is_sent(
        self, pauses: Pauses, call: Callable[[Client], object]
    ) -> None:
        with scripted() as (address, seen), pytest.raises(ValueError, match=r"\w"):
            call(scripted_client(address, pauses))
        assert seen == []

    @pytest.mark.parametrize("address", ["", "prealerts.example.com", "ftp://prealerts.example.com", "https://"])
    def test_an_address_that_is_none_is_refused(self, address: str) -> None:
        with pytest.raises(ValueError, match="is not an address"):
            Client(address, "pa_live_x")

    def test_a_limit_that_lasts_is_a_kind_of_its_own(self, pauses: Pauses) -> None:
        limited: Answer = (429, {"Retry-After": "7"}, refused("rate_limited"))
        with scripted(*[limited] * 6) as (address, _seen), pytest.raises(RateLimited):
            scripted_client(address, pauses).post_manifest(manifest())
        assert len(pauses) == 5
        assert all(pause >= 7 for pause in pauses)

    def test_what_is_tried_again_is_logged_without_the_password(self, pauses: Pauses, caplog: Any) -> None:
        with caplog.at_level("DEBUG", logger="prealerts_client"), scripted(AWAY, TAKEN) as (address, _seen):
            scripted_client(address, pauses).post_manifest(manifest())
        assert "Trying again in" in caplog.text
        assert "POST /process-pre-alert-json: 201" in caplog.text
        assert "pa_live_x" not in caplog.text


JOB_ID = "0b7c1c1e-5d3c-4f7e-9a51-2f5d6b7f9a10"
QUEUED: Answer = (202, {"Retry-After": "2"}, json.dumps({"success": True, "job_id": JOB_ID, "status": "queued"}))


def job(status: str, **ended: object) -> Answer:
    headers = {} if ended else {"Retry-After": "7"}
    return (200, headers, json.dumps({"job_id": JOB_ID, "status": status, "result": None, "error": None, **ended}))


class TestWaitingForAJob:
    @pytest.fixture
    def book(self, tmp_path: Path) -> Path:
        path = tmp_path / "manifest.xlsx"
        path.write_bytes(b"PK-whole-workbook")
        return path

    def test_it_asks_as_often_as_the_service_says_and_returns_what_the_upload_created(
        self, pauses: Pauses, book: Path
    ) -> None:
        ended = job("succeeded", result=json.loads(TAKEN[2]))
        with scripted(AWAY, QUEUED, job("queued"), job("running"), AWAY, ended) as (address, seen):
            client = scripted_client(address, pauses)
            queued = client.upload_manifest(book, wait=False)
            assert client.wait(queued)["manifest_id"] == "M"
        assert [asked.headers.get("Prefer") for asked in seen] == ["respond-async"] * 2 + [None] * 4
        assert len({asked.headers["Idempotency-Key"] for asked in seen[:2]}) == 1
        assert {asked.path.rpartition("/")[2] for asked in seen[2:]} == {JOB_ID}
        assert [pause for pause in pauses if pause == 7] == [7, 7]

    def test_an_upload_that_waits_prefers_nothing_and_its_result_needs_no_waiting(
        self, pauses: Pauses, book: Path
    ) -> None:
        with scripted(TAKEN, TAKEN) as (address, seen):
            client = scripted_client(address, pauses)
            client.upload_manifest(book)
            assert "Prefer" not in seen[0].headers
            result = client.upload_manifest(book, wait=False)  # a key that was used without the preference
            assert client.wait(result) == result
        assert len(seen) == 2

    def test_a_failed_job_is_raised_as_the_upload_would_have_raised_it(self, pauses: Pauses) -> None:
        refusal = {"success": False, "error": "mawb_already_exists", "message": "...", "manifest_id": "M"}
        broken = {"success": False, "error": "internal_server_error", "message": "...", "request_id": "r"}
        conflict = job("failed", error={"http_status": 409, **refusal})
        with scripted(conflict, job("failed", error={"http_status": 500, **broken})) as (address, _seen):
            client = scripted_client(address, pauses)
            with pytest.raises(ApiError) as refused:
                client.wait(JOB_ID)
            with pytest.raises(Unavailable, match="request r"):
                client.wait(JOB_ID)
        assert (refused.value.status, refused.value.code) == (409, "mawb_already_exists")
        assert refused.value.body == refusal

    def test_it_does_not_wait_for_ever(self, pauses: Pauses) -> None:
        with scripted(*[job("queued")] * 3) as (address, _seen), pytest.raises(Unavailable, match="still queued"):
            scripted_client(address, pauses).wait(JOB_ID, seconds=10)
        assert pauses == [7, 7]


class TestConditionalRequests:
    def test_an_unchanged_answer_is_the_one_that_was_kept(self, pauses: Pauses) -> None:
        whole: Answer = (200, {"ETag": '"one"'}, '{"mawb": "1", "guides": []}')
        newer: Answer = (200, {"ETag": '"two"'}, '{"mawb": "2", "guides": []}')
        unchanged: Answer = (304, {"ETag": '"one"'}, "")
        with scripted(whole, unchanged, newer, (304, {}, "")) as (address, seen):
            client = scripted_client(address, pauses)
            first: Any = client.get_mawb(MAWB)
            first["guides"].append("the caller's own change")
            assert dict(client.get_mawb(MAWB)) == {"mawb": "1", "guides": []}
            assert client.get_mawb(MAWB)["mawb"] == "2"
            assert client.get_mawb(MAWB)["mawb"] == "2"
        assert [asked.headers.get("If-None-Match") for asked in seen] == [None, '"one"', '"one"', '"two"']

    def test_another_page_has_another_tag(self, pauses: Pauses) -> None:
        page: Answer = (200, {"ETag": '"list"'}, '{"mawbs": [{"mawb": "1"}], "next_cursor": "two"}')
        with scripted(page, NONE) as (address, seen):
            assert [each["mawb"] for each in scripted_client(address, pauses).list_mawbs(status="in_transit")] == ["1"]
        assert "If-None-Match" not in seen[1].headers
        assert seen[0].path.partition("?")[2] == "status=in_transit&limit=100"
        assert seen[1].path.partition("?")[2] == "status=in_transit&limit=100&cursor=two"


class TestTolerance:
    def test_unknown_fields_statuses_and_sources_pass_through(self, pauses: Pauses) -> None:
        event = {"status": "abducted", "status_code": 77, "source": "saucer", "timestamp": "x", "mood": "odd"}
        guide = {"hawb": "H", "status": "abducted", "status_code": 77, "events": [event], "colour": "green"}
        with scripted((200, {}, json.dumps(guide))) as (address, _seen):
            assert scripted_client(address, pauses).get_guide("A") == guide

    @pytest.mark.parametrize("body", ['{"success": false, "error": "brand_new", "message": "?", "hint": 1}', "<html>"])
    def test_an_unknown_code_is_a_refusal_by_its_status(self, pauses: Pauses, body: str) -> None:
        with scripted((422, {}, body)) as (address, seen), pytest.raises(ApiError) as answered:
            scripted_client(address, pauses).post_manifest(manifest())
        assert answered.value.status == 422
        assert answered.value.code in {"brand_new", ""}
        assert len(seen) == 1


LISTED: Answer = (200, {}, json.dumps({"mawbs": [{"mawb": MAWB, "updated_at": "2026-11-20T12:00:00.5Z"}]}))


class TestFollowing:
    def test_each_round_asks_for_what_changed_since_the_last_in_all_pages(self, pauses: Pauses) -> None:
        first = {"guides": [{"tracking_code": "A", "status": "s", "status_code": 4}]}
        changed = {**first["guides"][0], "mawb": MAWB, "status_code": 5, "updated_at": "2026-11-20T12:01:00Z"}
        with scripted(
            LISTED,
            (200, {}, json.dumps(first)),
            (200, {}, json.dumps({"guides": [], "next_cursor": "two"})),
            (200, {}, json.dumps({"guides": [changed], "next_cursor": None})),
        ) as (address, seen):
            changes = scripted_client(address, pauses).watch({})
            assert [next(changes).status_code, next(changes).status_code] == [4, 5]
        asked = [parse_qs(request.path.partition("?")[2]) for request in seen]
        assert "updated_since" not in asked[0]
        assert asked[2]["updated_since"] == ["2026-11-20T11:58:00.500000+00:00"]
        assert asked[3] == {**asked[2], "cursor": ["two"]}

    def test_what_was_voided_is_found_although_no_list_has_it(self, pauses: Pauses) -> None:
        known = {MAWB: {"A": 4}}
        none: Answer = (200, {}, json.dumps({"guides": [], "next_cursor": None}))
        with scripted(none, none, (404, {}, refused("not_found"))) as (address, _seen):
            changes = list(scripted_client(address, pauses).reconcile(known, since="2026-11-20T12:00:00Z"))
        assert [(change.tracking_code, change.status_code) for change in changes] == [("A", None)]
        assert known == {}

    def test_a_time_without_its_offset_is_refused(self, pauses: Pauses) -> None:
        with scripted() as (address, seen), pytest.raises(ValueError, match="no offset"):
            list(scripted_client(address, pauses).reconcile({}, since="2026-11-20T12:00:00"))
        assert seen == []

    def test_it_does_not_ask_again_for_what_has_ended(self, pauses: Pauses) -> None:
        with scripted(LISTED) as (address, seen):
            assert list(scripted_client(address, pauses).reconcile({MAWB: {"A": 6, "B": 93}})) == []
        assert len(seen) == 1

    @pytest.mark.parametrize("away", [AWAY, (408, {}, ""), (429, {}, refused("rate_limited"))])
    def test_watching_goes_on_after_a_round_without_the_service(self, pauses: Pauses, away: Answer) -> None:
        guides = {"guides": [{"tracking_code": "A", "status": "in_transit", "status_code": 4}]}
        rounds = [*[away] * 6, LISTED, (200, {}, json.dumps(guides))]
        with scripted(*rounds) as (address, _seen):
            change = next(scripted_client(address, pauses).watch({}, every_seconds=180))
        assert change.status == "in_transit"
        assert pauses[-1] == 180


class TestWays:
    def test_a_proxy_is_asked_for_the_address(self, pauses: Pauses) -> None:
        with scripted(NONE) as (proxy, seen):
            client = Client("http://prealerts.example.com", "pa_live_x", proxies={"http": proxy}, sleep=pauses)
            assert list(client.list_mawbs()) == []
        assert seen[0].path.startswith("http://prealerts.example.com/api/")

    def test_a_session_of_ones_own_is_used_and_left_as_it_was(self, pauses: Pauses) -> None:
        session = requests.Session()
        session.headers["X-Office"] = "Lima"
        session.auth = ("another", "password")
        headers = dict(session.headers)
        with scripted(NONE, NONE) as (address, seen):
            with Client(address, "pa_live_x", session=session, sleep=pauses) as client:
                list(client.list_mawbs())
            session.get(address, timeout=10)
        assert (seen[0].headers["X-Office"], seen[0].headers["Authorization"]) == ("Lima", "Bearer pa_live_x")
        assert (dict(session.headers), session.auth) == (headers, ("another", "password"))
        assert seen[1].headers["Authorization"].startswith("Basic ")

    def test_certificates_that_are_not_there_are_refused_at_once(self) -> None:
        with pytest.raises(ValueError, match=r"nowhere\.pem"):
            Client("https://prealerts.example.com", "pa_live_x", verify="/nowhere.pem")

    def test_a_webhook_has_the_secret_that_one_gives_or_a_new_one_that_verifies(self, pauses: Pauses) -> None:
        made: Answer = (201, {}, '{"success": true}')
        with scripted(*[made] * 4) as (address, seen):
            client = scripted_client(address, pauses)
            for secret in ("whsec_" + "a" * 32, None):
                client.create_subscription("https://hooks.example.com", secret=secret)
                client.rotate_secret("sub_1", secret=secret)
        given, rotated, *new = [json.loads(asked.body)["secret"] for asked in seen]
        assert given == rotated == "whsec_" + "a" * 32
        assert len(set(new)) == 2
        for secret in new:
            with pytest.raises(SignatureInvalid):  # which it would not come to with a secret that is none
                verify(b"{}", {}, secret)


def test_a_slow_service_does_not_hold_the_client_for_ever(pauses: Pauses) -> None:
    release = threading.Event()
    with network(_silent(release)) as between:
        client = scripted_client(between.address, pauses)
        client._transport.attempts, client._transport.read_seconds = 1, 0.2
        with pytest.raises(Unavailable, match="Timeout"):
            client.get_mawb(MAWB)
        release.set()


def _silent(release: threading.Event) -> tuple[str, int]:
    """A service that takes a connection and says nothing until it is released."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0]:
            release.wait(20)

    threading.Thread(target=serve, daemon=True).start()
    return "127.0.0.1", int(listener.getsockname()[1])
