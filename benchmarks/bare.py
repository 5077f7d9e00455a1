"""What a view costs that does nothing but the queries: the floor under our reads, in the same server."""

from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import path

from companies import passwords
from shipments.statuses import GuideStatus

CODES = {status.value: status.code for status in GuideStatus}

COMPANY = "SELECT id FROM companies_company WHERE api_password_digest = %s AND is_active"
GUIDE = """
    SELECT g.id, g.hawb, g.tracking_code, m.mawb, g.status, g.consignee_name, g.weight_kg, g.packages_count,
           g.description_original, g.fob_usd
    FROM shipments_guide g JOIN shipments_manifest m ON m.id = g.manifest_id
    WHERE g.tracking_code = %s AND m.company_id = %s
"""
EVENTS = "SELECT status, occurred_at, source FROM shipments_guideevent WHERE guide_id = %s ORDER BY occurred_at, id"


def guide(request: HttpRequest, tracking_code: str) -> JsonResponse:
    """The same three queries by hand, the same JSON."""
    password = request.headers["Authorization"].split()[1]
    with connection.cursor() as cursor:
        cursor.execute(COMPANY, [passwords.digest(password)])
        (company,) = cursor.fetchone()
        cursor.execute(GUIDE, [tracking_code, company])
        row = cursor.fetchone()
        cursor.execute(EVENTS, [row[0]])
        events = cursor.fetchall()
    return JsonResponse(
        {
            "hawb": row[1],
            "tracking_code": row[2],
            "mawb": row[3],
            "status": row[4],
            "status_code": CODES[row[4]],
            "consignee_name": row[5],
            "weight_kg": float(row[6]),
            "packages_count": row[7],
            "description_original": row[8],
            "fob_usd": float(row[9]),
            "events": [
                {
                    "status": status,
                    "status_code": CODES[status],
                    "timestamp": occurred_at.isoformat().replace("+00:00", "Z"),
                    "source": source,
                }
                for status, occurred_at, source in events
            ],
        }
    )


urlpatterns = [path("bare/guides/<str:tracking_code>", guide)]
