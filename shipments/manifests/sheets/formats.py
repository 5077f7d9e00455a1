"""The readers of workbooks, one for each destination country, and the countries read without an onboarded format."""

from shipments.manifests.countries.chile import RULES as CHILE
from shipments.manifests.sheets.completion import COMPLETIONS
from shipments.manifests.sheets.manifest_reader import ManifestReader

_READERS = {country: ManifestReader(completion) for country, completion in COMPLETIONS.items()}

_UNIVERSAL = (CHILE.country,)
"""Countries for which workbooks of any layout are understood. Other countries need a format for the client's own."""


def reader_for(country: str) -> ManifestReader:
    """The reader of surveyed workbooks for a served country (alpha-2). Raises KeyError for other countries."""
    return _READERS[country]


def for_country(country: str) -> ManifestReader | None:
    """The reader for workbooks of any layout with this destination (alpha-2); None where a format is needed."""
    return _READERS[country] if country in _UNIVERSAL else None


def onboarded_countries() -> tuple[str, ...]:
    """The countries whose workbooks can be read in any layout, alpha-2."""
    return _UNIVERSAL
