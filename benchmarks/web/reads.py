"""Reads against their floor: `wrk` on our guide endpoint on a bare view of the same queries and on the usual
one, in one server."""

import re
import statistics
import subprocess
import time
from itertools import product

import psycopg
import requests

from benchmarks.figures import Curve, Figure, Measured, Series
from benchmarks.guide_sql import insert_guides
from benchmarks.scale import SCALE
from tests.books import workbook_bytes
from tests.live.server import BASE, Server

MIN_RATIO = 0.6
MAX_LIST_RATIO = 1.2
LISTS = {"ours": f"{BASE}/mawbs", "floor": "/bare/mawbs", "the usual way": "/usual/mawbs"}
"""The list of MAWBs, by view."""

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


def measure(server: Server, database_url: str) -> Measured:
    """The figures of reading, on a server that answers from PostgreSQL."""
    return Measured(_guide(server)) + _lists(server, database_url)


def _guide(server: Server) -> tuple[Figure, Figure]:
    client = server.company("BENCHREAD")
    answer = requests.post(
        f"{server.api}/upload", files={"manifest_file": workbook_bytes()}, headers=client, timeout=30
    )
    code = answer.json()["guides"][0]["tracking_code"]
    urls = [
        f"{server.api}/guides/{code}",
        f"{server.address}/bare/guides/{code}",
        f"{server.address}/usual/guides/{code}",
    ]
    said = [requests.get(url, headers=client, timeout=10).json() for url in urls]
    assert said[0] == said[1] == said[2], "the views must return the same"
    rounds = []
    for _ in range(SCALE.wrk_rounds):
        rounds.append([_requests_per_second(url, client) for url in urls])
        print("  guide: {:.0f}/s, bare view {:.0f}/s, usual view {:.0f}/s".format(*rounds[-1]), flush=True)
    ours, bare, usual = (f"{statistics.median(rates):.0f}/s" for rates in zip(*rounds, strict=True))
    ratio = statistics.median(rates[0] / rates[1] for rates in rounds)
    faster = statistics.median(rates[0] / rates[2] for rates in rounds)
    return (
        Figure(
            "GET guide, of a bare view's requests/s",
            f"{ratio:.2f}",
            f"at least {MIN_RATIO}",
            ratio >= MIN_RATIO,
            ours=ours,
            floor=bare,
        ),
        Figure(
            "GET guide, times the usual view's requests/s", f"{faster:.1f}", "", is_reached=True, ours=ours, usual=usual
        ),
    )


def _requests_per_second(url: str, client: dict[str, str]) -> float:
    """Open a connection per request, as the proxy does: a persistent one stays with the worker that
    accepted it, so a few could end up with both workers or with one."""
    headers = [f"Authorization: {client['Authorization']}", "Connection: close"]
    options = [option for header in headers for option in ("-H", header)]
    command = ["wrk", "-t1", "-c8", f"-d{SCALE.wrk_seconds}s", *options, url]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in output, output
    found = re.search(r"Requests/sec:\s+([\d.]+)", output)
    assert found, output
    return float(found[1])


def _lists(server: Server, database_url: str) -> Measured:
    clients = {}
    for guides in SCALE.guides_of_mawb:
        code = f"BENCHLIST{guides}"
        clients[guides] = server.company(code)
        with psycopg.connect(database_url, autocommit=True) as connection, psycopg.ClientCursor(connection) as cursor:
            cursor.execute("SELECT id FROM companies_company WHERE client_code = %s", [code])
            (company,) = cursor.fetchone() or (None,)
            cursor.execute(FILL, {"company": company, "guides": guides})
            connection.execute("ANALYZE")
    return Measured(_list_figures(milliseconds := _list_milliseconds(server.address, clients)), (_curve(milliseconds),))


Milliseconds = dict[str, dict[int, float]]
"""Name of a view -> guides of each MAWB -> median."""


def _list_milliseconds(address: str, clients: dict[int, dict[str, str]]) -> Milliseconds:
    """Asked in turns: what disturbs one disturbs the others."""
    times: dict[str, dict[int, list[float]]] = {view: {guides: [] for guides in clients} for view in LISTS}
    with requests.Session() as session:
        for client in clients.values():
            lists = [session.get(address + route, headers=client, timeout=60).json() for route in LISTS.values()]
            assert lists[0] == lists[1] == lists[2], "the views must return the same"
        for _ in range(SCALE.list_times):
            for (view, route), (guides, client) in product(LISTS.items(), clients.items()):
                started = time.perf_counter()
                body = session.get(address + route, headers=client, timeout=60).json()
                times[view][guides].append((time.perf_counter() - started) * 1000)
                assert [item["total_guides"] for item in body["mawbs"]] == [guides] * 50
    found = {view: {guides: statistics.median(each) for guides, each in by.items()} for view, by in times.items()}
    for guides in clients:
        said = ", ".join(f"{view} {found[view][guides]:.1f} ms" for view in LISTS)
        print(f"  list of 50 MAWBs of {guides} guides: {said}", flush=True)
    return found


def _list_figures(milliseconds: Milliseconds) -> tuple[Figure, Figure]:
    ours, floor, usual = (milliseconds[view] for view in LISTS)
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
