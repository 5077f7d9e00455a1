"""The client that the documentation gives away, against a live service and against what goes wrong on the way."""

import importlib.util
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from tests.books import MAWB, workbook_bytes
from tests.documents import manifest
from tests.integration_page import EXAMPLES
from tests.live import server
from tests.live.server import Server
from tests.live.unreliable import answer_lost, lost_on_the_way, network


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("example_client", EXAMPLES / "client.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for their annotations
    spec.loader.exec_module(module)
    return module


example = _load()
_numbers = count(1)


class Pauses(list[float]):
    """Instead of sleeping: how long it would have been."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture(scope="module")
def password(service: Server) -> str:
    """Of one company for all tests here, each of which sends a MAWB of its own."""
    return service.company("COPY", "CL,PE,AR")["Authorization"].split()[1]


@pytest.fixture
def mawb() -> str:
    return f"045-{next(_numbers):08d}"


@pytest.fixture
def client(service: Server, password: str, pauses: Pauses) -> Any:
    return example.PreAlerts(service.address, password, sleep=pauses)


@pytest.fixture
def book(tmp_path: Path, mawb: str) -> Path:
    path = tmp_path / "manifest.xlsx"
    path.write_bytes(workbook_bytes(mawb=mawb))
    return path


@contextmanager
def scripted(*answers: tuple[int, dict[str, str], str]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn; its address, and the requests it saw."""
    left, seen = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            seen.append(f"{self.command} {self.path}")
            status, headers, body = left.pop(0)
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        do_POST = do_GET  # noqa: N815  # the library's own spelling

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listener.server_address[1]}", seen
        listener.shutdown()
        thread.join()


def scripted_client(address: str, pauses: Pauses) -> Any:
    return example.PreAlerts(address, "pa_live_x", sleep=pauses)


class TestOnAGoodDay:
    def test_it_sends_a_workbook_and_asks_for_a_guide(self, client: Any, book: Path, mawb: str, pauses: Pauses) -> None:
        sent = client.upload(book, mawb, flight_number="LA2369")
        assert sent.mawb == mawb
        assert list(sent.tracking_codes) == ["HAWB00001", "HAWB00002"]
        assert client.guide(sent.tracking_codes["HAWB00001"])["status"] == "registered"
        assert client.mawbs()[0]["mawb"] == mawb
        assert pauses == []

    def test_it_sends_the_invoice_with_the_workbook(self, client: Any, book: Path, mawb: str, tmp_path: Path) -> None:
        invoice = tmp_path / "invoice.pdf"
        invoice.write_bytes(b"no PDF")
        with pytest.raises(example.ApiError) as refused:
            client.upload(book, mawb, invoice)
        assert list(refused.value.body["details"]) == ["invoice_file"]
        invoice.write_bytes(b"%PDF-1.7\n")
        assert client.upload(book, mawb, invoice).mawb == mawb

    def test_it_sends_json(self, client: Any, mawb: str) -> None:
        sent = client.post_json(manifest(country="PE", mawb=mawb))
        assert (sent.mawb, sent.answer["country"]) == (mawb, "PE")

    def test_what_is_not_ours_is_none(self, client: Any) -> None:
        assert client.guide("NOTHING/HERE") is None
        assert client.mawb("999-00000000") is None

    def test_it_tells_a_refusal_at_once_with_all_that_belongs_to_it(
        self, client: Any, book: Path, mawb: str, pauses: Pauses
    ) -> None:
        first = client.upload(book, mawb)
        with pytest.raises(example.ApiError) as refused:
            client.upload(book, mawb)
        assert (refused.value.status, refused.value.code) == (409, "mawb_already_exists")
        assert refused.value.body["manifest_id"] == first.manifest_id
        assert refused.value.request_id in str(refused.value)
        assert pauses == []

    def test_the_password_is_not_shown(self, client: Any, password: str) -> None:
        assert password not in repr(client)

    def test_a_netrc_does_not_take_the_passwords_place(self, client: Any, tmp_path: Path, monkeypatch: Any) -> None:
        netrc = tmp_path / "netrc"
        netrc.write_text("machine 127.0.0.1 login somebody password else\n")
        monkeypatch.setenv("NETRC", str(netrc))
        client.mawbs()  # raises when another word than the password was sent


