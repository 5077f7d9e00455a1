"""Where a manifest goes: airports, countries, cities, and the words people use for them.

The tables come from `airportsdata` (IATA airports and metropolitan areas), `pycountry` (ISO 3166) and `places.toml`.
They are read once, on first use, and only the data needed here is kept.
"""

import gettext
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from datetime import tzinfo
from functools import cache, lru_cache
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import airportsdata
import pycountry

from companies.countries import SERVED
from shipments.manifests.cells import tokens

_NAMES: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "places.toml").read_text(encoding="utf-8"))
_FILLERS = tokens(_NAMES["fillers"])
_ALSO_WORDS = tokens(_NAMES["also_words"])


def _split(table: str, alpha2: str) -> list[str]:
    return [" ".join(name.split()) for name in _NAMES[table].get(alpha2, "").split(",") if name]


class _Airport(NamedTuple):
    iata: str
    icao: str
    country: str
    timezone: str
    name: str = ""
    city: str = ""


def airport_country(iata: str) -> str | None:
    """The ISO 3166 alpha-2 country of an IATA airport or metropolitan code, in any case; None if unknown."""
    return _airports().get(_code(iata), (None,))[0]


def an_airport_in(country: str) -> str:
    """The IATA code of some airport in a country, alpha-2, where only the country counts. Raises `StopIteration`."""
    return next(iata for iata, (of, _) in _airports().items() if of == country)


def airport_timezone(iata: str) -> ZoneInfo | None:
    """The time zone of an IATA airport or metropolitan code, in any case; None if unknown."""
    airport = _airports().get(_code(iata))
    return ZoneInfo(airport[1]) if airport else None


def destination_clock(airport: str, country: str) -> tzinfo:
    """Return the clock of a destination. airport: IATA, may be empty: then the clock of the country's capital."""
    return airport_timezone(airport) or SERVED[country].clock


def is_country(alpha2: str) -> bool:
    """Whether this is an ISO 3166 alpha-2 code in capitals."""
    return alpha2.isupper() and pycountry.countries.get(alpha_2=alpha2) is not None


def is_town_abroad(text: str) -> bool:
    """Whether a text is, or begins with, a town that has an airport and no namesake in a served country."""
    return _fold(re.split(r"[,;(/|-]", text, maxsplit=1)[0]) in _towns_abroad()


def is_only_a_word(text: str) -> bool:
    """Whether a text is a word that is also a code, which is written in capitals: `To` is not Tonga."""
    return not text.isupper() and _fold(text) in _ALSO_WORDS


def airport_of_icao(code: str) -> str | None:
    """The IATA code for an ICAO code (`SCEL`), in any case; None if it is unknown or also the name of a place."""
    words = _fold(code)
    return None if words in _places() else _icao_airports().get(words)


def place_country(text: str) -> str | None:
    """The country (alpha-2) that a text names as a place; None when it names none, or more than one.

    Accepted: airport and metropolitan codes, ICAO codes, airports by name, ISO 3166 alpha-2 and alpha-3, country names
    in Spanish and English, cities and city codes, and the served countries in Chinese. Case, accents and punctuation do
    not matter. Of several words, with or without punctuation between them (`Santiago, Chile`, `SCL Santiago`), all must
    mean the same country, so an address that ends in a country is not a destination. Stops on the way (`SCL via PTY`)
    do not count. A code that is also a word (`TO`, `YES`) counts in capitals only.
    """
    text = without_stops(text)
    if is_only_a_word(text):
        return None
    whole = _place(text)
    if whole:
        return _only(whole)
    parts = [part for part in re.split(r"[,;:/|()\[\]\-\u2013\u2014]+", text) if part.strip()]
    meant = [_phrase(part) for part in parts]
    if not meant or not all(meant):
        return None
    return _only(frozenset.intersection(*meant))


@lru_cache(maxsize=1024)  # a manifest repeats a few countries
def find_country(text: str) -> str | None:
    """The country (alpha-2) that a text names by its code, which comes before an airport's, or as `place_country` says.

    A text of more than 100 characters names none.
    """
    if len(text) > _LONGEST_NAME:
        return None
    code = _code(text)
    known = pycountry.countries.get(alpha_2=code) or pycountry.countries.get(alpha_3=code) if code else None
    return known.alpha_2 if known else place_country(text)


_LONGEST_NAME = 100


def route_ends(text: str) -> tuple[str, str] | None:
    """The first and the last place of a route as written (`MIA-SCL`, `Miami a Santiago`); None if it is not a route.

    Every part must be a place. Places separated by a slash may be alternatives: they are a route only if the last one
    alone is in a served country.
    """
    parts = [part.strip() for part in _ROUTE.split(without_stops(text))]
    countries = [place_country(part) for part in parts]
    if len(parts) < 2 or not all(
        country or is_town_abroad(part) for part, country in zip(parts, countries, strict=True)
    ):
        return None
    served = [country in SERVED for country in countries]
    if "/" in text and (not served[-1] or any(served[:-1])):
        return None
    return parts[0], parts[-1]


def without_stops(text: str) -> str:
    """A destination without the stops on the way: `SCL via PTY` becomes `SCL`."""
    return _VIA.sub(" ", text).strip(" ,;-/") or text


