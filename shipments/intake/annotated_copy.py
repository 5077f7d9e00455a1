"""The annotated copy of a workbook for operators: of a stored manifest, or of a sample."""

from collections.abc import Sequence
from pathlib import Path

from companies.errors import DomainError
from companies.models import Company
from shipments.intake.trial import try_workbook
from shipments.manifests.manifest import FlightFields
from shipments.manifests.mapped.spec import FormatInUse

_NOTHING_KNOWN = FlightFields()


def _no_code(_refusal: DomainError) -> str:
    """The codes are the API's; operators read the sentences."""
    return ""


def build(
    company: Company, path: Path, form: FlightFields = _NOTHING_KNOWN, *, known: Sequence[FormatInUse] | None = None
) -> bytes:
    """Return the annotated workbook of the file at `path`, an .xlsx with personal data.

    form: the flight, if it is known; its destination counts. known: the formats to read by, such as a draft; the
    company's own if None. That the MAWB exists is not reported.

    A file that cannot be read gives a workbook that says so. Sentences are in the active language. Raises ParserBusy if
    no slot for reading workbooks is released in time, OSError if the file does not exist.
    """
    return try_workbook(company, path, form, known=known, is_new=False, code_of=_no_code).annotated
