"""Rows 22 to 24: bodies cut off, chunked, at their limits. The cases are those of the live server's own tests."""

from collections.abc import Iterator

import pytest
import requests

from faults.conftest import Say
from faults.environment.processes import resident_megabytes
from faults.environment.running import Service
from faults.observation.witness import Witness
from tests.live import test_over_http as live
from tests.live.server import BASE

MIB = 1024 * 1024
READ_AT_MOST_MB = 40
"""20 are read before it is refused; the rest is what lies in buffers and what is read so that the answer arrives."""


@pytest.mark.fault(22)
@pytest.mark.parametrize("lost", [1, 9, 1_000, 3_000, 6_000])
def test_a_body_cut_off(service: Service, witness: Witness, lost: int) -> None:
    """In the last boundary, before it, in the invoice, in the manifest, and near its beginning."""
    live.test_an_upload_cut_off_on_the_wire_is_refused_and_leaves_nothing(service.server, witness.tenant.headers, lost)


@pytest.mark.fault(23)
def test_a_chunked_body_is_taken_and_never_for_an_empty_one(service: Service, witness: Witness) -> None:
    live.test_a_chunked_upload_is_taken(service.server, witness.tenant.headers)
    live.test_a_chunked_json_body_is_read_and_never_taken_for_empty(service.server, witness.tenant.headers)


@pytest.mark.fault(24)
def test_the_limits_are_exact(service: Service, witness: Witness) -> None:
    live.test_a_file_of_exactly_twenty_megabytes_is_within_the_limit(service.server, witness.tenant.headers)
    live.test_a_file_over_twenty_megabytes_is_refused_by_its_field(service.server, witness.rival.headers)
    headers = {**witness.tenant.headers, "Content-Type": "application/json"}
    for body, words in ((b" " * (10 * MIB - 2) + b"{}", "transport_mode"), (b" " * (10 * MIB - 1) + b"{}", "10 MB")):
        answer = requests.post(f"{service.server.api}/process-pre-alert-json", data=body, headers=headers, timeout=60)
        witness.answers.append(answer)
        assert answer.status_code == 400
        assert words in answer.json()["message"]


@pytest.mark.fault(24)
def test_two_hundred_megabytes_are_not_read_to_the_end(service: Service, witness: Witness, note: Say) -> None:
    before = max(map(resident_megabytes, service.workers()))
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        yield b'--B\r\nContent-Disposition: form-data; name="manifest_file"; filename="m.xlsx"\r\n\r\n'
        for _ in range(200):
            yield bytes(MIB)
            sent += 1
        yield b"\r\n--B--\r\n"

    headers = {**witness.tenant.headers, "Content-Type": "multipart/form-data; boundary=B"}
    try:
        answer = requests.post(service.address + BASE + "/upload", data=body(), headers=headers, timeout=60)
    except requests.ConnectionError:
        heard = "the connection was closed before the client listened"
    else:
        assert (answer.status_code, answer.json()["error"]) == (400, "validation_failed")
        heard = "400"
    grown = max(map(resident_megabytes, service.workers())) - before
    assert grown < 50
    assert sent < READ_AT_MOST_MB
    note(f"200 MB: {heard} after {sent} MB were sent")
