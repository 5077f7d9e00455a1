"""What only a real server shows: races, bodies cut off and chunked, limits, and the road from upload to guide."""

import json
import socket
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import requests

from tests.books import guide_row, workbook_bytes
from tests.live.server import BASE, Server

MIB = 1024 * 1024


@pytest.fixture
def client(companies: Iterator[dict[str, str]]) -> dict[str, str]:
    """The headers of a company that no other test knows."""
    return next(companies)


def form(workbook: bytes, boundary: bytes = b"BOUNDARY", invoice: bytes = b"") -> bytes:
    """A multipart body as a client puts it on the wire."""
    body = (
        b"--" + boundary + b'\r\nContent-Disposition: form-data; name="manifest_file"; filename="m.xlsx"\r\n\r\n'
        + workbook + b"\r\n"
    )  # fmt: skip
    if invoice:
        body += (
            b"--" + boundary + b'\r\nContent-Disposition: form-data; name="invoice_file"; filename="i.pdf"\r\n\r\n'
            + invoice + b"\r\n"
        )  # fmt: skip
    return body + b"--" + boundary + b"--\r\n"


def raw_request(service: Server, head: str, body: bytes) -> tuple[int, dict[str, object]]:
    """Send bytes, half-close, read the whole answer: (status, JSON body)."""
    with socket.create_connection(service.host_and_port, timeout=60) as connection:
        connection.sendall(head.encode() + b"\r\n\r\n" + body)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    headers, _, content = answer.partition(b"\r\n\r\n")
    return int(headers.split()[1]), json.loads(content)


def stored_files(service: Server) -> set[Path]:
    return {path for path in (service.directory / "media").rglob("*") if path.is_file()}


def test_a_read_does_not_wait_for_an_upload_on_sqlite_though_it_notes_the_passwords_use(
    service: Server, client: dict[str, str]
) -> None:
    url = service.environment["DATABASE_URL"]
    if not url.startswith("sqlite"):
        pytest.skip("only SQLite has a single writer")
    noted = "SELECT count(*) FROM companies_company WHERE last_used_at IS NOT NULL"
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as writer:
        (before,) = writer.execute(noted).fetchone()
        writer.execute("BEGIN IMMEDIATE")
        # Waiting for the writer would be a 503 after 20 s: it ends once the read is answered.
        assert requests.get(f"{service.api}/mawbs", headers=client, timeout=60).status_code == 200
        writer.execute("COMMIT")
        assert writer.execute(noted).fetchone() == (before,)
        assert requests.get(f"{service.api}/mawbs", headers=client, timeout=60).status_code == 200
        assert writer.execute(noted).fetchone() == (before + 1,)


def test_of_twelve_identical_uploads_at_once_one_is_created_and_the_others_name_it(
    service: Server, client: dict[str, str]
) -> None:
    book = workbook_bytes([guide_row(number) for number in range(1, 301)])

    def upload(_number: int) -> requests.Response:
        return requests.post(f"{service.api}/upload", files={"manifest_file": book}, headers=client, timeout=60)

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(upload, range(12)))
    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 11}
    assert len({answer.json()["manifest_id"] for answer in answers}) == 1
    (item,) = requests.get(f"{service.api}/mawbs", headers=client, timeout=60).json()["mawbs"]
    assert item["total_guides"] == item["guides_by_status"]["registered"] == 300


