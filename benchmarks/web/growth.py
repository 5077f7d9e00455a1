"""One guide among ever more: the median time of GET guides/... while the table grows, beside the bare and usual views.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.web.growth
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import psycopg
import requests

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Curve, Figure, Measured, Series
from benchmarks.guide_sql import insert_guides
from benchmarks.scale import SCALE
from benchmarks.web.floor import floor
from tests.live.server import Server, running

GUIDES_OF_EACH = 1_000
MAX_RATIO = 1.5
WARM_UP = 20

FILL = "".join(
    [
        """
INSERT INTO shipments_flight (id, company_id, flight_number, origin_airport, origin_country, destination_airport,
    created_at)
SELECT gen_random_uuid(), id, '', '', '', 'SCL', now() FROM companies_company
WHERE NOT EXISTS (SELECT 1 FROM shipments_flight);
INSERT INTO shipments_manifest (id, company_id, posted_by_id, channel, mawb, country, transport_mode, flight_id,
    total_guides, total_weight_kg, total_pieces, total_fob_usd, guides_by_status, rut_invalid_count, warnings, notices,
    created_at)
SELECT gen_random_uuid(), f.company_id, f.company_id, 'json', '045-' || lpad(n::text, 8, '0'), 'CL', 'air', f.id,
    %(each)s, 100, %(each)s, 1000, json_build_object('registered', %(each)s), 0, '[]', '[]', now()
FROM shipments_flight f, generate_series(%(first)s / %(each)s, %(last)s / %(each)s - 1) n;
""",
        insert_guides(
            {
                "manifest_id": "m.id",
                "hawb": "'H' || n",
                "tracking_code": "'BEN' || lpad(n::text, 11, '0')",
                "status": "'registered'",
                "consignee_name": "'Nombre ' || md5(n::text)",
                "consignee_document_type": "'RUT'",
                "consignee_document": "n || '-9'",
                "consignee_address": "'Calle Larga 123'",
                "consignee_city": "'Santiago'",
                "weight_kg": "1.5",
                "fob_usd": "100",
                "description_original": "'Zapatillas'",
                "created_at": "now()",
            }
        ),
        """FROM generate_series(%(first)s, %(last)s - 1) n
JOIN shipments_manifest m ON m.mawb = '045-' || lpad((n / %(each)s)::text, 8, '0');
INSERT INTO shipments_guideevent (guide_id, status, occurred_at, recorded_at, source, internal_note, actor)
SELECT g.id, e.status, now() + e.number * interval '1 hour', now(), 'customs', '', 'bench'
FROM generate_series(%(first)s, %(last)s - 1) n
JOIN shipments_guide g ON g.tracking_code = 'BEN' || lpad(n::text, 11, '0'),
    unnest(ARRAY['registered', 'customs_processing', 'in_transit']) WITH ORDINALITY AS e (status, number);
""",
    ]
)
"""Guides `first` to `last`, both whole MAWBs of `each`, every guide with three events."""

VIEWS = ("ours", "floor", "the usual way")


class Asked(NamedTuple):
    """What is asked for: guides/... at an address, in a database of so many guides."""

    address: str
    headers: dict[str, str]
    guides: int


def measure(url: str) -> Measured:
    """The curve over a scratch database that grows; beside it, in the same turns, one that keeps the fewest guides."""
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in VIEWS}
    with tempfile.TemporaryDirectory() as grown, tempfile.TemporaryDirectory() as kept:
        directory = Path(grown)
        with (
            part.database(url, directory) as database_url,
            _service(directory, database_url) as server,
            floor(directory, database_url) as bare,
            part.database(url, Path(kept)) as small_url,
            _service(Path(kept), small_url) as small,
        ):
            few = Asked(f"{small.api}/guides/", small.company("BENCH"), SCALE.total_guides[0])
            _fill(small_url, 0, few.guides)
            client = server.company("BENCH")
            bases = (f"{server.api}/guides/", f"{bare.server.address}/bare/guides/", f"{server.address}/usual/guides/")
            for first, total in zip((0, *SCALE.total_guides), SCALE.total_guides, strict=False):
                _fill(database_url, first, total)
                *views, among_few = _medians([*(Asked(base, client, total) for base in bases), few])
                for view, milliseconds in zip(VIEWS, views, strict=True):
                    points[view].append((total, milliseconds))
                said = ", ".join(f"{view} {points[view][-1][1]:.1f} ms" for view in VIEWS)
                print(f"  one of {total:>9,} guides: {said}; ours of {few.guides:,}: {among_few:.1f} ms", flush=True)
    curve = Curve(
        "guides",
        "One guide with its timeline, by its code",
        "guides in the database",
        "milliseconds, median",
        tuple(Series(view, tuple(found)) for view, found in points.items()),
    )
    return Measured((_grown({view: found[-1] for view, found in points.items()}, few, among_few),), (curve,))


def _service(directory: Path, database_url: str) -> AbstractContextManager[Server]:
    return running(
        directory,
        database_url,
        is_migrated=True,
        DJANGO_SETTINGS_MODULE="benchmarks.web.settings",
        LOG_LEVEL="WARNING",
    )


def _grown(last: dict[str, tuple[float, float]], few: Asked, among_few: float) -> Figure:
    many, ours = last["ours"]
    ratio = ours / among_few
    return Figure(
        f"GET guide among {many:,} guides against {few.guides:,}",
        f"{ratio:.2f}",
        f"at most {MAX_RATIO}",
        ratio <= MAX_RATIO,
        ours=f"{ours:.1f} ms and {among_few:.1f} ms",
        floor=f"{last['floor'][1]:.1f} ms",
        usual=f"{last['the usual way'][1]:.1f} ms",
    )


def _fill(database_url: str, first: int, last: int) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute(FILL, {"first": first, "last": last, "each": GUIDES_OF_EACH})
        connection.execute("VACUUM ANALYZE")


def _medians(asked: Sequence[Asked]) -> list[float]:
    """Milliseconds of each, requested in turns for various guides, so that disturbances affect all."""
    times: list[list[float]] = [[] for _ in asked]
    with requests.Session() as session:
        for _ in range(WARM_UP + SCALE.guide_times):
            for found, (address, headers, guides) in zip(times, asked, strict=True):
                code = f"BEN{random.randrange(guides):011}"  # noqa: S311  # no secret
                started = time.perf_counter()
                answer = session.get(address + code, headers=headers, timeout=30)
                found.append((time.perf_counter() - started) * 1000)
                assert len(answer.json()["events"]) == 3, answer.text
    return [statistics.median(found[WARM_UP:]) for found in times]


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
