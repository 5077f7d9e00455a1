"""What an operator reads when a client's manifest is refused: what is wrong, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from companies import errors as companies
from companies.errors import DomainError
from shipments import errors
from shipments.wording.stored import answered_rows

_SHOWN_ROWS = 100

_ASK_FOR_A_FORMAT = _("If the client always sends it like this, add a workbook format for the client.")
_WORDS: Mapping[type[DomainError], tuple[str | Promise, str | Promise]] = {
    errors.MawbAlreadyExists: (
        _("The client already has a manifest with this MAWB."),
        _("Open it to compare. If it is wrong and its guides have not moved, void it and upload this file again."),
    ),
    errors.WorkbookUnreadable: (
        _("The file cannot be read as an Excel workbook."),
        _("Open it in Excel or LibreOffice, save it as .xlsx without a password, and upload it again."),
    ),
    errors.MawbNotFoundInFile: (
        _("The MAWB of the workbook is missing or ambiguous."),
        _("Write one MAWB, such as 045-12345675, in the cell beside the word MAWB."),
    ),
    errors.NoRowsParsed: (
        _("No guides were found in the workbook."),
        _("The table needs a row of headings such as HAWB, consignee, weight and FOB, with the guides below it."),
    ),
    errors.ManifestTooLarge: (
        _("The manifest is too large."),
        _("Split it: a manifest has at most 50,000 guides and 256 columns."),
    ),
    errors.GuidesLeftUnread: (
        _("Some guides of the workbook would not be read, so nothing is."),
        _("Put all guides into one table on one sheet."),
    ),
    errors.ParserBusy: (
        _("Too many workbooks are being read at once."),
        _("Try again in a moment."),
    ),
    errors.DestinationUnresolved: (
        _("The destination country is not clear."),
        _("Enter the destination airport in the form."),
    ),
    errors.NoParserForFormat: (
        _("Workbooks of this layout are not read for this destination."),
        _("Use the template for the country, or add a workbook format for the client."),
    ),
    errors.WorkbookFormatChanged: (
        _("The columns differ from the client's workbook format."),
        _("Compare the headings with the format. If the client changed its workbook, publish a new version of it."),
    ),
    errors.UnsupportedTransportMode: (
        _("The transport mode is missing or unknown."),
        _("Write air or ground as transport_mode in the file."),
    ),
    errors.InvalidBody: (
        _("The file is not a valid JSON manifest."),
        _("Ask the client for the file as its system exports it, in UTF-8, and do not edit it by hand."),
    ),
    errors.ManifestValidationFailed: (
        _("Some guides are invalid, and a JSON manifest is accepted as a whole or not at all."),
        _("Correct the guides listed below and upload the file again."),
    ),
    errors.MarketplaceFieldsMissing: (
        _("Guides of a marketplace need its identifiers."),
        _("Ask the client for a file with the marketplace's COP number and waybill for each guide."),
    ),
    errors.MarketplaceFieldsNotAllowed: (
        _("Guides have a marketplace's identifiers, and the client is not a marketplace."),
        _("Check that you chose the right client."),
    ),
    errors.ValidationFailed: (
        _("Some values of the manifest are invalid."),
        _("Correct them in the file and upload it again."),
    ),
    companies.CountryNotAllowed: (
        _("The client may not ship to this country."),
        _("Check the destination. If it is right, the country must first be opened on the company's page."),
    ),
    companies.UnsupportedCountry: (
        _("No workbook can be read for the client's countries."),
        _("Upload a JSON manifest, or add a workbook format for the client."),
    ),
    companies.TrackingPrefixMissing: (
        _("The client has no tracking prefix, so no tracking codes can be assigned."),
        _("Set the prefix on the company's page, then upload the file again."),
    ),
    companies.ClientCodeNotAllowed: (
        _("The file names a client itself, as a courier's file does."),
        _("Remove client_code from the file: the manifest belongs to the client chosen in the form."),
    ),
}
_UNKNOWN = (_("The manifest is refused."), _("Correct the file and upload it again."))
_HELPED_BY_A_FORMAT = (errors.NoRowsParsed, errors.MawbNotFoundInFile)


class ShownRefusal(NamedTuple):
    """A refusal in words.

    title: what is wrong. remedies: what to do, one sentence each. detail: the API's own sentence, in English.
    manifest_id: of the manifest that has the MAWB already. fields: field -> messages. rows: invalid guides; more: how
    many problems are not among them.
    """

    title: str | Promise
    remedies: Sequence[str | Promise]
    detail: str
    manifest_id: str
    fields: Mapping[str, Sequence[str]]
    rows: Sequence[Any]
    more: int


def shown_refusal(refusal: DomainError) -> ShownRefusal:
    """Return the refusal of a manifest as operators read it."""
    title, remedy = _WORDS.get(type(refusal), _UNKNOWN)
    remedies = [remedy, _ASK_FOR_A_FORMAT] if isinstance(refusal, _HELPED_BY_A_FORMAT) else [remedy]
    invalid: Any = refusal.extras.get("invalid_rows", ())
    rows = answered_rows(invalid[:_SHOWN_ROWS])
    total: Any = refusal.extras.get("invalid_rows_total", len(rows))
    own = {name: messages for name, messages in refusal.details.items() if messages != [refusal.message]}
    manifest_id = str(refusal.extras.get("manifest_id", ""))
    detail = "" if manifest_id else refusal.message
    return ShownRefusal(title, remedies, detail, manifest_id, own, rows, max(0, total - len(rows)))