def test_of_twelve_at_once_under_one_key_all_that_are_answered_have_the_same_success(
    service: Server, companies: Iterator[dict[str, str]]
) -> None:
    book = workbook_bytes([guide_row(number) for number in range(1, 301)])
    first, second = next(companies), next(companies)

    def upload(number: int) -> requests.Response:
        headers = {**(first if number % 2 else second), "Idempotency-Key": "one for all"}
        return requests.post(f"{service.api}/upload", files={"manifest_file": book}, headers=headers, timeout=60)

    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(upload, range(24)))
    for client, mine in ((second, answers[::2]), (first, answers[1::2])):
        created = [answer for answer in mine if answer.status_code == 201]
        waiting = [answer for answer in mine if answer.status_code == 409]
        assert len(created) + len(waiting) == 12
        assert {answer.json()["error"] for answer in waiting} <= {"idempotency_in_progress"}
        assert [answer.headers.get("Idempotent-Replayed") for answer in created].count(None) == 1
        assert len({answer.text for answer in created}) == 1
        again = requests.post(
            f"{service.api}/upload",
            files={"manifest_file": book},
            headers={**client, "Idempotency-Key": "one for all"},
            timeout=60,
        )
        assert (again.status_code, again.text) == (201, created[0].text)
        (item,) = requests.get(f"{service.api}/mawbs", headers=client, timeout=60).json()["mawbs"]
        assert item["manifest_id"] == again.json()["manifest_id"]
        assert item["total_guides"] == 300


@pytest.mark.parametrize("lost", [1, 9, 3_000])
def test_an_upload_cut_off_on_the_wire_is_refused_and_leaves_nothing(
    service: Server, client: dict[str, str], lost: int
) -> None:
    body = form(workbook_bytes(), invoice=b"%PDF-1.4 " + b"x" * 2000)
    before = stored_files(service)
    head = (
        f"POST {BASE}/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: {client['Authorization']}\r\n"
        f"Content-Type: multipart/form-data; boundary=BOUNDARY\r\nContent-Length: {len(body)}"
    )
    status, answer = raw_request(service, head, body[:-lost])
    assert (status, answer["error"]) == (400, "validation_failed")
    assert stored_files(service) == before
    assert requests.get(f"{service.api}/mawbs", headers=client, timeout=60).json()["mawbs"] == []


def test_a_chunked_upload_is_taken(service: Server, client: dict[str, str]) -> None:
    def pieces() -> Iterator[bytes]:
        body = form(workbook_bytes())
        for start in range(0, len(body), 1000):
            yield body[start : start + 1000]

    headers = {**client, "Content-Type": "multipart/form-data; boundary=BOUNDARY"}
    answer = requests.post(f"{service.api}/upload", data=pieces(), headers=headers, timeout=60)
    assert answer.status_code == 201, answer.text


def test_a_chunked_json_body_is_read_and_never_taken_for_empty(service: Server, client: dict[str, str]) -> None:
    def post(*pieces: bytes) -> requests.Response:
        headers = {**client, "Content-Type": "application/json"}
        return requests.post(f"{service.api}/process-pre-alert-json", data=iter(pieces), headers=headers, timeout=60)

    assert post(b'{"transport', b'_mode": "sea"}').json()["error"] == "unsupported_transport_mode"
    assert post(b" " * MIB * 6, b" " * MIB * 5, b"{}").json()["error"] == "invalid_body"


@pytest.mark.parametrize("path", ["upload", "process-pre-alert-json"])
@pytest.mark.parametrize(
    "chunks",
    [
        b"zz\r\n",
        b"-1\r\nx\r\n0\r\n\r\n",
        b"0x5\r\nabcde\r\n0\r\n\r\n",
        b"\r\n",
        b"F" * 18 + b"\r\nabc\r\n",
        b"3\r\nabcde\r\n0\r\n\r\n",
        b"5;a b\r\nabcde\r\n0\r\n\r\n",
        b"5\r\nabcde\r\nzz\r\n",
        b"0\r\nno trailer\r\n\r\n",
    ],
)
def test_chunks_that_cannot_be_read_are_refused(
    service: Server, client: dict[str, str], path: str, chunks: bytes
) -> None:
    kind = "application/json" if path != "upload" else "multipart/form-data; boundary=BOUNDARY"
    head = (
        f"POST {BASE}/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {client['Authorization']}\r\n"
        f"Connection: close\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked"
    )
    status, answer = raw_request(service, head, chunks)
    assert (status, answer["error"]) == (400, "validation_failed")


