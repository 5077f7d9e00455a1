"""The operators' pages over a million guides of 200 days, 50,000 of them in customs (in the short form ten thousand of
2): the median time of a page, for a superuser and for an operator of one country.

python -m benchmarks.web.admin_lists, with TEST_POSTGRES_URL=postgres://user@host:5432/name
"""

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import requests

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.admin_rows import EVERYWHERE, LISTS, OF_ONE_COUNTRY, ROWS, SEARCHES, SUPERUSER
from benchmarks.figures import Figure, Measured
from benchmarks.guide_sql import insert_guides
from benchmarks.scale import SCALE
from tests.live.server import Server, running

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
                    "WHEN n BETWEEN 25 AND 47 THEN 'customs_processing' "
                    "WHEN m.number > 1900 THEN 'registered' WHEN n < 20 "
                    "THEN 'out_for_delivery' ELSE 'delivered' END END"
                ),
                "customs_since": (
                    "CASE WHEN n IN (1, 3) OR n BETWEEN 25 AND 47 THEN m.created_at + interval '1 day' END"
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
INSERT INTO shipments_guideevent (guide_id, status, occurred_at, recorded_at, source, internal_note, actor)
SELECT id, status, created_at + interval '1 day', created_at + interval '1 day', 'customs', '', 'bench'
FROM shipments_guide;
""",
    ]
)

PAGES = {
    "guides": "guide/",
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
            part.database(url, directory) as database_url,
            running(directory, database_url, is_migrated=True, LOG_LEVEL="ERROR") as server,
        ):
            _fill(server, database_url)
            return Measured(tuple(_figures(server, database_url)))


def _fill(server: Server, database_url: str) -> None:
    for code in ("BENCHA", "BENCHB", "BENCHC"):
        server.company(code)
    server.operator(SUPERUSER, PASSWORD)
    with psycopg.connect(database_url, autocommit=True) as connection, psycopg.ClientCursor(connection) as cursor:
        # Indexes are made faster once than grown by a million rows in no order of theirs.
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE 'guide_by_%'")
        indexes = cursor.fetchall()
        for name, _definition in indexes:
            cursor.execute(f"DROP INDEX {name}")
        cursor.execute(FILL, {"manifests": MANIFESTS, "guides": GUIDES_OF_EACH})
        cursor.execute(ROWS, {"deliveries": SCALE.logged_deliveries, "entries": SCALE.logged_deliveries // 5})
        for _name, definition in indexes:
            cursor.execute(definition)
        connection.execute("VACUUM ANALYZE")


def _figures(server: Server, database_url: str) -> list[Figure]:
    medians = {}
    for username, whose in ((SUPERUSER, ""), (OF_ONE_COUNTRY, ", one country")):
        with requests.Session() as session:
            _log_in(session, server, username)
            for what, address, mark, form in _pages(username, database_url):
                ms = _median(session, f"{server.address}/admin/{address}", mark, form)
                medians[f"{what}{whose}"] = ms
                print(f"  {what}{whose}: {ms:.0f} ms", flush=True)
    target = f"under {MOST_MILLISECONDS} ms"
    return [Figure(f"page: {what}", f"{ms:.0f} ms", target, ms < MOST_MILLISECONDS) for what, ms in medians.items()]


_Page = tuple[str, str, str, dict[str, str]]
"""What it is called, its address, what its text contains, and what is posted, if anything."""


def _pages(username: str, database_url: str) -> Iterator[_Page]:
    lists = {what: f"shipments/{page}" for what, page in PAGES.items()} | LISTS
    if username == SUPERUSER:
        lists |= EVERYWHERE
    for what, address in lists.items():
        yield what, address, 'id="changelist"', {}
    for what, text in SEARCHES.items():
        yield f"search of the header: {what}", "search/", "", {"s": text}
    yield "start page", "", 'class="start-page"', {}
    for weeks in (4, 12, 26, 52):
        yield f"report of {weeks} weeks", f"reports/?weeks={weeks}", 'class="pa-plots"', {}
    yield "report of 52 weeks, as a workbook", "reports/report.xlsx?weeks=52", "", {}
    with psycopg.connect(database_url) as connection:
        newest = connection.execute(
            "SELECT m.id, g.id FROM shipments_manifest m JOIN shipments_guide g ON g.manifest_id = m.id "
            "WHERE m.country = 'PE' ORDER BY g.id DESC LIMIT 1"
        ).fetchone()
    assert newest
    for what, key in (("manifest", newest[0]), ("guide", newest[1])):
        yield f"a {what}", f"shipments/{what}/{key}/change/", 'id="content"', {}


def _log_in(session: requests.Session, server: Server, username: str) -> None:
    address = f"{server.address}/admin/login/"
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', session.get(address, timeout=30).text)
    assert found
    form = {"csrfmiddlewaretoken": found[1], "username": username, "password": PASSWORD, "next": "/admin/"}
    answer = session.post(address, form, headers={"Referer": address}, timeout=30, allow_redirects=False)
    assert answer.status_code == 302, answer.status_code


def _median(session: requests.Session, address: str, mark: str, form: dict[str, str]) -> float:
    """Milliseconds from the request to the whole page, which holds `mark`. form: what is posted; empty for a GET."""
    headers = {"X-CSRFToken": session.cookies["csrftoken"], "Referer": address} if form else {}
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        answer = session.request("POST" if form else "GET", address, data=form, headers=headers, timeout=60)
        times.append((time.perf_counter() - started) * 1000)
        assert answer.status_code == 200, (address, answer.status_code)
        assert mark in answer.text, address
    return statistics.median(times)


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
