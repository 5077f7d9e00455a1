"""The registry of workbook formats: destination country -> its reader."""

from typing import Protocol

from shipments.manifests.manifest import FlightFields, ParsedManifest
from shipments.manifests.workbook.chile_format import ChileFormat
from shipments.manifests.workbook.layout import Survey


class Format(Protocol):
    """A country's reader of a surveyed workbook.

    country: alpha-2. `read` returns the manifest, or raises the domain's errors: ManifestTooLarge, MawbNotFoundInFile,
    NoRowsParsed.
    """

    country: str

    def read(self, survey: Survey, form: FlightFields) -> ParsedManifest:
        """The manifest. `form`, the flight as given in the upload's form, overrides the workbook's values."""
        ...


_FORMATS: dict[str, Format] = {format_.country: format_ for format_ in (ChileFormat(),)}


def for_country(country: str) -> Format | None:
    """The format onboarded for a destination country (alpha-2), or None."""
    return _FORMATS.get(country)


def onboarded_countries() -> tuple[str, ...]:
    """The countries whose workbooks can be read, alpha-2."""
    return tuple(_FORMATS)
