"""Writing a manifest's guides and their first events: the part of `ingest` that must be fast.

PostgreSQL uses COPY: for 5,000 guides the ORM's bulk insert took eight times as long, most of it spent preparing the
values of each row again. Other databases use the ORM with the same values. On both, one statement derives the first
events from the guides.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from itertools import islice
from operator import attrgetter

from django.db import connection

from shipments.manifests.consignee_words import SEARCHED_FIELDS, consignee_words
from shipments.manifests.guide_fields import GUIDE_FIELDS, WORDS_COLUMN
from shipments.manifests.manifest import GuideRow, Product
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.sequences import FIRST

BATCH_ROWS = 1_000
"""The number of guides written by one ORM statement: 50,000 model instances at once would need too much memory."""

_FROM_ROW = tuple(field.name for field in GUIDE_FIELDS if field.name not in {"products", "extra_data"})
_COLUMNS = (
    "manifest_id", "tracking_code", "status", *_FROM_ROW, "products", "extra_data", "needs_review", "review_reasons",
    "retention_required", "retention_reason", "created_at", "sequence", WORDS_COLUMN,
)  # fmt: skip
_read_from = attrgetter(*_FROM_ROW)
_EMPTY_JSON = {
    _COLUMNS.index(name): text for name, text in (("products", "[]"), ("extra_data", "{}"), ("review_reasons", "[]"))
}

_FIRST_EVENTS = """
    INSERT INTO {events} (guide_id, status, occurred_at, recorded_at, source, reason, actor, sequence)
    SELECT id, status, created_at, created_at, %s, '', '', sequence FROM {guides} WHERE manifest_id = %s ORDER BY id
"""


def write_guides(manifest: Manifest, rows: Iterable[tuple[GuideRow, str]], now: datetime) -> None:
    """Write each (row, tracking code) as a guide of `manifest`, with its `registered` event at `now`.

    Must run in the caller's transaction. Raises `IntegrityError` if a HAWB or a tracking code already exists.
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
    # Django's cursor passes copy() through without wrapping the driver's errors.
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for each in values:
            row = list(each)
            for column, empty in _EMPTY_JSON.items():
                row[column] = json.dumps(row[column]) if row[column] else empty
            copy.write_row(row)


def _values(manifest: Manifest, row: GuideRow, tracking_code: str, now: datetime) -> tuple[object, ...]:
    """Return the values in the order of `_COLUMNS`."""
    return (
        manifest.pk, tracking_code, GuideStatus.REGISTERED.value, *_read_from(row),
        [_product(product) for product in row.products], dict(row.extra_data), bool(row.review_reasons),
        list(row.review_reasons), bool(row.retention_reason), row.retention_reason, now, FIRST,
        consignee_words({name: getattr(row, name) for name in SEARCHED_FIELDS}),
    )  # fmt: skip


def _product(product: Product) -> dict[str, str | None]:
    """Return the product as JSON, with decimals as text because many readers parse JSON numbers as floats."""
    return {
        "description": product.description,
        "quantity": _text(product.quantity),
        "unit_value": _text(product.unit_value),
        "weight_kg": _text(product.weight_kg),
        "hs_code": product.hs_code,
    }


def _text(number: Decimal | None) -> str | None:
    return None if number is None else str(number)