_ROUTE = re.compile(r"[-\u2013\u2014]+>?|=>|[\u2192>/]|\b(?:to|a|hacia|hasta)\b", re.IGNORECASE)
_STOP = r"v[i\u00ed]a|con (?:escala|conexi[o\u00f3]n) en|escala(?: en)?|stopover(?: in)?|connecting (?:in|at|via)"
_TRANSIT = r"tr[a\u00e1]nsito (?:en|por)|transit(?: in| via)?"
_VIA = re.compile(  # bounded, for a cell may hold 32,767 characters
    rf"[\s(,;/-]{{0,9}}\b(?:{_STOP}|{_TRANSIT})\b[\s:]{{0,9}}[\w .]{{1,60}}?"
    r"(?=\s*+(?:[-\u2013\u2014>/,;)]|\b(?:to|a)\b|$))\)?",
    re.IGNORECASE,
)


def _only(countries: frozenset[str]) -> str | None:
    return next(iter(countries)) if len(countries) == 1 else None


def _place(text: str) -> frozenset[str]:
    """Every country the whole text can mean."""
    words = _fold(text)
    meant = _places().get(words, frozenset())
    code = _icao_airports().get(words, words) if not meant else words
    airport = _airports().get(code)
    # CHL, ARG and PER are also airfields abroad; in a manifest on these routes they mean the countries.
    if airport is None or (len(words) == 3 and meant & SERVED.keys()):
        return meant
    return meant | {airport[0]}


def _phrase(text: str) -> frozenset[str]:
    """Every country that all places in a text can mean, if it contains only places: `SCL Santiago Chile`."""
    words = _fold(text).split()
    found: list[frozenset[str]] = []
    start = 0
    while start < len(words):
        for end in range(min(len(words), start + _LONGEST_PHRASE), start, -1):
            meant = _place(" ".join(words[start:end]))
            if meant and not (end == start + 1 and words[start] in _FILLERS):
                found.append(meant)
                start = end
                break
        else:
            if words[start] not in _FILLERS:
                return frozenset()
            start += 1
    return frozenset.intersection(*found) if found else frozenset()


_LONGEST_PHRASE = 6


def _code(iata: str) -> str:
    # str.upper() turns some foreign letters into ASCII ones; a code must be ASCII in the first place.
    return iata.strip().upper() if iata.isascii() else ""


def _fold(text: str) -> str:
    if _HAN.search(text):
        return " ".join(_CHINESE_WORDS.findall(unicodedata.normalize("NFKC", text).upper()))
    decomposed = unicodedata.normalize("NFKD", text)
    plain = decomposed.encode("ascii", "ignore").decode().upper()
    return " ".join(re.findall(r"[A-Z0-9]+", plain.replace(".", "")))  # C.A.B.A. is CABA


_HAN = re.compile("[\u4e00-\u9fff]")
_CHINESE_WORDS = re.compile(
    "|".join(word for country in _NAMES["chinese"] for word in _split("chinese", country))
    + "|机场|国际|港|[\u4e00-\u9fff]|[A-Z0-9]+"
)


@cache
def _tables() -> tuple[_Airport, ...]:
    """The data needed about each airport with an IATA code, read from disk once."""
    return tuple(
        _Airport(row["iata"], row["icao"], intern(row["country"]), intern(row["tz"]), row["name"], row["city"])
        for row in airportsdata.load("IATA").values()
    )


@cache
def _airports() -> dict[str, tuple[str, str]]:
    airports = {}
    for code, metropolis in airportsdata.load_iata_macs().items():
        zone = next(iter(metropolis["airports"].values()))["tz"]
        airports[code] = (intern(metropolis["country"]), intern(zone))
    return airports | {airport.iata: (airport.country, airport.timezone) for airport in _tables()}


@cache
def _icao_airports() -> dict[str, str]:
    return {airport.icao: airport.iata for airport in _tables() if airport.icao}


@cache
def _places() -> dict[str, frozenset[str]]:
    spanish = gettext.translation("iso3166-1", pycountry.LOCALES_DIR, languages=["es"])
    places: dict[str, set[str]] = {}
    for country in pycountry.countries:
        names = {country.name, getattr(country, "common_name", ""), getattr(country, "official_name", "")} - {""}
        translated = {spanish.gettext(name) for name in names}
        for word in {country.alpha_2, country.alpha_3, *names, *translated, *_split("other_names", country.alpha_2)}:
            places.setdefault(_fold(word), set()).add(country.alpha_2)
    for table in ("cities", "airports", "chinese"):
        for alpha2 in _NAMES[table]:
            for word in _split(table, alpha2):
                places.setdefault(word, set()).add(alpha2)
    for airport in _tables():
        name = " ".join(word for word in _fold(airport.name).split() if word not in _FILLERS)
        if " " in name and airport.country in SERVED:
            places.setdefault(name, set()).add(airport.country)
    return {word: frozenset(countries) for word, countries in places.items()}


@cache
def _towns_abroad() -> frozenset[str]:
    """Towns with an airport that share their name with no town of a served country, folded."""
    served = {*_NAMES["homonyms"], *(city for country in _NAMES["cities"] for city in _split("cities", country))}
    abroad: set[str] = set()
    for airport in _tables():
        (served if airport.country in SERVED else abroad).add(_fold(airport.city))
    return frozenset(abroad - served - {""})
