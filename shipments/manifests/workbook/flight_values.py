"""Flight numbers and places as workbooks write them: `LA 2369 / 26-NOV`, `MIAMI (MIA)`, `Santiago de Chile`."""

import re
from dataclasses import dataclass
from functools import lru_cache

from shipments.manifests import flights
from shipments.manifests.destinations import airport_country, place_country
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx.opening import Cell

_FLIGHT_FIRST = re.compile(r"([A-Za-z0-9]{2,3}[ -]?[0-9]{1,4}[A-Za-z]?)\b")
LONGEST_PLACE = 80
"""Characters of a cell that can name a place; longer ones are addresses."""

_COUNTRIES_FIRST = frozenset({"USA"})  # an airfield in North Carolina, too
_PARTS = re.compile(r"[()\[\]/,;|-]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a flight starts or ends: its airport where the cell names one, else only the country (alpha-2)."""

    airport: str
    country: str


def read_flight_number(cell: Cell) -> str | None:
    """The flight number that a cell begins with; None when it begins with none, such as a carrier's name."""
    text = text_of(cell)[:LONGEST_PLACE]
    first = _FLIGHT_FIRST.match(text)
    for candidate in (text, first[1] if first else ""):
        try:
            return flights.flight_number(candidate)
        except ValueError:
            continue
    return None


@lru_cache(maxsize=4096)
def names_place(text: str) -> bool:
    """Whether a text is a destination by itself: an airport, a country, or a city that stands for its country."""
    return len(text) <= LONGEST_PLACE and place_country(text) is not None


def read_place(cell: Cell) -> Place | None:
    """The airport or the country that a cell names; None when it names neither, or more than one."""
    text = text_of(cell)
    if len(text) > LONGEST_PLACE:
        return None
    parts = [text, *(part.strip() for part in _PARTS.split(text))]
    airports = {airport.airport: airport for part in parts if (airport := _airport(part))}
    if len(airports) > 1:
        return None
    country = place_country(text)
    for airport in airports.values():
        return airport
    return Place("", country) if country else None


def _airport(text: str) -> Place | None:
    if len(text) != 3 or not text.isalpha() or text.upper() in _COUNTRIES_FIRST:
        return None
    try:
        code = flights.airport(text)
    except ValueError:
        return None
    country = airport_country(code)
    # PER, CHL and ARG are airfields abroad; a manifest means the country, and so does `place_country`.
    return Place(code, country) if country and place_country(code) in {None, country} else None
