"""The query parameters of lists, and the rows that they ask for.

Known names are checked, others ignored, as v1 has always done.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django.db.models import BooleanField, DateTimeField, Func, Model, QuerySet, Value
from django.db.models.lookups import GreaterThan
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers

from base.encryption import open_cursor, seal_cursor
from base.errors import InvalidQuery, NotFound
from base.http.bodies import Moment
from base.http.paging import CURSOR_REFUSED, page_of
from companies.countries import SERVED
from shipments.manifests import waybills
from shipments.models import LIST_WINDOW, GuideQuerySet, ManifestQuerySet
from shipments.statuses import MAWB_STATUSES, GuideStatus

LARGEST_PAGE = 100
LARGEST_PAGE_OF_GUIDES = 500
MOST_CODES = 100
"""HAWBs or tracking codes in one query."""
_LIMIT = "The number of rows of a page."

_Row = TypeVar("_Row", bound=Model)


class _Country(serializers.ChoiceField):
    """The destination's country in any case."""

    def __init__(self) -> None:
        super().__init__([*SERVED], required=False, help_text="Of the destination.")

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
class ListRequest:
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
    def read(cls, query: QueryDict) -> "ListRequest":
        """Return the checked parameters. Raises `InvalidQuery` with `details` by name."""
        sent = {name: query.getlist(name) for name in cls._declared_fields if name in query}
        if not sent:  # most requests: making the serializer would take as long as their answers
            return ListRequest()
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
        limit = reading.validated_data.get("limit", LIST_WINDOW)
        return ListRequest(limit, filters, reading.validated_data.get("cursor"))


class MawbQuery(Query):
    """`GET mawbs`: from each `..._from` on, until before each `..._to`."""

    status = _statuses(MAWB_STATUSES)
    country = _Country()
    created_from = _moment("Received at this moment or later")
    created_to = _moment("Received before this moment")
    eta_from = _moment("Scheduled to arrive at this moment or later")
    eta_to = _moment("Scheduled to arrive before this moment")
    updated_since = _moment("Received or changed at this moment or later")
    hawb = _Code(required=False, max_length=64, help_text="MAWBs with this guide; capitals do not matter.")


class LayoutQuery(Query):
    """`GET layouts`."""

    country = _Country()


class GuidesQuery(Query):
    """`GET mawbs/:mawb/guides`."""

    limit = serializers.IntegerField(
        min_value=1, max_value=LARGEST_PAGE_OF_GUIDES, default=LIST_WINDOW, help_text=_LIMIT
    )
    status = _statuses([status.value for status in GuideStatus])


class GuideChangesQuery(Query):
    """`GET guides`: at least one of `narrowing` has to be there."""

    hawb = _codes("HAWBs")
    tracking_code = _codes("Tracking codes")
    mawb = serializers.CharField(
        required=False, max_length=32, help_text="Guides of this MAWB, in any spelling of its number."
    )
    status = _statuses([status.value for status in GuideStatus])
    country = _Country()
    updated_since = _moment("Received or changed at this moment or later")

    narrowing: ClassVar[Sequence[str]] = ("hawb", "tracking_code", "mawb", "updated_since")

    @classmethod
    def read(cls, query: QueryDict) -> "ListRequest":
        asked = super().read(query)
        if asked.filters.keys().isdisjoint(cls.narrowing):
            said = _("Send one of %s.") % ", ".join(cls.narrowing)
            raise InvalidQuery(details={name: [said] for name in cls.narrowing})
        return asked


def filter_manifests(manifests: ManifestQuerySet, filters: Mapping[str, Any]) -> ManifestQuerySet:
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


def find_by_id(rows: "QuerySet[_Row]", sent: str, missing: str) -> _Row:
    """Return the row with a UUID as a client wrote it. Raises `NotFound`, with `missing`."""
    found = None
    with suppress(ValueError):
        found = rows.filter(pk=UUID(sent)).first()
    if found is None:
        raise NotFound(missing)
    return found


def read_page(rows: Any, asked: ListRequest, order: Sequence[str], **of: object) -> tuple[list[Any], str | None]:  # noqa: ANN401  # as in `page_of`
    """Return the page of `rows` that is asked for, as `page_of` does. of: whose rows they are."""
    made_with = {**asked.filters, **of}
    return page_of(rows, order=order, limit=asked.limit, cursor=asked.cursor, made_with=made_with)


# --- guides in the order of their changes ----------------------------------------------------------------------------


CHANGE_COLUMNS: Sequence[str] = (
    "id", "hawb", "tracking_code", "manifest__mawb", "status", "sequence", "updated_at", "needs_review",
    "review_reasons", "anonymised_at",
)  # fmt: skip
"""What a client's page shows of a guide."""


def page_of_changes(
    guides: GuideQuerySet, asked: ListRequest, columns: Sequence[str], **whose: object
) -> tuple[Sequence[Mapping[str, Any]], str | None]:
    """Return a page of the guides that a `GuideChangesQuery` asks for, and the cursor of the next; None after the last.

    guides: those that the caller may see. columns: of each row, with `id` and `updated_at`. whose: the caller, for whom
    alone the cursor counts. Raises `InvalidQuery` for a cursor that was made with other filters.
    """
    made_with = {**asked.filters, **whose, "list": "guides"}
    after = None
    if asked.cursor is not None:
        try:
            moment, guide_id = open_cursor(asked.cursor, made_with)
            after = datetime.fromisoformat(moment), int(guide_id)
        except (TypeError, ValueError):
            raise InvalidQuery(details={"cursor": [CURSOR_REFUSED]}) from None
    found = filter_guides(guides, asked.filters, after).order_by("updated_at", "id").values(*columns)
    rows = list(found[: asked.limit + 1])
    if len(rows) <= asked.limit:
        return rows, None
    page = rows[:-1]
    return page, seal_cursor([page[-1]["updated_at"].isoformat(), page[-1]["id"]], made_with)


def filter_guides(
    guides: GuideQuerySet, filters: Mapping[str, Any], after: tuple[datetime, int] | None
) -> GuideQuerySet:
    """Return those of `guides` that match the filters. after: the place in the order where the last page ended."""
    compared = {f"{name}__in": filters[name] for name in ("hawb", "tracking_code", "status") if name in filters}
    if "mawb" in filters:
        compared["manifest__mawb"] = waybills.read_sought_mawb(filters["mawb"]) or ""
    if "country" in filters:
        compared["manifest__country"] = filters["country"]
    if "bag" in filters:
        compared["bag"] = filters["bag"]
    if after:  # a cursor's row is never earlier than `updated_since`
        moment, guide_id = after
        last = _row(Value(moment, DateTimeField()), Value(guide_id))
        return guides.filter(GreaterThan(_row("updated_at", "id"), last), **compared)
    if "updated_since" in filters:
        compared["updated_at__gte"] = filters["updated_since"]
    return guides.filter(**compared)


def _row(*columns: str | Value) -> Func:
    """Return a row value, `(a, b)`. An index finds what is greater at once; with OR, the database reads all guides of
    the moment again for each page, and a manifest's guides have one.
    """
    return Func(*columns, function="", output_field=BooleanField())
