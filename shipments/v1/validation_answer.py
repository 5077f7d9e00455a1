"""The answer to a validation: what the same request to the upload would be answered, and all that is to be mended."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from companies.countries import SERVED
from shipments.intake.ingest import kept
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest
from shipments.manifests.mapped.spec import FormatInUse
from shipments.models import Manifest
from shipments.v1.answer_types import Column, Noticed, ReadingFormat, Rows, Totals
from shipments.v1.answers import findings, iso_text
from shipments.wording.stored import AnsweredInvalidRow, answered_notice, stored
from webhooks.json_types import Count, Moment, PositiveCount, Uuid, known_words


class ValidationRefusal(TypedDict):
    """A refusal as the upload would answer it, with its HTTP status."""

    status: Annotated[PositiveCount, "The upload's HTTP status, such as 400."]
    error: Annotated[str, "The stable code. More may come."]
    message: Annotated[str, "One sentence for a person."]
    details: NotRequired[Annotated[dict[str, list[str]], "Where fields are concerned: what is wrong."]]
    country: NotRequired[Annotated[str | None, "With `country_not_allowed` and `no_parser_for_format`."]]
    manifest_id: NotRequired[Annotated[Uuid, "With `mawb_already_exists`: the manifest that exists."]]
    format: NotRequired[Annotated[ReadingFormat, "With `workbook_format_changed`: its name and version."]]
    missing: NotRequired[Annotated[list[str], "With `workbook_format_changed`: required headings that are not there."]]
    repeated: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that are there repeatedly."]]
    new: NotRequired[Annotated[list[str], "With `workbook_format_changed`: headings that the format does not have."]]
    invalid_rows: NotRequired[Annotated[list[AnsweredInvalidRow], "Of a JSON manifest: the problems of its rows."]]
    invalid_rows_total: NotRequired[PositiveCount]


class ValidatedFlight(TypedDict):
    """The flight as it would be stored; empty and null where nothing is known."""

    flight_number: str
    origin_airport: str
    origin_country: str
    destination_airport: str
    scheduled_departure: Moment | None
    scheduled_arrival: Moment | None


class Validation(Noticed):
    """What would become of a manifest. Nothing was stored."""

    success: Literal[True]
    would_create: Annotated[bool, "Whether the upload would create the manifest now."]
    refusal: Annotated[ValidationRefusal | None, "What the upload would answer otherwise."]
    further_refusals: Annotated[
        list[ValidationRefusal], "What would be refused next, as far as it is known: reading goes on where it can."
    ]
    country: Annotated[str | None, known_words(SERVED), "The country of the destination; null if it is unknown."]
    format: Annotated[ReadingFormat | None, "Your own workbook format, if the workbook has one."]
    mawb: Annotated[str | None, "In its normal form; null if none was found."]
    eta: Annotated[Moment | None, "Scheduled arrival, in the offset it came in."]
    flight: Annotated[ValidatedFlight | None, "Null if nothing could be read."]
    guides_found: Annotated[Count, "Guides that could be read; of a JSON manifest, those without a problem."]
    totals: Annotated[Totals | None, "Of the guides found; null without any."]
    columns: Annotated[list[Column], "The columns that serve, from left to right; empty for JSON."]
    rows: Annotated[Rows | None, "How each row of the table was counted; null for JSON."]


def validation(
    refusals: Sequence[ValidationRefusal],
    parsed: ParsedManifest | None = None,
    form: FormatInUse | None = None,
    notices: Sequence[Notice] = (),
) -> Validation:
    """Return the answer. refusals: the one that the upload would answer first.

    parsed: what could be read. form: the format that the workbook has. notices: on the form, if nothing could be read.
    """
    answer: Validation = {
        "success": True,
        "would_create": not refusals,
        "refusal": refusals[0] if refusals else None,
        "further_refusals": list(refusals[1:]),
        "country": None,
        "format": {"name": form.name, "version": form.number} if form else None,
        "mawb": None,
        "eta": None,
        "flight": None,
        "guides_found": 0,
        "totals": None,
        "columns": [],
        "rows": None,
        "rut_invalid_count": 0,
        "warnings": [],
        "notices": [answered_notice(stored(notice)) for notice in notices],
    }
    return answer if parsed is None else {**answer, **_read(parsed)}  # type: ignore[typeddict-item]  # keys of Validation


def _read(parsed: ParsedManifest) -> Mapping[str, Any]:
    found = findings(Manifest(**kept(parsed)))
    flight = _flight(parsed.flight)
    return {
        **found,
        "totals": found["totals"] if parsed.guides else None,
        "country": parsed.country,
        "mawb": parsed.mawb or None,
        "eta": flight["scheduled_arrival"],
        "flight": flight,
        "guides_found": len(parsed.guides),
    }


def _flight(flight: FlightFields) -> ValidatedFlight:
    departure, arrival = flight.scheduled_departure, flight.scheduled_arrival
    return {
        "flight_number": flight.flight_number,
        "origin_airport": flight.origin_airport,
        "origin_country": flight.origin_country,
        "destination_airport": flight.destination_airport,
        "scheduled_departure": iso_text(departure) if departure else None,
        "scheduled_arrival": iso_text(arrival) if arrival else None,
    }
