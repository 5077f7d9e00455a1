"""The SQL that fills a database as years of use would: companies of very different sizes, and a thousand days, or
whatever part of them, of manifests with their guides, events and deliveries.

Parameters: %(manifests)s in all, received over %(days)s days; the newest %(active)s are on their way, and of these the
newest tenth has deliveries that wait. %(first)s and %(last)s: the manifests of one part. %(people)s: consignees.
"""

from benchmarks.guide_sql import insert_guides

GUIDES_OF_A_MANIFEST = 55
"""On average: 50 to 60."""
EVENTS_OF_A_GUIDE = 4
COMPANIES = 400

_GIVEN = (
    "María José,Juan Carlos,Ana,Luis,Camila,José Miguel,Valentina,Jorge,Sofía,Ramón,Martín,Lucía,Andrés,Ángela,"
    "Diego,Inés,Sebastián,Mónica,Tomás,Verónica,Nicolás,Belén,Raúl,Ximena,Joaquín,Rocío,Héctor,Noemí,Óscar,Elena"
)
_SURNAMES = (
    "González,Muñoz,Rojas,Díaz,Pérez,Soto,Contreras,Silva,Martínez,Sepúlveda,Morales,Rodríguez,López,Fuentes,Hernández,"
    "Torres,Araya,Flores,Espinoza,Valenzuela,Castillo,Tapia,Reyes,Gutiérrez,Castro,Pizarro,Álvarez,Vásquez,Sánchez,"
    "Fernández,Ramírez,Carrasco,Gómez,Cortés,Herrera,Núñez,Jara,Vergara,Rivera,Figueroa,Riquelme,García,Miranda,Bravo,"
    "Vera,Molina,Vega,Campos,Sandoval,Orellana,Cárdenas,Olivares,Alarcón,Gallardo,Ortiz,Garrido,Salazar,Guzmán,"
    "Henríquez,Saavedra,Navarro,Aguilera,Parra,Romero,Aravena,Vargas,Cáceres,Yáñez,Leiva,Escobar,Ruiz,Valdés,Vidal,"
    "Salinas,Zúñiga,Peña,Godoy,Lagos,Maldonado,Bustos,Medina,Pino,Palma,Moreno,Sanhueza,Carvajal,Navarrete,Sáez,"
    "Alvarado,Donoso,Poblete,Bustamante,Toro,Ortega,Venegas,Guerrero,Paredes,Farías,San Martín,Ibáñez,O'Higgins"
)
FOLDED = ("áéíóúñÁÉÍÓÚÑ", "aeiounAEIOUN")

TABLES = """
CREATE TABLE growth_given AS
SELECT row_number() OVER () - 1 AS number, name FROM unnest(string_to_array(%(given)s, ',')) name;
CREATE TABLE growth_surnames AS
SELECT row_number() OVER () - 1 AS number, name FROM (
    SELECT * FROM unnest(string_to_array(%(surnames)s, ',')) name UNION ALL (
        SELECT a || b || c FROM unnest(string_to_array('Ba,Ce,Chi,Da,Fe,Gua,Hue,La,Ma,Ne,Pa,Qui,Ra,Sa,To,Vi', ',')) a,
            unnest(string_to_array('bar,cal,der,fin,gor,lla,man,nto,que,ro,sal,ti,vel,yan,zu', ',')) b,
            unnest(string_to_array('án,be,ca,do,ez,la,ma,na,ri,sa,ta,uel', ',')) c ORDER BY md5(a || b || c)
    )
) names;
ANALYZE growth_given, growth_surnames;
CREATE UNLOGGED TABLE growth_people AS
SELECT p.n AS number, given.name || ' ' || first.name || ' ' || second.name AS name,
    'ventas.' || substr(md5(p.n::text), 1, 10) || '@example.' || (ARRAY['com', 'cl', 'pe'])[1 + p.n %% 3] AS email,
    '+569' || lpad((p.n::bigint * 7919 %% 100000000)::text, 8, '0') AS phone,
    lower(translate(replace(given.name || ' ' || first.name || ' ' || second.name, '''', ''), %(accented)s, %(plain)s))
        AS folded
FROM generate_series(0, %(people)s - 1) AS p (n), (SELECT count(*) AS given FROM growth_given) g,
    (SELECT count(*) AS surnames FROM growth_surnames) s, growth_given given, growth_surnames first,
    growth_surnames second
WHERE given.number = (hashint8extended(p.n, 1) & 1023) %% g.given
    AND first.number = floor(power((hashint8extended(p.n, 2) & 1048575) / 1048576.0::float8, 3) * s.surnames)::bigint
    AND second.number = floor(power((hashint8extended(p.n, 3) & 1048575) / 1048576.0::float8, 3) * s.surnames)::bigint;
ALTER TABLE growth_people ADD PRIMARY KEY (number);
"""
"""A few surnames are common, thousands are rare. A consignee has one name, phone and e-mail, and receives three guides
on average. The tables exist until the database is filled.
"""

