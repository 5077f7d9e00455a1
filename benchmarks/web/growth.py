"""One guide among ever more: the median time of GET guides/... while the table grows, beside the bare and usual views.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.web.growth
"""

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import requests

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Curve, Figure, Measured, Series
from benchmarks.guide_sql import insert_guides
from benchmarks.scale import SCALE
from benchmarks.web.floor import floor
from tests.live.server import running

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
INSERT INTO shipments_guideevent (guide_id, status, occurred_at, recorded_at, source, reason, actor)
SELECT g.id, e.status, now() + e.number * interval '1 hour', now(), 'customs', '', 'bench'
FROM generate_series(%(first)s, %(last)s - 1) n
JOIN shipments_guide g ON g.tracking_code = 'BEN' || lpad(n::text, 11, '0'),
    unnest(ARRAY['registered', 'customs_processing', 'in_transit']) WITH ORDINALITY AS e (status, number);
""",
    ]
)
"""Guides `first` to `last`, both whole MAWBs of `each`, every guide with three events."""

VIEWS = ("ours", "floor", "the usual way")


def measure(url: str) -> Measured:
    """The curve over a scratch database that grows."""
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in VIEWS}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (
            part.database(url, directory) as database_url,
            running(
                directory,
                database_url,
                is_migrated=True,
                DJANGO_SETTINGS_MODULE="benchmarks.web.settings",
                LOG_LEVEL="WARNING",
            ) as server,
            floor(directory, database_url) as bare,
        ):
            client = server.company("BENCH")
            bases = (f"{server.api}/guides/", f"{bare.server.address}/bare/guides/", f"{server.address}/usual/guides/")
            urls = dict(zip(VIEWS, bases, strict=True))
            for first, total in zip((0, *SCALE.total_guides), SCALE.total_guides, strict=False):
                _fill(database_url, first, total)
                for view, milliseconds in _medians(urls, client, total).items():
                    points[view].append((total, milliseconds))
                said = ", ".join(f"{view} {points[view][-1][1]:.1f} ms" for view in VIEWS)
                print(f"  one of {total:>9,} guides: {said}", flush=True)
    curve = Curve(
        "guides",
        "One guide with its timeline, by its code",
        "guides in the database",
        "milliseconds, median",
        tuple(Series(view, tuple(found)) for view, found in points.items()),
    )
    return Measured((_grown(points),), (curve,))


def _grown(points: dict[str, list[tuple[float, float]]]) -> Figure:
    (few, at_first), (many, at_last) = points["ours"][0], points["ours"][-1]
    ratio = at_last / at_first
    return Figure(
        f"GET guide among {many:,} guides against {few:,}",
        f"{ratio:.2f}",
        f"at most {MAX_RATIO}",
        ratio <= MAX_RATIO,
        ours=f"{at_last:.1f} ms and {at_first:.1f} ms",
        floor=f"{points['floor'][-1][1]:.1f} ms",
        usual=f"{points['the usual way'][-1][1]:.1f} ms",
    )


def _fill(database_url: str, first: int, last: int) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute(FILL, {"first": first, "last": last, "each": GUIDES_OF_EACH})
        connection.execute("VACUUM ANALYZE")


def _medians(urls: dict[str, str], client: dict[str, str], total: int) -> dict[str, float]:
    """Milliseconds by view, requested in turns for various guides, so that disturbances affect all views."""
    times: dict[str, list[float]] = {view: [] for view in VIEWS}
    with requests.Session() as session:
        for _ in range(WARM_UP + SCALE.guide_times):
            code = f"BEN{random.randrange(total):011}"  # noqa: S311  # no secret
            for view, url in urls.items():
                started = time.perf_counter()
                answer = session.get(url + code, headers=client, timeout=30)
                times[view].append((time.perf_counter() - started) * 1000)
                assert len(answer.json()["events"]) == 3, answer.text
    return {view: statistics.median(found[WARM_UP:]) for view, found in times.items()}


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
