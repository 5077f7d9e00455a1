"""The country rules of the canonical JSON endpoint, one module per country.

To add a country, add a module with its `RULES` and a line here.
"""

from shipments.manifests.countries import argentina, chile, peru
from shipments.manifests.countries.rules import CountryRules

COUNTRIES = {rules.country: rules for rules in (chile.RULES, peru.RULES, argentina.RULES)}


def rules_for(country: str) -> CountryRules:
    """The rules of a served country, by its ISO 3166 alpha-2 code. Raises KeyError for other countries."""
    return COUNTRIES[country]
