"""The operators' pages over a million guides of 200 days: the slowest page of each kind, for an operator of all
countries and for one of a single country."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import psycopg

from benchmarks.filled import OF_ONE_COUNTRY, SUPERUSER, fill
from benchmarks.harness import Figure, run, size
from benchmarks.serving import Service, answer_seconds, operator, service

MANIFESTS, ROUNDS = size(2_000, 20), size(5, 1)
CODES = " ".join(f"BEN{5_000 * number:011}" for number in range(1, 201))

PAGES: Mapping[str, tuple[str, Sequence[str]]] = {
    "guides": ("shipments/guide/?", (
        "", "status__exact=delivered", "status__exact=lost", "status__exact=out_for_delivery", "needs_review__exact=1",
        "needs_review__exact=0", "retention_required__exact=1", "company=BENCHA", "company=BENCHC", "country=PE",
        "country=CL", "arrival=today", "taken=nobody", "work=review", "work=customs", "work=customs&o=-7", "o=3",
        "company=BENCHA&country=AR&status__exact=delivered", "company=BENCHC&status__exact=on_hold", "o=7", "o=-7",
        "work=customs&status__exact=customs_processing&o=-7", "status__exact=delivered&arrival=overdue",
        "company=BENCHA&o=3", "status__exact=delivered&company=BENCHA", "o=-3",
    )),
    "guides, searched": ("shipments/guide/?q=", (
        "045-00000777", "04500000777", "045-000007", "HX000123456", "HX00012", "HX0001", "HX", "BEN00000123456",
        "HX0001&company=BENCHA&status__exact=delivered", "Elena+a1b2", "a1b2c", "elena", "1234.321%40example.com",
        "0123456", "5.123.456", "Zzyzx", "elena&o=3", "elena&status__exact=delivered", CODES.replace(" ", "+"),
    )),
    "manifests": ("shipments/manifest/?", (
        "", "company=BENCHA", "q=045-00000777", "arrival=overdue", "work=customs", "work=review", "status=exception",
    )),
    "deliveries and other lists": ("", (
        "webhooks/delivery/", "webhooks/delivery/?state__exact=failed", "webhooks/delivery/?q=BEN00000000100",
        "webhooks/delivery/?subscription__id__exact=1", "webhooks/delivery/?error__exact=tls", "companies/company/",
        "webhooks/delivery/?event_type__exact=webhook.test", "webhooks/delivery/?o=0", "webhooks/subscription/",
        "shipments/flight/", "shipments/refusedrequest/", "shipments/uploadjob/", "shipments/bulkmove/",
    )),
    "start page and reports": ("", ("", *(f"reports/?weeks={weeks}" for weeks in (4, 12, 26, 52)))),
}  # fmt: skip
"""By kind: what addresses below `admin/` begin with, and how they go on."""
EVERYWHERE = (
    "shipments/guide/?p=150", "shipments/guide/?p=200", "shipments/guide/?o=3&p=100", "admin/logentry/?p=2",
    "shipments/guide/?status__exact=delivered&p=100", "auth/user/", "admin/logentry/", "auditlog/logentry/",
)  # fmt: skip
"""Pages that an operator of one country may not open, or has too few guides for."""
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
    found: dict[str, list[tuple[float, str]]] = {}
    with service(url, LOG_LEVEL="ERROR") as server:
        fill(server, MANIFESTS)
        for username in (SUPERUSER, OF_ONE_COUNTRY):
            with operator(server, username) as session:
                for kind, page, text in _pages(server, username):
                    address = f"{server.server.address}/admin/{page}"
                    said = f"{(text or page or 'start page')[:60]}{'' if username == SUPERUSER else ', one country'}"
                    ask = partial(answer_seconds, session, "POST" if text else "GET", address, data={"s": text})
                    milliseconds = statistics.median(ask() for _ in range(ROUNDS)) * 1000
                    found.setdefault(kind, []).append((milliseconds, said))
    for kind, pages in found.items():
        slowest, page = max(pages)
        middle = statistics.median(milliseconds for milliseconds, _page in pages)
        yield Figure(kind, slowest, "ms", ours=f"`{page}`", beside=f"{len(pages)} pages, median {middle:.0f} ms")


def _pages(server: Service, username: str) -> Iterator[tuple[str, str, str]]:
    """Kind, address below `admin/`, and the text that is searched for."""
    for kind, (prefix, addresses) in PAGES.items():
        yield from ((kind, prefix + address, "") for address in addresses)
    if username == SUPERUSER:
        yield from (("deep pages and logs of operators", address, "") for address in EVERYWHERE)
    for kind, texts in SEARCHES.items():
        yield from ((kind, "search/", text) for text in texts)
    with psycopg.connect(server.database_url) as connection:
        newest = connection.execute(
            "SELECT m.id, g.id FROM shipments_manifest m JOIN shipments_guide g ON g.manifest_id = m.id "
            "WHERE m.country = 'PE' ORDER BY g.id DESC LIMIT 1"
        ).fetchone()
    for model, key in zip(("manifest", "guide"), newest or (), strict=False):
        yield "one guide, one manifest", f"shipments/{model}/{key}/change/", ""


if __name__ == "__main__":
    run("pages", measure)
