"""The Python client against a live service and against what goes wrong on the way."""

import json
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from prealerts_client import ApiError, Change, Client, NotFound, Unavailable

from tests.books import guide_row, workbook_bytes
from tests.documents import manifest
from tests.live import databases, server
from tests.live.scripted import Pauses
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
def client(service: Server, password: str, pauses: Pauses) -> Client:
    return Client(service.address, password, sleep=pauses)


@pytest.fixture
def book(tmp_path: Path, mawb: str) -> Path:
    path = tmp_path / "manifest.xlsx"
    path.write_bytes(workbook_bytes(mawb=mawb))
    return path


def codes(created: Any) -> dict[str, str]:
    return {guide["hawb"]: guide["tracking_code"] for guide in created["guides"]}


class TestOnAGoodDay:
    def test_it_sends_a_workbook_and_asks_for_a_guide(
        self, client: Client, book: Path, mawb: str, pauses: Pauses
    ) -> None:
        created = client.upload_manifest(book, flight_number="LA2369")
        assert created["mawb"] == mawb
        assert list(codes(created)) == ["HAWB00001", "HAWB00002"]
        assert client.get_guide(codes(created)["HAWB00001"])["status"] == "registered"
        assert next(client.list_mawbs())["mawb"] == mawb
        assert client.get_findings(mawb)["warnings"] == created["warnings"]
        assert pauses == []

    def test_it_sends_the_invoice_with_the_workbook(
        self, client: Client, book: Path, mawb: str, tmp_path: Path
    ) -> None:
        invoice = tmp_path / "invoice.pdf"
        invoice.write_bytes(b"no PDF")
        with pytest.raises(ApiError) as refused:
            client.upload_manifest(book, invoice)
        assert list(refused.value.details) == ["invoice_file"]
        invoice.write_bytes(b"%PDF-1.7\n")
        assert client.upload_manifest(book, invoice)["mawb"] == mawb

    def test_it_sends_a_workbook_without_waiting(
        self, service: Server, client: Client, book: Path, mawb: str, pauses: Pauses
    ) -> None:
        accepted = client.upload_manifest(book, wait=False)
        service.manage("work", "--once")
        assert client.wait(accepted)["mawb"] == mawb
        refused = client.upload_manifest(book, wait=False)
        service.manage("work", "--once")
        with pytest.raises(ApiError) as raised:
            client.wait(refused)
        with pytest.raises(ApiError) as at_once:
            client.upload_manifest(book)
        assert raised.value.body == at_once.value.body
        assert (raised.value.status, pauses) == (409, [])

    def test_it_sends_json(self, client: Client, mawb: str) -> None:
        created = client.post_manifest(manifest(country="PE", mawb=mawb))
        assert (created["mawb"], created["country"]) == (mawb, "PE")

    def test_it_takes_the_pages_of_a_list_one_after_the_other(self, service: Server) -> None:
        client = Client(service.address, service.company("PAGES", "CL,PE")["Authorization"].split()[1])
        for number in range(5):
            client.post_manifest(manifest(mawb=f"045-1000000{number}", country="PE" if number == 2 else "CL"))
        assert len({mawb["mawb"] for mawb in client.list_mawbs(limit=2)}) == 5
        assert [mawb["mawb"] for mawb in client.list_mawbs(country="PE")] == ["045-10000002"]
        assert list(client.list_mawbs(status=["delivered", "closed"])) == []
        an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
        assert len(list(client.list_mawbs(updated_since=an_hour_ago, created_from=an_hour_ago))) == 5
        whole = client.get_mawb("045-10000001")["guides"]
        assert list(client.list_guides("045-10000001", limit=1, status="registered")) == whole
        with pytest.raises(ApiError) as refused:
            next(client.list_mawbs(status="nowhere", country="XX"))
        assert (refused.value.code, set(refused.value.details)) == ("invalid_query", {"status", "country"})

    def test_what_is_not_ours_is_not_found(self, client: Client) -> None:
        with pytest.raises(NotFound):
            client.get_guide("NOTHING/HERE")
        with pytest.raises(NotFound):
            client.get_mawb("999-00000000")

    def test_it_reports_a_refusal_at_once_with_its_details(self, client: Client, book: Path, pauses: Pauses) -> None:
        first = client.upload_manifest(book)
        with pytest.raises(ApiError) as refused:
            client.upload_manifest(book)
        assert (refused.value.status, refused.value.code) == (409, "mawb_already_exists")
        assert refused.value.body["manifest_id"] == first["manifest_id"]
        assert refused.value.request_id in str(refused.value)
        assert pauses == []

    def test_it_speaks_the_language_that_is_configured(
        self, service: Server, password: str, mawb: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "odd.xlsx"
        path.write_bytes(workbook_bytes([guide_row(RUT="1-2")], mawb=mawb))
        Client(service.address, password).upload_manifest(path)
        english, spanish = (
            Client(service.address, password, language=language).get_findings(mawb)["warnings"][0]["message"]
            for language in ("en", "es")
        )
        assert english != spanish

    def test_a_netrc_does_not_take_the_passwords_place(self, client: Client, tmp_path: Path, monkeypatch: Any) -> None:
        netrc = tmp_path / "netrc"
        netrc.write_text("machine 127.0.0.1 login somebody password else\n")
        monkeypatch.setenv("NETRC", str(netrc))
        list(client.list_mawbs())  # raises when another word than the password was sent

    def test_it_keeps_its_own_webhooks(self, client: Client) -> None:
        assert {each["type"] for each in client.list_event_types()["event_types"]} >= {"guide.delivered"}
        made = client.create_subscription("https://hooks.example.com/a", event_types=["guide.delivered"])
        assert made["secret"].startswith("whsec_")
        assert [each["id"] for each in client.list_subscriptions(limit=1)] == [made["id"]]
        assert client.change_subscription(made["id"], description="ours")["description"] == "ours"
        assert client.get_subscription(made["id"])["event_types"] == ["guide.delivered"]
        assert client.rotate_secret(made["id"], overlap_hours=1)["secret"] != made["secret"]
        sent = client.send_test(made["id"])["delivery_id"]
        assert client.get_delivery(sent)["subscription"] == made["id"]
        assert [each["id"] for each in client.list_deliveries(subscription=made["id"])] == [sent]
        client.delete_subscription(made["id"])
        with pytest.raises(NotFound):
            client.get_subscription(made["id"])


class TestConditionalRequests:
    def test_what_has_not_changed_is_not_sent_again(self, service: Server) -> None:
        client = Client(service.address, service.company("TAGS")["Authorization"].split()[1])
        created = client.post_manifest(manifest(mawb="045-20000001"))
        mawb, code = created["mawb"], created["guides"][0]["tracking_code"]
        asks: list[Callable[[], Any]] = [
            lambda: client.get_mawb(mawb),
            lambda: client.get_guide(code),
            lambda: list(client.list_mawbs()),
        ]
        first = [ask() for ask in asks]
        unchanged = statuses(service).count(304)
        assert [ask() for ask in asks] == first
        assert statuses(service).count(304) == unchanged + 3

        service.manage("advance_status", "--to", "customs_processing", code)
        assert [client.get_guide(code)["status"], client.get_mawb(mawb)["guides"][0]["status"]] == [
            "customs_processing"
        ] * 2
        assert next(client.list_mawbs())["guides_by_status"]["customs_processing"] == 1
        assert statuses(service).count(304) == unchanged + 3


def statuses(service: Server) -> list[int]:
    """Of all answers so far."""
    lines = [json.loads(line) for line in service.log().splitlines() if '"event": "request"' in line]
    return [line["status"] for line in lines]


class TestReconciling:
    def test_it_shows_what_changed_and_what_is_gone(self, service: Server, book: Path, mawb: str) -> None:
        client = Client(service.address, service.company("VOID")["Authorization"].split()[1])
        first, second = codes(client.upload_manifest(book)).values()
        known: dict[str, dict[str, int]] = {}
        assert {change.tracking_code for change in client.reconcile(known)} == {first, second}
        assert known == {mawb: {first: 1, second: 1}}
        assert list(client.reconcile(known)) == []
        known[mawb][first] = 21
        assert list(client.reconcile(known)) == [Change(mawb, first, "registered", 1)]
        service.manage("void_manifest", "--company", "VOID", "--mawb", mawb, "--reason", "A test")
        gone = {(change.tracking_code, change.status_code) for change in client.reconcile(known)}
        assert (gone, known) == ({(first, None), (second, None)}, {})

    def test_since_a_moment_it_reads_all_that_changed_from_then_on(self, service: Server) -> None:
        client = Client(service.address, service.company("SINCE")["Authorization"].split()[1])
        for number in range(52):
            client.post_manifest(manifest(mawb=f"045-3000{number:04d}"))
        last, *_others, first = client.list_mawbs()
        newest, everything = (
            {change.mawb for change in client.reconcile({}, since)} for since in (None, first["updated_at"])
        )
        assert (len(newest), len(everything)) == (50, 52)
        tomorrow = datetime.fromisoformat(last["updated_at"]) + timedelta(days=1)
        assert list(client.reconcile({}, since=tomorrow)) == []


class TestWhenTheNetworkFails:
    @pytest.mark.parametrize(
        "mishaps", [[answer_lost], [lost_on_the_way, lost_on_the_way], [lost_on_the_way, answer_lost]]
    )
    def test_an_upload_is_sent_again_under_its_key_and_created_once(
        self, service: Server, password: str, book: Path, pauses: Pauses, mishaps: list[Any]
    ) -> None:
        with network(service.host_and_port, *mishaps) as between:
            created = Client(between.address, password, sleep=pauses).upload_manifest(book)
        assert between.asked == ["POST"] * (len(mishaps) + 1)
        assert len(codes(created)) == 2
        assert len(pauses) == len(mishaps)

    def test_a_service_that_dies_in_mid_upload_and_comes_back_has_the_manifest_once(
        self, tmp_path: Path, book: Path, mawb: str
    ) -> None:
        pid_file = tmp_path / "gunicorn.pid"
        kind = os.environ["DATABASE_URL"]
        with databases.scratch_database(kind, tmp_path, template=databases.migrated_database(kind)) as url:
            with server.running(tmp_path, url, is_migrated=True, GUNICORN_CMD_ARGS=f"--pid {pid_file}") as first:
                word = first.company("DYING")["Authorization"].split()[1]

                def die(service: Any, request: bytes) -> None:
                    service.sendall(request[: len(request) // 2])
                    _kill_with_children(int(pid_file.read_text()))

                with network(first.host_and_port, die) as between:
                    hopeless = Client(between.address, word, attempts=2, sleep=Pauses())
                    with pytest.raises(Unavailable) as away:
                        hopeless.upload_manifest(book)
            with server.running(tmp_path, url, is_migrated=True) as second:
                client = Client(second.address, word)
                assert list(client.list_mawbs()) == []
                assert client.upload_manifest(book, idempotency_key=away.value.idempotency_key)["mawb"] == mawb
                assert len(list(client.list_mawbs())) == 1

    @pytest.mark.slow
    @pytest.mark.skipif(
        not os.environ["DATABASE_URL"].startswith("postgres"), reason="it asks PostgreSQL whether the upload has begun"
    )
    def test_a_crash_in_the_middle_of_a_large_upload_ends_in_its_201_without_the_callers_help(
        self, tmp_path: Path
    ) -> None:
        pid_file = tmp_path / "gunicorn.pid"
        with server.served(tmp_path, GUNICORN_CMD_ARGS=f"--pid {pid_file}") as service:
            client = Client(service.address, service.company("CRASHING")["Authorization"].split()[1])
            book = workbook_bytes([guide_row(number) for number in range(1, 9_001)])
            with ThreadPoolExecutor(1) as pool:
                sent = pool.submit(client.upload_manifest, book)
                _wait_until_a_key_is_held(service.environment["DATABASE_URL"])
                _kill_workers(int(pid_file.read_text()))  # the master starts others
                created = sent.result(timeout=200)
            assert created["guides_created"] == 9_000
            assert client.get_mawb(created["mawb"])["manifest_id"] == created["manifest_id"]
            assert statuses(service).count(409) >= 1


def _wait_until_a_key_is_held(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if connection.execute("SELECT 1 FROM shipments_idempotencykey").fetchone():
                return
            time.sleep(0.01)
    raise AssertionError("No upload has begun.")


def _kill_workers(pid: int) -> None:
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)


def _kill_with_children(pid: int) -> None:
    """Like a power cut."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for each in (pid, *map(int, children)):
        os.kill(each, signal.SIGKILL)
