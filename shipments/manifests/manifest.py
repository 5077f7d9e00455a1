"""What every reader of manifests gives back: one shape for workbooks and for JSON.

Everything here is frozen and plain: no ORM, no request, no settings. A reader reports what it noticed as it
goes on; it raises only where there is nothing to go on with.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal

from shipments.manifests.reason import Reason
from shipments.manifests.waybills import HAWB_LENGTH

TransportMode = Literal["air", "ground"]

MAX_GUIDES = 50_000
"""Guide rows in one manifest; more is refused with `validation_failed`."""


LONGEST: Mapping[str, int] = {
    "hawb": HAWB_LENGTH,
    "consignee_name": 255,
    "consignee_document_type": 16,
    "consignee_document": 32,
    "consignee_address": 512,
    "consignee_city": 128,
    "consignee_region": 128,
    "consignee_postal_code": 32,
    "consignee_phone": 64,
    "consignee_email": 254,
    "shipper_name": 255,
    "description_original": 2000,
    "hs_code": 255,
}
"""Characters kept of each text; what is longer is cut, with a warning."""


@dataclass(frozen=True, slots=True)
class RowWarning:
    """Something in a row that could not be taken as it stood.

    row_index: workbook: the row's number as the spreadsheet shows it (1-based); JSON: position in `guides` (0-based).
    field: the guide field concerned, in the contract's words (`consignee_rut`, `weight_kg` ...).
    code: the contract's word, such as `rut_invalid_format`.
    """

    row_index: int
    hawb: str
    field: str
    code: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Notice:
    """An observation on content that was accepted as it is; about the manifest when it names no row."""

    code: str
    reason: Reason
    row_index: int | None = None
    hawb: str | None = None


@dataclass(frozen=True, slots=True)
class Product:
    """One line of a guide's content. `weight_kg` is the line's total; unknown numbers are None, never 0."""

    description: str
    quantity: Decimal | None
    unit_value: Decimal | None
    weight_kg: Decimal | None
    hs_code: str = ""


@dataclass(frozen=True, slots=True)
class GuideRow:
    """One guide as the manifest tells it. Unknown text is empty, an unknown number is None, never 0."""

    row_index: int
    hawb: str
    consignee_name: str = ""
    consignee_document_type: str = ""
    consignee_document: str = ""
    consignee_address: str = ""
    consignee_city: str = ""
    consignee_region: str = ""
    consignee_postal_code: str = ""
    consignee_phone: str = ""
    consignee_email: str = ""
    shipper_name: str = ""
    weight_kg: Decimal | None = None
    packages_count: int = 1
    description_original: str = ""
    product_value: Decimal | None = None
    fob_usd: Decimal | None = None
    hs_code: str = ""
    category: int | None = None
    platform_name: str | None = None
    products: tuple[Product, ...] = ()
    extra_data: Mapping[str, object] = field(default_factory=dict)
    review_reasons: tuple[str, ...] = ()
    retention_reason: str = ""


@dataclass(frozen=True, slots=True)
class FlightFields:
    """The flight as the sender describes it; datetimes keep the offset they came in."""

    flight_number: str = ""
    origin_airport: str = ""
    origin_country: str = ""
    destination_airport: str = ""
    scheduled_departure: datetime | None = None
    scheduled_arrival: datetime | None = None


@dataclass(frozen=True, slots=True)
class ParsedManifest:
    """One pre-alert, read and checked: what `ingest` writes.

    warnings, notices: the first by row, as many as are reported. rut_invalid_count: of all rows.
    """

    mawb: str
    country: str
    flight: FlightFields
    guides: tuple[GuideRow, ...]
    transport_mode: TransportMode = "air"
    warnings: tuple[RowWarning, ...] = ()
    notices: tuple[Notice, ...] = ()
    rut_invalid_count: int = 0
