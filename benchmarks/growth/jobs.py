"""What is done on both databases, in turns."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from benchmarks.growth.side import Side
from benchmarks.web.uploads import manifest

ROWS_OF_AN_UPLOAD = 5_000
FIRST_NUMBER = 1_000_000 + int(time.time()) % 8_000_000
"""Of MAWBs that neither the filling nor an earlier run on kept databases has."""


@dataclass(frozen=True)
class Job:
    """what: in the table. run: does it once and gives its seconds. times: in each round, so that quick jobs are
    repeated.
    """

    what: str
    run: Callable[[Side], float]
    times: int = 1


def _api(what: str, route: str) -> Job:
    return Job(what, lambda side: side.get(route), times=10)


def _page(what: str, page: str) -> Job:
    return Job(f"page: {what}", lambda side: side.page(page), times=2)


def _search(what: str, text: str) -> Job:
    return Job(f"search in the header: {what}", lambda side: side.search(text), times=2)


def _work(what: str, job: str, number: int = 1, times: int = 1) -> Job:
    return Job(what, lambda side: side.work(job, number), times)


def all_jobs() -> Sequence[Job]:
    """In the order of each round. Both sides upload the same workbooks, each with its own MAWB."""
    books: dict[int, bytes] = {}
    sent: dict[int, count[int]] = {}

    def upload(side: Side) -> float:
        number = next(sent.setdefault(side.filled.guides, count(FIRST_NUMBER)))
        book = books.pop(number, None) or books.setdefault(number, manifest(ROWS_OF_AN_UPLOAD, number))
        return side.upload(book)

    return (
        Job(f"upload of {ROWS_OF_AN_UPLOAD:,} rows", upload),
        _api("GET guide, any", "guides/{code}"),
        _api("GET mawbs, the newest 50", "mawbs?limit=50"),
        _api("GET mawbs, 50 of a status", "mawbs?limit=50&status=delivered"),
        _api("GET one MAWB, any", "mawbs/{mawb}"),
        _work("a move of one guide", "move", 1, times=5),
        _work("a move of 200 guides of four MAWBs", "move", 200),
        _work("a claim of 100 deliveries", "claim", 100, times=3),
        _work("pruning 5,000 deliveries", "prune"),
        _work("anonymising 500 guides of ten MAWBs", "anonymise"),
        _page("guides", "shipments/guide/"),
        _page("guides, page 150", "shipments/guide/?p=150"),
        _page("guides of a status that most have", "shipments/guide/?status__exact=delivered"),
        _page("guides of the largest company", "shipments/guide/?company=GROWTH"),
        _page("guides of a small company", "shipments/guide/?company=GROWTH390"),
        _page("manifests", "shipments/manifest/"),
        _page("start page", ""),
        _page("report of 12 weeks", "reports/?weeks=12"),
        _page("log of deliveries", "webhooks/delivery/"),
        _search("common surname", "González"),
        _search("rare surname", "Lafinna"),
        _search("name and two surnames", "Elena Muñoz Araya"),
        _search("HAWB", "{hawb}"),
        _search("end of a HAWB", "{hawb_end}"),
        _search("beginning of a HAWB", "{hawb_start}"),
    )


def medians(jobs: Sequence[Job], smaller: Side, larger: Side, rounds: int) -> dict[str, tuple[float, float]]:
    """The median seconds of each job on both sides. The first round warms up; in each, the sides take turns."""
    times: dict[str, tuple[list[float], list[float]]] = {job.what: ([], []) for job in jobs}
    for number in range(rounds + 1):
        for job in jobs:
            for turn in range(job.times):
                sides = (0, 1) if (number + turn) % 2 else (1, 0)
                for side in sides:
                    seconds = job.run((smaller, larger)[side])
                    if number:
                        times[job.what][side].append(seconds)
        print(f"  round {number} of {rounds}", flush=True)
    return {what: (statistics.median(few), statistics.median(many)) for what, (few, many) in times.items()}
