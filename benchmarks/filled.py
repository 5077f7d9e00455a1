"""A database as years of use fill it: a few rows that the product wrote, multiplied by SQL.

Whatever columns a table has, a new row is a copy of one of the product's with some of them changed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

from benchmarks.serving import PASSWORD, Headers, Service, post
from tests.books import guide_row, workbook_bytes

GUIDES_OF_EACH = 500
"""Guides of a MAWB. One in ten is called Elena; 20 in 500 are on their way, and one or two need work."""
LARGE_TABLES = ("shipments_guide", "shipments_guideevent", "webhooks_delivery")
SUPERUSER, OF_ONE_COUNTRY = "bench", "bench-pe"

Cursor = psycopg.ClientCursor[tuple[Any, ...]]

_COLUMNS = """
SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = ''
"""
_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = %s::regclass AND NOT indisunique
"""
_MANIFESTS = """
FROM shipments_manifest t, generate_series(%(first)s, %(last)s) n
JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM companies_company) c
    ON c.place = CASE WHEN n %% 500 = 7 THEN 3 ELSE 1 + n %% 2 END,
LATERAL (SELECT now() - (%(last)s - n) * interval '144 minutes' AS received) times
WHERE t.mawb = '045-12345675'
"""
_GUIDES = """
FROM shipments_guide t
JOIN shipments_manifest made ON made.id = t.manifest_id AND made.mawb = '045-12345675' AND t.hawb = 'HAWB00001',
shipments_manifest m, LATERAL (SELECT substr(m.mawb, 5)::bigint AS number) numbers, generate_series(1, %(guides)s) n
WHERE m.mawb LIKE '045-0%%' ORDER BY number, n
"""
_NAMES = "(ARRAY['Ana', 'Bruno', 'Carla', 'Diego', 'Elena', 'Felipe', 'Gloria', 'Hugo', 'Irene', 'Jorge'])[1 + n %% 10]"
_SURNAME = "md5(n::text || number)"


@contextmanager
def writing(database_url: str) -> Iterator[Cursor]:
    """A connection on which foreign keys are not looked up row by row."""
    with psycopg.connect(database_url, autocommit=True) as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SET session_replication_role = replica; SET maintenance_work_mem = '512MB'")
        yield cursor


def multiply(cursor: Cursor, table: str, changes: Mapping[str, str], source: str, values: Mapping[str, object]) -> None:
    """Insert rows into `table`. source: SQL from FROM on, in which `t` is the row to copy. changes: column -> SQL."""
    columns = [name for (name,) in cursor.execute(_COLUMNS, [table]).fetchall()]
    chosen = ", ".join(changes.get(name, f"t.{name}") for name in columns)
    cursor.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} {source}", values)  # ours


