"""Moving guides: a whole MAWB by one command, single guides by many processes at once, 200 by the operators' API."""

import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import cycle
from multiprocessing.synchronize import Barrier

import django
import psycopg
import requests

from benchmarks.harness import Figure, compared, in_turns, per_second, run, seconds, size
from benchmarks.reading import document
from benchmarks.serving import JSON, Headers, Service, post, service, use

GUIDES_OF_ONE_MAWB, MANIFESTS = size(5_000, 500), size(1_000, 60)
GUIDES_OF_EACH, MIDDLE = 10, "HAWB000005"
"""Guides of a small MAWB; the product moves those before the middle, the floor the others."""
PROCESSES, SECONDS = size(8, 2), size(6, 1)
STATUSES = ("customs_processing", "customs_released", "in_transit")
ROUNDS = size(3, 1)
MAWBS, IDS = 7, 200
BULK_ROUNDS = size(15, 1)
_MAKE_ACCESS = """
import json
from django.contrib.auth.models import Group
from companies.models.operators import make_access
access, secret = make_access("bench", Group.objects.get(name="Operations"), ["all"], days=1, actor="bench")
print(json.dumps({"client_id": access.client_id, "client_secret": secret}))
"""


def measure(url: str) -> Iterator[Figure]:
    """The figures of moving guides."""
    with service(url) as server:
        client = {**server.server.company("BENCH", "PE"), "Content-Type": "application/json"}
        for number, guides in enumerate([GUIDES_OF_ONE_MAWB, 1, *[GUIDES_OF_EACH] * MANIFESTS], start=1):
            post(server, client, document(guides, f"045-{number:08d}"), JSON)
        yield _one_mawb(server)
        yield from _single(server)
        yield _bulk(server, client)


def _one_mawb(server: Service) -> Figure:
    """`advance_status` as an operator runs it, the interpreter's start included, and its work alone."""
    commands, starts = [], []
    for status in STATUSES:
        words = ["advance_status", "--to", status, "--company", "BENCH", "--mawb"]
        commands.append(seconds(partial(server.server.manage, *words, "045-00000001")))
        starts.append(seconds(partial(server.server.manage, *words, "045-00000002")))  # one guide: what starting costs
    whole, start = statistics.median(commands), statistics.median(starts)
    return Figure(
        "advance_status, 5,000 guides of a MAWB, with the command's start", GUIDES_OF_ONE_MAWB / whole, "guides/s",
        ours=f"{GUIDES_OF_ONE_MAWB / max(whole - start, 0.001):,.0f} guides/s without the start",
    )  # fmt: skip


def _single(server: Service) -> Iterator[Figure]:
    """Each process moves guides one by one, every one its own transaction, over all the MAWBs; and the same
    statements by hand, in turns, each on its half of every MAWB.
    """
    use(server.database_url)
    found = in_turns({"ours": partial(_rate, _move), "floor": partial(_rate, _floor)}, ROUNDS)
    yield Figure("single moves by 8 processes", statistics.median(found["ours"]), "moves/s")
    yield compared("single moves, of the same statements by hand", found["ours"], found["floor"], say=per_second)


