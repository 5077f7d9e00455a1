"""The same jobs among a million guides (or BENCH_GUIDES) and ten thousand, in turns: what slows down as years go by?"""

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle

import psycopg
import requests

from benchmarks.filled import GUIDES_OF_EACH, SUPERUSER, fill
from benchmarks.harness import Figure, compared, in_turns, run, seconds, size
from benchmarks.serving import Headers, Service, answer_seconds, commands, operator, post, service, token
from benchmarks.uploads import manifest

FEW = size(10_000, 6_000)
MANY = int(os.environ.get("BENCH_GUIDES") or size(1_000_000, 10_000))
FEED, FEED_OF_ALL = (f"the operators' feed, 100 of 5,000 changed{each}" for each in ("", ", fields=all"))
ROUNDS, ROWS_OF_AN_UPLOAD = size(5, 1), size(5_000, 200)


class Side:
    """One of the two databases: a client, an operator, and a process that moves guides. Each job gives its seconds."""

    def __init__(self, service: Service, command: Callable[..., float], guides: int) -> None:
        self.client = fill(service, guides // GUIDES_OF_EACH)
        self.service, self.command, self.numbers = service, command, count(1)
        self.token = token(service, SUPERUSER)
        self.operator, self.session = operator(service, SUPERUSER), requests.Session()
        with psycopg.connect(service.database_url) as connection:
            self.known = connection.execute(_KNOWN).fetchall()
            self.in_customs = [code for (code,) in connection.execute(_IN_CUSTOMS)]
            self.changed = connection.execute(_CHANGED).fetchall()[0][0]
            connection.commit()
        self.statuses = {guides: cycle(("customs_held", "customs_processing")) for guides in (1, 200)}

    def jobs(self) -> dict[str, Callable[[], float]]:
        """By name. Quick ones are done several times, and give the median."""
        return {
            "upload of 5,000 rows": self._upload,
            "GET guide, any": lambda: self._get("guides/{code}", 20),
            # Among 10,000 guides the client has ten MAWBs: more would compare a longer answer with a shorter one.
            "GET mawbs, the newest 10": lambda: self._get("mawbs?limit=10", 20),
            "GET mawbs, 10 of a status": lambda: self._get("mawbs?limit=10&status=delivered", 20),
            "GET guides, 100 of 5,000 changed": self._changes,
            FEED: partial(self._feed, "guides", 5),
            FEED_OF_ALL: partial(self._feed, "guides", 5, fields="all"),
            "the operators' feed, ten MAWBs that changed": partial(self._feed, "mawbs", 1),
            "GET one MAWB, any": lambda: self._get("mawbs/{mawb}", 20),
            "a move of one guide": lambda: self._move(1, 3),
            "a move of 200 guides of ten MAWBs": lambda: self._move(200),
            "the admin's list of guides": lambda: self._page("GET", "shipments/guide/", ""),
            "search of the header, a HAWB": lambda: self._page("POST", "search/", "{hawb}"),
            "search of the header, a rare surname": lambda: self._page("POST", "search/", "{surname}"),
        }

    def _upload(self) -> float:
        book = manifest(ROWS_OF_AN_UPLOAD, 9_000_000 + next(self.numbers))
        return seconds(partial(post, self.service, self.client, book))

    def _any(self, text: str) -> str:
        """Text about one of the client's guides, of any age."""
        code, mawb, hawb, surname = random.choice(self.known)  # noqa: S311  # no secret
        return text.format(code=code, mawb=mawb, hawb=hawb, surname=surname)

    def _get(self, route: str, times: int) -> float:
        asked = [f"{self.service.server.api}/{self._any(route)}" for _ in range(times)]
        return statistics.median(answer_seconds(self.session, "GET", each, headers=self.client) for each in asked)

    def _changes(self) -> float:
        return self._pages(f"{self.service.server.api}/guides", self.client, 20)

    def _feed(self, rows: str, pages: int, **fields: str) -> float:
        """The same for an operators' program, which may ask ten times a second. rows: `guides` or `mawbs`."""
        return self._pages(f"{self.service.server.address}/api/operators/v1/{rows}", self.token, pages, **fields)

    def _pages(self, address: str, headers: Headers, pages: int, **query: str) -> float:
        """A page of what changed since, by turns the first ones."""
        times, query = [], {"updated_since": self.changed, "limit": "100", **query}
        for _ in range(pages):
            time.sleep(0.1)  # an operators' program may ask ten times a second
            started = time.perf_counter()
            answer = self.session.get(address, params=query, headers=headers, timeout=99)
            times.append(time.perf_counter() - started)
            assert answer.status_code == 200, answer.text
            query["cursor"] = answer.json()["next_cursor"]
        return statistics.median(times)

    def _page(self, method: str, page: str, text: str) -> float:
        address = f"{self.service.server.address}/admin/{page}"
        forms = [{"s": self._any(text)} for _ in range(3)]
        return statistics.median(answer_seconds(self.operator, method, address, data=form) for form in forms)

    def _move(self, guides: int, times: int = 1) -> float:
        codes = self.in_customs[:guides] if guides > 1 else self.in_customs[200:201]
        words = ("advance_status", "--skip-checks", *codes, "--to")
        return statistics.median(self.command(*words, next(self.statuses[guides])) for _ in range(times))


_KNOWN = """
SELECT g.tracking_code, m.mawb, g.hawb, split_part(g.consignee_name, ' ', 2)
FROM shipments_guide g JOIN shipments_manifest m ON m.id = g.manifest_id
JOIN companies_company c ON c.id = m.company_id
WHERE c.client_code = 'BENCHA' AND g.hawb LIKE 'HX%' ORDER BY random() LIMIT 2000
"""
# 5,000 guides of ten of its MAWBs, of any age, change one after the other; from when on.
_CHANGED = """
WITH chosen AS (
    SELECT id FROM shipments_manifest WHERE mawb LIKE '045-0%' AND company_id = (
        SELECT id FROM companies_company WHERE client_code = 'BENCHA'
    ) ORDER BY md5(id::text) LIMIT 10
), guides AS (
    UPDATE shipments_guide SET updated_at = now() + id % 5000 * interval '1 ms' WHERE manifest_id IN (TABLE chosen)
), manifests AS (
    UPDATE shipments_manifest SET changed_at = now() + interval '5 s' WHERE id IN (TABLE chosen)
)
SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
"""
_IN_CUSTOMS = "SELECT tracking_code FROM shipments_guide WHERE status = 'customs_processing' ORDER BY id DESC LIMIT 201"


def measure(url: str) -> Iterator[Figure]:
    """Fill both databases, do each job on both by turns; the first round warms up."""
    with (
        service(url) as smaller, service(url) as larger, commands(smaller) as of_smaller, commands(larger) as of_larger
    ):  # fmt: skip
        few, many = Side(smaller, of_smaller, FEW).jobs(), Side(larger, of_larger, MANY).jobs()
        pages = in_turns({"all": many[FEED_OF_ALL], "few": many[FEED]}, ROUNDS + 1)
        yield compared("fields=all, times a page without", pages["all"][1:], pages["few"][1:], "without")
        for name in few:
            found = in_turns({"many": many[name], "few": few[name]}, ROUNDS + 1)
            yield compared(name, found["many"][1:], found["few"][1:], f"among {FEW:,}")


if __name__ == "__main__":
    run("growth", measure)
