"""The operators' lists and start page over a million guides of 200 days (in the short form
a hundred thousand of 20): the median time of a page.

python -m benchmarks.web.admin_lists, with TEST_POSTGRES_URL=postgres://user@host:5432/name
"""

import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import requests

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.guide_sql import insert_guides
from benchmarks.scale import SCALE
from tests.live.server import Server, running, scratch_database

MANIFESTS = SCALE.admin_manifests
GUIDES_OF_EACH = 500
ROUNDS = SCALE.admin_rounds
MOST_MILLISECONDS = 300
PASSWORD = "only-for-the-benchmark"  # noqa: S105  # of a database that is gone a minute later

FILL = "".join(
    [
        """
INSERT INTO shipments_flight (id, company_id, flight_number, origin_airport, origin_country, destination_airport,
    created_at)
SELECT gen_random_uuid(), c.id, '', '', '', 'SCL', now() FROM companies_company c;
INSERT INTO shipments_manifest (id, company_id, posted_by_id, channel, mawb, country, transport_mode, flight_id, eta,
    total_guides, total_weight_kg, total_pieces, total_fob_usd, guides_by_status, rut_invalid_count, warnings, notices,
    created_at)
SELECT gen_random_uuid(), f.company_id, f.company_id, 'json', '045-' || lpad(n::text, 8, '0'),
    (ARRAY['CL', 'PE', 'AR'])[1 + n %% 3], 'air', f.id,
    now() + interval '2 days' - (%(manifests)s - n) * interval '144 minutes',
    %(guides)s, 100, %(guides)s, 1000, json_build_object('registered', %(guides)s), 0, '[]', '[]',
    now() - (%(manifests)s - n) * interval '144 minutes'
FROM generate_series(1, %(manifests)s) n
JOIN (SELECT id, company_id, row_number() OVER (ORDER BY company_id) AS number FROM shipments_flight) f
    ON f.number = CASE WHEN n %% 500 = 7 THEN 3 ELSE 1 + n %% 2 END;
""",
        insert_guides(
            {
                "manifest_id": "m.id",
                "hawb": "'HX' || lpad((m.number * %(guides)s + n)::text, 9, '0')",
                "tracking_code": "'BEN' || lpad((m.number * %(guides)s + n)::text, 11, '0')",
                "status": (
                    "CASE n WHEN 1 THEN 'customs_held' WHEN 2 THEN 'lost' WHEN 3 THEN 'customs_documents_required' "
                    "WHEN 4 THEN 'on_hold' WHEN 7 THEN 'delivery_failed' ELSE CASE "
                    "WHEN m.number > 1900 THEN 'registered' WHEN n < 20 "
                    "THEN 'out_for_delivery' ELSE 'delivered' END END"
                ),
                "consignee_name": (
                    "(ARRAY['Ana', 'Bruno', 'Carla', 'Diego', 'Elena', 'Felipe', 'Gloria', 'Hugo', 'Irene', 'Jorge'])"
                    "[1 + n %% 10] || ' ' || md5(n::text || m.number::text)"
                ),
                "consignee_words": (
                    "(ARRAY['ana', 'bruno', 'carla', 'diego', 'elena', 'felipe', 'gloria', 'hugo', 'irene', 'jorge'])"
                    "[1 + n %% 10] || ' ' || md5(n::text || m.number::text) || ' @' || m.number || '.' || n || "
                    "'@example.com'"
                ),
                "consignee_document_type": "'RUT'",
                "consignee_document": "(5000000 + m.number * %(guides)s + n)::text || '-' || n %% 10",
                "consignee_address": "'Calle Larga 123'",
                "consignee_city": "'Santiago'",
                "weight_kg": "1.5",
                "fob_usd": "100",
                "description_original": "'Zapatillas'",
                "needs_review": "n = 5",
                "retention_required": "n = 6 AND m.number %% 20 = 0",
                "created_at": "m.created_at",
            }
        ),
        """FROM (SELECT id, created_at, row_number() OVER (ORDER BY mawb) AS number FROM shipments_manifest) m,
    generate_series(1, %(guides)s) n
ORDER BY m.number, n;
INSERT INTO shipments_guideevent (guide_id, status, occurred_at, recorded_at, source, reason, actor)
SELECT id, status, created_at + interval '1 day', created_at + interval '1 day', 'customs', '', 'bench'
FROM shipments_guide;
""",
    ]
)

