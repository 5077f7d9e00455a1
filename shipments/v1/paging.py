"""Pages of lists: DRF's cursors, encrypted, and valid only with the filters that they were made with."""

from collections.abc import Mapping
from typing import Any, Protocol, Self, TypeVar, cast

from django.db.models import QuerySet
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from shipments.errors import InvalidQuery
from webhooks.encryption import open_cursor, seal_cursor

CURSOR_REFUSED = "This cursor is not valid here: use it with the filters of the page that it came from."

Row = TypeVar("Row")


class Beginning(Protocol[Row]):
    """What pagination uses of a QuerySet for a first page."""

    def order_by(self, *order: str) -> Self: ...

    def __getitem__(self, window: slice) -> list[Row]: ...


def page_of(
    rows: "QuerySet[Any, Row] | Beginning[Row]",
    request: Request,
    *,
    order: tuple[str, ...],
    limit: int,
    made_with: Mapping[str, Any],
) -> tuple[list[Row], str | None]:
    """Return a page of `rows`, and the cursor of the next one; None after the last.

    rows: without a cursor in the request, a `Beginning` is enough.
    order: the fields to order by. Only the first decides where a page begins, so it should be all but unique.
    made_with: everything that decides which rows are listed.

    Raises `InvalidQuery` for a cursor that was made with anything else.
    """
    pages = _Pages(order, limit, made_with)
    found: list[Row] = pages.paginate_queryset(cast("QuerySet[Any, Row]", rows), request) or []
    return found, pages.get_next_link()


class _Pages(CursorPagination):
    def __init__(self, order: tuple[str, ...], limit: int, made_with: Mapping[str, Any]) -> None:
        self.ordering, self.page_size = order, limit
        self._made_with = {"order": order, **made_with}

    def decode_cursor(self, request: Request) -> Cursor | None:
        sent = request.query_params.get(self.cursor_query_param)
        if sent is None:
            return None
        try:
            offset, position = open_cursor(sent, self._made_with)
        except ValueError:
            raise InvalidQuery(details={self.cursor_query_param: [CURSOR_REFUSED]}) from None
        return Cursor(offset=offset, reverse=False, position=position)

    def encode_cursor(self, cursor: Cursor) -> str:
        """Return only the cursor, not a link: clients send it with the parameters they sent before."""
        return seal_cursor([cursor.offset, cursor.position], self._made_with)
