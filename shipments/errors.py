"""What this room refuses, in the domain's words. The roof's table says which answer each becomes."""

from typing import ClassVar

from companies.errors import DomainError


class ValidationFailed(DomainError):
    """Fields of the request that cannot be taken; `details` names each with its reasons."""

    default_message = "Some fields are not valid; see details."


# --- the body ---------------------------------------------------------------------------------------------------


class InvalidBody(DomainError):
    """A JSON body that cannot be read as one object."""

    default_message = "The body must be one JSON object in UTF-8."


class ManifestFileRequired(DomainError):
    """An upload without a `manifest_file`."""

    default_message = "Send the Excel manifest as the multipart field manifest_file."


# --- the workbook -----------------------------------------------------------------------------------------------


class WorkbookUnreadable(DomainError):
    """The file is no workbook we can open; the message carries the reason and the cure."""

    default_message = "The manifest cannot be opened as an .xlsx workbook."


class MawbNotFoundInFile(DomainError):
    """No MAWB in the workbook, or several labelled ones that disagree."""

    default_message = "No MAWB such as 123-12345675 was found on any visible sheet."


class NoRowsParsed(DomainError):
    """No header row with guides under it."""

    default_message = "No guide rows were found under a row of headings that we know."


class ManifestTooLarge(ValidationFailed):
    """More guide rows or columns than one manifest may have."""

    def __init__(self, message: str) -> None:
        super().__init__(message, details={"manifest_file": [message]})


class StorageUnavailable(DomainError):
    """The storage of received files cannot be reached, or refuses us."""

    default_message = "The service cannot reach its file storage; try again in a moment."


class ParserBusy(DomainError):
    """All places for reading workbooks stayed taken; nothing was read."""

    default_message = "Too many workbooks are being read at once; send the upload again in a moment."


# --- the destination --------------------------------------------------------------------------------------------


class UnsupportedTransportMode(DomainError):
    """`transport_mode` is neither air nor ground."""

    default_message = "transport_mode must be air or ground."


class DestinationUnresolved(DomainError):
    """No destination country can be derived."""

    default_message = "The destination country cannot be derived from the manifest."


class NoParserForFormat(DomainError):
    """No workbook format is onboarded for the destination's country."""

    default_message = "No workbook format is onboarded for this destination; send the manifest as JSON."


# --- the rows of a JSON manifest --------------------------------------------------------------------------------


class ManifestValidationFailed(DomainError):
    """Rows that break the gate: all or nothing.

    Extras: `invalid_rows`, the first problems by row, and `invalid_rows_total`, how many there are.
    """

    default_message = "Some guides are not valid; nothing was created. See invalid_rows."


class MarketplaceFieldsMissing(DomainError):
    """A marketplace client's rows without their identifiers. Extras as those of `ManifestValidationFailed`."""

    default_message = "Every guide needs extra_data.marketplace_cop_no and extra_data.marketplace_waybill."


class MarketplaceFieldsNotAllowed(DomainError):
    """Marketplace identifiers on another client's rows. Extras as those of `ManifestValidationFailed`."""

    default_message = "extra_data.marketplace_cop_no and marketplace_waybill are not for this client."


# --- what is there already, and what is not ---------------------------------------------------------------------


class MawbAlreadyExists(DomainError):
    """The company has this MAWB already. Extra `manifest_id`: the one that is there."""

    default_message = "This MAWB was already ingested."


class NotFound(DomainError):
    """No such resource among the caller's."""

    default_message = "Not found."


# --- guides on the move -----------------------------------------------------------------------------------------


class MoveRefused(DomainError):
    """A guide that cannot take an event. `code` is the contract's word, for results that are told one by one.

    in_words: the message with the statuses as operators read them, not in the contract's words.
    """

    code: ClassVar[str]

    def __init__(self, message: str, *, in_words: str = "") -> None:
        super().__init__(message)
        self.in_words = in_words or message


class EventInFuture(MoveRefused):
    """An event that has not happened yet by our clock."""

    code = "event_in_future"


class GuideAlreadyTerminal(MoveRefused):
    """The guide's way has ended."""

    code = "guide_already_terminal"


class InvalidTransition(MoveRefused):
    """A move that the table of statuses does not have; the message names both."""

    code = "invalid_transition"


class GuideUnderRetention(MoveRefused):
    """Customs must release the guide, or an operator lift its retention, before it goes on."""

    code = "guide_under_retention"


class EventFileUnreadable(DomainError):
    """A file of events with nothing to go on with; the message carries the reason and the cure."""

    default_message = "The file of events cannot be read."


class GuideNotUnderRetention(DomainError):
    """There is no retention to lift."""

    default_message = "The guide is not under retention."


class ManifestUnderWay(DomainError):
    """A manifest that can no longer be voided: some of its guides have left `registered`."""

    default_message = "Guides of this manifest are under way already; it can no longer be voided."


class ManifestAlreadyVoided(DomainError):
    """The manifest was voided before."""

    default_message = "This manifest was voided already."
