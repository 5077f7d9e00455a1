"""The web server's /metrics under gunicorn with two workers: on its own address, and the sum of what all counted."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.books import guide_row, workbook_bytes
from tests.live import server
from tests.prealerts.metrics.reading import OPEN_METRICS, samples, scrape, value

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # where the service keeps its counts
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
REQUESTS = "prealerts_http_request_duration_seconds_count"


@pytest.fixture(scope="module")
def watched(tmp_path_factory: Any) -> Iterator[tuple[server.Server, str]]:
    """A service of its own with metrics on, and where they are."""
    directory, bind = tmp_path_factory.mktemp("watched"), f"127.0.0.1:{server.free_port()}"
    with server.served(directory, METRICS_BIND=bind) as running:
        yield running, bind
    assert not list(SHARED_MEMORY.glob(f"*-{bind.rpartition(':')[2]}")), "nothing is left behind"


def upload(service: server.Server, headers: dict[str, str], content: bytes) -> int:
    files = {"manifest_file": ("manifest.xlsx", content, XLSX)}
    return requests.post(f"{service.api}/upload", headers=headers, files=files, timeout=60).status_code


def use(service: server.Server, headers: dict[str, str]) -> None:
    """Six uploads, one that is refused, and requests for what is not there."""
    for number in range(6):
        rows = [guide_row(row) for row in range(1, 4)]
        assert upload(service, headers, workbook_bytes(rows, mawb=f"045-0000{number}00{number}")) == 201
    assert upload(service, headers, b"no workbook") == 400
    for _ in range(10):
        requests.get(f"{service.api}/guides/NOTTHERE", headers=headers, timeout=60)
        requests.get(f"{service.address}/nowhere/12345678-5", timeout=60)
    requests.request("MARTA", f"{service.address}/health", timeout=60)


def test_counts_are_the_sum_of_all_workers_and_outlive_them(watched: tuple[server.Server, str]) -> None:
    service, bind = watched
    headers = service.company("WATCHED")
    before = scrape(bind)
    use(service, headers)
    text = scrape(bind)

    def grown(name: str, **labels: str) -> float:
        return value(text, name, **labels) - value(before, name, **labels)

    assert grown("prealerts_pre_alerts_total", endpoint="upload", outcome="created") == 6
    assert grown("prealerts_pre_alerts_total", endpoint="upload", outcome="excel_parse_error") == 1
    assert grown("prealerts_guides_created_total", channel="upload", country="CL") == 18
    assert grown("prealerts_events_recorded_total", source="pre_alert") == 18
    assert grown("prealerts_workbook_parse_seconds_count") == 6
    assert grown(REQUESTS, status="404", route="api/public/pre-alerts/v1/guides/(?P<tracking_code>[^/]+)/?$") == 10
    assert grown(REQUESTS, status="404", route="unknown") == 10
    assert grown(REQUESTS, method="other", route="health") == 1
    assert value(text, "prealerts_database_up") == 1
    assert value(text, "prealerts_webhook_outbox_deliveries") == 0
    assert "12345678" not in text
    assert "MARTA" not in text

    end_a_worker(service)
    after = scrape(bind)
    kept = {key: number for key, number in samples(text).items() if key[0].endswith(("_total", "_count", "_bucket"))}
    now = samples(after)
    assert {key for key, number in kept.items() if now.get(key, 0) < number} == set(), "no sum ever falls"
    assert value(after, "prealerts_guides_created_total") == value(text, "prealerts_guides_created_total")
    (kept_in,) = SHARED_MEMORY.glob(f"prealerts-metrics-*-{bind.rpartition(':')[2]}")
    kept_files = {file.name for file in kept_in.glob("*.db")}
    assert kept_files & {"counter_0.db", "counter_1.db"}
    assert kept_files <= {  # a worker that never counted has no file
        f"{kind}_{place}.db" for kind in ("counter", "histogram") for place in ("master", 0, 1)
    }, "a file a place and one of the master, however many workers there have been"


def end_a_worker(service: server.Server) -> None:
    """End one, and wait until another has taken its place."""
    workers = re.findall(r"Booting worker with pid: (\d+)", service.log())
    os.kill(int(workers[0]), signal.SIGTERM)
    deadline = time.monotonic() + 30
    while service.log().count("Booting worker") == len(workers):
        assert time.monotonic() < deadline, service.log()
        time.sleep(0.05)
    requests.get(f"{service.address}/health", timeout=60)


def test_the_apis_own_address_has_no_metrics_and_theirs_nothing_else(watched: tuple[server.Server, str]) -> None:
    service, bind = watched
    port = bind.rpartition(":")[2]
    for headers in ({}, {"Host": bind}, {"X-Forwarded-Port": port, "X-Forwarded-Host": bind}):
        assert requests.get(f"{service.address}/metrics", headers=headers, timeout=60).status_code in {400, 404}
    assert requests.get(f"http://{bind}/admin/login/", timeout=60).status_code == 404
    assert requests.get(f"http://{bind}/api/public/pre-alerts/v1/mawbs", timeout=60).status_code == 404
    assert requests.post(f"http://{bind}/metrics", timeout=60).status_code == 405


def test_open_metrics_is_spoken_where_it_is_asked_for(watched: tuple[server.Server, str]) -> None:
    assert scrape(watched[1], OPEN_METRICS).endswith("# EOF\n")
