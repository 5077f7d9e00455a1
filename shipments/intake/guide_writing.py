"""Writing a manifest's guides and their first events: part of `ingest`, and the part that must be fast.

On PostgreSQL guides go in by COPY: for 5,000 of them the ORM's bulk insert took eight times as long, most of it in
preparing each value of each row once more. Elsewhere the ORM writes the same values. The first events are derived
from the guides in one statement on both.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from itertools import islice

from django.db import connection

from shipments.manifests.manifest import GuideRow, Product
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus, Source

BATCH_ROWS = 1_000
"""Guides written by one ORM statement: 50,000 model instances at once would cost the worker dearly."""

_COLUMNS = (
    "manifest_id", "hawb", "tracking_code", "status", "consignee_name", "consignee_document_type",
    "consignee_document", "consignee_address", "consignee_city", "consignee_region", "consignee_postal_code",
    "consignee_phone", "consignee_email", "shipper_name", "weight_kg", "packages_count", "description_original",
    "product_value", "fob_usd", "hs_code", "category", "platform_name", "products", "extra_data", "needs_review",
    "review_reasons", "retention_required", "retention_reason", "created_at",
)  # fmt: skip
_EMPTY_JSON = {
    _COLUMNS.index(name): text for name, text in (("products", "[]"), ("extra_data", "{}"), ("review_reasons", "[]"))
}

_FIRST_EVENTS = """
    INSERT INTO {events} (guide_id, status, occurred_at, recorded_at, source, reason, actor)
    SELECT id, status, created_at, created_at, %s, '', '' FROM {guides} WHERE manifest_id = %s ORDER BY id
"""


def write_guides(manifest: Manifest, rows: Iterable[tuple[GuideRow, str]], now: datetime) -> None:
    """Write each (row, tracking code) as a guide of `manifest`, registered at `now`, with the event that says so.

    Within the caller's transaction. Raises `IntegrityError` where a HAWB or a tracking code stands already.
    """
    values = (_values(manifest, row, code, now) for row, code in rows)
    if connection.vendor == "postgresql":
        _copy(values)
    else:
        while Guide.objects.bulk_create(
            Guide(**dict(zip(_COLUMNS, each, strict=True))) for each in islice(values, BATCH_ROWS)
        ):
            pass
    manifest_id = Manifest._meta.pk.get_db_prep_value(manifest.pk, connection)
    with connection.cursor() as cursor:
        tables = {"events": GuideEvent._meta.db_table, "guides": Guide._meta.db_table}
        cursor.execute(_FIRST_EVENTS.format(**tables), [Source.PRE_ALERT.value, manifest_id])


def _copy(values: Iterator[tuple[object, ...]]) -> None:
    statement = f"COPY {Guide._meta.db_table} ({', '.join(_COLUMNS)}) FROM STDIN"
    # Django's cursor passes copy() on as it is, without turning the driver's errors into its own.
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for each in values:
            row = list(each)
            for column, empty in _EMPTY_JSON.items():
                row[column] = json.dumps(row[column]) if row[column] else empty
            copy.write_row(row)


def _values(manifest: Manifest, row: GuideRow, tracking_code: str, now: datetime) -> tuple[object, ...]:
    """In the order of `_COLUMNS`."""
    return (
        manifest.pk, row.hawb, tracking_code, GuideStatus.REGISTERED.value, row.consignee_name,
        row.consignee_document_type, row.consignee_document, row.consignee_address, row.consignee_city,
        row.consignee_region, row.consignee_postal_code, row.consignee_phone, row.consignee_email, row.shipper_name,
        row.weight_kg, row.packages_count, row.description_original, row.product_value, row.fob_usd, row.hs_code,
        row.category, row.platform_name, [_product(product) for product in row.products], dict(row.extra_data),
        bool(row.review_reasons), list(row.review_reasons), bool(row.retention_reason), row.retention_reason, now,
    )  # fmt: skip


def _product(product: Product) -> dict[str, str | None]:
    """As JSON, decimals as text: the database's JSON numbers are floats to many a reader."""
    return {
        "description": product.description,
        "quantity": _text(product.quantity),
        "unit_value": _text(product.unit_value),
        "weight_kg": _text(product.weight_kg),
        "hs_code": product.hs_code,
    }


def _text(number: Decimal | None) -> str | None:
    return None if number is None else str(number)