class TestReconciling:
    def test_it_tells_what_changed_and_what_is_gone(self, service: Server, book: Path, mawb: str) -> None:
        client = example.PreAlerts(service.address, service.company("VOID")["Authorization"].split()[1])
        first, second = client.upload(book, mawb).tracking_codes.values()
        known: dict[str, dict[str, int]] = {}
        assert {change.tracking_code for change in client.reconcile(known)} == {first, second}
        assert known == {mawb: {first: 1, second: 1}}
        assert list(client.reconcile(known)) == []
        known[mawb][first] = 21
        assert list(client.reconcile(known)) == [example.Change(mawb, first, "registered", 1)]
        service.manage("void_manifest", "--company", "VOID", "--mawb", mawb, "--reason", "A test")
        gone = {(change.tracking_code, change.status_code) for change in client.reconcile(known)}
        assert (gone, known) == ({(first, None), (second, None)}, {})

    def test_it_does_not_ask_again_for_what_has_ended(self, pauses: Pauses) -> None:
        listed = json.dumps({"mawbs": [{"mawb": MAWB}]})
        with scripted((200, {}, listed)) as (address, seen):
            known = {MAWB: {"A": 6, "B": 93}}
            assert list(scripted_client(address, pauses).reconcile(known)) == []
        assert len(seen) == 1

    def test_watching_goes_on_after_a_round_without_the_service(self, pauses: Pauses) -> None:
        guides = {"guides": [{"tracking_code": "A", "status": "in_transit", "status_code": 4}]}
        away: tuple[int, dict[str, str], str] = (503, {}, "")
        rounds = [*[away] * 6, (200, {}, json.dumps({"mawbs": [{"mawb": MAWB}]})), (200, {}, json.dumps(guides))]
        with scripted(*rounds) as (address, _seen):
            (change,) = islice(scripted_client(address, pauses).watch({}, every_seconds=180), 1)
        assert change.status == "in_transit"
        assert pauses[-1] == 180


