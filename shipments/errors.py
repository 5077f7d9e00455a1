"""The domain errors of this app, with the status and code of their responses."""

from collections.abc import Mapping, Sequence
from typing import Any

from base.errors import DomainError, TemporarilyUnavailable, Translatable, ValidationFailed

# --- the body ---------------------------------------------------------------------------------------------------


class ManifestFileRequired(DomainError):
    """The upload has no `manifest_file`."""

    code = "manifest_file_required"
    default_message = "Send the Excel manifest as the multipart field manifest_file."


# --- the workbook -----------------------------------------------------------------------------------------------


class WorkbookUnreadable(DomainError):
    """The file is not a readable workbook. The message gives the reason and how to fix it."""

    code = "excel_parse_error"
    default_message = "The manifest cannot be opened as an .xlsx workbook."


class ReadingTooLong(WorkbookUnreadable):
    """Reading the file takes longer than one reading may.

    rows: its rows, as far as they are known. longest: the characters of its longest cell.
    """

    default_message = (
        "The file takes too long to read: %(rows)s rows, longest cell %(longest)s characters. Shorten its long cells, "
        "delete what is outside the table, or send it in parts."
    )

    def __init__(self, rows: int, longest: int) -> None:
        self.rows, self.longest = rows, longest
        super().__init__(Translatable(self.default_message, rows=rows, longest=longest))


class MawbNotFoundInFile(DomainError):
    """The workbook has no MAWB, or several labelled MAWBs that differ."""

    code = "mawb_not_found_in_file"
    default_message = "No MAWB such as 123-12345675 was found on any visible sheet."


class CuredByAnswer(DomainError):
    """A refusal of a workbook that goes once a person has answered for its layout.

    layout: the row of the workbook's layout; None if it is not known, as after a trial.
    """

    layout: Any = None  # a model's row; this module knows no model


class HawbInDoubt(CuredByAnswer):
    """It cannot be told which column of the workbook is the HAWB. Extra: `questions`, as in the answer of an upload."""

    code = "hawb_in_doubt"
    default_message = (
        "Nothing was created: we cannot tell which column is the HAWB; see questions. Rename the right column to "
        "HAWB, and send the workbook again."
    )


class NoRowsParsed(DomainError):
    """The workbook has no header row followed by guides."""

    code = "no_rows_parsed"
    default_message = "No guide rows were found below a row of known headings."


class ManifestTooLarge(ValidationFailed):
    """The manifest has more guide rows or columns than allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(message, details={"manifest_file": [message]})


class GuidesLeftUnread(ValidationFailed):
    """The workbook has guides on a sheet or under headings that are not read. Accepting it would lose them."""

    def __init__(self, message: str) -> None:
        super().__init__(message, details={"manifest_file": [message]})


class StorageUnavailable(TemporarilyUnavailable):
    """The storage of received files is unavailable or refuses access."""

    default_message = "The service cannot reach its file storage; try again in a moment."


class UpstreamUnavailable(DomainError):
    """A carrier that was asked about a guide is away, slow or unreadable."""

    status, code = 503, "upstream_unavailable"
    default_message = "The carrier cannot be reached just now; try again in a moment."


class ParserBusy(DomainError):
    """All slots for reading workbooks are in use. Nothing was read."""

    status, code = 503, "unavailable"
    default_message = "Too many workbooks are being read at once; send the upload again in a moment."


# --- the destination --------------------------------------------------------------------------------------------


class UnsupportedTransportMode(DomainError):
    """`transport_mode` is neither `air` nor `ground`."""

    code = "unsupported_transport_mode"
    default_message = "transport_mode must be air or ground."


class DestinationUnresolved(DomainError):
    """The destination country cannot be determined."""

    code = "destination_unresolved"
    default_message = "The destination country cannot be derived from the manifest."


class NoParserForFormat(CuredByAnswer):
    """The company's workbooks for the destination country are not read."""

    code = "no_parser_for_format"
    default_message = "Workbooks are not supported for this destination; send the manifest as JSON."


class WorkbookFormatChanged(CuredByAnswer):
    """The workbook has a known layout, but columns are missing, repeated or contradict what was told of them.

    headings: `missing`, `repeated` and `new` ones. Extras: the same, and the id of the `layout`.
    """

    code = "workbook_format_changed"
    default_message = (
        "Nothing was created: the workbook's columns are not those agreed on for this layout; see missing, repeated "
        "and new. Send the columns as before, or say what the new ones are, and send the workbook again."
    )

    def __init__(self, message: str = "", *, headings: Mapping[str, Sequence[str]], layout: str) -> None:
        super().__init__(message, details=None, **dict[str, object](headings), layout=layout)


class LayoutConfirmed(DomainError):
    """A client answers for a layout that an operator has confirmed."""

    status, code = 409, "layout_confirmed"
    default_message = "The courier has confirmed this layout, so only the courier can change it; ask the operators."


class LayoutAnswered(DomainError):
    """Somebody else has answered since the operator's page was opened. Nothing was stored."""

    status, code = 409, "layout_answered"
    default_message = "Somebody else has saved answers since you opened this page. Your answers were not saved."


# --- the rows of a JSON manifest --------------------------------------------------------------------------------


class ManifestValidationFailed(DomainError):
    """Rows of the manifest are invalid, so the whole manifest is refused.

    Extras: `invalid_rows`, the first problems by row, and `invalid_rows_total`, the number of problems.
    """

    code = "manifest_validation_failed"
    default_message = "Some guides are not valid; nothing was created. See invalid_rows."


