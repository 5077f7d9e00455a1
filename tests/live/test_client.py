"""The client that the documentation gives away, against a live service and against what goes wrong on the way."""

import json
import os
import signal
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from tests.books import MAWB, workbook_bytes
from tests.documents import manifest
from tests.live import server
from tests.live.example_client import Pauses, example, scripted, scripted_client
from tests.live.server import Server
from tests.live.unreliable import answer_lost, lost_on_the_way, network

_numbers = count(1)


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
        kind = os.environ["DATABASE_URL"]
        with server.scratch_database(kind, tmp_path, template=server.migrated_database(kind)) as url:
            with server.running(tmp_path, url, is_migrated=True, GUNICORN_CMD_ARGS=f"--pid {pid_file}") as first:
                word = first.company("DYING")["Authorization"].split()[1]

                def die(service: Any, request: bytes) -> None:
                    service.sendall(request[: len(request) // 2])
                    _kill_with_children(int(pid_file.read_text()))

                with network(first.host_and_port, die) as between:
                    hopeless = example.PreAlerts(between.address, word, attempts=2, sleep=Pauses())
                    with pytest.raises(example.Unavailable):
                        hopeless.upload(book, mawb)
                    assert "POST" not in between.asked[1:]
            with server.running(tmp_path, url, is_migrated=True) as second:
                client = example.PreAlerts(second.address, word)
                assert client.mawbs() == []
                assert client.upload(book, mawb).mawb == mawb
                assert len(client.mawbs()) == 1

    def test_a_service_that_is_not_there_is_reported_after_some_attempts(self, pauses: Pauses) -> None:
        client = scripted_client(f"http://127.0.0.1:{server.free_port()}", pauses)
        with pytest.raises(example.Unavailable):
            client.mawbs()
        assert len(pauses) == 6


def _kill_with_children(pid: int) -> None:
    """Like a power cut."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for each in (pid, *map(int, children)):
        os.kill(each, signal.SIGKILL)
