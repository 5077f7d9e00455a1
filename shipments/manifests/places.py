"""Flight numbers and places as workbooks write them: `LA 2369 / 26-NOV`, `MIAMI (MIA)`, `Santiago de Chile`."""

import re
from functools import lru_cache
from typing import NamedTuple

from companies.countries import SERVED
from shipments.manifests import flights
from shipments.manifests.cells import Cell, text_of
from shipments.manifests.destinations import (
    airport_country,
    airport_of_icao,
    is_only_a_word,
    place_country,
    route_ends,
    without_stops,
)
from shipments.manifests.moments import Moment, read_moment

_FLIGHT_FIRST = re.compile(r"([A-Za-z0-9]{2,3}[ -]?[0-9]{1,4}[A-Za-z]?)\b")
_LEGS = re.compile(r"[/,;+&>→]|\s-\s|\s[yY]\s|\band\b|-(?=[A-Za-z]{2} ?[0-9]{2,4}\b)|\s(?=[A-Z][A-Z0-9][0-9]{2,4}\b)")
LONGEST_PLACE = 80
"""Characters of a cell that can name a place; longer ones are addresses."""

_ICAO_LETTERS = 4
_COUNTRIES_FIRST = frozenset({"USA"})  # also an airfield in North Carolina
_PARTS = re.compile(r"[()\[\]/,;|-]+")


class Place(NamedTuple):
    """Where a flight starts or ends: the airport if the cell names one, else only the country (alpha-2)."""

    airport: str
    country: str


def read_flight_number(cell: Cell) -> str | None:
    """The flight number that a cell begins with, or has behind a carrier's name (`LATAM / LA501`); None for none."""
    text = text_of(cell)[:LONGEST_PLACE]
    first = _FLIGHT_FIRST.match(text)
    for candidate in (text, first[1] if first else "", text.rpartition("/")[2]):
        try:
            return flights.flight_number(candidate)
        except ValueError:
            continue
    return None


def read_flight_numbers(cell: Cell) -> tuple[str, ...]:
    """The flight numbers of the legs that a cell names, in order: `LA2401 / LA502`; empty for none."""
    legs = (read_flight_number(part.strip()) for part in _LEGS.split(text_of(cell)[:LONGEST_PLACE]))
    found = tuple(dict.fromkeys(filter(None, legs)))
    whole = read_flight_number(cell)
    return found if whole in found else (whole,) if whole else ()


def read_flight_date(cell: Cell) -> Moment | None:
    """The date that follows a flight number in a cell: `LA 2369 / 26-11-2026`."""
    text = text_of(cell)[:LONGEST_PLACE]
    first = _FLIGHT_FIRST.match(text)
    return read_moment(text[first.end() :].strip(" /-")) if first else None


@lru_cache(maxsize=4096)
def names_place(text: str) -> bool:
    """Whether a text alone is a destination: an airport, a country, or a city that identifies its country."""
    return len(text) <= LONGEST_PLACE and place_country(text) is not None


def read_origin(cell: Cell) -> Place | None:
    """The place a flight starts from; the first one of a route."""
    return read_place(cell) or read_route_start(cell)


def read_route_start(cell: Cell) -> Place | None:
    """The first place of a route."""
    return _of_route(cell, 0)


def read_destination(cell: Cell) -> Place | None:
    """The place a flight goes to; the last one of a route (`MIA-SCL`)."""
    return read_place(cell) or _of_route(cell, -1)


def read_place(cell: Cell) -> Place | None:
    """The airport or the country that a cell names; None when it names neither, or more than one."""
    text = without_stops(text_of(cell))
    if len(text) > LONGEST_PLACE:
        return None
    parts = [text, *(part.strip() for part in _PARTS.split(text))]
    airports = {airport.airport: airport for part in parts if (airport := _airport(part))}
    if len(airports) > 1:
        return None
    country = place_country(text)
    if airports and country is None:
        beside = (airport.country for word in text.split() if (airport := _airport(word.strip(",;"))))
        if len({airport.country for airport in airports.values()}.union(SERVED.keys() & set(beside))) > 1:
            return None  # `SCL, LIM y EZE`
    for airport in airports.values():
        return airport if country in {None, airport.country} else None
    if country is None:
        return None
    among = (airport for word in text.split() if (airport := _airport(word)) and airport.country == country)
    return next(among, Place("", country))


def _of_route(cell: Cell, end: int) -> Place | None:
    text = text_of(cell)
    ends = route_ends(text) if len(text) <= LONGEST_PLACE else None
    return read_place(ends[end]) if ends else None


def _airport(text: str) -> Place | None:
    if len(text) == _ICAO_LETTERS and text.isalpha():
        text = airport_of_icao(text) or text
    if len(text) != 3 or not text.isalpha() or text.upper() in _COUNTRIES_FIRST or is_only_a_word(text):
        return None
    try:
        code = flights.airport(text)
    except ValueError:
        return None
    country = airport_country(code)
    # PER, CHL and ARG are airfields abroad; a manifest means the country, as in `place_country`.
    return Place(code, country) if country and place_country(code) in {None, country} else None