class MarketplaceFieldsMissing(DomainError):
    """Rows of a marketplace client lack their identifiers. Extras as in `ManifestValidationFailed`."""

    status, code = 422, "marketplace_fields_missing"
    default_message = "Every guide needs extra_data.marketplace_cop_no and extra_data.marketplace_waybill."


class MarketplaceFieldsNotAllowed(DomainError):
    """Rows of another client have marketplace identifiers. Extras as in `ManifestValidationFailed`."""

    status, code = 422, "marketplace_fields_not_allowed"
    default_message = "extra_data.marketplace_cop_no and marketplace_waybill are not for this client."


# --- conflicts and missing resources ----------------------------------------------------------------------------


class MawbAlreadyExists(DomainError):
    """The company already has a manifest with this MAWB. Extra: `manifest_id`, the existing manifest."""

    status, code = 409, "mawb_already_exists"
    default_message = "This MAWB has already been registered."


class IdempotencyKeyReused(DomainError):
    """The `Idempotency-Key` was sent before, with another request."""

    status, code = 422, "idempotency_key_reused"
    default_message = "This Idempotency-Key was sent with another request; use a new key for new content."


class IdempotencyInProgress(DomainError):
    """The first request with this `Idempotency-Key` is still being processed, or what it created was just voided."""

    status, code = 409, "idempotency_in_progress"
    default_message = "The first request with this Idempotency-Key is still being processed; send it again in a moment."

    def __init__(self, message: str = "", *, retry_after_seconds: int = 5) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class Superseded(DomainError):
    """An upload job was accepted before a manifest of its MAWB was voided, and read after."""

    status, code = 409, "superseded"
    default_message = "This upload was accepted before its MAWB was voided. If you still want it, send it again."


class TooManyJobs(DomainError):
    """The company has as many unfinished upload jobs as allowed. Nothing was stored."""

    status, code = 429, "rate_limited"
    default_message = "At most 20 uploads may wait to be read; send this one again when one of them has ended."
    retry_after_seconds = 5


# --- the operators' API -----------------------------------------------------------------------------------------


class CountryMismatch(DomainError):
    """What was named is of another country than claimed; nothing was written.

    Extra `mismatched`: ids, each with its country if the operator may know it.
    """

    status, code = 409, "country_mismatch"
    default_message = "The resource belongs to a different country than the request says; nothing was changed."


class AmbiguousGuide(DomainError):
    """Several companies have this MAWB and HAWB."""

    status, code = 409, "ambiguous"
    default_message = "Several companies have this MAWB and HAWB; use the guide's tracking code."


class AmbiguousMawb(DomainError):
    """Several companies have this MAWB."""

    status, code = 409, "ambiguous"
    default_message = "Several companies have this MAWB; name the company."


class InvalidDocument(ValidationFailed):
    """The number of a consignee's document is invalid."""

    code = "invalid_document"
    default_message = "The consignee's document is not valid; see details."


class InvalidDocumentType(ValidationFailed):
    """The type of a consignee's document is not one of the country's, or is missing."""

    code = "invalid_document_type"
    default_message = "The type of the consignee's document is not valid; see details."


class BatchNotOpen(DomainError):
    """The inbound batch is closed."""

    status, code = 409, "batch_not_open"
    default_message = "This inbound batch is closed; open another one for the same MAWBs."


# --- moving guides ----------------------------------------------------------------------------------------------


class MoveRefused(DomainError):
    """The event cannot be applied to the guide.

    in_words: the message with statuses labelled as operators see them, not as the contract names them.
    """

    status = 409

    def __init__(self, message: str, *, in_words: str = "") -> None:
        super().__init__(message)
        self.in_words = in_words or message


class EventInFuture(MoveRefused):
    """The event's time is in the future."""

    status, code = 400, "event_in_future"


class GuideAlreadyTerminal(MoveRefused):
    """The guide has a final status."""

    code = "guide_already_terminal"


class InvalidTransition(MoveRefused):
    """The guide cannot move from its status to the new one. The message names both."""

    code = "invalid_transition"


class GuideUnderRetention(MoveRefused):
    """The guide is under retention. Customs must release it, or an operator must lift the retention."""

    code = "guide_under_retention"


class EventTakenBack(MoveRefused):
    """The same event was recorded before and taken back. Reported again, it would bring the wrong status back."""

    code = "event_taken_back"


class NothingToTakeBack(MoveRefused):
    """The guide's status cannot be taken back. The message says why."""

    code = "nothing_to_take_back"


class EventFileUnreadable(DomainError):
    """The event file cannot be read. The message gives the reason and how to fix it.

    table: its rows from the heading on, each its number and its cells, if only the meaning of its columns is unclear.
    """

    code = "event_file_unreadable"
    table: Sequence[tuple[int, Sequence[Any]]] = ()
    default_message = "The event file cannot be read."


class GuideNotUnderRetention(DomainError):
    """The guide is not under retention."""

    status, code = 409, "guide_not_under_retention"
    default_message = "The guide is not under retention."


class GuideUnderWay(DomainError):
    """A correction came too late for some fields. Extras `status` and `fields`. Nothing was changed."""

    status, code = 409, "guide_under_way"
    default_message = "The guide is under way: these fields can no longer be corrected. Nothing was changed."


class ManifestUnderWay(DomainError):
    """The manifest cannot be voided, because some of its guides have left `registered`."""

    status, code = 409, "manifest_under_way"
    default_message = "Guides of this manifest have already moved, so it can no longer be voided."


class ManifestAlreadyVoided(DomainError):
    """The manifest is already voided."""

    status, code = 409, "manifest_already_voided"
    default_message = "This manifest has already been voided."
