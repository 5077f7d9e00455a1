"""The operators' pages over a million guides of 200 days: the slowest page of each kind, for an operator of all
countries and for one of a single country.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.pages
"""

import statistics
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import psycopg
import requests

from benchmarks.filled import OF_ONE_COUNTRY, SUPERUSER, fill
from benchmarks.harness import Figure, run, size
from benchmarks.serving import Service, operator, service

MANIFESTS = size(2_000, 20)
ROUNDS = size(7, 1)
CODES = " ".join(f"BEN{5_000 * number:011}" for number in range(1, 201))


class Kind(NamedTuple):
    """Pages of one kind. prefix: of their addresses below `admin/`. mark: what each whole page holds.

    addresses: what follows the prefix. is_for_all: also opened by an operator of one country.
    """

    prefix: str
    mark: str
    addresses: tuple[str, ...]
    is_for_all: bool = True


_GUIDES = "shipments/guide/?"
_LIST = 'id="changelist"'
KINDS: Mapping[str, Kind] = {
    "guides": Kind(
        _GUIDES,
        _LIST,
        (
            "", "status__exact=delivered", "status__exact=lost", "status__exact=out_for_delivery",
            "needs_review__exact=1", "needs_review__exact=0", "retention_required__exact=1", "company=BENCHA",
            "company=BENCHC", "country=PE", "country=CL", "arrival=today", "taken=nobody", "work=review",
            "company=BENCHA&country=AR&status__exact=registered", "company=BENCHC&status__exact=on_hold",
            "work=customs", "work=customs&o=-7", "work=customs&status__exact=customs_processing&o=-7", "o=3", "o=-3",
            "company=BENCHA&o=3", "o=7", "o=-7", "status__exact=delivered&arrival=overdue",
            "status__exact=delivered&company=BENCHA",
        ),
    ),
    "guides, searched": Kind(
        _GUIDES + "q=",
        _LIST,
        (
            "045-00000777", "04500000777", "045-000007", "HX000123456", "HX00012", "HX0001", "HX",
            "HX0001&company=BENCHA&status__exact=delivered", "BEN00000123456", "Elena+a1b2", "a1b2c", "elena",
            "1234.321%40example.com", "0123456", "5.123.456", "Zzyzx", "elena&o=3", "elena&status__exact=delivered",
            CODES.replace(" ", "+"),
        ),
    ),
    "manifests": Kind(
        "shipments/manifest/?",
        _LIST,
        (
            "", "company=BENCHA", "q=045-00000777", "arrival=overdue", "work=customs", "work=review",
            "status=exception",
        ),
    ),
    "deliveries and other lists": Kind(
        "",
        _LIST,
        (
            "webhooks/delivery/", "webhooks/delivery/?state__exact=failed", "webhooks/delivery/?q=BEN00000000100",
            "webhooks/delivery/?subscription__id__exact=1", "webhooks/delivery/?event_type__exact=upload.failed",
            "webhooks/delivery/?error__exact=tls", "webhooks/delivery/?o=0", "webhooks/subscription/",
            "companies/company/", "shipments/flight/", "shipments/refusedrequest/", "shipments/eventimport/",
            "shipments/workbookformat/",
        ),
    ),
    "deep pages and logs of operators": Kind(
        "",
        _LIST,
        (
            f"{_GUIDES}p=150", f"{_GUIDES}p=200", f"{_GUIDES}o=3&p=100", f"{_GUIDES}status__exact=delivered&p=100",
            "auth/user/", "admin/logentry/", "admin/logentry/?p=2", "auditlog/logentry/", "axes/accessattempt/",
        ),
        is_for_all=False,
    ),
    "start page and reports": Kind(
        "", 'id="content"', ("", "reports/?weeks=4", "reports/?weeks=12", "reports/?weeks=26", "reports/?weeks=52"),
    ),
}  # fmt: skip
SEARCHES = {
    "search of the header, by surname": ("elena", "elena a1", "a1b2"),
    "search of the header": (
        "HX", "HX0001", "0123456", "045-00000777", "5.123.456", "1234.321@example.com", "BEN00000123456", "BENCHA",
        "Zzyzx", CODES,
    ),
}  # fmt: skip
"""Texts for the search of the header, which are posted."""


def measure(url: str) -> Iterator[Figure]:
    """Fill, open each page as both operators, and yield the slowest of each kind."""
    with service(url, LOG_LEVEL="ERROR") as server:
        fill(server, MANIFESTS)
        found: dict[str, list[tuple[float, str]]] = {}
        for username, whose in ((SUPERUSER, ""), (OF_ONE_COUNTRY, ", one country")):
            with operator(server, username) as session:
                for kind, address, mark, form in _pages(server, is_everywhere=not whose):
                    milliseconds = _median(session, f"{server.server.address}/admin/{address}", mark, form)
                    said = form.get("s") or address or "the start page"
                    found.setdefault(kind, []).append((milliseconds, f"{said[:60]}{whose}"))
    for kind, pages in found.items():
        slowest, address = max(pages)
        middle = statistics.median(milliseconds for milliseconds, _address in pages)
        yield Figure(kind, slowest, "ms", ours=f"`{address}`", beside=f"{len(pages)} pages, median {middle:.0f} ms")


Page = tuple[str, str, str, dict[str, str]]
"""Kind, address below `admin/`, what the whole page holds, and what is posted; empty for a GET."""


def _pages(server: Service, *, is_everywhere: bool) -> Iterator[Page]:
    for name, kind in KINDS.items():
        if kind.is_for_all or is_everywhere:
            yield from ((name, kind.prefix + address, kind.mark, {}) for address in kind.addresses)
    for name, texts in SEARCHES.items():
        yield from ((name, "search/", "", {"s": text}) for text in texts)
    with psycopg.connect(server.database_url) as connection:
        newest = connection.execute(
            "SELECT m.id, g.id FROM shipments_manifest m JOIN shipments_guide g ON g.manifest_id = m.id "
            "WHERE m.country = 'PE' ORDER BY g.id DESC LIMIT 1"
        ).fetchone()
    assert newest
    for model, key in zip(("manifest", "guide"), newest, strict=True):
        yield "one guide, one manifest", f"shipments/{model}/{key}/change/", 'id="content"', {}


def _median(session: requests.Session, address: str, mark: str, form: dict[str, str]) -> float:
    """Milliseconds from the request to the whole page, which holds `mark`."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        answer = session.request("POST" if form else "GET", address, data=form, timeout=60)
        times.append((time.perf_counter() - started) * 1000)
        assert answer.status_code == 200, (address, answer.status_code)
        assert mark in answer.text, address
    return statistics.median(times)


if __name__ == "__main__":
    run("pages", measure)
