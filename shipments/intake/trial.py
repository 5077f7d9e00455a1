"""Reading a manifest as its upload would, without storing anything."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from base.errors import DomainError
from companies.models import Company
from shipments.errors import ParserBusy, ReadingTooLong
from shipments.intake.annotated_workbook import MOST_PROBLEMS, Problems, annotate_workbook
from shipments.intake.ingest import judge
from shipments.intake.posting import body_of_file, read_json
from shipments.intake.workbook_reading import ReadWorkbook, WorkbookReading
from shipments.manifests.cells import Workbook
from shipments.manifests.findings import Collecting
from shipments.manifests.manifest import FlightFields, Notice
from shipments.manifests.sheets.answers import Told
from shipments.manifests.sheets.surveys import Survey

TRIAL_SECONDS = 5
"""How long a trial waits for a slot: less than an upload, and its sender can simply repeat it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """read: what was read, after a refusal as far as possible; None if nothing could be.

    refusals: why an upload would be refused; it would answer the first. annotated: the annotated workbook, an .xlsx, if
    it was asked for. notices: on the form. survey: the tables that were found, as far as the reading came.
    """

    read: ReadWorkbook | None = None
    refusals: tuple[DomainError, ...] = ()
    annotated: bytes = b""
    notices: tuple[Notice, ...] = ()
    survey: Survey | None = None

    @property
    def refusal(self) -> DomainError | None:
        """The refusal that an upload would answer."""
        return self.refusals[0] if self.refusals else None


def try_workbook(  # noqa: PLR0913  # who asks, and in whose words
    company: Company,
    path: Path,
    form: FlightFields,
    *,
    notices: Sequence[Notice] = (),
    refused: DomainError | None = None,
    is_new: bool = True,
    for_company: int | None = None,
    is_annotated: bool = False,
    told: Told | None = None,
    received_at: datetime | None = None,
) -> Trial:
    """Read a workbook of `company` as its upload would, on after a refusal where it can. It creates nothing.

    form: the flight as the form would give it. notices, refused: on the form. is_new: false for a workbook that was
    uploaded; its MAWB may exist.
    for_company: as in `parse_slot`: the company's own id if it tries the workbook itself.
    told: what to read by in place of what was told of its layout, whether or not its country is read.
    received_at: as in `read_workbook`.
    is_annotated: the workbook is also annotated, with sentences in the active language.

    Raises ParserBusy if no slot for reading workbooks is released in time, OSError if the file does not exist.
    """
    collecting = Collecting(MOST_PROBLEMS if is_annotated else 0)
    if refused:
        collecting.refuse(refused)
    book, reading, read = Workbook(sheets=()), None, None
    with ExitStack() as opened:
        try:
            reading = WorkbookReading(company, form, notices, collecting, told, received_at=received_at)
            book = opened.enter_context(reading.open(path, for_company, TRIAL_SECONDS))
            read = reading.read(book)
            if is_new:
                read = replace(read, parsed=judge(company, read.parsed, collecting, is_json=False))
        except ParserBusy:
            raise
        except DomainError as refusal:
            collecting.refuse((reading.not_read if reading else None) or refusal)
        annotated = b""
        if is_annotated:
            problems = Problems(collecting, reading, read)
            try:
                annotated = annotate_workbook(book, problems)
            except ReadingTooLong:  # what was found before is still worth a list
                annotated = annotate_workbook(Workbook(sheets=()), problems)
    surveyed = reading.survey if reading else None
    return Trial(read, tuple(collecting.refusals), annotated, tuple(notices), surveyed)


def try_json(owner: Company, sent: Mapping[str, object] | Path) -> Trial:
    """Read the canonical JSON manifest of `owner`, or a file with it, as `try_workbook` reads a workbook.

    Raises OSError if the file does not exist.
    """
    collecting, read = Collecting(), None
    try:
        body = body_of_file(owner, sent) if isinstance(sent, Path) else sent
        read = ReadWorkbook(read_json(owner, body, collecting))
        read = replace(read, parsed=judge(owner, read.parsed, collecting, is_json=True))
    except DomainError as refusal:
        collecting.refuse(refusal)
    return Trial(read, tuple(collecting.refusals))


def annotate_copy(company: Company, path: Path, form: FlightFields, received_at: datetime | None = None) -> bytes:
    """Return the annotated workbook of the file at `path`, an .xlsx with personal data.

    form: the flight, if it is known; its destination counts. received_at: as in `read_workbook`.
    That the MAWB exists is not reported.

    A file that cannot be read gives a workbook that says so. Sentences are in the active language. Raises ParserBusy if
    no slot for reading workbooks is released in time, OSError if the file does not exist.
    """
    return try_workbook(company, path, form, is_new=False, is_annotated=True, received_at=received_at).annotated
