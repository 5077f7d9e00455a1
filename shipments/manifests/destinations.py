"""Where a manifest goes: airports, countries, and the words people write for them.

The tables come from `airportsdata` (IATA airports and metropolitan areas) and `pycountry` (ISO 3166). They are read
once, on first use, and only what is asked for here is kept.
"""

import gettext
import re
import unicodedata
from functools import cache
from sys import intern
from typing import NamedTuple
from zoneinfo import ZoneInfo

import airportsdata
import pycountry

from companies.countries import SERVED

_CITIES = {
    "CL": (
        "STGO", "SANTIAGO", "SANTIAGO DE CHILE", "REGION METROPOLITANA", "PUDAHUEL", "VALPARAISO", "VINA DEL MAR",
        "IQUIQUE", "ANTOFAGASTA", "CALAMA", "COPIAPO", "LA SERENA", "RANCAGUA", "TALCA", "CHILLAN", "TEMUCO",
        "VALDIVIA", "OSORNO", "PUERTO MONTT", "COYHAIQUE", "PUNTA ARENAS",
    ),
    "PE": (
        "LIMA", "CALLAO", "AREQUIPA", "CUSCO", "CUZCO", "CHICLAYO", "PIURA", "IQUITOS", "TACNA", "HUANCAYO", "PUCALLPA",
        "TARAPOTO", "JULIACA", "CAJAMARCA", "AYACUCHO", "CHIMBOTE", "TUMBES", "HUANUCO",
    ),
    "AR": (
        "CABA", "BUENOS AIRES", "CAPITAL FEDERAL", "CIUDAD AUTONOMA DE BUENOS AIRES", "CIUDAD DE BUENOS AIRES",
        "EZEIZA", "ROSARIO", "MAR DEL PLATA", "LA PLATA", "SALTA", "TUCUMAN", "SAN MIGUEL DE TUCUMAN", "NEUQUEN",
        "BARILOCHE", "SAN CARLOS DE BARILOCHE", "USHUAIA", "COMODORO RIVADAVIA", "RIO GALLEGOS", "POSADAS", "JUJUY",
        "SAN SALVADOR DE JUJUY", "BAHIA BLANCA", "IGUAZU", "PUERTO IGUAZU",
    ),
}  # fmt: skip
"""City names and codes that stand for one served country. Names that other countries on these routes use as well
(Cordoba, Mendoza, Trujillo, Concepcion, Los Angeles, San Juan ...) are left out: unsure is better than wrong."""

_OTHER_NAMES = {
    "US": ("USA", "EEUU", "EE UU", "UNITED STATES OF AMERICA", "ESTADOS UNIDOS DE AMERICA"),
    "GB": ("UK", "GREAT BRITAIN"),
}
"""What people write and ISO 3166 does not list."""


class _Airport(NamedTuple):
    country: str
    timezone: str


def airport_country(iata: str) -> str | None:
    """The ISO 3166 alpha-2 country of an IATA airport or metropolitan code, in any case; None when it is unknown."""
    airport = _airports().get(_code(iata))
    return airport.country if airport else None


def airport_timezone(iata: str) -> ZoneInfo | None:
    """The time zone of an IATA airport or metropolitan code, in any case; None when it is unknown."""
    airport = _airports().get(_code(iata))
    return ZoneInfo(airport.timezone) if airport else None


def is_country(alpha2: str) -> bool:
    """Whether this is an ISO 3166 alpha-2 code in capitals."""
    return alpha2 in _countries()


def place_country(text: str) -> str | None:
    """The country that a word for a place stands for, alpha-2; None when it names none, or more than one.

    Understood: airport and metropolitan codes, ISO 3166 alpha-2 and alpha-3, country names in Spanish and English,
    and cities and city codes of the served countries, without regard to case, accents and punctuation. Of several
    words with punctuation between (`Santiago, Chile`, `SCL / Santiago`), all have to stand for the same country: an
    address that has a country at its end is no destination.
    """
    whole = _place(text)
    if whole:
        return _only(whole)
    parts = [part for part in re.split(r"[,;:/|()\[\]\-\u2013\u2014]+", text) if part.strip()]
    meant = [_place(part) for part in parts]
    if not meant or not all(meant):
        return None
    return _only(frozenset.intersection(*meant))


def _only(countries: frozenset[str]) -> str | None:
    return next(iter(countries)) if len(countries) == 1 else None


def _place(text: str) -> frozenset[str]:
    """Every country the whole text can stand for."""
    words = _fold(text)
    meant = _places().get(words, frozenset())
    airport = _airports().get(words)
    # CHL, ARG and PER are airfields abroad too; in a manifest on these routes they are the countries.
    if airport is None or (len(words) == 3 and meant & SERVED.keys()):
        return meant
    return meant | {airport.country}


def _code(iata: str) -> str:
    # str.upper() turns some foreign letters into ASCII ones; a code is ASCII to begin with.
    return iata.strip().upper() if iata.isascii() else ""


def _fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    plain = decomposed.encode("ascii", "ignore").decode().upper()
    return " ".join(re.findall(r"[A-Z0-9]+", plain.replace(".", "")))  # C.A.B.A. is CABA


@cache
def _airports() -> dict[str, _Airport]:
    airports: dict[str, _Airport] = {}
    for code, metropolis in airportsdata.load_iata_macs().items():
        zone = next(iter(metropolis["airports"].values()))["tz"]
        airports[code] = _Airport(intern(metropolis["country"]), intern(zone))
    for code, airport in airportsdata.load("IATA").items():
        airports[code] = _Airport(intern(airport["country"]), intern(airport["tz"]))
    return airports


@cache
def _countries() -> frozenset[str]:
    return frozenset(country.alpha_2 for country in pycountry.countries)


@cache
def _places() -> dict[str, frozenset[str]]:
    spanish = gettext.translation("iso3166-1", pycountry.LOCALES_DIR, languages=["es"])
    places: dict[str, set[str]] = {}
    for country in pycountry.countries:
        names = {country.name, getattr(country, "common_name", ""), getattr(country, "official_name", "")} - {""}
        translated = {spanish.gettext(name) for name in names}
        for word in {country.alpha_2, country.alpha_3, *names, *translated, *_OTHER_NAMES.get(country.alpha_2, ())}:
            places.setdefault(_fold(word), set()).add(country.alpha_2)
    for alpha2, cities in _CITIES.items():
        for city in cities:
            places.setdefault(city, set()).add(alpha2)
    return {word: frozenset(countries) for word, countries in places.items()}