class TestWhenTheNetworkFails:
    def test_an_upload_whose_answer_was_lost_is_found_and_not_sent_again(
        self, service: Server, password: str, book: Path, mawb: str, pauses: Pauses
    ) -> None:
        with network(service.host_and_port, answer_lost) as between:
            sent = example.PreAlerts(between.address, password, sleep=pauses).upload(book, mawb)
        assert between.asked == ["POST", "GET"]
        assert len(sent.tracking_codes) == 2
        assert len(pauses) == 1

    def test_an_upload_that_was_lost_is_asked_for_and_sent_again(
        self, service: Server, password: str, book: Path, mawb: str, pauses: Pauses
    ) -> None:
        with network(service.host_and_port, lost_on_the_way, lost_on_the_way) as between:
            sent = example.PreAlerts(between.address, password, sleep=pauses).upload(book, mawb)
        assert between.asked == ["POST", "GET", "POST", "GET", "POST"]
        assert len(sent.tracking_codes) == 2

    def test_a_couriers_json_whose_answer_was_lost_is_known_by_the_409(
        self, service: Server, mawb: str, pauses: Pauses
    ) -> None:
        service.company("OWNER")
        made = service.manage(
            *("create_company", "Swift", "--client-code", "SWIFT", "--countries", "CL"),
            *("--kind", "courier", "--posts-for", "OWNER"),
        )
        word = json.loads(made)["api_password"]
        with network(service.host_and_port, answer_lost) as between:
            courier = example.PreAlerts(between.address, word, sleep=pauses)
            sent = courier.post_json(manifest(client_code="OWNER", mawb=mawb))
        assert between.asked == ["POST", "POST"]
        assert (bool(sent.manifest_id), sent.mawb, sent.tracking_codes) == (True, mawb, {})

    def test_a_service_that_dies_in_mid_upload_and_comes_back_has_the_manifest_once(
        self, tmp_path: Path, book: Path, mawb: str
    ) -> None:
        pid_file = tmp_path / "gunicorn.pid"
        with server.scratch_database(os.environ["DATABASE_URL"], tmp_path) as url:
            with server.running(tmp_path, url, GUNICORN_CMD_ARGS=f"--pid {pid_file}") as first:
                word = first.company("DYING")["Authorization"].split()[1]

                def die(service: Any, request: bytes) -> None:
                    service.sendall(request[: len(request) // 2])
                    _kill_with_children(int(pid_file.read_text()))

                with network(first.host_and_port, die) as between:
                    hopeless = example.PreAlerts(between.address, word, attempts=2, sleep=Pauses())
                    with pytest.raises(example.Unavailable):
                        hopeless.upload(book, mawb)
                    assert "POST" not in between.asked[1:]
            with server.running(tmp_path, url) as second:
                client = example.PreAlerts(second.address, word)
                assert client.mawbs() == []
                assert client.upload(book, mawb).mawb == mawb
                assert len(client.mawbs()) == 1

    def test_a_service_that_is_not_there_is_told_after_some_attempts(self, pauses: Pauses) -> None:
        client = scripted_client(f"http://127.0.0.1:{server.free_port()}", pauses)
        with pytest.raises(example.Unavailable):
            client.mawbs()
        assert len(pauses) == 6


def _kill_with_children(pid: int) -> None:
    """Like a power cut."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for each in (pid, *map(int, children)):
        os.kill(each, signal.SIGKILL)


class TestBackingOff:
    def test_the_first_wait_is_below_half_a_second_and_the_bound_doubles(self, pauses: Pauses) -> None:
        with scripted(*[(503, {}, "")] * 6) as (address, _seen), pytest.raises(example.Unavailable):
            scripted_client(address, pauses).mawbs()
        assert all(0 <= pause <= 0.5 * 2**attempt for attempt, pause in enumerate(pauses))
        assert len(set(pauses)) == 6

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
    def test_it_waits_at_least_as_long_as_it_is_told(self, pauses: Pauses, status: int) -> None:
        with scripted((status, {"Retry-After": "7"}, "<html>"), (200, {}, '{"mawbs": []}')) as (address, _seen):
            assert scripted_client(address, pauses).mawbs() == []
        (pause,) = pauses
        assert 7 <= pause <= 7.5

    def test_a_post_that_met_a_503_is_confirmed_by_get_before_it_is_sent_again(self, pauses: Pauses) -> None:
        refused = json.dumps({"success": False, "error": "unavailable", "message": "..."})
        absent = json.dumps({"success": False, "error": "not_found", "message": "..."})
        taken = json.dumps({"success": True, "manifest_id": "M", "mawb": MAWB, "guides": []})
        with scripted((503, {"Retry-After": "5"}, refused), (404, {}, absent), (201, {}, taken)) as (address, seen):
            assert scripted_client(address, pauses).post_json(manifest()).manifest_id == "M"
        assert [line.split()[0] for line in seen] == ["POST", "GET", "POST"]
        assert pauses[0] >= 5

    def test_a_proxys_404_does_not_count_as_not_found(self, pauses: Pauses) -> None:
        with scripted((503, {}, ""), (404, {}, "<html>")) as (address, seen), pytest.raises(example.ApiError):
            scripted_client(address, pauses).post_json(manifest())
        assert len(seen) == 2

    def test_an_answer_without_its_body_counts_as_lost(self, pauses: Pauses) -> None:
        with scripted((200, {}, ""), (200, {}, '{"mawbs": []}')) as (address, _seen):
            assert scripted_client(address, pauses).mawbs() == []
        assert len(pauses) == 1

    def test_a_redirect_is_not_followed(self, pauses: Pauses) -> None:
        with scripted((302, {"Location": "https://elsewhere.example/"}, "")) as (address, _seen):
            with pytest.raises(example.ApiError) as refused:
                scripted_client(address, pauses).mawbs()
            assert refused.value.status == 302


class TestTolerance:
    def test_unknown_fields_statuses_and_sources_pass_through(self, pauses: Pauses) -> None:
        event = {"status": "abducted", "status_code": 77, "source": "saucer", "timestamp": "x", "mood": "odd"}
        guide = {"hawb": "H", "status": "abducted", "status_code": 77, "events": [event], "colour": "green"}
        with scripted((200, {}, json.dumps(guide))) as (address, _seen):
            assert scripted_client(address, pauses).guide("A") == guide

    @pytest.mark.parametrize("body", ['{"success": false, "error": "brand_new", "message": "?", "hint": 1}', "<html>"])
    def test_an_unknown_code_is_a_refusal_by_its_status(self, pauses: Pauses, body: str) -> None:
        with scripted((422, {}, body)) as (address, seen), pytest.raises(example.ApiError) as refused:
            scripted_client(address, pauses).post_json(manifest())
        assert refused.value.status == 422
        assert refused.value.code in {"brand_new", ""}
        assert len(seen) == 1


def test_a_slow_service_does_not_hold_the_client_for_ever(pauses: Pauses) -> None:
    release = threading.Event()
    with network(_silent(release), *[]) as between:
        client = example.PreAlerts(between.address, "pa_live_x", attempts=1, read_seconds=0.2, sleep=pauses)
        with pytest.raises(example.Unavailable, match="Timeout"):
            client.mawbs()
        release.set()


def _silent(release: threading.Event) -> tuple[str, int]:
    """A service that takes a connection and says nothing until it is released."""
    import socket  # noqa: PLC0415  # kept beside its only use

    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0]:
            release.wait(20)

    threading.Thread(target=serve, daemon=True).start()
    return "127.0.0.1", int(listener.getsockname()[1])
