"""What is stored about a person as a page to print: in words, by the columns' labels, without operators' names."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from companies.country_names import country_choices
from shipments.admin.columns import amount
from shipments.admin.field_labels import field_label
from shipments.admin.understanding import field_name
from shipments.labels import CITY_LABELS, SOURCE_CHOICES, STATUS_CHOICES, TRANSPORT_LABELS
from shipments.models import (
    BulkMove,
    CarrierCode,
    CarrierEvent,
    CarrierReceipt,
    Guide,
    GuideEvent,
    InboundBatch,
    InboundScan,
    Layout,
    LayoutAnswer,
    Manifest,
    ManifestFile,
    Note,
    UploadJob,
)
from shipments.wording.refusals import Text
from shipments.wording.rendering import reason_in_words
from webhooks.event_names import event_name
from webhooks.models import Delivery

_LEFT_OUT = {
    "consignee_words", "id", "manifest_id", "mawb_version", "sequence", "status_code",
    "actor", "closed_by", "entered_by", "opened_by", "operator", "retention_lifted_by",
    "reviewed_by", "scanned_by", "username", "voided_by", "withdrawn_by", "written_by",
}  # fmt: skip
"""What repeats other values for the search and for programs, and the names of operators."""
PARTS: Mapping[str, tuple[Text, type[Model] | None]] = {
    "guide": (_("Guide"), Guide),
    "manifest": (_("Manifest"), Manifest),
    "events": (_("Events"), GuideEvent),
    "reported_by_carriers": (_("Reported by carriers"), CarrierEvent),
    "notes": (_("Notes"), Note),
    "scans": (_("Scans"), InboundScan),
    "seen_and_changed_by": (_("Seen and changed"), None),
    "webhooks": (_("Sent to the client"), Delivery),
    "refused_request": (_("Headings of a refused workbook"), None),
    "layout": (_("Layout of a workbook"), Layout),
    "layout_answer": (_("Answer about a column"), LayoutAnswer),
    "upload_job": (_("Upload job"), UploadJob),
    "idempotency_key": (_("Idempotency key"), None),
    "file": (_("File"), ManifestFile),
    "carrier_event": (_("Event of a carrier without a guide"), CarrierEvent),
    "carrier_body": (_("Body that a carrier sent"), CarrierReceipt),
    "carrier_code": (_("Code of a carrier"), CarrierCode),
    "scan": (_("Scan"), InboundScan),
    "inbound_batch": (_("Inbound batch"), InboundBatch),
    "note": (_("Note"), Note),
    "bulk_move": (_("Bulk move"), BulkMove),
    "saved_view": (_("Saved view"), None),
    "activity": (_("Activity log"), None),
    "quotes": (_("Quoted of a workbook"), Manifest),
    "extra_data": (_("Extra data of another guide"), Guide),
    "event": (_("Event"), GuideEvent),
    "draft": (_("Draft that was not confirmed"), None),
}
"""Entry -> its title, and the model whose columns its names are."""
_LABELS: Mapping[str, Text] = {
    "at": _("time"),
    "body": _("what was sent"),
    "company": _("company"),
    "country": _("country"),
    "fields": _("fields"),
    "files": _("files"),
    "mawb": "MAWB",
    "previous_status": _("previous status"),
    "reason": _("reason"),
    "remarks": _("remarks"),
    "source": _("source"),
    "url": _("sent to"),
    "what": _("action"),
}
"""Names that are no column of their entry's model."""
_CHOICES: Mapping[str, Mapping[str, Text]] = {
    "transport_mode": TRANSPORT_LABELS,
    "status": dict(STATUS_CHOICES),
    "previous_status": dict(STATUS_CHOICES),
    "source": dict(SOURCE_CHOICES),
}


def print_person(request: HttpRequest, entries: Sequence[Mapping[str, Any]], reference: str) -> HttpResponse:
    """Render what `personal_record` yields, in the language in use."""
    shown = []
    for entry in entries:
        country = entry.get("manifest", {}).get("country", "")
        parts = []
        for name, value in entry.items():
            title, model = PARTS[name]
            rows = value if isinstance(value, list) else [value]
            parts.append((title, [list(_lines(row, model, country)) for row in rows if row]))
        shown.append(parts)
    context = {"entries": shown, "reference": reference, "now": timezone.now()}
    return TemplateResponse(request, "shipments/privacy_print.html", context).render()


def _lines(row: Mapping[str, Any], model: type[Model] | None, country: str) -> Iterator[tuple[str, str]]:
    """Yield each value that is not empty with its label. model: whose columns the names are. country: of the guide."""
    columns = {column.name: column for column in model._meta.concrete_fields} if model else {}
    for name, value in row.items():
        column = columns.get(name)
        if value in ("", None, [], {}) or name in _LEFT_OUT:
            continue
        if name == "consignee_city" and country in CITY_LABELS:
            label: Text = CITY_LABELS[country]
        else:
            label = column.verbose_name if column else _LABELS.get(name) or field_name(name)
        if text := _in_words(name, column, value):
            yield str(label), text


def _in_words(name: str, column: Any, value: Any) -> str:  # noqa: ANN401  # a field of a model, and its value
    if isinstance(value, datetime):
        return date_format(localtime(value), "DATETIME_FORMAT")  # of any year, and kept
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    if isinstance(value, Decimal):
        return amount(value)
    if name == "event_type":
        return event_name(value)
    if name == "fields":
        return ", ".join(map(field_label, value))
    if name == "body" and isinstance(value, str):
        return _sent(json.loads(value))
    if isinstance(value, list):
        return "; ".join(_in_words(name, None, each) for each in value)
    if isinstance(value, dict):
        return value.get("message") or ", ".join(f"{label}: {text}" for label, text in _lines(value, None, ""))
    choices = dict(column.flatchoices) if column is not None else _CHOICES.get(name, {})
    if name == "country":
        choices = dict(country_choices())
    return reason_in_words(str(choices.get(value) or _CHOICES.get(name, {}).get(value, value)))


def _sent(body: Mapping[str, Any]) -> str:
    """Return what a webhook told the client, without what only programs read."""
    return ", ".join(f"{label}: {text}" for label, text in _lines(body.get("data", body), None, ""))
