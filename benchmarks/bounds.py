"""All bounds, by part and figure. A bound is a yardstick for simple code, no reason for clever code."""

from collections.abc import Mapping
from typing import NamedTuple


class Bound(NamedTuple):
    """At least or at most `limit`."""

    words: str
    limit: float

    def holds(self, value: float) -> bool:
        return value >= self.limit if self.words == "at least" else value <= self.limit

    def __str__(self) -> str:
        return f"{self.words} {self.limit:,g}"


def at_least(limit: float) -> Bound:
    return Bound("at least", limit)


def at_most(limit: float) -> Bound:
    return Bound("at most", limit)


BOUNDS: Mapping[str, Mapping[str, Bound]] = {
    "uploads": {
        "upload of 5,000 rows, times its floor": at_most(2.3),
        "time of a row at 50,000 rows, times that at 5,000": at_most(1.25),
        "JSON of 5,000 rows with two products, times its floor": at_most(3.0),
        "peak memory of a worker, 8 workbooks of 50,000 rows at once, all wrong": at_most(300),
        "the answer to such a workbook": at_most(4),
        "202 for 50,000 rows": at_most(300),
    },
    "reading": {"a JSON row with two products": at_most(60)},
    "reads": {
        "GET guide, the floor's processor time by ours": at_least(0.55),
        "GET mawbs with one MAWB, by GET guide": at_most(1.3),
        "GET mawbs with 50 MAWBs, the floor's processor time by ours": at_least(0.6),
        "an unchanged guide (304), by the whole answer": at_most(0.75),
        "an unchanged MAWB of 60 guides (304), by the whole answer": at_most(0.75),
        "a limited request, longer by": at_most(0.3),
        "restarts of workers in 100,000 requests": at_most(2),
        "growth of a worker's memory in 100,000 requests": at_most(30),
        "GET mawbs, 50 of 5,000 guides, times 50 of 50": at_most(1.2),
    },
    "validating": {
        "validate 5,000 rows": at_most(1),
        "annotated workbook of 5,000 rows": at_most(2.5),
        "annotated workbook of 50,000 rows": at_most(10),
    },
    "moves": {
        "advance_status, 5,000 guides of a MAWB, with the command's start": at_least(2_000),
        "single moves by 8 processes": at_least(300),
        "single moves, of the same statements by hand": at_least(0.5),
        "200 ids over 7 MAWBs, times advance_each in one process": at_most(1.5),
    },
    "deliveries": {
        "to 50 endpoints": at_least(1_500),
        "to one endpoint": at_least(1_000),
        "to 50 endpoints, of the same work by hand": at_least(0.5),
        "to 50 endpoints, times Celery's": at_least(5),
        "processor time of a delivery, Celery's by ours": at_least(5),
        "version 2, of version 1's rate": at_least(0.75),
        "slower with 500,000 rows in the log, times": at_most(1.5),
        "commit to POST, idle, median": at_most(150),
        "commit to POST, 99 %, beside 400 endpoints that hang": at_most(1_000),
        "commit to POST, 99 %, beside 400 endpoints that refuse": at_most(1_000),
        "memory with 500 in flight": at_most(200),
    },
    "pages": dict.fromkeys(
        (
            "guides", "guides, searched", "search of the header, by surname", "search of the header", "manifests",
            "deliveries and other lists", "deep pages and logs of operators", "start page and reports",
            "one guide, one manifest",
        ),
        at_most(300),
    ),
    "growth": {
        "GET guides, 100 of 5,000 changed": at_most(2),
        "the operators' feed, 100 of 5,000 changed": at_most(2),
        "the operators' feed, 100 of 5,000 changed, fields=all": at_most(2),
        "the operators' feed, ten MAWBs that changed": at_most(2),
        "fields=all, times a page without": at_most(3),
        **dict.fromkeys(
            (
                "upload of 5,000 rows", "GET guide, any", "GET mawbs, the newest 10", "GET mawbs, 10 of a status",
                "GET one MAWB, any", "a move of one guide", "a move of 200 guides of ten MAWBs",
                "the admin's list of guides", "search of the header, a HAWB", "search of the header, a rare surname",
            ),
            at_most(1.5),
        ),
    },
}  # fmt: skip
