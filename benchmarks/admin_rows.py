"""What the admin shows besides guides and manifests: webhooks, refused requests, what operators did, an operator of one
country. Needs the companies, guides and the superuser of `admin_lists`.
"""

ROWS = """
INSERT INTO webhooks_subscription (url, sealed_secret, secret_set_at, is_active, created_at, company_id)
SELECT 'https://bench' || id || '.example.com/hook', 'x', now(), true, now(), id FROM companies_company;
INSERT INTO webhooks_delivery (uuid, company_id, subscription_id, subject, event_type, body, state, created_at,
    attempted_at, finished_at, duration_ms, http_status, error, reason, remote_address, excerpt, countries)
SELECT gen_random_uuid(), s.company_id, s.id, 'BEN' || lpad(n::text, 11, '0'), 'guide.delivered',
    convert_to(repeat('x', 420), 'UTF8'), CASE n %% 40 WHEN 0 THEN 'failed' ELSE 'delivered' END, s.at, s.at, s.at, 20,
    CASE n %% 40 WHEN 0 THEN 401 ELSE 200 END, CASE n %% 40 WHEN 0 THEN 'http_status' ELSE '' END, '', '203.0.113.7',
    'ok', (ARRAY['CL', 'PE', 'AR'])[1 + n %% 3]
FROM generate_series(1, %(deliveries)s) n
CROSS JOIN LATERAL (
    SELECT id, company_id, now() - (%(deliveries)s - n) * interval '5 s' AS at FROM webhooks_subscription
    ORDER BY id OFFSET n %% 3 LIMIT 1
) s ORDER BY n;
INSERT INTO shipments_refusedrequest (company_id, created_at, endpoint, status, code, findings, headings, mawb,
    request_id, file_extension, file_sha256)
SELECT id, now() - (%(entries)s - n) * interval '1 minute', 'POST upload', 400, 'no_rows_parsed', '{}', '[]', '',
    md5(n::text), 'xlsx', '' FROM generate_series(1, %(entries)s / 10) n, companies_company;
INSERT INTO django_admin_log (action_time, object_id, object_repr, action_flag, change_message, content_type_id,
    user_id)
SELECT now() - (%(entries)s - n) * interval '2 minutes', n::text, 'BEN' || n, 2,
    (ARRAY['Opened.', 'Voided.', 'Lifted the retention.', 'Marked as reviewed.'])[1 + n %% 4], t.id, u.id
FROM generate_series(1, %(entries)s) n, django_content_type t, auth_user u
WHERE t.app_label = 'shipments' AND t.model = 'guide' AND u.username = 'bench';
INSERT INTO auditlog_logentry (object_pk, object_id, object_repr, action, changes, timestamp, actor_id,
    content_type_id, changes_text)
SELECT c.id::text, c.id, c.name, 1, '{"name": ["A", "B"]}', now() - (%(entries)s - n) * interval '3 minutes',
    u.id, t.id, ''
FROM generate_series(1, %(entries)s) n, companies_company c, django_content_type t, auth_user u
WHERE c.client_code = 'BENCHA' AND t.app_label = 'companies' AND t.model = 'company' AND u.username = 'bench';
INSERT INTO auth_user (password, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined)
SELECT password, false, 'bench-pe', '', '', '', true, true, now() FROM auth_user WHERE username = 'bench';
INSERT INTO auth_user_user_permissions (user_id, permission_id)
SELECT u.id, p.id FROM auth_user u, auth_permission p WHERE u.username = 'bench-pe';
INSERT INTO companies_operatorprofile (user_id, countries)
SELECT id, '["PE"]' FROM auth_user WHERE username = 'bench-pe';
"""

SUPERUSER, OF_ONE_COUNTRY = "bench", "bench-pe"

LISTS = {
    "guides in customs over 48 hours": "shipments/guide/?work=customs",
    "guides still to review": "shipments/guide/?work=review",
    "guides in customs over 48 hours, by status": "shipments/guide/?work=customs&o=-7",
    "guides in customs over 48 hours, of a status, by status": (
        "shipments/guide/?work=customs&status__exact=customs_processing&o=-7"
    ),
    "guides by MAWB": "shipments/guide/?o=3",
    "guides by MAWB, the last first": "shipments/guide/?o=-3",
    "guides of a large company by MAWB": "shipments/guide/?company=BENCHA&o=3",
    "guides with a common name by MAWB": "shipments/guide/?q=elena&o=3",
    "guides by status": "shipments/guide/?o=7",
    "guides by status, the last first": "shipments/guide/?o=-7",
    "guides of the common status that arrived before today": "shipments/guide/?status__exact=delivered&arrival=overdue",
    "guides of the common status of a large company": "shipments/guide/?status__exact=delivered&company=BENCHA",
    "guides of the common status with a common name": "shipments/guide/?status__exact=delivered&q=elena",
    "guides of another country": "shipments/guide/?country=CL",
    "guides taken by nobody": "shipments/guide/?taken=nobody",
    "manifests with guides in customs over 48 hours": "shipments/manifest/?work=customs",
    "manifests still to review": "shipments/manifest/?work=review",
    "manifests by status": "shipments/manifest/?status=exception",
    "flights": "shipments/flight/",
    "refused requests": "shipments/refusedrequest/",
    "imports of events": "shipments/eventimport/",
    "workbook formats": "shipments/workbookformat/",
    "deliveries": "webhooks/delivery/",
    "deliveries that failed": "webhooks/delivery/?state__exact=failed",
    "deliveries about a guide": "webhooks/delivery/?q=BEN00000000100",
    "deliveries of a subscription": "webhooks/delivery/?subscription__id__exact=1",
    "deliveries of a type that was never sent": "webhooks/delivery/?event_type__exact=webhook.subscription_disabled",
    "deliveries with an error that never was": "webhooks/delivery/?error__exact=tls",
    "deliveries, oldest first": "webhooks/delivery/?o=0",
    "subscriptions": "webhooks/subscription/",
    "companies": "companies/company/",
}
"""Lists that both operators may open."""

EVERYWHERE = {
    "guides, page 150": "shipments/guide/?p=150",
    "guides, last page counted": "shipments/guide/?p=200",
    "guides by MAWB, page 100": "shipments/guide/?o=3&p=100",
    "guides of the common status, page 100": "shipments/guide/?status__exact=delivered&p=100",
    "operators": "auth/user/",
    "activity log": "admin/logentry/",
    "activity log, page 2": "admin/logentry/?p=2",
    "configuration changes": "auditlog/logentry/",
    "access attempts": "axes/accessattempt/",
}
"""Lists for operators of every country; and pages that the guides of one country do not fill in the short form."""

SEARCHES = {
    "surname": "elena",
    "two words": "elena a1",
    "beginning of every HAWB": "HX",
    "beginning of many HAWBs": "HX0001",
    "end of a HAWB": "0123456",
    "MAWB": "045-00000777",
    "document": "5.123.456",
    "e-mail": "1234.321@example.com",
    "tracking code": "BEN00000123456",
    "company": "BENCHA",
    "nothing": "Zzyzx",
    "200 tracking codes": " ".join(f"BEN{5_000 * n:011}" for n in range(1, 201)),
}
"""Texts for the search of the header."""
