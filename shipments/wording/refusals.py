"""What a refused request means: in a sentence, and what the operator and the client can do about it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from base.errors import DomainError

Text = str | Promise


class Refusal(NamedTuple):
    """what: what is wrong. operator, client: what to do, for whom; the client's text is sent to the client as it is."""

    what: Text
    operator: Text
    client: Text


_NOT_OURS = _("Nothing: the client's program can correct it.")

REFUSALS: Mapping[str, Refusal] = {
    "company_is_courier": Refusal(
        _("A courier sent a workbook or named no client."),
        _("Ask the courier for JSON with client_code, or upload the workbook for its client yourself."),
        _("Send the manifest as JSON, and name your client in client_code."),
    ),
    "client_code_not_allowed": Refusal(
        _("The file names a client itself, as a courier's file does."),
        _("Remove client_code from the file: the manifest belongs to the client chosen in the form."),
        _("Remove client_code from the manifest: only couriers send it."),
    ),
    "client_not_resolved": Refusal(
        _("The courier named a client that it may not post for."),
        _("Check the code. If it is right, add the client to those that the courier posts for."),
        _("Check client_code, including capital letters. If it is right, we have to link this client to you first."),
    ),
    "unsupported_country": Refusal(
        _("No workbook can be read for the company's countries."),
        _("Upload JSON, or have the country's workbooks read by their headings: tick it on the company's page."),
        _("Send the manifest as JSON, or send us a sample of your workbook so that we can set up its reading."),
    ),
    "country_not_allowed": Refusal(
        _("The company may not ship to this country."),
        _("Check the destination. If it is right, the country must first be opened on the company's page."),
        _("Check the destination. If it is right, ask us to open the country for you."),
    ),
    "tracking_prefix_missing": Refusal(
        _("The company has no tracking prefix, so no tracking codes can be assigned."),
        _("Set the prefix on the company's page, then upload the file again."),
        _("We have to set up your tracking prefix first. Send the file again when we tell you."),
    ),
    "validation_failed": Refusal(
        _("Some values of the request are invalid."),
        _("Correct them in the file and upload it again."),
        _("Correct the fields that the answer names, and send the request again."),
    ),
    "manifest_too_large": Refusal(
        _("The manifest is too large."),
        _("Split it: a manifest has at most 50,000 guides and 256 columns."),
        _("Split it: a manifest has at most 50,000 guides and 256 columns."),
    ),
    "guides_left_unread": Refusal(
        _("Some guides of the workbook could not be read, so nothing was created."),
        _("Put all guides into one table on one sheet."),
        _("Put all guides into one table on one sheet."),
    ),
    "invalid_query": Refusal(
        _("A parameter of the address is invalid."), _NOT_OURS, _("Correct the parameter that the answer names.")
    ),
    "invalid_body": Refusal(
        _("This is not the JSON of a manifest."),
        _("Ask the client for the file as its system exports it, in UTF-8, and do not edit it by hand."),
        _("Send the file as your system exports it: one JSON object in UTF-8. The answer says where it is broken."),
    ),
    "manifest_file_required": Refusal(
        _("The request had no workbook."),
        _NOT_OURS,
        _("Send the workbook as the field manifest_file of a multipart form, with its file name."),
    ),
    "excel_parse_error": Refusal(
        _("The file cannot be read as an Excel workbook."),
        _("Open it in Excel or LibreOffice, save it as .xlsx without a password, and upload it again."),
        _("Open it in Excel or LibreOffice, save it as .xlsx without a password, and send it again."),
    ),
    "reading_too_long": Refusal(
        _("The file takes too long to read."),
        _("Shorten its long cells, delete what is outside the table, or split it, and upload it again."),
        _("Shorten its long cells, delete what is outside the table, or send it in parts."),
    ),
    "mawb_not_found_in_file": Refusal(
        _("The MAWB of the workbook is missing or ambiguous."),
        _("Write one MAWB, such as 045-12345675, in the cell beside the word MAWB."),
        _("Write one MAWB, such as 045-12345675, in the cell beside the word MAWB."),
    ),
    "no_rows_parsed": Refusal(
        _("No guides were found in the workbook."),
        _("The table needs a row of headings such as HAWB, consignee, weight and FOB, with the guides below it."),
        _("The table needs a row of headings such as HAWB, consignee, weight and FOB, with the guides below it."),
    ),
    "hawb_in_doubt": Refusal(
        _("We cannot tell which column of the workbook is the HAWB, so nothing was created."),
        _("On the page of the layout, say which column it is, then create the manifest there. Or ask the client."),
        _("The answer lists the columns that it may be. Rename the right one to HAWB, and send the workbook again."),
    ),
    "unsupported_transport_mode": Refusal(
        _("The transport mode is missing or unknown."),
        _("Write air or ground as transport_mode in the file."),
        _("Write air or ground as transport_mode in the manifest."),
    ),
    "destination_unresolved": Refusal(
        _("The destination country is not clear."),
        _("Enter the destination airport in the form."),
        _("Name the destination airport in destination_airport, or one destination in the workbook."),
    ),
    "no_parser_for_format": Refusal(
        _("Workbooks of this layout are not read for this destination."),
        _("Upload JSON, or have the country's workbooks read by their headings: tick it on the company's page."),
        _("Send the manifest as JSON, or send us a sample of your workbook so that we can set up its reading."),
    ),
    "workbook_format_changed": Refusal(
        _("The columns differ from those agreed on for this layout."),
        _("On the page of the layout, say which new heading is the missing column, or that it is another layout."),
        _("Send the columns as agreed. If you changed them on purpose, tell us, and we will accept the new ones."),
    ),
    "manifest_validation_failed": Refusal(
        _("Some guides are invalid, and a JSON manifest is accepted as a whole or not at all."),
        _("Correct the guides that are named and upload the file again."),
        _("Correct every guide that the answer names, and send the whole manifest again."),
    ),
    "marketplace_fields_missing": Refusal(
        _("Guides of a marketplace need its identifiers."),
        _("Ask the client for a file with the marketplace's COP number and waybill for each guide."),
        _("Send the marketplace's COP number and waybill in extra_data of each guide."),
    ),
    "marketplace_fields_not_allowed": Refusal(
        _("Guides have a marketplace's identifiers, and the company is not a marketplace."),
        _("Check that you chose the right client."),
        _("Remove the marketplace's identifiers from extra_data: they are for marketplaces only."),
    ),
    "mawb_already_exists": Refusal(
        _("There is already a manifest of the company with this MAWB."),
        _("Open it to compare. If it is wrong and its guides have not moved, void it and upload this file again."),
        _(
            "We already have this MAWB from you: if the manifest is the same, there is nothing to do. "
            "To replace it, ask us to void the first one."
        ),
    ),
    "superseded": Refusal(
        _("A manifest of its MAWB was voided while the workbook was waiting to be read."),
        _("Nothing: the client sends it again if it still wants it."),
        _("This workbook was sent before its MAWB was voided. If you still want it, send it again."),
    ),
    "invalid_api_key": Refusal(
        _("The company was deactivated before its workbook was read."),
        _("Nothing. If it was deactivated by mistake, activate it and ask the client to send the workbook again."),
        _("Ask us: your company is not active."),
    ),
    "idempotency_key_reused": Refusal(
        _("The Idempotency-Key was used before for another request."),
        _NOT_OURS,
        _("Use a new Idempotency-Key for each new manifest."),
    ),
    "idempotency_in_progress": Refusal(
        _("The same request was still being processed, or its manifest had just been voided."),
        _("Nothing: the client sends it again by itself."),
        _("Wait as long as the header Retry-After says, and send the same request again."),
    ),
    "not_found": Refusal(
        _("The requested resource does not exist, or belongs to another company."),
        _NOT_OURS,
        _("Check the code in the address, and that the request has the right company's API password."),
    ),
    "method_not_allowed": Refusal(
        _("This address does not accept this method."),
        _NOT_OURS,
        _("Use the method that the header Allow of the answer names."),
    ),
    "forbidden": Refusal(
        _("Couriers have no webhooks of their own."),
        _("Nothing: the courier's clients create their own webhooks."),
        _("Your clients create their own webhooks: a courier receives none of their events."),
    ),
    "subscription_exists": Refusal(
        _("A subscription for this URL already exists."), _NOT_OURS, _("Change the existing webhook of this URL.")
    ),
    "subscription_limit": Refusal(
        _("The company has as many subscriptions as it may have."),
        _("Check whether some of its subscriptions are no longer used."),
        _("Delete or disable a webhook that you no longer use."),
    ),
    "subscription_managed_by_operators": Refusal(
        _("Only operators may change this subscription."),
        _("Ask the client what to change, and change it on the subscription's page."),
        _("We manage this webhook: tell us what to change, or create one of version 2."),
    ),
    "delivery_in_flight": Refusal(
        _("The delivery was being sent."), _NOT_OURS, _("Wait a moment, and look at the delivery again.")
    ),
    "replay_not_available": Refusal(
        _("The delivery cannot be sent again."),
        _("The list of deliveries says why: it was cancelled, is too old, or its subscription is disabled."),
        _("It was cancelled, is older than 30 days, or its webhook is disabled or of version 1: the answer says."),
    ),
    "rate_limited": Refusal(
        _("There were too many requests or test deliveries within a short time."),
        _("Nothing, unless it happens every day: then ask the client for its volume, and raise its limit."),
        _("Wait as long as the header Retry-After says, and send it again."),
    ),
    "guide_under_way": Refusal(
        _("A correction came too late: the guide is under way."),
        _("Correct the consignee on the guide's page, or tell customs or the courier."),
        _("Leave out the fields that the answer names, or tell us what to correct."),
    ),
    "invalid_document": Refusal(
        _("The corrected document is not valid in the guide's country."),
        _("Ask the client for the right document."),
        _("Send the document as it is written, with its check digit."),
    ),
    "invalid_document_type": Refusal(
        _("The corrected document's type is not one of the country's."),
        _("Ask the client for the type of the document."),
        _("Send one of the types that the answer names."),
    ),
    "invalid_transition": Refusal(
        _("The guide cannot be cancelled because it is under way."),
        _("Have it returned, or put it on hold."),
        _("It can no longer be cancelled. Ask us to have it returned."),
    ),
    "guide_already_terminal": Refusal(
        _("The guide cannot be cancelled because its status is final."),
        _("Nothing: it is final."),
        _("Nothing: the guide's status is final."),
    ),
    "manifest_under_way": Refusal(
        _("The MAWB cannot be voided because some of its guides are under way."),
        _("Cancel what has not left yet, guide by guide."),
        _("It can no longer be voided. Cancel the guides that are still registered."),
    ),
    "manifest_already_voided": Refusal(
        _("The manifest has already been voided, and its MAWB was sent again since."),
        _("Nothing: the newer manifest was not changed."),
        _("Nothing was voided: you sent the MAWB again since. To void that one, send its manifest_id."),
    ),
    "internal_server_error": Refusal(
        _("The service failed; its log has the error under the request id."),
        _("Tell an administrator the request id, then upload the file again."),
        _("The error is ours. Send the file again; if it fails again, tell us the request id."),
    ),
    "unavailable": Refusal(
        _("Too many workbooks are being read at once."), _("Try again in a moment."), _("Try again in a moment.")
    ),
}  # fmt: skip
"""Error code -> its words; a reason of `validation_failed` that has words of its own is under its own name.
`tests/api/test_refused_requests.py` compares it with what the API refuses.
"""

FOUND: Mapping[str, Text] = {
    "required": _("a required field is missing"),
    "invalid": _("a value has the wrong type or is out of bounds"),
    "duplicate_hawb": _("a HAWB occurs twice"),
    "rut_invalid_format": _("invalid RUT"),
    "invalid_document": _("invalid document"),
    "invalid_document_type": _("invalid document type"),
    "invalid_category": _("invalid express category"),
    "not_allowed": _("a field that only marketplaces may send"),
}
"""Code of an invalid row -> a few words. `docs/json.md` lists the codes."""

ANY = Refusal(
    _("The manifest is refused."),
    _("Correct the file and upload it again."),
    _("Correct what the answer names, and send it again."),
)


def words_for(refusal: DomainError) -> Refusal:
    """Return the words of what a manifest that an operator uploads is refused with."""
    name = re.sub(r"\B(?=[A-Z])", "_", type(refusal).__name__).lower()
    return REFUSALS.get(name) or REFUSALS.get(refusal.code, ANY)
