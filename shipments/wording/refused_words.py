"""What operators read for the codes of refused requests."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REFUSED: Mapping[str, str | Promise] = {
    "company_is_courier": _("A courier sent a workbook or named no client."),
    "client_code_not_allowed": _("The file names a client itself, as a courier's file does."),
    "client_not_resolved": _("The courier named a client that it may not post for."),
    "unsupported_country": _("No workbook can be read for the client's countries."),
    "country_not_allowed": _("The client may not ship to this country."),
    "tracking_prefix_missing": _("The client has no tracking prefix, so no tracking codes can be assigned."),
    "validation_failed": _("Some values of the request are invalid."),
    "invalid_query": _("A parameter of the address is invalid."),
    "invalid_body": _("The request is not valid JSON."),
    "manifest_file_required": _("The request had no workbook."),
    "excel_parse_error": _("The file cannot be read as an Excel workbook."),
    "mawb_not_found_in_file": _("The MAWB of the workbook is missing or ambiguous."),
    "no_rows_parsed": _("No guides were found in the workbook."),
    "unsupported_transport_mode": _("The transport mode is missing or unknown."),
    "destination_unresolved": _("The destination country is not clear."),
    "no_parser_for_format": _("Workbooks of this layout are not read for this destination."),
    "workbook_format_changed": _("The columns differ from the client's workbook format."),
    "manifest_validation_failed": _(
        "Some guides are invalid, and a JSON manifest is accepted as a whole or not at all."
    ),
    "marketplace_fields_missing": _("Guides of a marketplace need its identifiers."),
    "marketplace_fields_not_allowed": _(
        "Guides have a marketplace's identifiers, and the client is not a marketplace."
    ),
    "mawb_already_exists": _("The client already has a manifest with this MAWB."),
    "idempotency_key_reused": _("The Idempotency-Key was used before for another request."),
    "idempotency_in_progress": _("The same request was still being processed."),
    "not_found": _("What was asked for does not exist, or belongs to another company."),
    "method_not_allowed": _("This address does not accept this method."),
    "forbidden": _("Couriers have no webhooks of their own."),
    "subscription_exists": _("A subscription for this URL already exists."),
    "subscription_limit": _("The company has as many subscriptions as it may have."),
    "subscription_managed_by_operators": _("Only operators may change this subscription."),
    "delivery_in_flight": _("The delivery was being sent."),
    "replay_not_available": _("The delivery cannot be sent again."),
    "rate_limited": _("There were too many test deliveries within a short time."),
}
"""Error code -> a sentence. `tests/api/test_refused_requests.py` compares it with what the API refuses."""

FOUND: Mapping[str, str | Promise] = {
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