COMPANIES_AND_SUBSCRIPTIONS = f"""
INSERT INTO companies_company (name, client_code, kind, is_active, allowed_countries, tracking_prefix, is_marketplace,
    api_password_hint, created_at)
SELECT 'Courier ' || n || ' SpA', 'GROWTH' || n, 'client', true, '["CL", "PE", "AR"]',
    chr(65 + n / 26 %% 26) || chr(65 + n %% 26) || 'X', false, '', now()
FROM generate_series(2, {COMPANIES}) n;
INSERT INTO webhooks_subscription (company_id, url, version, description, sealed_secret, sealed_previous_secret,
    secret_set_at, is_active, created_at, failures, disabled_reason)
SELECT c.id, s.url, s.version, '', s.sealed_secret, '', now(), true, now(), 0, ''
FROM webhooks_subscription s, companies_company c WHERE c.id <> s.company_id;
"""  # noqa: S608  # ours

MANIFESTS = f"""
CREATE TEMPORARY TABLE part AS
SELECT n, gen_random_uuid() AS id, gen_random_uuid() AS flight_id, received AS created_at,
    1 + floor({COMPANIES} * power((hashint8extended(n, 4) & 1048575) / 1048576.0::float8, 3))::bigint AS company_id,
    {GUIDES_OF_A_MANIFEST - 5} + n * 7 %% 11 AS guides, n > %(manifests)s - %(active)s AS is_active,
    CASE WHEN n > %(manifests)s - %(active)s THEN 'customs_processing' ELSE 'delivered' END AS status,
    (ARRAY['CL', 'CL', 'CL', 'PE', 'AR'])[1 + n %% 5] AS country
FROM generate_series(%(first)s, %(last)s) n,
    LATERAL (SELECT %(now)s::timestamptz - (%(manifests)s - n + 0.5) * (%(days)s * interval '1 day' / %(manifests)s)
        AS received) times;
INSERT INTO shipments_flight (id, company_id, flight_number, origin_airport, origin_country, destination_airport,
    scheduled_departure, scheduled_arrival, created_at)
SELECT flight_id, company_id, 'LA' || 500 + n %% 400, 'MIA', 'US',
    (ARRAY['SCL', 'SCL', 'SCL', 'LIM', 'EZE'])[1 + n %% 5],
    created_at + interval '6 hours', created_at + interval '14 hours', created_at
FROM part;
INSERT INTO shipments_manifest (id, company_id, posted_by_id, channel, mawb, country, transport_mode, flight_id, eta,
    eta_offset_minutes, total_guides, total_weight_kg, total_pieces, total_fob_usd, guides_by_status, status, version,
    changed_at, rut_invalid_count, warnings, notices, warnings_count, notices_count, columns, row_account, created_at)
SELECT id, company_id, company_id, 'upload', '045-' || lpad(n::text, 8, '0'), country, 'air', flight_id,
    created_at + interval '14 hours', -180, guides, 2 * guides, guides, 60 * guides, json_build_object(status, guides),
    status, 4, least(created_at + interval '48 hours', %(now)s), 0, '[]',
    json_build_array(json_build_object('code', 'destination_assumed', 'hawb', NULL, 'params',
        json_build_object('country', country), 'sentence', 'destination_assumed', 'row_index', NULL)), 0, 1,
    (SELECT json_agg(json_build_object('field', f, 'column', 'A', 'heading', initcap(f))) FROM unnest(ARRAY[
        'hawb', 'consignee_name', 'consignee_rut', 'consignee_address', 'consignee_city', 'consignee_region',
        'consignee_phone', 'consignee_email', 'shipper_name', 'description_original', 'weight_kg', 'fob_usd',
        'hs_code']) f),
    json_build_object('guides', guides, 'totals', 0, 'in_table', guides, 'left_out', 0, 'products', 0,
        'left_out_rows', '[]'::json), created_at
FROM part ORDER BY n;
INSERT INTO shipments_manifestfile (manifest_id, kind, file, original_name, size_bytes, sha256, created_at)
SELECT id, 'manifest', to_char(created_at, 'YYYY/MM/') || gen_random_uuid() || '.xlsx', 'manifiesto.xlsx', 12000,
    md5(n::text) || md5(id::text), created_at
FROM part ORDER BY n;
"""  # noqa: S608  # ours

