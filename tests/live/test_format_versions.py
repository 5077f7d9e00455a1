"""Versions of a workbook format that change while workbooks are uploaded: several processes on either database."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests

from tests.live.server import WITHOUT_CHECKS, Server
from tests.shipments.formats.layouts_of_clients import NAME, book, format_json, guide
from tests.webhooks.running import wait_until

UPLOADS, MOST_ROUNDS = 20, 10
SWITCHES = """
import time
from pathlib import Path
from shipments.formats.publishing import publish
from shipments.models import WorkbookFormat
form = WorkbookFormat.objects.get(company__client_code="SWITCH")
number = 0
while not Path({stop!r}).exists():
    number += 1
    publish(form, number % 2 + 1, actor="ana")
    Path({began!r}).touch()
    time.sleep(0.02)
"""
READ = """
import json
from shipments.models import Guide
rows = Guide.objects.filter(manifest__company__client_code="SWITCH").order_by()
found = rows.values_list("manifest__mawb", "manifest__format_version__number", "weight_kg").distinct()
print(json.dumps([[mawb, number, str(weight)] for mawb, number, weight in found]))
"""


def test_each_upload_during_changes_of_version_is_read_by_one_of_them_wholly(service: Server, tmp_path: Path) -> None:
    client = service.company("SWITCH", countries="PE")
    for unit in ("kg", "lb"):
        path = tmp_path / f"{unit}.json"
        path.write_text(json.dumps(format_json(name=NAME, weight_kg={"unit": unit})), encoding="utf-8")
        service.manage("import_format", "SWITCH", str(path), "--publish", *WITHOUT_CHECKS)
    rows = [guide(number, Bruto=10) for number in range(1, 30)]

    def upload(number: int) -> Any:
        file = book(*rows, mawb=f"045-{number:07d}{number % 7}")
        return requests.post(f"{service.api}/upload", files={"manifest_file": file}, headers=client, timeout=120)

    began, stop = tmp_path / "began", tmp_path / "stop"
    answers: list[Any] = []
    with ThreadPoolExecutor(5) as threads:
        switching = threads.submit(service.manage, "shell", "-c", SWITCHES.format(began=str(began), stop=str(stop)))
        try:
            wait_until(lambda: began.exists() or switching.done())
            for first in range(1, UPLOADS * MOST_ROUNDS, UPLOADS):  # until uploads met both versions
                answers += threads.map(upload, range(first, first + UPLOADS))
                if len({answer.json()["format"]["version"] for answer in answers}) == 2:
                    break
        finally:
            stop.touch()
        switching.result()
    assert {answer.status_code for answer in answers} == {201}
    told = {answer.json()["mawb"]: answer.json()["format"]["version"] for answer in answers}
    read = json.loads(service.manage("shell", "-c", READ).splitlines()[-1])
    assert {mawb: number for mawb, number, _weight in read} == told
    assert len(read) == len(answers)  # one weight for all guides of each
    assert {(number, weight) for _mawb, number, weight in read} == {(1, "10.000"), (2, "4.536")}
