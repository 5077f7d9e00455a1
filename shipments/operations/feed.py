"""What the operators' feed answers: changed guides, manifests and companies, as a courier's own programs copy them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, NotRequired, TypedDict

from django.utils import timezone

from base.db.moments import iso_text
from base.http.json_types import Count, Keywords, Moment, PositiveCount, known_words
from companies.countries import SERVED
from companies.models import Company
from companies.scope import Scope
from shipments.document_counts import Arrival, count_documents
from shipments.manifests.countries import rules_for
from shipments.manifests.countries.judgement import is_duty_free
from shipments.manifests.guide_fields import FIELD_NAMES
from shipments.models import Manifest, OutgoingLayout
from shipments.models.manifests import Channel
from shipments.statuses import GuideStatus
from shipments.v1.answer_types import MawbHead, Retention
from shipments.v1.answers import mawb_head, retention_answer
from webhooks.v1.answers import NextCursor

_COLUMNS: Mapping[str, str] = {
    "tracking_code": "tracking_code", "hawb": "hawb", "mawb": "manifest__mawb", "company": "company__client_code",
    "country": "manifest__country", "bag": "bag", "status": "status", "sequence": "sequence",
    "needs_review": "needs_review",
}  # fmt: skip
"""Key of an answer -> the column that it has unchanged."""
COLUMNS: Sequence[str] = (
    "id", "updated_at", *_COLUMNS.values(), "retention_required", "retention_reason", "retention_lifted_at",
    "manifest__voided_at", "anonymised_at",
)  # fmt: skip
_ARRIVAL = ("manifest__country", "manifest__arrival_day", "consignee_document_type", "consignee_document")
ALL_COLUMNS: Sequence[str] = tuple(dict.fromkeys((*COLUMNS, *FIELD_NAMES, *_ARRIVAL)))
"""With `fields=all`."""
_NUMBERS_OF_PRODUCTS = ("quantity", "unit_value", "weight_kg")


class FeedDocumentCount(TypedDict):
    """How many guides the consignee's document had in the year of arrival, over all companies: at least so many."""

    year: PositiveCount
    guides: Annotated[Count, "This one included; without voided and cancelled ones."]
    since: Annotated[str, Keywords(format="date"), "The first day from which guides are kept."]


class FeedGuide(TypedDict):
    """A guide as it is now. Of two, the later `updated_at` counts; if `anonymised_at`, delete what you keep of it."""

    tracking_code: str
    hawb: str
    mawb: str
    company: Annotated[str, "Its code."]
    country: Annotated[str, "Of the destination."]
    bag: Annotated[str, "In which it travels; empty if that is not known."]
    status: Annotated[str, known_words(GuideStatus)]
    status_code: PositiveCount
    sequence: Annotated[PositiveCount, "Of the last event that changed the status."]
    updated_at: Annotated[Moment, "When anything of it last changed; UTC."]
    needs_review: bool
    retention: Annotated[Retention | None, "Peru: whether customs retains it; null if it never did."]
    voided_at: Annotated[Moment | None, "When its manifest was voided."]
    anonymised_at: Annotated[Moment | None, "When its personal data was erased: erase yours."]
    duty_free: NotRequired[
        Annotated[
            bool | None,
            "With `fields=all`: whether its value is free of duty, for personal use, with VAT due; null where the law "
            "of its day has no such value, or its value is not known.",
        ]
    ]
    document_count: NotRequired[
        Annotated[
            FeedDocumentCount | None,
            "With `fields=all`. Null for an invalid document, a well-known dummy or a company's.",
        ]
    ]
    guide: NotRequired[Annotated[dict[str, object], "With `fields=all`: every field of the guide, by name."]]


class Feed(TypedDict):
    """A page of guides, the oldest change first."""

    guides: list[FeedGuide]
    next_cursor: NextCursor


class FeedManifest(MawbHead):
    """A manifest with its totals."""

    company: Annotated[str, "Its code."]
    country: Annotated[str, "Of the destination."]
    channel: Annotated[str, Keywords(enum=[*Channel.values])]
    flight_number: str
    origin_airport: str
    destination_airport: str
    warnings_count: Count
    created_at: Moment
    voided_at: Moment | None


