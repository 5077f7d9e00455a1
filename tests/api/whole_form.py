"""The contract's form, and what an upload leaves."""

from collections.abc import Callable
from typing import Any

from shipments.models import Flight, Guide, GuideEvent, Manifest, ManifestFile
from tests.books import workbook_bytes
from tests.conftest import as_file

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
WHOLE_FORM: dict[str, Callable[[], Any]] = {
    "manifest_file": lambda: as_file(workbook_bytes()),
    "invoice_file": lambda: as_file(PDF, "invoice.pdf"),
    "flight_number": lambda: "LA2471",
    "origin_airport": lambda: "MIA",
    "destination_airport": lambda: "SCL",
    "origin_country": lambda: "US",
    "scheduled_departure": lambda: "2026-11-24T22:00:00-05:00",
    "scheduled_arrival": lambda: "2026-11-25T08:30:00-03:00",
}
"""The contract's form, every field of it with a value that is taken."""


def nothing_stored(media: Any) -> bool:
    rows = any(model.objects.exists() for model in (Manifest, Guide, GuideEvent, Flight, ManifestFile))
    return not rows and not [path for path in media.rglob("*") if path.is_file()]
