"""The table of the countries served: whatever lists countries reads it.

Plain data: reading manifests uses it too, and imports neither Django nor settings. `country_names.py` says the names in
an operator's language; a country's rules are in `shipments/manifests/countries/`, under the same code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

_ = str
"""Marks a name for the Spanish catalogue. Nothing is translated here."""


@dataclass(frozen=True, slots=True)
class Country:
    """A destination.

    code: ISO 3166 alpha-2. name: in English. capital: as its own people write it.
    clock: the capital's time zone, by which days begin and end and by which a time without an offset is read.
    """

    code: str
    name: str
    capital: str
    clock: ZoneInfo


SERVED: Mapping[str, Country] = {
    country.code: country
    for country in (
        Country("CL", _("Chile"), "Santiago", ZoneInfo("America/Santiago")),
        Country("PE", _("Peru"), "Lima", ZoneInfo("America/Lima")),
        Country("AR", _("Argentina"), "Buenos Aires", ZoneInfo("America/Argentina/Buenos_Aires")),
    )
}
"""Code -> country, in the order in which lists show them and companies keep them."""


*_NAMES, _LAST_NAME = (country.name for country in SERVED.values())
SERVED_NAMES = f"{', '.join(_NAMES)} or {_LAST_NAME}"
"""The countries in an English sentence: `Chile, Peru or Argentina`."""
