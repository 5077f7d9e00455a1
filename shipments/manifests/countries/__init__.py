"""The rules of the countries served, one module per country.

To add a country, add a module with its `RULES` and a line here.
"""

from datetime import date
from functools import lru_cache

from shipments.manifests.countries import argentina, chile, peru
from shipments.manifests.countries.rules import CountryRules

COUNTRIES = {rules.country: rules for rules in (chile.RULES, peru.RULES, argentina.RULES)}
"""Alpha-2 -> documents, and the rules of all times."""


@lru_cache(maxsize=1_000)
def rules_for(country: str, day: date) -> CountryRules:
    """The rules of a served country on a day there. Raises KeyError for other countries.

    country: ISO 3166 alpha-2. day: of a guide's arrival, as its manifest keeps it.
    """
    return COUNTRIES[country].on(day)