def _rate(work: Callable[[int], int]) -> float:
    """Guides a second that all processes move together."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, context, initializer=_join, initargs=(context.Barrier(PROCESSES),)) as pool:
        return sum(pool.map(work, range(PROCESSES))) / SECONDS


_start: Barrier


def _join(barrier: Barrier) -> None:
    """What a process waits at before it moves guides, until all are ready."""
    global _start  # noqa: PLW0603  # how a pool's processes are given a barrier
    _start = barrier


def _move(number: int) -> int:
    """Move every n-th guide to its next status, one by one; how many."""
    django.setup()
    from shipments.models import Guide  # noqa: PLC0415  # Django must be set up
    from shipments.statuses import GuideStatus  # noqa: PLC0415  # as above
    from shipments.tracking.advancing import advance  # noqa: PLC0415  # as above
    from shipments.tracking.moves import Outcome, ReportedEvent  # noqa: PLC0415  # as above

    guides = Guide.objects.filter(manifest__total_guides=GUIDES_OF_EACH, hawb__lt=MIDDLE).order_by("hawb", "id")
    at = dict(list(guides.values_list("tracking_code", "status"))[number::PROCESSES])
    order = ("registered", *STATUSES)

    def move(code: str, status: str) -> bool:
        (result,) = advance(Guide.objects.filter(tracking_code=code), ReportedEvent(GuideStatus(status)), actor="bench")
        return result.outcome is Outcome.ADVANCED

    ahead = [(code, to) for to in STATUSES for code, status in at.items() if order.index(to) > order.index(status)]
    return _for_a_while(ahead, move)


READ = """
    SELECT id, company_id, mawb, country, guides_by_status, version, changed_at, created_at FROM shipments_manifest
    WHERE id IN (%(manifest)s) ORDER BY id FOR NO KEY UPDATE;
    SELECT g.id, g.hawb, g.tracking_code, g.status, g.retention_required, g.anonymised_at, g.sequence, g.updated_at,
        e.status, e.occurred_at, e.withdrawn_at IS NOT NULL,
        CASE WHEN e.status = 'registered' AND e.source = 'pre_alert' THEN NOT EXISTS (SELECT 1
            FROM shipments_guideevent earlier WHERE earlier.guide_id = e.guide_id AND earlier.id < e.id) ELSE FALSE END
    FROM shipments_guide g LEFT JOIN shipments_guideevent e ON e.guide_id = g.id AND e.occurred_at >= now()
    WHERE g.id IN (%(guide)s) ORDER BY g.id FOR NO KEY UPDATE OF g
"""
WRITE = """
    INSERT INTO shipments_guideevent
        (guide_id, status, occurred_at, recorded_at, source, internal_note, client_note, actor, sequence)
    VALUES (%(guide)s, %(status)s, now(), now(), 'operator', '', '', 'bench', %(sequence)s + 1) RETURNING id;
    UPDATE shipments_guide SET status = %(status)s, sequence = sequence + 1, updated_at = now(), customs_since = (
        SELECT min(stay.occurred_at) FROM shipments_guideevent stay
        WHERE stay.guide_id = shipments_guide.id AND stay.withdrawn_at IS NULL AND stay.status LIKE 'customs_%%'
            AND NOT EXISTS (SELECT 1 FROM shipments_guideevent later
                WHERE later.guide_id = stay.guide_id AND later.withdrawn_at IS NULL
                AND later.status NOT LIKE 'customs_%%' AND (later.occurred_at, later.id) > (stay.occurred_at, stay.id))
    ) WHERE id = %(guide)s;
    UPDATE shipments_manifest SET guides_by_status = %(counts)s, status = %(status)s, version = version + 1,
        changed_at = now() WHERE id = %(manifest)s
"""
LISTENERS = """
    SELECT s.id, s.version, s.event_types, s.countries FROM webhooks_subscription s
    JOIN companies_company c ON c.id = s.company_id
    WHERE s.company_id = %s AND s.is_active AND c.is_active ORDER BY s.id FOR KEY SHARE OF s
