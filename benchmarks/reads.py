"""What reads cost: beside the floor, polls, a hundred thousand requests, long lists. Needs the program wrk."""

import statistics
from collections.abc import Iterator, Sequence
from functools import partial

import psycopg
import requests

from benchmarks.harness import Curve, Figure, compared, in_turns, inverse, ms, run, seconds, size
from benchmarks.reading import document
from benchmarks.serving import JSON, RIVAL_SETTINGS, Headers, Request, Service, floor, post, service
from tests.books import MAWB, guide_row, workbook_bytes
from tests.live.server import BASE, WITHOUT_CHECKS

SECONDS, ROUNDS = size(2, 1), size(5, 1)
LASTING_REQUESTS = size(100_000, 500)
BOOT = "Booting worker with pid"
LISTED = 50
GUIDES_OF_EACH = [10, 50, 250, size(5_000, 300)]
JOURNEY = ("customs_processing", "customs_held", "customs_released", "in_transit", "out_for_delivery")
"""Of the guide that is asked for, since it was registered."""


def measure(url: str) -> Iterator[Figure | Curve]:
    """The figures of reading over HTTP."""
    with service(url, DJANGO_SETTINGS_MODULE=RIVAL_SETTINGS, LOG_LEVEL="INFO") as ours, floor(ours) as bare:
        yield from _costs(ours, bare)
        yield from _lists(ours, bare)
        yield _limited(ours)
    with service(url, GUNICORN_CMD_ARGS="", LOG_LEVEL="INFO") as as_configured:
        yield from _lasting(as_configured)


def _costs(ours: Service, bare: Service) -> Iterator[Figure]:
    one, many, polled = ours.clients(3)
    code = _sent(ours, one, MAWB, [1])
    for number in range(LISTED):
        _sent(ours, many, f"045-{number:08d}", [1])
    _sent(ours, polled, MAWB, range(1, 61))
    for status in JOURNEY:
        ours.server.manage("advance_status", "--to", status, code, *WITHOUT_CHECKS)
    asked = {
        "guide": Request(ours, f"{BASE}/guides/{code}", one),
        "guide, floor": Request(bare, f"/bare/guides/{code}", one),
        "MAWB": Request(ours, f"{BASE}/mawbs/{MAWB}", polled),
        "list of one": Request(ours, f"{BASE}/mawbs", one),
        "list": Request(ours, f"{BASE}/mawbs", many),
        "list, floor": Request(bare, "/bare/mawbs", many),
    }
    for name in ("guide", "list"):
        assert asked[name].once().json() == asked[f"{name}, floor"].once().json(), "both must return the same"
    for name in ("guide", "MAWB"):
        condition = {"If-None-Match": asked[name].once().headers["ETag"]}
        asked[f"{name}, 304"] = poll = asked[name]._replace(headers={**asked[name].headers, **condition})
        assert poll.once().status_code == 304
    processor = in_turns({name: partial(each.cost, SECONDS) for name, each in asked.items()}, ROUNDS)
    what = "GET guide, the floor's processor time by ours"
    yield inverse(compared(what, processor["guide"], processor["guide, floor"]))
    yield compared("GET mawbs with one MAWB, by GET guide", processor["list of one"], processor["guide"], "guide")
    what = "GET mawbs with 50 MAWBs, the floor's processor time by ours"
    yield inverse(compared(what, processor["list"], processor["list, floor"]))
    for name, what in (("guide", "an unchanged guide"), ("MAWB", "an unchanged MAWB of 60 guides")):
        yield compared(f"{what} (304), by the whole answer", processor[f"{name}, 304"], processor[name], "whole")


def _limited(service: Service) -> Figure:
    """What a rate limit adds to a request, one after the other on a kept connection."""
    clients = {name: service.server.company(name.upper()) for name in ("free", "limited")}
    with psycopg.connect(service.database_url) as connection:
        connection.execute("UPDATE companies_company SET requests_per_second = 10000 WHERE client_code = 'LIMITED'")
    with requests.Session() as session:
        asked = {
            name: partial(session.get, f"{service.server.api}/guides/{_sent(service, client, MAWB, [1])}",
                          headers=client, timeout=60)
            for name, client in clients.items()
        }  # fmt: skip
        assert ["RateLimit" in ask().headers for ask in asked.values()] == [False, True]
        found = in_turns({name: partial(seconds, ask) for name, ask in asked.items()}, size(2_000, 5))
    longer = [one - other for one, other in zip(found["limited"], found["free"], strict=True)]
    said = [ms(statistics.median(found[name])) for name in ("limited", "free")]
    return Figure("a limited request, longer by", statistics.median(longer) * 1000, "ms", said[0], f"free {said[1]}")


def _sent(service: Service, client: Headers, mawb: str, rows: Sequence[int]) -> str:
    """Upload a MAWB; the tracking code of its first guide."""
    post(service, client, workbook_bytes(map(guide_row, rows), mawb=mawb))
    found = requests.get(f"{service.server.api}/mawbs/{mawb}", headers=client, timeout=30).json()
    return str(found["guides"][0]["tracking_code"])


def _lasting(service: Service) -> Iterator[Figure]:
    """Whether workers last: how often one was replaced, and how much their memory grew."""
    (client,) = service.clients(1)
    asked = Request(service, f"{BASE}/guides/{_sent(service, client, MAWB, [1])}", client)
    asked.asked_for(1)  # the first requests load modules and open connections
    boots, memory, answered = service.server.log().count(BOOT), service.memory_mib("VmRSS"), 0
    while answered < LASTING_REQUESTS:
        answered += asked.asked_for(size(20, 1))
    yield Figure("restarts of workers in 100,000 requests", service.server.log().count(BOOT) - boots)
    yield Figure("growth of a worker's memory in 100,000 requests", service.memory_mib("VmRSS") - memory, "MiB")


def _lists(ours: Service, bare: Service) -> Iterator[Figure | Curve]:
    """Lists of 50 MAWBs, as their guides grow."""
    clients = {guides: ours.server.company(f"LIST{guides}", "PE") for guides in GUIDES_OF_EACH}
    for guides, client in clients.items():
        for number in range(LISTED):
            body = document(guides, f"123-{number:08d}")
            post(ours, {**client, "Content-Type": "application/json"}, body, JSON)
    urls = {
        "ours": f"{ours.server.api}/mawbs", "floor": f"{bare.server.address}/bare/mawbs",
        "the usual way": f"{ours.server.address}/rival/mawbs",
    }  # fmt: skip
    found = {}
    with requests.Session() as session:
        for guides, client in clients.items():
            answers = [session.get(url, headers=client, timeout=60).json() for url in urls.values()]
            assert answers[0] == answers[1] == answers[2], "all must return the same"
            asked = {name: partial(session.get, url, headers=client, timeout=60) for name, url in urls.items()}
            found[guides] = in_turns({name: partial(seconds, each) for name, each in asked.items()}, size(25, 1))
    few, some, many = (found[guides] for guides in (50, 250, GUIDES_OF_EACH[-1]))
    yield compared("GET mawbs, 50 of 5,000 guides, times 50 of 50", many["ours"], few["ours"], "of 50")
    what = "GET mawbs, 50 of 250 guides, the usual way's time by ours"
    yield inverse(compared(what, some["ours"], some["the usual way"], "usual way"))
    lines = {name: [(guides, statistics.median(each[name]) * 1000) for guides, each in found.items()] for name in urls}
    yield Curve("The list of 50 MAWBs, in milliseconds, median", "guides of each MAWB", lines)


if __name__ == "__main__":
    run("reads", measure)
