"""Reads beside the usual way, and lists beside the floor, as MAWBs grow. `costs` has what a read costs."""

import statistics
import time
from itertools import product

import psycopg
import requests

from benchmarks.figures import Curve, Figure, Measured, Series
from benchmarks.guide_sql import insert_guides
from benchmarks.scale import SCALE
from benchmarks.web.processor import wrk
from tests.books import workbook_bytes
from tests.live.server import Server

MAX_LIST_RATIO = 1.2
VIEWS = ("ours", "floor", "the usual way")

FILL = "".join(
    [
        """
INSERT INTO shipments_flight (id, company_id, flight_number, origin_airport, origin_country, destination_airport,
    created_at)
VALUES (gen_random_uuid(), %(company)s, '', '', '', '', now());
INSERT INTO shipments_manifest (id, company_id, posted_by_id, channel, mawb, country, transport_mode, flight_id,
    total_guides, total_weight_kg, total_pieces, total_fob_usd, guides_by_status, rut_invalid_count, warnings, notices,
    created_at)
SELECT gen_random_uuid(), %(company)s, %(company)s, 'json', '999-' || lpad(n::text, 8, '0'), 'CL', 'air',
    (SELECT id FROM shipments_flight WHERE company_id = %(company)s LIMIT 1),
    %(guides)s, %(guides)s * 1.5, %(guides)s, %(guides)s * 20, json_build_object('registered', %(guides)s), 0,
    (SELECT json_agg(json_build_object('row_index', w, 'message', repeat('x', 100)))
     FROM generate_series(1, %(guides)s / 10) w),
    '[]', now() + n * interval '1 second'
FROM generate_series(1, 50) n;
""",
        insert_guides(
            {
                "manifest_id": "m.id",
                "hawb": "'H' || n",
                "tracking_code": "'B' || %(guides)s || '-' || row_number() OVER ()",
                "status": "'registered'",
                "consignee_name": "'Nombre'",
                "consignee_document_type": "'RUT'",
                "consignee_document": "'1-9'",
                "consignee_address": "'Calle'",
                "weight_kg": "1.5",
                "fob_usd": "20",
                "description_original": "'Cosa'",
                "created_at": "now()",
            }
        ),
        """FROM shipments_manifest m, generate_series(1, %(guides)s) n WHERE m.company_id = %(company)s;
""",
    ]
)


def measure(server: Server, bare: Server, database_url: str) -> Measured:
    """The figures of reading, on a server that answers from PostgreSQL. bare: the floor, on the same database."""
    return Measured((_guide(server),)) + _lists(server, bare, database_url)


def _guide(server: Server) -> Figure:
    client = server.company("BENCHREAD")
    answer = requests.post(
        f"{server.api}/upload", files={"manifest_file": workbook_bytes()}, headers=client, timeout=30
    )
    code = answer.json()["guides"][0]["tracking_code"]
    urls = [f"{server.api}/guides/{code}", f"{server.address}/usual/guides/{code}"]
    said = [requests.get(url, headers=client, timeout=10).json() for url in urls]
    assert said[0] == said[1], "the views must return the same"
    rounds = []
    for _ in range(SCALE.wrk_rounds):
        # A connection a request, as the proxy does: one that stays open stays with the worker that accepted it.
        rounds.append([wrk(url, {**client, "Connection": "close"}, SCALE.wrk_seconds)[1] for url in urls])
        print("  guide: {:.0f}/s, usual view {:.0f}/s".format(*rounds[-1]), flush=True)
    ours, usual = (f"{statistics.median(rates):.0f}/s" for rates in zip(*rounds, strict=True))
    faster = statistics.median(rates[0] / rates[1] for rates in rounds)
    return Figure(
        "GET guide, times the usual view's requests/s", f"{faster:.1f}", "", is_reached=True, ours=ours, usual=usual
    )


def _lists(server: Server, bare: Server, database_url: str) -> Measured:
    clients = {}
    for guides in SCALE.guides_of_mawb:
        code = f"BENCHLIST{guides}"
        clients[guides] = server.company(code)
        with psycopg.connect(database_url, autocommit=True) as connection, psycopg.ClientCursor(connection) as cursor:
            cursor.execute("SELECT id FROM companies_company WHERE client_code = %s", [code])
            (company,) = cursor.fetchone() or (None,)
            cursor.execute(FILL, {"company": company, "guides": guides})
            connection.execute("ANALYZE")
    addresses = (f"{server.api}/mawbs", f"{bare.address}/bare/mawbs", f"{server.address}/usual/mawbs")
    milliseconds = _list_milliseconds(dict(zip(VIEWS, addresses, strict=True)), clients)
    return Measured(_list_figures(milliseconds), (_curve(milliseconds),))


Milliseconds = dict[str, dict[int, float]]
"""Name of a view -> guides of each MAWB -> median."""


def _list_milliseconds(urls: dict[str, str], clients: dict[int, dict[str, str]]) -> Milliseconds:
    """By the URL of each view. Asked in turns: what disturbs one disturbs the others."""
    times: dict[str, dict[int, list[float]]] = {view: {guides: [] for guides in clients} for view in urls}
    with requests.Session() as session:
        for client in clients.values():
            lists = [session.get(url, headers=client, timeout=60).json() for url in urls.values()]
            assert lists[0] == lists[1] == lists[2], "the views must return the same"
        for _ in range(SCALE.list_times):
            for (view, url), (guides, client) in product(urls.items(), clients.items()):
                started = time.perf_counter()
                body = session.get(url, headers=client, timeout=60).json()
                times[view][guides].append((time.perf_counter() - started) * 1000)
                assert [item["total_guides"] for item in body["mawbs"]] == [guides] * 50
    found = {view: {guides: statistics.median(each) for guides, each in by.items()} for view, by in times.items()}
    for guides in clients:
        said = ", ".join(f"{view} {found[view][guides]:.1f} ms" for view in VIEWS)
        print(f"  list of 50 MAWBs of {guides} guides: {said}", flush=True)
    return found


def _list_figures(milliseconds: Milliseconds) -> tuple[Figure, Figure]:
    ours, floor, usual = (milliseconds[view] for view in VIEWS)
    few, some, many = SCALE.compared_guides
    ratio = ours[many] / ours[few]
    return (
        Figure(
            f"GET mawbs, 50 of {many:,} guides against 50 of {few}",
            f"{ratio:.2f}",
            f"at most {MAX_LIST_RATIO}",
            ratio <= MAX_LIST_RATIO,
            ours=f"{ours[many]:.1f} ms and {ours[few]:.1f} ms",
            floor=f"{floor[many]:.1f} ms and {floor[few]:.1f} ms",
            usual=f"{usual[many]:.1f} ms and {usual[few]:.1f} ms",
        ),
        Figure(
            f"GET mawbs, 50 of {some} guides, the usual way's time by ours",
            f"{usual[some] / ours[some]:.1f}",
            "",
            is_reached=True,
            ours=f"{ours[some]:.1f} ms",
            usual=f"{usual[some]:.1f} ms",
        ),
    )


def _curve(milliseconds: Milliseconds) -> Curve:
    series = tuple(Series(view, tuple(by_guides.items())) for view, by_guides in milliseconds.items())
    return Curve("lists", "The list of 50 MAWBs", "guides of each MAWB", "milliseconds, median", series, has_log_y=True)