_NUMBER = "(m.n::bigint * 64 + g)"
_CODE = f"c.tracking_prefix || upper(lpad(to_hex({_NUMBER} * 340573321 %% 17592186044416), 11, '0'))"

GUIDES = (
    "SET enable_hashjoin = off; SET enable_mergejoin = off;"  # with all people, far more than a part's guides
    + insert_guides(
        {
            "manifest_id": "m.id",
            "hawb": f"c.tracking_prefix || '26' || lpad({_NUMBER}::text, 10, '0')",
            "tracking_code": _CODE,
            "status": "m.status",
            "consignee_name": "p.name",
            "consignee_words": "p.folded || ' ' || p.phone || ' @' || p.email",
            "consignee_document_type": "CASE m.country WHEN 'CL' THEN 'RUT' WHEN 'PE' THEN 'DNI' ELSE 'CUIT' END",
            "consignee_document": "5000000 + p.number || '-' || p.number %% 10",
            "consignee_address": "'Avenida Los Leones ' || p.number %% 4000 || ', depto. ' || p.number %% 150",
            "consignee_city": "'Providencia'",
            "consignee_region": "'Metropolitana de Santiago'",
            "consignee_postal_code": "'7510000'",
            "consignee_phone": "p.phone",
            "consignee_email": "p.email",
            "shipper_name": "'Tienda ' || g * 37 %% 211 || ' Inc.'",
            "weight_kg": "0.3 + g %% 50 / 10.0",
            "fob_usd": "12.5 + g * 13 %% 900",
            "description_original": "'Zapatillas deportivas, talla ' || 35 + g %% 10",
            "hs_code": "'6404110000'",
            "needs_review": "m.is_active AND g = 1",
            "review_reasons": "CASE WHEN m.is_active AND g = 1 THEN '[\"weight_missing\"]' ELSE '[]' END::jsonb",
            "retention_required": "m.is_active AND g = 2 AND m.n %% 10 = 0",
            "created_at": "m.created_at",
            "updated_at": "least(m.created_at + interval '48 hours', %(now)s)",
            "sequence": "CASE WHEN m.is_active THEN 2 ELSE 4 END",
        }
    )
    + """FROM part m JOIN companies_company c ON c.id = m.company_id
CROSS JOIN LATERAL generate_series(1, m.guides) g
JOIN growth_people p ON p.number = (hashint8extended(m.n * 64 + g, 5) & 4611686018427387903) %% %(people)s
ORDER BY m.n, g;
RESET enable_hashjoin; RESET enable_mergejoin;
CREATE TEMPORARY TABLE part_guides AS
SELECT g.id, g.tracking_code, g.hawb, m.n, m.company_id, m.is_active, m.created_at, m.id AS manifest_id, m.country,
    m.n > %(manifests)s - %(active)s / 10 AS is_waiting
FROM part m JOIN shipments_guide g ON g.manifest_id = m.id AND g.id > %(last_guide)s;
"""
)
"""A HAWB ends with the guide's running number, so its last six digits are those of a few guides."""

