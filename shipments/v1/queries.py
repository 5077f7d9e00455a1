"""The query parameters of lists, and their pages. Known names are checked, others ignored, as v1 has always done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar, cast

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from companies.countries import SERVED
from shipments.errors import InvalidQuery
from shipments.models import LIST_WINDOW, ManifestQuerySet
from shipments.statuses import MAWB_STATUSES, GuideStatus
from webhooks.encryption import open_cursor, seal_cursor
from webhooks.v1.bodies import Moment

LARGEST_PAGE = 100
LARGEST_PAGE_OF_GUIDES = 500
MOST_CODES = 100
"""HAWBs or tracking codes in one query."""
_LIMIT = "The number of rows of a page."


class _Country(serializers.ChoiceField):
    """A country in any case."""

    def to_internal_value(self, data: object) -> str:
        return str(super().to_internal_value(str(data).strip().upper()))


class _Code(serializers.CharField):
    """A HAWB or a tracking code in any case."""

    def to_internal_value(self, data: str) -> str:
        return str(super().to_internal_value(data)).upper()


def _statuses(values: Any) -> serializers.ListField:  # noqa: ANN401  # strings
    note = "One of several: `status=in_transit&status=out_for_delivery`."
    return serializers.ListField(child=serializers.ChoiceField([*values]), required=False, help_text=note)


def _moment(note: str) -> Moment:
    return Moment(required=False, help_text=f"{note}; with an offset.")


def _codes(of: str) -> serializers.ListField:
    note = f"{of}, up to {MOST_CODES}; capitals do not matter."
    return serializers.ListField(child=_Code(max_length=64), required=False, max_length=MOST_CODES, help_text=note)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks of a list: the page's size, the filters by name, and the cursor."""

    limit: int = LIST_WINDOW
    filters: Mapping[str, Any] = field(default_factory=dict)
    cursor: str | None = None


class Query(serializers.Serializer[Any]):
    """Which page of a list, of which rows."""

    limit = serializers.IntegerField(min_value=1, max_value=LARGEST_PAGE, default=LIST_WINDOW, help_text=_LIMIT)
    cursor = serializers.CharField(
        required=False, help_text="`next_cursor` of the page before, with the filters of that page."
    )

    @classmethod
    def read(cls, query: QueryDict) -> "Asked":
        """Return the checked parameters. Raises `InvalidQuery` with `details` by name."""
        sent = {name: query.getlist(name) for name in cls._declared_fields if name in query}
        if not sent:  # most requests: making the serializer would take as long as their answers
            return Asked()
        lists = {name for name, each in cls._declared_fields.items() if isinstance(each, serializers.ListField)}
        # Not the QueryDict itself: DRF would read it as a form, whose empty values count as absent.
        reading = cls(data={name: values if name in lists else values[-1] for name, values in sent.items()})
        reading.is_valid()
        problems = {name: _messages(found) for name, found in reading.errors.items()}
        repeated = {name: len(values) for name, values in sent.items() if len(values) > 1 and name not in lists}
        problems |= {name: [_("Send this once; it was sent %d times.") % times] for name, times in repeated.items()}
        if problems:
            raise InvalidQuery(details=problems)
        filters = {name: value for name, value in reading.validated_data.items() if name not in {"limit", "cursor"}}
        return Asked(reading.validated_data["limit"], filters, reading.validated_data.get("cursor"))


class MawbQuery(Query):
    """`GET mawbs`: from each `..._from` on, until before each `..._to`."""

    status = _statuses(MAWB_STATUSES)
    country = _Country([*SERVED], required=False, help_text="Of the destination.")
    created_from = _moment("Received at this moment or later")
    created_to = _moment("Received before this moment")
    eta_from = _moment("Scheduled to arrive at this moment or later")
    eta_to = _moment("Scheduled to arrive before this moment")
    updated_since = _moment("Received or changed at this moment or later")
    hawb = _Code(required=False, max_length=64, help_text="MAWBs with this guide; capitals do not matter.")


class GuidesQuery(Query):
    """`GET mawbs/:mawb/guides`."""

    limit = serializers.IntegerField(
        min_value=1, max_value=LARGEST_PAGE_OF_GUIDES, default=LIST_WINDOW, help_text=_LIMIT
    )
    status = _statuses([status.value for status in GuideStatus])


class GuideChangesQuery(Query):
    """`GET guides`: at least one of `NARROWING` has to be there."""

    hawb = _codes("HAWBs")
    tracking_code = _codes("Tracking codes")
    mawb = serializers.CharField(
        required=False, max_length=32, help_text="Guides of this MAWB, in any spelling of its number."
    )
    status = _statuses([status.value for status in GuideStatus])
    country = _Country([*SERVED], required=False, help_text="Of the destination.")
    updated_since = _moment("Received or changed at this moment or later")

    @classmethod
    def read(cls, query: QueryDict) -> "Asked":
        asked = super().read(query)
        if asked.filters.keys().isdisjoint(NARROWING):
            raise InvalidQuery(details={name: [_("Send one of %s.") % ", ".join(NARROWING)] for name in NARROWING})
        return asked


NARROWING = ("hawb", "tracking_code", "mawb", "updated_since")


def matching(manifests: ManifestQuerySet, filters: Mapping[str, Any]) -> ManifestQuerySet:
    if not filters:  # most requests
        return manifests
    compared = {name: value for name, value in filters.items() if name in _COMPARISONS}
    found = manifests.filter(**{_COMPARISONS[name]: value for name, value in compared.items()})
    if "updated_since" in filters:
        found = found.updated_since(filters["updated_since"])
    return found


_COMPARISONS = {
    "country": "country",
    "status": "status__in",
    "created_from": "created_at__gte",
    "created_to": "created_at__lt",
    "eta_from": "eta__gte",
    "eta_to": "eta__lt",
    "hawb": "guides__hawb",
}


def _messages(found: object) -> list[str]:
    """Return DRF's errors of one field as text; those of a list are by position."""
    if isinstance(found, Mapping):
        return [str(message) for messages in found.values() for message in messages]
    return [str(message) for message in found]  # type: ignore[attr-defined]  # a list


CURSOR_REFUSED = "This cursor is not valid here: use it with the filters of the page that it came from."

Row = TypeVar("Row")


# --- pages: DRF's cursors, encrypted, and valid only with the filters that they were made with ----------------------


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
