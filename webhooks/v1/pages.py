"""Pages of lists, newest first, and the public ids of rows."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from django.core import signing
from django.db import models
from django.db.models import QuerySet

from companies.models import Company
from webhooks.errors import QueryRefused, WebhookNotFound
from webhooks.models import Delivery

_SALT = "webhooks.v1.cursor"
_CURSOR_REFUSED = "This cursor is invalid here: use it with the same filters as the page it came from."

Row = TypeVar("Row", bound=models.Model)


def page_of(
    rows: QuerySet[Row], page: Mapping[str, Any], filters: Mapping[str, object]
) -> tuple[list[Row], str | None]:
    """One page, and the cursor of the next; None after the last. page: `limit` and perhaps `cursor`.

    A cursor is valid only with the filters it was created with. Raises `QueryRefused`.
    """
    digest = hashlib.sha256(json.dumps(filters, sort_keys=True, default=str).encode()).hexdigest()[:16]
    if cursor := page.get("cursor"):
        rows = rows.filter(pk__lt=_last_key(cursor, digest))
    found = list(rows.order_by("-pk")[: page["limit"] + 1])
    if len(found) <= page["limit"]:
        return found, None
    del found[-1]
    return found, signing.dumps([found[-1].pk, digest], salt=_SALT)


def _last_key(cursor: str, digest: str) -> int:
    try:
        key, made_with = signing.loads(cursor, salt=_SALT)
    except signing.BadSignature:
        made_with = None
    if made_with != digest:
        raise QueryRefused(details={"cursor": [_CURSOR_REFUSED]})
    return int(key)


def deliveries(company: Company, wanted: Mapping[str, Any]) -> tuple[list[Delivery], str | None]:
    """A page of the company's log. wanted: from `bodies.LogPage`. Raises `QueryRefused`."""
    filters = {name: value for name, value in wanted.items() if name not in {"limit", "cursor"}}
    columns = {"state": "state", "type": "event_type", "subject": "subject", "from": "created_at__gte",
               "to": "created_at__lt"}  # fmt: skip
    rows = Delivery.objects.filter(company=company).without_body()
    rows = rows.filter(**{column: filters[name] for name, column in columns.items() if name in filters})
    if "subscription" in filters:
        rows = rows.filter(subscription=key_of(filters["subscription"]))
    return page_of(rows, wanted, filters)


def key_of(name: str) -> int:
    """The key in `sub_<number>`. Raises `WebhookNotFound`."""
    number = name.removeprefix("sub_")
    if number == name or not (number.isascii() and number.isdigit()) or len(number) > 18:
        raise WebhookNotFound
    return int(number)


def uuid_of(name: str) -> UUID:
    """The UUID in `evt_<uuid>`. Raises `WebhookNotFound`."""
    try:
        uuid = UUID(name.removeprefix("evt_"))
    except ValueError:
        raise WebhookNotFound from None
    if name != f"evt_{uuid}":
        raise WebhookNotFound
    return uuid
