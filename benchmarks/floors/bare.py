"""Views that do nothing but the queries: the lower bound of our reads, served by `benchmarks.serving.floor`."""

import json
from datetime import datetime
from decimal import Decimal

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.http import HttpRequest, JsonResponse
from django.urls import path

from companies import passwords
from shipments.manifests.guide_fields import ANSWERED_FIELDS
from shipments.statuses import GuideStatus, mawb_status

CODES = {status.value: status.code for status in GuideStatus}

COMPANY = "SELECT id FROM companies_company WHERE api_password_digest = %s AND is_active"
GUIDE = f"""
    SELECT g.id, g.hawb, g.tracking_code, m.mawb, g.status, g.updated_at,
           g.retention_required, g.retention_reason, g.retention_lifted_at,
           {", ".join(f"g.{field.name}" for field in ANSWERED_FIELDS)}
    FROM shipments_guide g JOIN shipments_manifest m ON m.id = g.manifest_id
    WHERE g.tracking_code = %s AND m.company_id = %s
"""  # noqa: S608  # our own columns
EVENTS = """
    SELECT status, occurred_at, source, sequence, client_note FROM shipments_guideevent WHERE guide_id = %s
    ORDER BY occurred_at, id
"""
MAWBS = """
    SELECT id, mawb, eta, total_guides, total_weight_kg, total_pieces, total_fob_usd, guides_by_status, created_at,
           coalesce(changed_at, created_at)
    FROM shipments_manifest WHERE company_id = %s AND voided_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 50
"""


def _company(request: HttpRequest, cursor: CursorWrapper) -> int:
    password = request.headers["Authorization"].split()[1]
    cursor.execute(COMPANY, [passwords.digest(password)])
    (company,) = cursor.fetchone()
    return int(company)


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def mawbs(request: HttpRequest) -> JsonResponse:
    """The list of MAWBs: two queries by hand, the same JSON."""
    with connection.cursor() as cursor:
        cursor.execute(MAWBS, [_company(request, cursor)])
        rows = cursor.fetchall()
    items = [
        {
            "manifest_id": str(row[0]), "mawb": row[1], "status": mawb_status(by_status := json.loads(row[7])),
            "eta": _text(row[2]), "total_guides": row[3], "total_weight_kg": float(row[4]), "total_pieces": row[5],
            "total_fob_usd": float(row[6]), "guides_by_status": by_status, "created_at": _text(row[8]),
            "updated_at": _text(row[9]),
        }
        for row in rows
    ]  # fmt: skip
    return JsonResponse({"mawbs": items, "next_cursor": None})


def guide(request: HttpRequest, tracking_code: str) -> JsonResponse:
    """One guide: three queries by hand, the same JSON."""
    with connection.cursor() as cursor:
        company = _company(request, cursor)
        cursor.execute(GUIDE, [tracking_code, company])
        row = cursor.fetchone()
        cursor.execute(EVENTS, [row[0]])
        events = cursor.fetchall()
    timeline = [
        {
            "status": status, "status_code": CODES[status], "timestamp": _text(occurred_at), "source": source,
            **({"sequence": sequence} if sequence else {}), **({"reason": client_note} if client_note else {}),
        }
        for status, occurred_at, source, sequence, client_note in events
    ]  # fmt: skip
    retention = {"required": row[6], "reason": row[7], "lifted_at": _text(row[8])} if row[6] or row[8] else None
    fields = {
        field.name: float(value) if isinstance(value, Decimal) else value
        for field, value in zip(ANSWERED_FIELDS, row[9:], strict=True)
    }
    return JsonResponse({
        "hawb": row[1], "tracking_code": row[2], "mawb": row[3], "status": row[4], "status_code": CODES[row[4]],
        **fields, "retention": retention, "needs_correction": False, "review": [],  # none of these waits for a review
        "updated_at": _text(row[5]), "events": timeline,
    })  # fmt: skip


urlpatterns = [
    path("bare/guides/<str:tracking_code>", guide),
    path("bare/mawbs", mawbs),
    path("health", lambda _request: JsonResponse({})),  # for whoever waits until the server answers
]
