"""Receiving an uploaded workbook: the checks in their specified order, then the files, then the rows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from base.errors import Translatable, ValidationFailed
from companies.errors import CompanyIsCourier
from companies.models import Company
from shipments.errors import CuredByAnswer, ManifestFileRequired
from shipments.files.invoices import is_pdf
from shipments.files.stored_files import store_upload
from shipments.intake.idempotency import Finish, Queued, SentKey, once
from shipments.intake.ingest import Ingested, Posting, ingest
from shipments.intake.trial import Trial, try_workbook
from shipments.intake.workbook_reading import read_workbook
from shipments.layouts.reading import workbook_countries
from shipments.layouts.waiting import keep_refused
from shipments.manifests import flights
from shipments.manifests.manifest import FlightFields, Notice, Reason
from shipments.manifests.payload.unknown_fields import unknown_field
from shipments.models import Channel

_FLIGHT_FIELDS = tuple(FlightFields.__dataclass_fields__)
FORM_FIELDS = ("manifest_file", "invoice_file", *_FLIGHT_FIELDS)


@dataclass(frozen=True, slots=True)
class IncomingUpload:
    """A well-formed upload form. The workbook has not been read yet.

    texts: the flight's fields as they were sent, and the names of unknown fields, without their values.
    """

    manifest_file: "UploadedFile[bytes]"
    invoice_file: "UploadedFile[bytes] | None"
    flight: FlightFields
    notices: tuple[Notice, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return Path(self.manifest_file.temporary_file_path())  # type: ignore[attr-defined]  # our handler writes to disk


def require_upload_rights(company: Company, *, is_json: bool = False) -> None:
    """Check what depends only on the company, before the body is read.

    Raises `CompanyIsCourier`, and for a workbook `UnsupportedCountry`.
    """
    if company.is_courier:
        raise CompanyIsCourier
    if not is_json:
        company.require_any_country({*company.read_by_headings, *workbook_countries(company)})


def read_form(fields: "MultiValueDict[str, str]", files: "MultiValueDict[str, UploadedFile[bytes]]") -> IncomingUpload:
    """Validate the upload's form, reporting all invalid fields at once. Unknown fields are ignored with a notice each.

    fields: every part of the form, files included, as in DRF's `request.data`. files: only the files.

    Raises `ManifestFileRequired`, `ValidationFailed`.
    """
    upload, problems = _inspect(fields, files)
    if problems:
        raise ValidationFailed(details=problems)
    return upload


def _inspect(
    fields: "MultiValueDict[str, str]", files: "MultiValueDict[str, UploadedFile[bytes]]"
) -> tuple[IncomingUpload, dict[str, list[str]]]:
    """The form with what is valid in it, and the reasons against each invalid field."""
    manifests, invoices = files.getlist("manifest_file"), files.getlist("invoice_file")
    if not manifests:
        raise ManifestFileRequired
    values = {name: fields.get(name) for name in _FLIGHT_FIELDS}
    flight, problems = flights.read_flight(values)
    notices = unknown_fields(fields)
    invoice = invoices[0] if invoices else None
    if invoice and not invoice.size:  # what a form without a chosen file sends
        invoice, notices = None, (*notices, Notice("invoice_file_empty", Reason("invoice_file_empty")))
    if invoice and not is_pdf(invoice):
        problems["invoice_file"] = [Translatable("The invoice is not a PDF file.")]
    for name in FORM_FIELDS:  # as text or as a file: it would be ambiguous
        if (count := len(fields.getlist(name))) > 1:
            problems[name] = [Translatable("Send %(name)s once; it was sent %(count)s times.", name=name, count=count)]
    texts = {name: str(fields[name]) for name in _FLIGHT_FIELDS if name in fields}
    texts |= {name.replace("\0", ""): "" for name in fields if name not in FORM_FIELDS}
    return IncomingUpload(manifests[0], invoice, flight, notices, texts), problems


def unknown_fields(fields: Iterable[str]) -> tuple[Notice, ...]:
    return tuple(unknown_field("form", name, FORM_FIELDS) for name in fields if name not in FORM_FIELDS)


def receive_upload(company: Company, upload: IncomingUpload, key: SentKey | None = None) -> Ingested | Queued:
    """Read the workbook and ingest it for `company`. A refusal leaves neither rows nor files behind.

    key: the request's `Idempotency-Key`; the result is a replay if the same request succeeded under it before, or the
    job if it was queued under it.

    Raises, in this order: `IdempotencyKeyReused`, `IdempotencyInProgress`; `NoParserForFormat` and `CountryNotAllowed`
    (if the form gives the destination), `WorkbookUnreadable`, `DestinationUnresolved` and
    these two (if it does not), `WorkbookFormatChanged`, `ManifestTooLarge`, `MawbNotFoundInFile`, `GuidesLeftUnread`,
    `NoRowsParsed`, `TrackingPrefixMissing`, `MawbAlreadyExists`, `HawbInDoubt`; `ParserBusy` if all slots for reading
    workbooks are in use.
    """

    def create(finish: Finish | None) -> Ingested:
        try:
            read = read_workbook(company, upload.path, upload.flight, upload.notices)
            posting = Posting(owner=company, posted_by=company, channel=Channel.UPLOAD, layout=read.layout)
            files = store_upload(upload.manifest_file, upload.invoice_file)
            return ingest(read.parsed, posting, files=files, finish=finish)
        except CuredByAnswer as refusal:
            keep_refused(company, upload.manifest_file, upload.invoice_file, upload.texts, refusal)
            raise

    return once(company, key, create)


def try_upload(
    company: Company,
    fields: "MultiValueDict[str, str]",
    files: "MultiValueDict[str, UploadedFile[bytes]]",
    *,
    is_annotated: bool = False,
) -> Trial:
    """Read the form and its workbook as an upload would, without storing anything. is_annotated: as in `try_workbook`.

    Raises `ManifestFileRequired`, `ValidationFailed` if several workbooks are sent, `ParserBusy`.
    """
    upload, problems = _inspect(fields, files)
    refused = ValidationFailed(details=problems) if problems else None
    if refused and "manifest_file" in problems:
        raise refused
    return try_workbook(
        company,
        upload.path,
        upload.flight,
        notices=upload.notices,
        refused=refused,
        for_company=company.pk,
        is_annotated=is_annotated,
    )