PAGES = {
    "guides": "guide/",
    "guides, page 150": "guide/?p=150",
    "status, common": "guide/?status__exact=delivered",
    "status, rare": "guide/?status__exact=lost",
    "status, few": "guide/?status__exact=out_for_delivery",
    "needs review": "guide/?needs_review__exact=1",
    "needs no review": "guide/?needs_review__exact=0",
    "under retention": "guide/?retention_required__exact=1",
    "large company": "guide/?company=BENCHA",
    "small company": "guide/?company=BENCHC",
    "country": "guide/?country=PE",
    "arrival": "guide/?arrival=today",
    "company, country, status": "guide/?company=BENCHA&country=AR&status__exact=registered",
    "small company, status it has not": "guide/?company=BENCHC&status__exact=on_hold",
    "search: MAWB": "guide/?q=045-00000777",
    "search: MAWB, other spelling": "guide/?q=04500000777",
    "search: beginning of a MAWB": "guide/?q=045-000007",
    "search: HAWB": "guide/?q=HX000123456",
    "search: beginning of a HAWB": "guide/?q=HX00012",
    "search: beginning of many HAWBs": "guide/?q=HX0001",
    "search: beginning of every HAWB": "guide/?q=HX",
    "search: a HAWB's beginning, filtered": "guide/?q=HX0001&company=BENCHA&status__exact=delivered",
    "search: tracking code": "guide/?q=BEN00000123456",
    "search: name": "guide/?q=Elena+a1b2",
    "search: a later word of a name": "guide/?q=a1b2c",
    "search: common name": "guide/?q=elena",
    "search: e-mail": "guide/?q=1234.321%40example.com",
    "search: end of a HAWB": "guide/?q=0123456",
    "search: 200 tracking codes": f"guide/?q={'+'.join(f'BEN{5_000 * n:011}' for n in range(1, 201))}",
    "search: document": "guide/?q=5.123.456",
    "search: nothing found": "guide/?q=Zzyzx",
    "manifests": "manifest/",
    "manifests of a company": "manifest/?company=BENCHA",
    "manifest by MAWB": "manifest/?q=045-00000777",
    "manifests, overdue": "manifest/?arrival=overdue",
}


def measure(url: str) -> Measured:
    """Fill a scratch database beside `url` and measure each page."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (
            scratch_database(url, directory) as database_url,
            running(directory, database_url, DJANGO_SUPERUSER_PASSWORD=PASSWORD, LOG_LEVEL="ERROR") as server,
        ):
            _fill(server, database_url)
            return Measured(tuple(_figures(server)))


def _fill(server: Server, database_url: str) -> None:
    for code in ("BENCHA", "BENCHB", "BENCHC"):
        server.company(code)
    server.manage("createsuperuser", "--noinput", "--username", "bench", "--email", "bench@example.org")
    with psycopg.connect(database_url, autocommit=True) as connection, psycopg.ClientCursor(connection) as cursor:
        # Indexes are made faster once than grown by a million rows in no order of theirs.
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE 'guide_by_%'")
        indexes = cursor.fetchall()
        for name, _definition in indexes:
            cursor.execute(f"DROP INDEX {name}")
        cursor.execute(FILL, {"manifests": MANIFESTS, "guides": GUIDES_OF_EACH})
        for _name, definition in indexes:
            cursor.execute(definition)
        connection.execute("VACUUM ANALYZE")


def _figures(server: Server) -> list[Figure]:
    with requests.Session() as session:
        _log_in(session, server)
        medians = {}
        for what, page in PAGES.items():
            medians[what] = _median(session, f"{server.address}/admin/shipments/{page}", 'id="changelist"')
            print(f"  {what}: {medians[what]:.0f} ms", flush=True)
        medians["start page"] = _median(session, f"{server.address}/admin/", 'class="start-page"')
        print(f"  start page: {medians['start page']:.0f} ms", flush=True)
        for weeks in (12, 52):
            address = f"{server.address}/admin/reports/?weeks={weeks}"
            medians[f"report of {weeks} weeks"] = _median(session, address, 'class="pa-plots"')
            print(f"  report of {weeks} weeks: {medians[f'report of {weeks} weeks']:.0f} ms", flush=True)
    target = f"under {MOST_MILLISECONDS} ms"
    return [Figure(f"page: {what}", f"{ms:.0f} ms", target, ms < MOST_MILLISECONDS) for what, ms in medians.items()]


def _log_in(session: requests.Session, server: Server) -> None:
    address = f"{server.address}/admin/login/"
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', session.get(address, timeout=30).text)
    assert found
    form = {"csrfmiddlewaretoken": found[1], "username": "bench", "password": PASSWORD, "next": "/admin/"}
    answer = session.post(address, form, headers={"Referer": address}, timeout=30, allow_redirects=False)
    assert answer.status_code == 302, answer.status_code


def _median(session: requests.Session, address: str, mark: str) -> float:
    """Milliseconds from the request to the whole page, which holds `mark`."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        answer = session.get(address, timeout=60)
        times.append((time.perf_counter() - started) * 1000)
        assert answer.status_code == 200, answer.status_code
        assert mark in answer.text
    return statistics.median(times)


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