class FeedManifests(TypedDict):
    """A page of manifests, newest first; voided ones too."""

    mawbs: list[FeedManifest]
    next_cursor: NextCursor


class OutgoingLayoutRow(TypedDict):
    """The columns of a broker's spreadsheet, by name."""

    id: str
    name: str
    country: str
    company: Annotated[str | None, "Its code; null: for every company's manifests of the country."]


class OutgoingLayouts(TypedDict):
    """All that somebody has checked, by their names."""

    layouts: list[OutgoingLayoutRow]


class FeedCompany(TypedDict):
    """A client."""

    code: str
    name: str
    countries: Annotated[list[str], "Those of its destinations that you work on."]
    is_active: bool


class FeedCompanies(TypedDict):
    """A page of clients, by their codes."""

    companies: list[FeedCompany]
    next_cursor: NextCursor


def feed(rows: Sequence[Mapping[str, Any]], next_cursor: str | None) -> Feed:
    """Return a page of guides. rows: `COLUMNS`, or `ALL_COLUMNS` for those with everything that is kept of a guide."""
    guides = [_guide(row) for row in rows]
    if rows and "extra_data" in rows[0]:
        counts = count_documents([Arrival(*(row[name] for name in _ARRIVAL)) for row in rows], timezone.now())
        for guide, row, count in zip(guides, rows, counts, strict=True):
            law = rules_for(row["manifest__country"], row["manifest__arrival_day"])
            guide["duty_free"] = is_duty_free(law, row["fob_usd"], row["extra_data"])
            guide["document_count"] = {**count, "since": count["since"].isoformat()} if count else None
    return {"guides": guides, "next_cursor": next_cursor}


def _guide(row: Mapping[str, Any]) -> FeedGuide:
    guide: Any = {key: row[column] for key, column in _COLUMNS.items()}
    guide["status_code"] = GuideStatus(row["status"]).code
    guide["updated_at"] = iso_text(row["updated_at"])
    guide["retention"] = retention_answer(
        row["retention_required"], row["retention_reason"], row["retention_lifted_at"]
    )
    for key, column in (("voided_at", "manifest__voided_at"), ("anonymised_at", "anonymised_at")):
        guide[key] = iso_text(row[column]) if row[column] else None
    if "extra_data" in row:
        fields = {name: row[name] for name in FIELD_NAMES}
        guide["guide"] = {
            **{name: float(value) if isinstance(value, Decimal) else value for name, value in fields.items()},
            "products": [_product(product) for product in row["products"]],
        }
    return guide  # type: ignore[no-any-return]


def _product(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a product with numbers, which are stored as text."""
    numbers = {name: float(stored[name]) for name in _NUMBERS_OF_PRODUCTS if stored.get(name) is not None}
    return {**stored, **numbers}


def manifest_row(manifest: Manifest) -> FeedManifest:
    """Return a manifest. It is loaded with its company and flight."""
    return {
        **mawb_head(manifest),
        "company": manifest.company.client_code,
        "country": manifest.country,
        "channel": manifest.channel,
        "flight_number": manifest.flight.flight_number,
        "origin_airport": manifest.flight.origin_airport,
        "destination_airport": manifest.flight.destination_airport,
        "warnings_count": manifest.warnings_count,
        "created_at": iso_text(manifest.created_at),
        "voided_at": iso_text(manifest.voided_at) if manifest.voided_at else None,
    }


def outgoing_row(layout: OutgoingLayout) -> OutgoingLayoutRow:
    """Return an outgoing layout. It is loaded with its company."""
    code = layout.company.client_code if layout.company else None
    return {"id": str(layout.pk), "name": layout.name, "country": layout.country, "company": code}


def company_row(company: Company, scope: Scope) -> FeedCompany:
    """Return a client. scope: of the operator, who is told of no other destinations."""
    countries = [code for code in SERVED if code in company.allowed_countries and scope.covers([code])]
    return {"code": company.client_code, "name": company.name, "countries": countries, "is_active": company.is_active}