"""


def _floor(number: int) -> int:
    """The same round trips by hand, without the rules: the time of driver and database."""
    url = os.environ["DATABASE_URL"]
    with psycopg.connect(url, cursor_factory=psycopg.ClientCursor) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT tracking_code FROM shipments_guide g JOIN shipments_manifest m ON m.id = g.manifest_id "
            "WHERE total_guides = %s AND hawb >= %s ORDER BY hawb, g.id",
            [GUIDES_OF_EACH, MIDDLE],
        )
        codes = [code for (code,) in cursor.fetchall()][number::PROCESSES]
        connection.commit()

        def move(code: str, status: str) -> bool:
            connection.autocommit = True
            ((guide, manifest),) = cursor.execute(
                "SELECT id, manifest_id FROM shipments_guide WHERE tracking_code = %s", [code]
            ).fetchall()
            connection.autocommit = False
            cursor.execute(READ, {"guide": guide, "manifest": manifest})
            ((_id, company, _mawb, _country, counted, *_versions),) = cursor.fetchall()
            cursor.nextset()
            sequence = cursor.fetchall()[0][6]
            moved = {"guide": guide, "manifest": manifest, "status": status, "sequence": sequence}
            cursor.execute(WRITE, {**moved, "counts": json.dumps(counted)})
            cursor.execute(LISTENERS, [company]).fetchall()
            connection.commit()
            return True

        return _for_a_while([(code, "on_hold") for code in codes] * 10, move)


def _bulk(server: Service, client: Headers) -> Figure:
    """200 guides of 7 MAWBs, half of them named by MAWB and HAWB, moved over HTTP and by `advance_each`."""
    names: list[str] = []
    codes: list[str] = []
    for number in range(1, MAWBS + 1):
        mawb = f"123-{number:08d}"
        guides = json.loads(post(server, client, document(30, mawb), JSON))["guides"]
        codes += [guide["tracking_code"] for guide in guides]
        names += [f"{mawb}/{guide['hawb']}" for guide in guides]
    ids = [code if number % 2 else name for number, (code, name) in enumerate(zip(codes, names, strict=True))]
    statuses = cycle(["in_transit", "customs_processing"])
    subjects = {
        "ours": partial(seconds, _over_http(server, ids[:IDS], statuses)),
        "floor": partial(seconds, _in_process(codes[:IDS], statuses)),
    }
    in_turns(subjects, 1)  # connections and caches of both
    found = in_turns(subjects, BULK_ROUNDS)
    what = "200 ids over 7 MAWBs, times advance_each in one process"
    return compared(what, found["ours"], found["floor"], "advance_each")


def _over_http(server: Service, ids: list[str], statuses: Iterator[str]) -> Callable[[], None]:
    base = f"{server.server.address}/api/operators/v1"
    credentials = json.loads(server.server.manage("shell", "--no-imports", "-c", _MAKE_ACCESS))
    asked = {"grant_type": "client_credentials", **credentials}
    session = requests.Session()
    token = session.post(f"{base}/tokens", json=asked, timeout=60).json()["access_token"]
    session.headers["Authorization"] = f"Bearer {token}"

    def move() -> None:
        body = {"ids": ids, "status": next(statuses)}
        answer = session.post(f"{base}/guides/bulk-advance-status", json=body, timeout=60)
        assert answer.json()["counts"] == {"advanced": len(ids)}, answer.text[:500]

    return move


def _in_process(codes: list[str], statuses: Iterator[str]) -> Callable[[], None]:
    django.setup()
    from shipments.models import Guide  # noqa: PLC0415  # Django must be set up
    from shipments.statuses import GuideStatus  # noqa: PLC0415  # as above
    from shipments.tracking.advancing import advance_each, moves_of  # noqa: PLC0415  # as above
    from shipments.tracking.moves import Outcome, ReportedEvent  # noqa: PLC0415  # as above

    guides = Guide.objects.filter(tracking_code__in=codes)

    def move() -> None:
        results = advance_each(moves_of(guides, ReportedEvent(GuideStatus(next(statuses)))), actor="bench")
        assert {result.outcome for result in results} == {Outcome.ADVANCED}

    return move


def _for_a_while(moves: Sequence[tuple[str, str]], move: Callable[[str, str], bool]) -> int:
    """Move guides for `SECONDS`; how many."""
    _start.wait()
    done, stop_at = 0, time.perf_counter() + SECONDS
    for code, status in moves:
        done += move(code, status)
        if time.perf_counter() >= stop_at:
            return done
    raise RuntimeError("no guides left to move: fill in more")


if __name__ == "__main__":
    run("moves", measure)
