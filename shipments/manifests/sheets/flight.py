"""The flight of a workbook: the values of the form, completed from the workbook; and its destination country."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from base.errors import Translatable
from shipments.errors import DestinationUnresolved
from shipments.manifests.cells import Cell, text_of, tokens
from shipments.manifests.destinations import airport_timezone
from shipments.manifests.documents import check_rut
from shipments.manifests.findings import MAX_QUOTED, Findings
from shipments.manifests.manifest import FlightFields, Notice, Reason
from shipments.manifests.moments import Moment, read_moment
from shipments.manifests.places import (
    Place,
    read_destination,
    read_flight_date,
    read_flight_numbers,
    read_origin,
    read_route_start,
)
from shipments.manifests.sheets.surveys import Survey
from shipments.manifests.words.lexicon import Field
from shipments.manifests.words.spelling import fold

_Value = TypeVar("_Value")

_IGNORED: dict[Field, str] = {
    **{name: f"{name}_ignored" for name in ("flight_number", "scheduled_departure", "scheduled_arrival")},
    "origin": "origin_airport_ignored",
    "destination": "destination_airport_ignored",
}


_NAMES: dict[Field, str] = {"origin": "origin_airport", "destination": "destination_airport"}
_FAR_YEARS = 2


def flight_of(survey: Survey, form: FlightFields, zone: ZoneInfo, findings: Findings) -> FlightFields:
    """The flight; the form's values override the workbook's.

    zone: the local time of the destination country, for workbooks that do not name the airport. A date without an
    offset is local time at its airport, unless a format says whose clock times in text show. A value that cannot be
    read causes a notice, and so does a year far from this one. A departure after the arrival is dropped, and so is an
    arrival from the workbook that is before the form's departure.
    """
    number = form.flight_number or _last_leg(survey, findings)
    origin = _first(survey, "origin", read_origin) or _first(survey, "destination", read_route_start) or Place("", "")
    destination = _first(survey, "destination", read_destination) or Place("", "")
    flight = replace(
        form,
        flight_number=number,
        origin_airport=form.origin_airport or origin.airport,
        origin_country=form.origin_country or ("" if form.origin_airport or origin.airport else origin.country),
        destination_airport=form.destination_airport or destination.airport,
    )
    for name in survey.labelled.unread:
        if name in _IGNORED and name not in survey.labelled.flight and not _is_given(form, name):
            findings.notice(_IGNORED[name])
    for name, cell in survey.labelled.uncalculated.items():
        if name not in survey.labelled.flight and not _is_given(form, name):
            findings.notice("formula_not_calculated", cell=cell, field=_NAMES.get(name, name))
    flight = _with_times(survey, flight, zone, findings)
    for name in ("scheduled_departure", "scheduled_arrival"):
        moment: datetime | None = getattr(flight, name)
        if moment and not _is_given(form, name) and abs(moment.year - datetime.now(UTC).year) > _FAR_YEARS:
            findings.notice("year_unlikely", field=name, date=f"{moment:%Y-%m-%d}")
    return flight


def _with_times(survey: Survey, flight: FlightFields, zone: ZoneInfo, findings: Findings) -> FlightFields:
    arrives_in = airport_timezone(flight.destination_airport) or zone
    arrival, departure = (_moment(survey, name, findings) for name in ("scheduled_arrival", "scheduled_departure"))
    origin = airport_timezone(flight.origin_airport)

    def by_clock(name: Field, moment: Moment | None, usual: ZoneInfo) -> datetime | None:
        """The moment by the clock that it shows; None with a notice if that is the clock of an unknown airport."""
        if moment is None:
            return None
        told = survey.labelled.clocks.get(name, "") if moment.has_time else ""
        if told == "origin" and origin is None and moment.value.tzinfo is None:
            findings.notice(_IGNORED[name], f"{name}_by_unknown_clock")
            return None
        zones = {"": usual, "origin": origin or usual, "destination": arrives_in}
        zone = zones.get(told) or ZoneInfo(told)
        if reason := moment.doubt(zone):
            findings.notice(f"{name}_unclear", reason, field=name, time=f"{moment.value:%Y-%m-%d %H:%M}")
        return moment.at(zone)

    arrives_at = flight.scheduled_arrival or by_clock("scheduled_arrival", arrival, arrives_in)
    # A bare date has no time of day. In the arrival's zone it cannot be later than an arrival on the same day.
    usual = origin or arrives_in if departure and departure.has_time else arrives_in
    departs_at = flight.scheduled_departure or by_clock("scheduled_departure", departure, usual)
    if arrives_at and departs_at and arrives_at < departs_at:
        # The arrival matters most: if the times conflict it is kept, unless the form gave the departure.
        if flight.scheduled_departure:
            arrives_at = None
            findings.notice("scheduled_arrival_ignored", "arrival_before_departure")
        else:
            departs_at = None
            findings.notice("scheduled_departure_ignored", "departure_after_arrival")
    return replace(flight, scheduled_arrival=arrives_at, scheduled_departure=departs_at)


def _moment(survey: Survey, name: Field, findings: Findings) -> Moment | None:
    """The moment of an end of the flight, its date completed by a time of day that stands by itself."""
    moments, clock = list(dict.fromkeys(_values(survey, name, read_moment))), survey.labelled.times.get(name)
    moment = next(iter(moments), None)
    if (
        moment and len({each.value.date() for each in moments}) > 1
    ):  # of several legs: the first departs, the last arrives
        choose = max if name == "scheduled_arrival" else min
        moment = choose(moments, key=lambda each: each.value.replace(tzinfo=None))
        findings.notice(_IGNORED[name], f"{name}s_differ", date=f"{moment.value:%Y-%m-%d}")
    if moment is None and name == "scheduled_departure" and name not in survey.labelled.unread:
        moment = _first(survey, "flight_number", read_flight_date)
    if clock is None or (moment and moment.has_time):
        return moment
    if moment is None:
        findings.notice("time_not_placed", clock=f"{clock:%H:%M}")
        return None
    return Moment(datetime.combine(moment.value, clock, moment.value.tzinfo), has_time=True)


def _first(survey: Survey, name: Field, read: Callable[[Cell], _Value | None]) -> _Value | None:
    return next(_values(survey, name, read), None)


def _last_leg(survey: Survey, findings: Findings) -> str:
    """The flight number, of several the last, with a notice: that flight arrives."""
    numbers = list(dict.fromkeys(chain.from_iterable(_values(survey, "flight_number", read_flight_numbers))))
    if len(numbers) > 1:
        findings.notice("flight_number_ambiguous", taken=numbers[-1])
    return numbers[-1] if numbers else ""


def _values(survey: Survey, name: Field, read: Callable[[Cell], _Value | None]) -> Iterator[_Value]:
    return (value for cell in survey.labelled.flight.get(name, ()) if (value := read(cell)) is not None)


def _is_given(form: FlightFields, name: Field) -> bool:
    names = {"origin": ("origin_airport", "origin_country"), "destination": ("destination_airport",)}.get(name, (name,))
    return any(getattr(form, each) for each in names)


# --- the country ----------------------------------------------------------------------------------------------------

_TAX_IDS_ELSEWHERE = tokens("cdi cnpj cpf cuil cuit curp nit rfc rif ruc")
"""Other countries' names for the number that Chile calls RUT."""
_RUT = tokens("run rut")


