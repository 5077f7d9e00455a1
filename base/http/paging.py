"""Pages of lists. Their cursors are encrypted, and valid only with the filters that they were made with."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q

from base.encryption import open_cursor, seal_cursor
from base.errors import DomainError, Translatable

CURSOR_REFUSED: str = Translatable(
    "This cursor is not valid here: use it with the filters of the page that it came from."
)


def page_of(
    rows: Any,  # noqa: ANN401  # a QuerySet, or what stands for one on a first page
    *,
    order: Sequence[str],
    limit: int,
    cursor: str | None,
    made_with: Mapping[str, object],
    refusal: type[DomainError],
) -> tuple[list[Any], str | None]:
    """Return a page of `rows`, and the cursor of the next one; None after the last.

    order: fields, all ascending or all descending, together unique. made_with: everything that decides which rows are
    listed. Raises `refusal` for a cursor that was made with anything else.
    """
    names = [name.removeprefix("-") for name in order]
    made_with = {"order": order, **made_with}
    if cursor is not None:
        try:
            position = open_cursor(cursor, made_with)
        except ValueError:
            raise refusal(details={"cursor": [CURSOR_REFUSED]}) from None
        rows = rows.filter(_beyond(names, position, "lt" if order[0].startswith("-") else "gt"))
    found = list(rows.order_by(*order)[: limit + 1])
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    values = last if isinstance(last, dict) else vars(last)
    return found[:limit], seal_cursor([values[name] for name in names], made_with)


def _beyond(names: Sequence[str], position: Sequence[object], compared: str) -> Q:
    """Match rows after a position. The first field is compared by itself, for an index in that order."""
    (name, *others), (value, *rest) = names, position
    beyond = Q(**{f"{name}__{compared}": value})
    return Q(beyond | _beyond(others, rest, compared), **{f"{name}__{compared}e": value}) if others else beyond