def test_a_file_over_twenty_megabytes_is_refused_by_its_field(service: Server, client: dict[str, str]) -> None:
    before = stored_files(service)
    for size, field in ((20 * MIB + 1, "manifest_file"), (60 * MIB, "invoice_file")):
        files = {"manifest_file": workbook_bytes(), field: b"%PDF-" + bytes(size - 5)}
        answer = requests.post(f"{service.api}/upload", files=files, headers=client, timeout=60)
        assert (answer.status_code, answer.json()["error"]) == (400, "validation_failed")
        assert list(answer.json()["details"]) == [field]
    assert stored_files(service) == before


def test_a_refusal_arrives_before_its_body_is_read_and_after_all_of_it_was_sent(service: Server) -> None:
    """A client that writes all of its request first, as most do, and one that sends no more than the head."""
    head = "POST {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\nContent-Length: {}"
    head = head.format("/api/public/pre-alerts/v1/upload", 20 * 1024 * 1024)
    for sent in (20 * 1024 * 1024, 0):
        for _ in range(4):
            assert raw_request(service, head, bytes(sent))[0] == 401


def test_no_word_of_a_person_and_no_password_reaches_the_servers_log(service: Server, client: dict[str, str]) -> None:
    requests.post(f"{service.api}/upload", files={"manifest_file": workbook_bytes()}, headers=client, timeout=60)
    requests.get(f"{service.api}/guides/12345678-5?q=Persona", headers=client, timeout=60)
    log = service.log()
    assert '"event": "request"' in log
    for secret in ("Persona", "12345678", client["Authorization"].split()[1]):
        assert secret not in log


HEAD = "Host: localhost\r\n"


@pytest.mark.parametrize(
    "head",
    [
        "GET /api/public/pre-alerts/v1/mawbs HTTP/1.1\r\n" + HEAD + "".join(f"X-{n}: a\r\n" for n in range(150))[:-2],
        "GET /api/public/pre-alerts/v1/mawbs HTTP/1.1\r\n" + HEAD + "X-Long: " + "x" * 70_000,
        f"GET /api/public/pre-alerts/v1/{'x' * 5_000} HTTP/1.1\r\n{HEAD}",
        "nonsense",
        f"GET /api/public/pre-alerts/v1/mawbs HTTP/9\r\n{HEAD}",
        f"POST /api/public/pre-alerts/v1/upload HTTP/1.1\r\n{HEAD}Transfer-Encoding: zip",
        f"POST /api/public/pre-alerts/v1/upload HTTP/1.1\r\n{HEAD}Content-Length: nine",
        f"POST /api/public/pre-alerts/v1/upload HTTP/1.1\r\n{HEAD}Expect: rain",
    ],
    ids=lambda head: head[-20:],
)
def test_what_the_server_refuses_by_itself_is_in_the_envelope(service: Server, head: str) -> None:
    with socket.create_connection(service.host_and_port, timeout=60) as connection:
        connection.sendall(head.encode() + b"\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    top, _, content = answer.partition("\r\n\r\n")
    status, *lines = top.split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    body = json.loads(content)
    assert (status, body["success"], body["error"]) == ("HTTP/1.1 400 Bad Request", False, "validation_failed")
    assert headers["content-type"] == "application/json"
    assert headers["access-control-allow-origin"] == "*"
    assert headers["cache-control"] == "no-store"
    assert headers["x-request-id"] in service.log()
    assert "x" * 50 not in service.log()


def test_each_of_several_requests_on_one_connection_is_answered_for_its_own_company(
    service: Server, companies: Iterator[dict[str, str]]
) -> None:
    refused, one, other = {"Authorization": "Bearer nonsense"}, next(companies), next(companies)
    with requests.Session() as session:
        answers = [
            session.get(f"{service.api}/mawbs", headers={**headers, "X-Request-Id": str(number)}, timeout=60)
            for number, headers in enumerate((one, refused, other, refused, one))
        ]
    assert [answer.status_code for answer in answers] == [200, 401, 200, 401, 200]
    assert [answer.headers["X-Request-Id"] for answer in answers] == ["0", "1", "2", "3", "4"]