class ChosenDestination(NamedTuple):
    """country: alpha-2; it may not have a format. notices: how the country was chosen if not stated."""

    country: str
    notices: tuple[Notice, ...] = ()


def destination_of(survey: Survey, possible: Sequence[str]) -> ChosenDestination:
    """The destination country of a workbook whose form does not give one.

    possible: the countries with a format to which the company may ship.
    Raises DestinationUnresolved, quoting the text, when a labelled destination cannot be read or several disagree; and
    when none is labelled, if the headings suggest another country or several countries are possible.
    """
    stated = survey.destination
    if len(stated.countries) > 1:
        raise _make_unresolved(
            Translatable(
                "The workbook names destinations in more than one country: %(quoted)s.",
                quoted="; ".join(stated.quoted[:3]),
            )
        )
    if stated.countries:
        return ChosenDestination(stated.countries[0])
    if stated.unread:
        raise _make_unresolved(
            Translatable(
                "The workbook's destination (%(quoted)s) is not a place that we can read.", quoted=stated.unread[0]
            )
        )
    heading = _document_elsewhere(survey)
    if heading:
        raise _make_unresolved(
            Translatable(
                "The workbook does not name its destination, and its column “%(heading)s” has tax numbers of another "
                "country.",
                heading=heading[:MAX_QUOTED],
            )
        )
    if len(possible) != 1:
        raise _make_unresolved(Translatable("The workbook does not name its destination."))
    assumed = Notice("destination_assumed", Reason("destination_assumed", {"country": possible[0]}))
    return ChosenDestination(possible[0], (assumed,))


def _make_unresolved(what: str) -> DestinationUnresolved:
    advice = Translatable(
        "Send destination_airport with the upload, or write the airport's code beside the label, such as SCL."
    )
    return DestinationUnresolved(Translatable("%(what)s %(advice)s", what=what, advice=advice))


def _document_elsewhere(survey: Survey) -> str:
    """The consignee document heading, if it names another country's document and the values are not RUTs."""
    for sheet in survey.sheets:
        for table in sheet.guide_tables():
            column = table.columns.single.get("consignee_document")
            words = frozenset(fold(table.heading(column))) if column is not None else frozenset()
            if (
                column is not None
                and words & _TAX_IDS_ELSEWHERE
                and not words & _RUT
                and sum(not check_rut(text_of(cell)).problem for cell in table.values(column)) * 2
                <= len(table.values(column))
            ):
                return table.heading(column)
    return ""
