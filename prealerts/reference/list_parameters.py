"""The query parameters of lists, as the OpenAPI document describes them."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from companies.countries import SERVED
from shipments.models import LIST_WINDOW
from shipments.statuses import MAWB_STATUSES, GuideStatus
from shipments.v1.queries import LARGEST_PAGE, LARGEST_PAGE_OF_GUIDES, MOST_CODES


def _page(largest: int) -> list[OpenApiParameter]:
    limit = {"type": "integer", "minimum": 1, "maximum": largest, "default": LIST_WINDOW}
    return [
        OpenApiParameter("limit", limit, description="The number of rows of a page."),
        OpenApiParameter(
            "cursor", OpenApiTypes.STR, description="`next_cursor` of the page before, with the filters of that page."
        ),
    ]


def _statuses(values: tuple[str, ...]) -> OpenApiParameter:
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string", "enum": [*values]}}
    description = "One of several: `status=in_transit&status=out_for_delivery`."
    return OpenApiParameter("status", schema, description=description, explode=True)


def _moment(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.DATETIME, description=f"{description}; with an offset.")


MAWBS = [
    *_page(LARGEST_PAGE),
    _statuses(MAWB_STATUSES),
    OpenApiParameter("country", {"type": "string", "enum": [*SERVED]}, description="Of the destination."),
    _moment("created_from", "Received at this moment or later"),
    _moment("created_to", "Received before this moment"),
    _moment("eta_from", "Scheduled to arrive at this moment or later"),
    _moment("eta_to", "Scheduled to arrive before this moment"),
    _moment("updated_since", "Received or changed at this moment or later"),
    OpenApiParameter(
        "hawb",
        {"type": "string", "minLength": 1, "maxLength": 64},
        description="MAWBs with this guide; capitals do not matter.",
    ),
]
GUIDES = [*_page(LARGEST_PAGE_OF_GUIDES), _statuses(tuple(status.value for status in GuideStatus))]


def _codes(name: str, of: str) -> OpenApiParameter:
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string", "maxLength": 64}, "maxItems": MOST_CODES}
    return OpenApiParameter(
        name, schema, description=f"{of}, up to {MOST_CODES}; capitals do not matter.", explode=True
    )


GUIDE_CHANGES = [
    *_page(LARGEST_PAGE),
    _codes("hawb", "HAWBs"),
    _codes("tracking_code", "Tracking codes"),
    OpenApiParameter("mawb", OpenApiTypes.STR, description="Guides of this MAWB, in any spelling of its number."),
    _statuses(tuple(status.value for status in GuideStatus)),
    OpenApiParameter("country", {"type": "string", "enum": [*SERVED]}, description="Of the destination."),
    _moment("updated_since", "Received or changed at this moment or later"),
]
