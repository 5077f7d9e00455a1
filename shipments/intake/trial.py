"""Reading a manifest as its upload would, without storing anything."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from companies.errors import DomainError
from companies.models import Company
from shipments.errors import ParserBusy
from shipments.intake.annotated.problems import MOST_PROBLEMS, CodeOf, Problems
from shipments.intake.annotated.writing import annotated_workbook
from shipments.intake.ingest import require_new, require_sandbox_size
from shipments.intake.posting import read_json_file
from shipments.intake.workbook_reading import ReadWorkbook, WorkbookReading
from shipments.manifests.cells import Workbook
from shipments.manifests.findings import Collecting
from shipments.manifests.manifest import FlightFields, Notice
from shipments.manifests.mapped.spec import FormatInUse
from shipments.manifests.xlsx import opening, parse_slots
from shipments.manifests.xlsx.workbook_package import check_package


@dataclass(frozen=True, slots=True)
class Trial:
    """read: what was read, after a refusal as far as possible; None if nothing could be.

    refusals: why an upload would be refused; it would answer the first. form: the format that the workbook has, even if
    the workbook has changed. annotated: the annotated workbook, an .xlsx, if it was asked for. notices: on the form.
    """

    read: ReadWorkbook | None = None
    refusals: tuple[DomainError, ...] = ()
    form: FormatInUse | None = None
    annotated: bytes = b""
    notices: tuple[Notice, ...] = ()

    @property
    def refusal(self) -> DomainError | None:
        """The refusal that an upload would answer."""
        return self.refusals[0] if self.refusals else None


def try_workbook(
    company: Company,
    path: Path,
    form: FlightFields,
    *,
    known: Sequence[FormatInUse] | None = None,
    notices: Sequence[Notice] = (),
    refused: DomainError | None = None,
    is_new: bool = True,
    code_of: CodeOf | None = None,
) -> Trial:
    """Read a workbook of `company` as its upload would, on after a refusal where it can. It creates nothing.

    form: the flight as the form would give it. known: formats to read by, in place of the company's own. notices,
    refused: on the form. is_new: false for a workbook that was uploaded or is a sample; its MAWB may exist.
    code_of: the API's code of each refusal; the workbook is then also annotated, with sentences in the active language.

    Raises ParserBusy if no slot for reading workbooks is released in time, OSError if the file does not exist.
    """
    collecting = Collecting(MOST_PROBLEMS if code_of else 0)
    if refused:
        collecting.refuse(refused)
    book, reading, read = Workbook(sheets=()), None, None
    with ExitStack() as opened:
        try:
            reading = WorkbookReading(company, form, known, notices, collecting)
            check_package(path)
            opened.enter_context(parse_slots.parse_slot(parse_slots.TRIAL_SECONDS, is_trial=True))
            book = opened.enter_context(opening.reading(path))
            read = reading.read(book)
            if is_new:
                require_sandbox_size(len(read.parsed.guides), is_json=False)
                require_new(company, read.parsed.mawb, collecting)
        except ParserBusy:
            raise
        except DomainError as refusal:
            collecting.refuse(refusal)
        annotated = annotated_workbook(book, Problems(collecting, code_of, reading, read)) if code_of else b""
    form_found = reading.match.format if reading and reading.match else None
    return Trial(read, tuple(collecting.refusals), form_found, annotated, tuple(notices))


def try_json(company: Company, path: Path) -> Trial:
    """Read a file with a canonical JSON manifest of `company`, and on after a refusal where it can. It creates nothing.

    Raises OSError if the file does not exist.
    """
    collecting, read = Collecting(0), None
    try:
        read = ReadWorkbook(read_json_file(company, path, collecting))
        require_new(company, read.parsed.mawb, collecting)
    except DomainError as refusal:
        collecting.refuse(refusal)
    return Trial(read, tuple(collecting.refusals))


_NOTHING_KNOWN = FlightFields()


def annotated_copy(
    company: Company, path: Path, form: FlightFields = _NOTHING_KNOWN, *, known: Sequence[FormatInUse] | None = None
) -> bytes:
    """Return the annotated workbook of the file at `path`, an .xlsx with personal data.

    form: the flight, if it is known; its destination counts. known: the formats to read by, such as a draft; the
    company's own if None. That the MAWB exists is not reported.

    A file that cannot be read gives a workbook that says so. Sentences are in the active language. Raises ParserBusy if
    no slot for reading workbooks is released in time, OSError if the file does not exist.
    """
    # The codes are the API's; operators read the sentences.
    return try_workbook(company, path, form, known=known, is_new=False, code_of=lambda _refusal: "").annotated
