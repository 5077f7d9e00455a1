"""Writing a manifest's guides and their first events: the part of `ingest` that must be fast.

PostgreSQL uses COPY: for 5,000 guides the ORM's bulk insert took eight times as long, most of it spent preparing the
values of each row again. Other databases use the ORM with the same values. On both, one statement derives the first
events from the guides.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice, starmap
from json.encoder import encode_basestring_ascii as _quoted
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connection

from shipments.manifests.consignee_words import SEARCHED_FIELDS, consignee_words
from shipments.manifests.guide_fields import GUIDE_FIELDS, WORDS_COLUMN
from shipments.manifests.manifest import GuideRow, Product
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.changes import FIRST
from shipments.tracking.moves import ReportedEvent

BATCH_ROWS = 1_000
"""The number of guides written by one ORM statement: 50,000 model instances at once would need too much memory."""

_FROM_ROW = tuple(field.name for field in GUIDE_FIELDS if field.name not in {"products", "extra_data"})
_OF_GUIDE = (
    "tracking_code", *_FROM_ROW, "needs_review", "retention_required", "retention_reason", WORDS_COLUMN,
)  # fmt: skip
_JSON = ("products", "extra_data", "review_reasons")
_OF_MANIFEST = ("manifest_id", "company_id", "status", "created_at", "updated_at", "sequence")
_COLUMNS = (*_OF_GUIDE, *_JSON, *_OF_MANIFEST)
_read_from = attrgetter(*_FROM_ROW)
_read_searched = attrgetter(*SEARCHED_FIELDS)

_FIRST_EVENTS = """
    INSERT INTO {events} (guide_id, status, occurred_at, recorded_at, source, internal_note, actor, sequence)
    SELECT id, status, created_at, created_at, %s, '', '', sequence FROM {guides} WHERE manifest_id = %s ORDER BY id
"""


class Registrations(NamedTuple):
    """How guides were registered elsewhere before. by_code: tracking code -> event; without a time if it is unknown."""

    by_code: Mapping[str, ReportedEvent]
    actor: str


def write_guides(
    manifest: Manifest, rows: Iterable[tuple[GuideRow, str]], registrations: Registrations | None = None
) -> None:
    """Write each (row, tracking code) as a guide of `manifest`, with its `registered` event, all at its time.

    registrations: of guides that were registered elsewhere before. Must run in the caller's transaction. Raises
    `IntegrityError` if a HAWB or a tracking code already exists.
    """
    now = manifest.created_at
    values = (_values(row, code) for row, code in rows)
    of_manifest = (manifest.pk, manifest.company_id, GuideStatus.REGISTERED.value, now, now, FIRST)
    if connection.vendor == "postgresql":
        _copy(values, of_manifest)
    else:
        while Guide.objects.bulk_create(_guide(each, of_manifest) for each in islice(values, BATCH_ROWS)):
            pass
    if registrations:
        guides = manifest.guides.order_by("pk").values_list("pk", "tracking_code")
        GuideEvent.objects.bulk_create(
            (_registered(pk, registrations.by_code[code], now, registrations.actor) for pk, code in guides),
            batch_size=BATCH_ROWS,
        )
        return
    manifest_id = Manifest._meta.pk.get_db_prep_value(manifest.pk, connection)
    with connection.cursor() as cursor:
        tables = {"events": GuideEvent._meta.db_table, "guides": Guide._meta.db_table}
        cursor.execute(_FIRST_EVENTS.format(**tables), [Source.PRE_ALERT.value, manifest_id])


def _registered(guide_id: int, reported: ReportedEvent, now: datetime, actor: str) -> GuideEvent:
    return GuideEvent(
        guide_id=guide_id, status=GuideStatus.REGISTERED.value, occurred_at=reported.occurred_at or now,
        recorded_at=now, source=reported.source, client_note=reported.client_note, actor=actor, sequence=FIRST,
    )  # fmt: skip


def _copy(values: Iterator[tuple[object, ...]], of_manifest: tuple[object, ...]) -> None:
    statement = f"COPY {Guide._meta.db_table} ({', '.join(_COLUMNS)}) FROM STDIN"
    # As text, which is what COPY takes: the driver would convert the same UUID and time again for each row.
    constants = tuple(map(str, of_manifest))
    # Django's cursor passes copy() through without wrapping the driver's errors.
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for each in values:
            copy.write_row(each + constants)


def _guide(values: tuple[Any, ...], of_manifest: tuple[object, ...]) -> Guide:
    decoded = map(json.loads, values[len(_OF_GUIDE) :])
    return Guide(**dict(zip(_COLUMNS, (*values[: len(_OF_GUIDE)], *decoded, *of_manifest), strict=True)))


def _values(row: GuideRow, tracking_code: str) -> tuple[object, ...]:
    """Return the values of `_OF_GUIDE`, then those of `_JSON` as text."""
    reasons, products, extra_data = row.review_reasons, row.products, row.extra_data
    return (
        tracking_code, *_read_from(row), bool(reasons), bool(row.retention_reason), row.retention_reason,
        consignee_words(dict(zip(SEARCHED_FIELDS, _read_searched(row), strict=True))),
        f"[{', '.join(map(Product.to_json, products))}]" if products else "[]",
        f"{{{', '.join(starmap(_member, extra_data.items()))}}}" if extra_data else "{}",
        json.dumps(reasons) if reasons else "[]",
    )  # fmt: skip


def _member(key: str, value: object) -> str:
    """Return a member of an object as JSON. An encoder of whole objects is made anew for each, which takes longer."""
    return f"{_quoted(key)}: {_quoted(value) if type(value) is str else json.dumps(value)}"
