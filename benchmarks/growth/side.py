"""One of the two databases while it is measured: a web server, a logged-in operator, a client, and a worker."""

import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import psycopg
import requests

from benchmarks.growth.databases import PASSWORD, Filled, service
from tests.live.server import ROOT, WITHOUT_CHECKS, Server, started

_CODES = """
SELECT (SELECT g.tracking_code FROM shipments_guide g WHERE g.manifest_id = m.id OFFSET 20 LIMIT 1), m.mawb
FROM shipments_manifest m JOIN companies_company c ON c.id = m.company_id
WHERE c.client_code = 'GROWTH' AND m.mawb < '045-1' ORDER BY random() LIMIT 3000
"""
_HAWBS = "SELECT hawb FROM shipments_guide WHERE tracking_code = ANY(%s)"


@dataclass
class Side:
    """guides: in the database. client: headers of the largest company. Every method returns seconds."""

    filled: Filled
    server: Server
    worker: "subprocess.Popen[str]"
    client: Mapping[str, str]
    session: requests.Session = field(default_factory=requests.Session)
    operator: requests.Session = field(default_factory=requests.Session)

    @cached_property
    def _known(self) -> list[tuple[str, str]]:
        with psycopg.connect(self.filled.url) as connection:
            return [(code, mawb) for code, mawb in connection.execute(_CODES)]

    @cached_property
    def _hawbs(self) -> list[str]:
        with psycopg.connect(self.filled.url) as connection:
            return [hawb for (hawb,) in connection.execute(_HAWBS, [[code for code, _mawb in self._known[:500]]])]

    def get(self, route: str) -> float:
        """GET a route of the API. {code} and {mawb} stand for one of the company, of any age."""
        code, mawb = random.choice(self._known)  # noqa: S311  # no secret
        address = f"{self.server.api}/{route.format(code=code, mawb=mawb)}"
        return self._timed(lambda: self.session.get(address, headers=self.client, timeout=120), 200)

    def upload(self, book: bytes) -> float:
        """Upload a workbook."""
        files = {"manifest_file": book}
        address = f"{self.server.api}/upload"
        return self._timed(lambda: self.session.post(address, files=files, headers=self.client, timeout=300), 201)

    def page(self, page: str) -> float:
        """Open a page of the admin."""
        return self._timed(lambda: self.operator.get(f"{self.server.address}/admin/{page}", timeout=120), 200)

    def search(self, text: str) -> float:
        """Search in the header. {hawb_end}, {hawb_start} and {hawb}: of a guide of any age."""
        hawb = random.choice(self._hawbs)  # noqa: S311  # no secret
        text = text.format(hawb=hawb, hawb_end=hawb[-6:], hawb_start=hawb[:-2])
        form = {"s": text, "csrfmiddlewaretoken": self.operator.cookies["csrftoken"]}
        address = f"{self.server.address}/admin/search/"
        return self._timed(lambda: self.operator.post(address, form, headers={"Referer": address}, timeout=120), 200)

    def work(self, job: str, number: int = 1) -> float:
        """Have the worker do a job."""
        assert self.worker.stdin
        assert self.worker.stdout
        self.worker.stdin.write(json.dumps({"job": job, "count": number}) + "\n")
        self.worker.stdin.flush()
        return float(self.worker.stdout.readline())

    def log_in(self) -> None:
        """Start the operator's session."""
        address = f"{self.server.address}/admin/login/"
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.operator.get(address, timeout=60).text)
        assert found
        form = {"csrfmiddlewaretoken": found[1], "username": "bench", "password": PASSWORD, "next": "/admin/"}
        answer = self.operator.post(address, form, headers={"Referer": address}, timeout=60, allow_redirects=False)
        assert answer.status_code == 302, answer.status_code

    def _timed(self, ask: Callable[[], requests.Response], status: int) -> float:
        started_at = time.perf_counter()
        answer = ask()
        seconds = time.perf_counter() - started_at
        assert answer.status_code == status, answer.text[:500]
        return seconds


@contextmanager
def measured_side(filled: Filled, directory: Path) -> Iterator[Side]:
    """The service, an operator and a worker on a database; stopped afterwards."""
    server = service(directory, filled.url)
    password = json.loads(server.manage("rotate_api_password", "GROWTH", *WITHOUT_CHECKS))["api_password"]
    gunicorn = started(server)
    worker = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.growth.worker"], cwd=ROOT, env=server.environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        side = Side(filled, server, worker, {"Authorization": f"Bearer {password}"})
        side.log_in()
        yield side
    finally:
        for process in (worker, gunicorn):
            process.terminate()
            process.wait(60)