def fill(service: Service, manifests: int) -> Headers:
    """Fill with MAWBs `045-00000001` and on of `GUIDES_OF_EACH`, one every 144 minutes, of three companies, a small one
    among them; a delivery for every second guide; journals. Returns the first company's headers.
    """
    clients = [service.server.company(code, "CL,PE,AR") for code in ("BENCHA", "BENCHB", "BENCHC")]
    service.server.operator(SUPERUSER, PASSWORD)
    service.server.manage("add_webhook", "BENCHA", "https://hooks.example.com/in", "--skip-checks")
    post(service, clients[0], workbook_bytes([guide_row(1)]))
    post(service, clients[0], workbook_bytes([]), status=400)
    values = {"first": 1, "last": manifests, "guides": GUIDES_OF_EACH, "logged": manifests * GUIDES_OF_EACH // 2}
    with writing(service.database_url) as cursor:
        later = _without_indexes(cursor)
        _shipments(cursor, values)
        _journals(cursor, values)
        for definition in later:
            cursor.execute(definition)
        cursor.execute("VACUUM ANALYZE")
    return clients[0]


def _without_indexes(cursor: Cursor) -> list[str]:
    """Drop the indexes of the large tables that no constraint needs: made once, they cost a seventh of growing them."""
    found = [row for table in LARGE_TABLES for row in cursor.execute(_INDEXES, [table]).fetchall()]
    for name, _definition in found:
        cursor.execute(f"DROP INDEX {name}")
    return [definition for _name, definition in found]


def _shipments(cursor: Cursor, values: Mapping[str, object]) -> None:
    counts = "json_build_object('delivered', %(guides)s)::jsonb"
    multiply(cursor, "shipments_manifest", {
        "id": "gen_random_uuid()", "company_id": "c.id", "posted_by_id": "c.id", "guides_by_status": counts,
        "mawb": "'045-' || lpad(n::text, 8, '0')", "country": "(ARRAY['CL', 'PE', 'AR'])[1 + n %% 3]",
        "total_guides": "%(guides)s", "status": "'delivered'", "created_at": "received", "changed_at": "received",
        "eta": "received + interval '2 days'",
    }, _MANIFESTS, values)  # fmt: skip
    multiply(cursor, "shipments_guide", {
        "manifest_id": "m.id", "company_id": "m.company_id",
        "hawb": "'HX' || lpad((number * %(guides)s + n)::text, 9, '0')",
        "tracking_code": "'BEN' || lpad((number * %(guides)s + n)::text, 11, '0')",
        "status": "CASE n WHEN 1 THEN 'customs_held' WHEN 2 THEN 'lost' WHEN 4 THEN 'on_hold' ELSE CASE "
                  "WHEN n BETWEEN 25 AND 44 THEN 'customs_processing' WHEN n < 20 THEN 'out_for_delivery' "
                  "ELSE 'delivered' END END",
        "customs_since": "CASE WHEN n = 1 OR n BETWEEN 25 AND 44 THEN m.created_at + interval '1 day' END",
        "consignee_name": f"{_NAMES} || ' ' || {_SURNAME}",
        "consignee_words": f"lower({_NAMES}) || ' ' || {_SURNAME} || ' @' || number || '.' || n || '@example.com'",
        "consignee_document": "(5000000 + number * %(guides)s + n)::text || '-' || n %% 10",
        "needs_review": "n = 5", "retention_required": "n = 6 AND number %% 20 = 0", "created_at": "m.created_at",
        "updated_at": "m.created_at + interval '1 day'", "sequence": "2",
    }, _GUIDES, values)  # fmt: skip
    source = "FROM (SELECT * FROM shipments_guideevent LIMIT 1) t, shipments_guide g WHERE g.hawb LIKE 'HX%%'"
    first = {"guide_id": "g.id", "occurred_at": "g.created_at", "recorded_at": "g.created_at"}
    then = {**first, "status": "g.status", "source": "'customs'", "sequence": "2", "occurred_at": "g.updated_at"}
    for changes in (first, then):
        multiply(cursor, "shipments_guideevent", changes, source, values)


def _journals(cursor: Cursor, values: Mapping[str, object]) -> None:
    """Deliveries that are done, refused requests, what operators did; and an operator of one country."""
    state = "CASE n %% 40 WHEN 0 THEN 'failed' ELSE 'delivered' END"
    multiply(cursor, "webhooks_delivery", {
        "uuid": "gen_random_uuid()", "subject": "'BEN' || lpad(n::text, 11, '0')", "state": state,
        "created_at": "at", "attempted_at": "at", "finished_at": "at", "http_status": "200", "duration_ms": "20",
        "countries": "(ARRAY['CL', 'PE', 'AR'])[1 + n %% 3]",
    }, _OF_FIRST.format(table="webhooks_delivery"), values)  # fmt: skip
    for table, at in (("shipments_refusedrequest", "created_at"), ("auditlog_logentry", "timestamp")):
        multiply(cursor, table, {at: "at"}, _OF_FIRST.format(table=table) + " WHERE n %% 50 = 0", values)
    cursor.execute(_OPERATORS, values)


_OF_FIRST = """
FROM (SELECT * FROM {table} ORDER BY id LIMIT 1) t, generate_series(1, %(logged)s) n,
LATERAL (SELECT now() - n * interval '5 s' AS at) times
"""
_OPERATORS = """
INSERT INTO django_admin_log
    (action_time, object_id, object_repr, action_flag, change_message, content_type_id, user_id)
SELECT now() - n * interval '2 minutes', n::text, 'BEN' || n, 2, 'Opened.', t.id, u.id
FROM generate_series(1, %(logged)s / 5) n, django_content_type t, auth_user u
WHERE t.app_label = 'shipments' AND t.model = 'guide' AND u.username = 'bench';
INSERT INTO auth_user (password, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined)
SELECT password, false, 'bench-pe', '', '', '', true, true, now() FROM auth_user WHERE username = 'bench';
INSERT INTO auth_user_user_permissions (user_id, permission_id)
SELECT u.id, p.id FROM auth_user u, auth_permission p WHERE u.username = 'bench-pe';
INSERT INTO companies_operatorprofile (user_id, countries)
SELECT id, '["PE"]' FROM auth_user WHERE username = 'bench-pe';
"""
