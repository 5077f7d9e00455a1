"""Pages of lists, newest first, and the public ids of rows."""

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import QuerySet

from companies.models import Company
from webhooks.encryption import open_cursor, seal_cursor
from webhooks.errors import QueryRefused, WebhookNotFound
from webhooks.models import Delivery, Subscription

_CURSOR_REFUSED = "This cursor is invalid here: use it with the same filters as the page it came from."

Row = TypeVar("Row", bound=models.Model)


def page_of(
    rows: QuerySet[Row], page: Mapping[str, Any], made_with: Mapping[str, object]
) -> tuple[list[Row], str | None]:
    """One page, and the cursor of the next; None after the last. page: `limit` and perhaps `cursor`.

    made_with: everything that decides which rows are listed; a cursor is valid only with the same. Raises
    `QueryRefused`.
    """
    if cursor := page.get("cursor"):
        try:
            rows = rows.filter(pk__lt=open_cursor(cursor, made_with))
        except ValueError:
            raise QueryRefused(details={"cursor": [_CURSOR_REFUSED]}) from None
    found = list(rows.order_by("-pk")[: page["limit"] + 1])
    if len(found) <= page["limit"]:
        return found, None
    del found[-1]
    return found, seal_cursor(found[-1].pk, made_with)


def subscriptions(company: Company, page: Mapping[str, Any]) -> tuple[list[Subscription], str | None]:
    """A page of the company's webhooks. page: from `bodies.Page`. Raises `QueryRefused`."""
    rows = Subscription.objects.filter(company=company)
    return page_of(rows, page, {"list": "subscriptions", "company": company.pk})


def deliveries(company: Company, wanted: Mapping[str, Any]) -> tuple[list[Delivery], str | None]:
    """A page of the company's log. wanted: from `bodies.LogPage`. Raises `QueryRefused`."""
    filters = {name: value for name, value in wanted.items() if name not in {"limit", "cursor"}}
    columns = {"state": "state", "type": "event_type", "subject": "subject", "from": "created_at__gte",
               "to": "created_at__lt"}  # fmt: skip
    rows = Delivery.objects.filter(company=company).select_related("subscription").without_body()
    rows = rows.filter(**{column: filters[name] for name, column in columns.items() if name in filters})
    if "subscription" in filters:
        # By key, which the log has an index for. Deleted webhooks are in the log too.
        mine = Subscription.everyone.filter(company=company, uuid=uuid_of(filters["subscription"], "sub_"))
        rows = rows.filter(subscription=mine.values_list("pk", flat=True).first() or 0)
    return page_of(rows, wanted, {"list": "deliveries", "company": company.pk, **filters})


def uuid_of(name: str, prefix: str) -> UUID:
    """The UUID in `evt_<uuid>` or `sub_<uuid>`. Raises `WebhookNotFound`."""
    try:
        uuid = UUID(name.removeprefix(prefix))
    except ValueError:
        raise WebhookNotFound from None
    if name != f"{prefix}{uuid}":
        raise WebhookNotFound
    return uuid
