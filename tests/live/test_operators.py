"""The operators' API over HTTP: a scanner's day over a bad network, a customs broker's file, an OAuth library."""

import csv
import importlib
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session  # type: ignore[import-untyped]  # has no type hints

from tests.documents import guide, manifest
from tests.live.server import ROOT, Server
from tests.live.unreliable import answer_lost, lost_on_the_way, network

EXAMPLES = ROOT / "docs" / "examples"
MAKE_ACCESS = """
import json
from django.contrib.auth.models import Group
from companies.models.operators import make_access
access, secret = make_access({name!r}, Group.objects.get(name="Operations"), {countries!r}, days=1, actor="a test")
print(json.dumps([access.client_id, secret]))
"""

ERASE = """
from django.utils import timezone
from shipments.models import Guide
Guide.objects.filter(tracking_code={code!r}).update(anonymised_at=timezone.now(), updated_at=timezone.now())
"""


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The programs of docs/examples, imported as they import each other."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    names = ("operators", "scanner_day", "customs_broker", "last_mile")
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name, None)


def access(service: Server, name: str, *countries: str) -> tuple[str, str]:
    code = MAKE_ACCESS.format(name=name, countries=[*(countries or ["all"])])
    client_id, secret = json.loads(service.manage("shell", "--no-imports", "-c", code))
    return client_id, secret


def announced(service: Server, client: dict[str, str], mawb: str, guides: int, country: str = "CL") -> list[str]:
    """Send a manifest; its tracking codes in the order of its guides."""
    rows = [{**guide(1, country), "hawb": f"H{number:04d}"} for number in range(1, guides + 1)]
    body = manifest(*rows, country=country, mawb=mawb)
    answer = requests.post(f"{service.api}/process-pre-alert-json", json=body, headers=client, timeout=60)
    assert answer.status_code == 201, answer.text
    return [each["tracking_code"] for each in answer.json()["guides"]]


def test_a_scanners_day_of_five_hundred_scans_over_a_bad_network(
    service: Server, programs: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    codes = announced(service, service.company("SCANNED"), "045-70310122", 500)
    client_id, secret = access(service, "scanner")
    with network(service.host_and_port, lost_on_the_way) as between:

        class Shaky(programs["operators"].Operators):  # type: ignore[misc]  # imported by the test
            """Each call with scans loses an answer, then a request."""

            def call(self, method: str, path: str, body: object = None) -> Any:
                between.mishaps += [answer_lost, lost_on_the_way] if path.endswith("/scans") else []
                return super().call(method, path, body)

        api = Shaky(between.address, client_id, secret, sleep=lambda _seconds: None)
        scanned = [*codes[:497], "NOBODY-1", codes[0], codes[1]]
        batch = programs["scanner_day"].receive(api, "SCL-01", "CL", ["045-70310122"], scanned)
    assert {name: batch["counts"][name] for name in ("expected", "matched", "missing", "surplus", "packages_over")} == {
        "expected": 500, "matched": 497, "missing": 3, "surplus": 1, "packages_over": 2,
    }  # fmt: skip
    assert [each["tracking_code"] for each in batch["missing"]] == codes[497:]
    assert "matched: 497, more_packages: 2, surplus: 1" in capsys.readouterr().out


def test_a_brokers_file_is_refused_as_a_whole_for_the_wrong_country_then_taken(service: Server, tmp_path: Path) -> None:
    client = service.company("CLEARED", "CL,PE")
    mawbs = {"045-70310133": "CL", "045-70310144": "CL", "045-70310155": "PE"}
    codes = {mawb: announced(service, client, mawb, 3, country) for mawb, country in mawbs.items()}
    rows = [
        f"{mawb},H000{number},DIN 3670045-1,green,{country}" for mawb, country in mawbs.items() for number in (1, 2)
    ]
    file = tmp_path / "releases.csv"
    lines = "\r\n".join(["mawb,hawb,declaration,channel,country,comuna", *(f"{row},Ñuñoa" for row in rows)])
    file.write_text(lines.replace(",", ";"), encoding="cp1252")  # as a Spanish Excel saves it
    client_id, secret = access(service, "broker")

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(EXAMPLES / "customs_broker.py"), service.address, str(file), *arguments]
        credentials = {"CLIENT_ID": client_id, "CLIENT_SECRET": secret}
        return subprocess.run(command, env=credentials, text=True, capture_output=True, check=False, timeout=120)

    def statuses() -> Counter[str]:
        pages = [f"{service.api}/mawbs/{mawb}/guides" for mawb in codes]
        answers = [requests.get(page, headers=client, timeout=60).json()["guides"] for page in pages]
        return Counter(each["status"] for guides in answers for each in guides)

    wrong = run("CL")
    assert (wrong.returncode, "409 country_mismatch" in wrong.stderr) == (1, True)
    assert "045-70310155/H0001 is of PE" in wrong.stderr
    assert statuses() == {"registered": 9}
    right = run()
    assert (right.returncode, right.stderr) == (0, "")
    assert sorted(right.stdout.splitlines()) == ["CL DIN 3670045-1 advanced: 4", "PE DIN 3670045-1 advanced: 2"]
    assert statuses() == {"customs_released": 6, "registered": 3}
    assert "unchanged: 4" in run().stdout


def test_a_copy_for_the_last_mile_follows_and_deletes_what_was_erased(
    service: Server, programs: dict[str, ModuleType], tmp_path: Path
) -> None:
    codes = announced(service, service.company("COPIED", "CL,PE"), "045-70310166", 3)
    announced(service, service.company("ELSEWHERE", "PE"), "045-70310177", 2, "PE")
    api = programs["operators"].Operators(service.address, *access(service, "last mile", "CL"))
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy:

        def held() -> set[str]:
            programs["last_mile"].follow(api, copy)
            return {code for (code,) in copy.execute("SELECT tracking_code FROM guide WHERE country = 'CL'")}

        assert held() >= {*codes}
        assert not copy.execute("SELECT 1 FROM guide WHERE country <> 'CL'").fetchall()
        moved = {"ids": codes[:2], "status": "in_transit"}
        assert api.call("POST", "guides/bulk-advance-status", moved)["counts"] == {"advanced": 2}
        service.manage("shell", "--no-imports", "-c", ERASE.format(code=codes[0]))
        assert held() >= {*codes[1:]}
        assert codes[0] not in held()
        programs["last_mile"].write(copy, str(tmp_path / "guides.csv"))
    rows = list(csv.DictReader((tmp_path / "guides.csv").read_text(encoding="utf-8").splitlines()))
    (row,) = (row for row in rows if row["tracking_code"] in {*codes[:2]})
    assert (row["tracking_code"], row["consignee_address"]) == (codes[1], "")  # and no apostrophe
    assert row["consignee_name"]


@pytest.mark.parametrize("way", ["client_secret_basic", "client_secret_post"])
def test_an_oauth_library_gets_a_machines_token_and_uses_it(service: Server, way: str) -> None:
    client_id, secret = access(service, f"library-{way.rpartition('_')[2]}", "PE")
    base = f"{service.address}/api/operators/v1"
    with OAuth2Session(client_id, secret, token_endpoint_auth_method=way, scope="anything") as session:
        session.fetch_token(f"{base}/tokens", grant_type="client_credentials", timeout=60)
        me = session.get(f"{base}/me", timeout=60).json()
    assert (me["kind"], me["countries"]) == ("machine", ["PE"])
