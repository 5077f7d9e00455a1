"""Receiving an uploaded workbook: the checks in their specified order, then the files, then the rows."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from companies.errors import CompanyIsCourier
from companies.models import Company
from shipments.errors import ManifestFileRequired, NoParserForFormat, ValidationFailed
from shipments.files.invoices import is_pdf
from shipments.files.kept_files import discarded_on_refusal
from shipments.files.storage import StoredFile, store
from shipments.instruments import PARSE_SECONDS
from shipments.intake.ingest import Ingested, ingest, refuse_known
from shipments.manifests import destinations, flights
from shipments.manifests.destination_choice import Destination, destination_of
from shipments.manifests.manifest import FlightFields, Notice, ParsedManifest
from shipments.manifests.payload.unknown_fields import unknown_field
from shipments.manifests.workbook import formats, layout
from shipments.manifests.xlsx import opening, parse_slots
from shipments.manifests.xlsx.workbook_package import check_package
from shipments.models import Channel, FileKind

_FLIGHT_FIELDS = tuple(FlightFields.__dataclass_fields__)
FORM_FIELDS = ("manifest_file", "invoice_file", *_FLIGHT_FIELDS)


@dataclass(frozen=True, slots=True)
class IncomingUpload:
    """A well-formed upload form. The workbook has not been read yet."""

    manifest_file: "UploadedFile[bytes]"
    invoice_file: "UploadedFile[bytes] | None"
    flight: FlightFields
    notices: tuple[Notice, ...] = ()


def require_upload_rights(company: Company) -> None:
    """Check what depends only on the company, before the body is read.

    Raises `CompanyIsCourier`, `UnsupportedCountry`.
    """
    if company.is_courier:
        raise CompanyIsCourier
    company.require_any_country(formats.onboarded_countries())


def read_form(fields: "MultiValueDict[str, str]", files: "MultiValueDict[str, UploadedFile[bytes]]") -> IncomingUpload:
    """Validate the upload's form, reporting all invalid fields at once. Unknown fields are ignored with a notice each.

    fields: every part of the form, files included, as in DRF's `request.data`. files: only the files.

    Raises `ManifestFileRequired`, `ValidationFailed`.
    """
    manifests, invoices = files.getlist("manifest_file"), files.getlist("invoice_file")
    if not manifests:
        raise ManifestFileRequired
    values = {name: fields.get(name) for name in _FLIGHT_FIELDS}
    flight, problems = flights.read_flight(values)
    if invoices and not is_pdf(invoices[0]):
        problems["invoice_file"] = ["The invoice is not a PDF file."]
    if problems := problems | _repeated(fields):
        raise ValidationFailed(details=problems)
    return IncomingUpload(manifests[0], invoices[0] if invoices else None, flight, _unknown(fields))


def _unknown(fields: Iterable[str]) -> tuple[Notice, ...]:
    return tuple(unknown_field("form", name, FORM_FIELDS) for name in fields if name not in FORM_FIELDS)


def _repeated(fields: "MultiValueDict[str, str]") -> dict[str, list[str]]:
    """Return a problem for each known field sent more than once, as text or as a file: it is ambiguous."""
    counts = {name: len(fields.getlist(name)) for name in FORM_FIELDS}
    return {name: [f"Send {name} once; it was sent {count} times."] for name, count in counts.items() if count > 1}


def receive(company: Company, upload: IncomingUpload) -> Ingested:
    """Read the workbook and ingest it for `company`. A refusal leaves neither rows nor files behind.

    Raises, in this order: `NoParserForFormat` and `CountryNotAllowed` (if the form gives the destination),
    `WorkbookUnreadable`, `DestinationUnresolved` and the same two (if it does not), `ManifestTooLarge`,
    `MawbNotFoundInFile`, `GuidesLeftUnread`, `NoRowsParsed`, `TrackingPrefixMissing`, `MawbAlreadyExists`; `ParserBusy`
    if all slots for reading workbooks are in use.
    """
    if upload.flight.destination_airport:
        _require_format(company, destinations.airport_country(upload.flight.destination_airport) or "")
    parsed = _read(company, upload)
    company.tracking_prefix_or_refuse()
    refuse_known(company, parsed.mawb)
    files: list[StoredFile] = []
    with discarded_on_refusal(files):
        files.append(store(upload.manifest_file, FileKind.MANIFEST))
        if upload.invoice_file:
            files.append(store(upload.invoice_file, FileKind.INVOICE))
        return ingest(parsed, owner=company, posted_by=company, channel=Channel.UPLOAD, files=files)


def _read(company: Company, upload: IncomingUpload) -> ParsedManifest:
    path = Path(upload.manifest_file.temporary_file_path())  # type: ignore[attr-defined]  # our handler writes to disk
    check_package(path)  # before waiting for a slot: a renamed PDF is refused at once, even under load
    with parse_slots.parse_slot(), PARSE_SECONDS.time(), opening.reading(path) as book:
        survey = layout.survey(book)
        destination = _destination(company, upload.flight, survey)
        survey = replace(survey, notices=(*upload.notices, *destination.notices, *survey.notices))
        return _require_format(company, destination.country).read(survey, upload.flight)


def _destination(company: Company, form: FlightFields, survey: layout.Survey) -> Destination:
    """Return the form's destination, else the workbook's. Raises `DestinationUnresolved`."""
    if country := destinations.airport_country(form.destination_airport):
        return Destination(country)
    possible = [country for country in formats.onboarded_countries() if country in company.allowed_countries]
    return destination_of(survey, possible)


def _require_format(company: Company, country: str) -> formats.Format:
    """Return the format of `country`.

    Raises `NoParserForFormat` first, even for a country the company may not ship to; then `CountryNotAllowed`.
    """
    workbook_format = formats.for_country(country)
    if workbook_format is None:
        raise NoParserForFormat(country=country or None)
    company.require_country(country)
    return workbook_format
