"""The same jobs among a million guides and among ten thousand, in turns: what becomes slower as years go by?

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.growth; BENCH_GUIDES=10000000 for another size.
"""

import json
import os
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count, cycle

import psycopg
import requests

from benchmarks.filled import GUIDES_OF_EACH, SUPERUSER, fill
from benchmarks.harness import Figure, compared, in_turns, run, seconds, size
from benchmarks.serving import Headers, Service, commands, operator, post, service
from benchmarks.uploads import manifest
from tests.live.server import WITHOUT_CHECKS

FEW = size(10_000, 6_000)
MANY = int(os.environ.get("BENCH_GUIDES") or size(1_000_000, 10_000))
ROUNDS = size(7, 1)
ROWS_OF_AN_UPLOAD = size(5_000, 200)
JOBS: Mapping[str, int] = {
    "upload of 5,000 rows": 1,
    "GET guide, any": 20,
    "GET mawbs, the newest 50": 20,
    "GET mawbs, 50 of a status": 20,
    "GET one MAWB, any": 20,
    "a move of one guide": 3,
    "a move of 200 guides of ten MAWBs": 1,
    "the admin's list of guides": 3,
    "search of the header, a HAWB": 3,
    "search of the header, a rare surname": 3,
}
"""What is done, and how often in a round."""


class Side:
    """One of the two databases: a client, an operator, and a process that moves guides. Each job gives its seconds."""

    def __init__(self, service: Service, command: Callable[..., float], guides: int) -> None:
        fill(service, guides // GUIDES_OF_EACH)
        self.service, self.command, self.numbers = service, command, count(1)
        self.client = _client(service, "BENCHA")
        self.operator = operator(service, SUPERUSER)
        self.session = requests.Session()
        with psycopg.connect(service.database_url) as connection:
            self.known = connection.execute(_KNOWN).fetchall()
            self.in_customs = [code for (code,) in connection.execute(_IN_CUSTOMS)]
        self.statuses = {guides: cycle(("customs_held", "customs_processing")) for guides in (1, 200)}

    def jobs(self) -> dict[str, Callable[[], float]]:
        work = (
            self._upload,
            lambda: self._get(f"guides/{random.choice(self.known)[0]}"),  # noqa: S311  # no secret
            lambda: self._get("mawbs?limit=50"),
            lambda: self._get("mawbs?limit=50&status=delivered"),
            lambda: self._get(f"mawbs/{random.choice(self.known)[1]}"),  # noqa: S311  # as above
            lambda: self._move(1),
            lambda: self._move(200),
            lambda: self._page("GET", "shipments/guide/"),
            lambda: self._page("POST", "search/", random.choice(self.known)[2]),  # noqa: S311  # as above
            lambda: self._page("POST", "search/", random.choice(self.known)[3]),  # noqa: S311  # as above
        )
        return {name: partial(_median_of, job, JOBS[name]) for name, job in zip(JOBS, work, strict=True)}

    def _upload(self) -> float:
        book = manifest(ROWS_OF_AN_UPLOAD, 9_000_000 + next(self.numbers))
        return seconds(partial(post, self.service, self.client, book))

    def _get(self, route: str) -> float:
        return _timed(self.session, "GET", f"{self.service.server.api}/{route}", headers=self.client)

    def _page(self, method: str, page: str, text: str = "") -> float:
        data = {"s": text} if text else {}
        return _timed(self.operator, method, f"{self.service.server.address}/admin/{page}", data=data)

    def _move(self, guides: int) -> float:
        codes = self.in_customs[:200] if guides == 200 else self.in_customs[200:201]
        return self.command("advance_status", "--to", next(self.statuses[guides]), *codes, "--skip-checks")


_KNOWN = """
SELECT g.tracking_code, m.mawb, g.hawb, split_part(g.consignee_name, ' ', 2)
FROM shipments_guide g JOIN shipments_manifest m ON m.id = g.manifest_id
JOIN companies_company c ON c.id = m.company_id
WHERE c.client_code = 'BENCHA' AND g.hawb LIKE 'HX%' ORDER BY random() LIMIT 2000
"""
_IN_CUSTOMS = """
SELECT tracking_code FROM shipments_guide WHERE status = 'customs_processing' ORDER BY id DESC LIMIT 201
"""


def _client(service: Service, code: str) -> Headers:
    said = service.server.manage("rotate_api_password", code, *WITHOUT_CHECKS)
    return {"Authorization": f"Bearer {json.loads(said)['api_password']}"}


def _timed(session: requests.Session, method: str, address: str, **how: Headers) -> float:
    def ask() -> None:
        answer = session.request(method, address, timeout=120, **how)  # type: ignore[arg-type]  # headers or data
        assert answer.status_code == 200, (address, answer.status_code)

    return seconds(ask)


def _median_of(job: Callable[[], float], times: int) -> float:
    return statistics.median(job() for _ in range(times))


def measure(url: str) -> Iterator[Figure]:
    """Fill both databases, do each job on both by turns; the first round warms up."""
    with (
        service(url) as smaller, service(url) as larger, commands(smaller) as of_smaller, commands(larger) as of_larger
    ):  # fmt: skip
        few, many = Side(smaller, of_smaller, FEW).jobs(), Side(larger, of_larger, MANY).jobs()
        for name in JOBS:
            found = in_turns({"many": many[name], "few": few[name]}, ROUNDS + 1)
            yield compared(name, found["many"][1:], found["few"][1:], f"among {FEW:,}")


if __name__ == "__main__":
    run("growth", measure)