_STAGES = (
    ("'registered'", "'pre_alert'", "0 hours", "1"),
    ("'customs_processing'", "'customs'", "12 hours", "2"),
    ("CASE WHEN is_active THEN 'customs_processing' ELSE 'customs_released' END", "'customs'", "20 hours",
     "CASE WHEN is_active THEN 0 ELSE 3 END"),
    ("CASE WHEN is_active THEN 'customs_processing' ELSE 'delivered' END", "'courier_scan'", "48 hours",
     "CASE WHEN is_active THEN 0 ELSE 4 END"),
)  # fmt: skip
"""Status, source, time after the guide was received, sequence. Guides on their way have repeated scans."""

EVENTS = "".join(
    f"""
INSERT INTO shipments_guideevent (guide_id, status, occurred_at, recorded_at, source, internal_note, actor, sequence)
SELECT id, {status}, happened, happened, {source}, '', 'import_events', {sequence}
FROM part_guides, LATERAL (SELECT least(created_at + interval '{after}', %(now)s) AS happened) times ORDER BY id;
"""  # noqa: S608  # ours
    for status, source, after, sequence in _STAGES
)
"""Stage by stage, as they arrive: the events of one guide lie far apart."""

DELIVERIES = """
INSERT INTO webhooks_delivery (uuid, company_id, subscription_id, subject, countries, event_type, body, state,
    created_at, attempts, max_attempts, claimed_at, attempted_at, finished_at, duration_ms, http_status, error, reason,
    remote_address, excerpt)
SELECT uuid, company_id, s.id, tracking_code, country,
    CASE WHEN g.is_active THEN 'guide.status_changed' ELSE 'guide.delivered' END,
    convert_to('{"id":"evt_' || uuid || '","type":"guide.delivered","api_version":"v1","timestamp":"' || sent
        || '","occurred_at":"' || sent || '","data":{"manifest_id":"' || manifest_id || '","mawb":"045-'
        || lpad(n::text, 8, '0') || '","hawb":"' || hawb
        || '","tracking_code":"' || tracking_code || '","status":"delivered","status_code":6,'
        || '"previous_status":"out_for_delivery","source":"courier_scan","sequence":4,"mawb_version":4}}', 'UTF8'),
    CASE WHEN is_waiting THEN 'pending' WHEN is_failed THEN 'failed' ELSE 'delivered' END, sent,
    CASE WHEN is_waiting THEN 0 ELSE 1 END, 1, done, done, done, 80 + g.id %% 200,
    CASE WHEN is_waiting THEN NULL WHEN is_failed THEN 503 ELSE 200 END,
    CASE WHEN is_failed THEN 'http_status' ELSE '' END, '', '203.0.113.7',
    CASE WHEN is_failed THEN 'Service unavailable' ELSE '{"ok":true}' END
FROM (SELECT *, gen_random_uuid() AS uuid, NOT is_waiting AND id %% 50 = 0 AS is_failed,
        least(created_at + interval '48 hours', %(now)s) AS sent,
        CASE WHEN is_waiting THEN NULL ELSE least(created_at + interval '48 hours', %(now)s) END AS done
    FROM part_guides) g
JOIN webhooks_subscription s USING (company_id) ORDER BY g.id;
DROP TABLE part, part_guides;
"""

NAMES = {"given": _GIVEN, "surnames": _SURNAMES, "accented": FOLDED[0], "plain": FOLDED[1]}
"""Parameters of `TABLES`."""
