"""The flight as the sender describes it, read in the same way from the upload's form and from the JSON body.

Each function returns a value's normal form or raises `ValueError` with a sentence that says what is expected.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

from base.errors import Translatable
from companies.countries import SERVED
from shipments.manifests.destinations import airport_country, is_country
from shipments.manifests.manifest import FlightFields
from shipments.manifests.moments import FIRST_YEAR, LAST_YEAR

_Value = TypeVar("_Value")

_FLIGHT_NUMBER = re.compile(r"(?:[A-Z]{3}|[A-Z][A-Z0-9]|[0-9][A-Z])[0-9]{1,4}[A-Z]?")
DATE_AND_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)"
    r"|[0-9]{8}T[0-9]{4}([0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}([0-9]{2})?)"
)
_WITHOUT_OFFSET = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}[Tt ][0-9:.,]+")

_WESTMOST, _EASTMOST = timedelta(hours=-12), timedelta(hours=14)
"""The UTC offsets in use on Earth (IANA time zone database)."""


def flight_number(text: str) -> str:
    """The flight number in capitals, without spaces and hyphens: `LA2369`.

    An airline designator (two letters or digits with at least one letter, or three letters), one to four digits and
    at most one letter. A carrier's name is refused.
    Source: IATA SSIM, airline designator, flight number and operational suffix.
    """
    number = text.replace(" ", "").replace("-", "").upper() if text.isascii() else ""
    if not _FLIGHT_NUMBER.fullmatch(number):
        raise ValueError(Translatable("Write the carrier's flight number, such as LA2369, not the carrier's name."))
    return number


def airport(text: str) -> str:
    """The IATA code of an airport or metropolitan area in capitals."""
    if airport_country(text) is None:
        raise ValueError(Translatable("Write the IATA code of an airport, such as SCL."))
    return text.strip().upper()


def country(text: str) -> str:
    """The ISO 3166 alpha-2 code of a country in capitals."""
    code = text.strip().upper() if text.isascii() else ""
    if not is_country(code):
        raise ValueError(Translatable("Write the ISO 3166 code of a country with two letters, such as US."))
    return code


def moment(text: str) -> datetime:
    """A moment in ISO 8601 with its offset, kept as sent: `2026-11-20T14:30:00-03:00`.

    The extended and the basic form are accepted, with a comma or a point before the fraction of a second. The year is
    in `FIRST_YEAR` .. `LAST_YEAR`, so that the moment can be converted to any other offset.
    """
    stripped = text.strip()
    if not DATE_AND_TIME.fullmatch(stripped):
        if _WITHOUT_OFFSET.fullmatch(stripped):
            raise ValueError(
                Translatable("Add the offset from UTC, such as 2026-11-20T14:30:00-03:00 or 2026-11-20T17:30:00Z.")
            )
        raise ValueError(
            Translatable("Write date and time in ISO 8601 with the offset from UTC, such as 2026-11-20T14:30:00-03:00.")
        )
    try:
        value = datetime.fromisoformat(stripped.upper().replace(",", "."))
    except ValueError:
        raise ValueError(
            Translatable("There is no such date, time or offset: the clock runs from 00:00:00 to 23:59:59.")
        ) from None
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        raise ValueError(
            Translatable("The year must lie between %(first)s and %(last)s.", first=FIRST_YEAR, last=LAST_YEAR)
        )
    if not _WESTMOST <= (value.utcoffset() or timedelta()) <= _EASTMOST:
        raise ValueError(Translatable("The offset from UTC must lie between -12:00 and +14:00."))
    return value


def arrival_day(country: str, flight: FlightFields, received_at: datetime | None = None) -> date:
    """The day of arrival in a served country, by its clock: of the flight, without one of the receipt.

    received_at: aware; now, unless given.
    """
    moment = flight.scheduled_arrival or received_at or datetime.now(UTC)
    return moment.astimezone(SERVED[country].clock).date()


def read_flight(values: Mapping[str, object]) -> tuple[FlightFields, dict[str, list[str]]]:
    """Read the flight from form values or a JSON body; other keys are ignored.

    None, an empty string and blanks count as absent. Returns the fields that could be read and, for each invalid field,
    its name and problem, all at once. An arrival before the departure is a problem of `scheduled_arrival`.
    """
    problems: dict[str, list[str]] = {}

    def read(name: str, reader: Callable[[str], _Value], absent: _Value) -> _Value:
        value = values.get(name)
        if value is None:
            return absent
        if not isinstance(value, str):
            problems[name] = [Translatable("Send this as a string.")]
            return absent
        if not value.strip():
            return absent
        try:
            return reader(value)
        except ValueError as problem:
            problems[name] = [problem.args[0]]
            return absent

    flight = FlightFields(
        flight_number=read("flight_number", flight_number, ""),
        origin_airport=read("origin_airport", airport, ""),
        origin_country=read("origin_country", country, ""),
        destination_airport=read("destination_airport", airport, ""),
        scheduled_departure=read("scheduled_departure", moment, None),
        scheduled_arrival=read("scheduled_arrival", moment, None),
    )
    departure, arrival = flight.scheduled_departure, flight.scheduled_arrival
    if departure and arrival and arrival < departure:
        problems["scheduled_arrival"] = [Translatable("The arrival is earlier than the departure.")]
    return flight, problems
