"""Requests of persons: find what is stored by document, export it, erase it with a receipt.

Documents are posted and never part of an address; the pages are not cached.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, gettext_lazy as _, ngettext, override, pgettext
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from base.admin.activity import ActKind, act, log_act, log_act_on
from base.admin.lists import badge
from base.admin.pages import FormPage
from base.db import moments
from companies.country_names import choices_within, country_choices, country_name
from companies.models.contact import ON_ONE_LINE
from companies.scope import scope_of
from shipments.admin.columns import amount, column, lines, time_column
from shipments.admin.field_labels import field_label
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.admin.understanding import field_name
from shipments.labels import CITY_LABELS, SOURCE_CHOICES, STATUS_CHOICES, TRANSPORT_LABELS
from shipments.models import (
    BulkMove,
    CarrierCode,
    CarrierEvent,
    CarrierReceipt,
    Erasure,
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
from shipments.models.erasures import LONGEST_REFERENCE
from shipments.privacy.erasing import by_company, count_person, erase_person, unread_uploads
from shipments.privacy.person import MOST_SIMILAR, SHORTEST, Documents, NotADocument, Person
from shipments.privacy.record import personal_record
from shipments.wording.refusals import Text
from shipments.wording.rendering import reason_in_words
from webhooks.event_names import event_name
from webhooks.models import Delivery

EXPORTED = act(
    "person_exported", ActKind.EXPORTED, _("Exported a person's data. Case: %(reference)s. Guides: %(guides)s.")
)
ERASED = act("person_erased", ActKind.CORRECTED, _("Erased a person's data. Case: %(reference)s. Guides: %(guides)s."))

_LONGEST_DOCUMENTS = 1_000
_KIND = re.compile(r"\b(RUT|RUN|DNI|RUC|CUIT|CUIL)\b\.?:?", re.IGNORECASE)
TICKED = "guides"
"""The check boxes of guides with the same e-mail or phone."""
EXPORT, ERASE = "shipments.export_person", "shipments.erase_person"


class PersonForm(forms.Form):
    """Who asks: documents, one a line, and the case. `documents` is cleaned to `Documents`."""

    documents = forms.CharField(
        label=_("Documents"),
        max_length=_LONGEST_DOCUMENTS,
        help_text=_("One a line: every RUT, DNI, RUC, CUIT or passport of this person. Dots and hyphens are ignored."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "autocomplete": "off"}),
    )
    country = forms.ChoiceField(
        label=_("Country"),
        required=False,
        help_text=_("In another country the same number may belong to somebody else."),
        widget=UnfoldAdminSelectWidget,
    )
    reference = forms.CharField(
        label=_("Case reference"),
        max_length=LONGEST_REFERENCE,
        validators=[ON_ONE_LINE],
        help_text=_("Where you recorded the request and who verified it, for example PRIV-2026-014. Not a name."),
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
    )

    def __init__(self, user: Any, data: Any = None) -> None:  # noqa: ANN401  # the operator; a form's data
        super().__init__(data)
        scope = scope_of(user)
        choices = choices_within(scope)
        everywhere = [("", _("All countries"))] if scope.is_everywhere else []
        field = cast("forms.ChoiceField", self.fields["country"])
        field.choices, field.required = [*choices, *everywhere], not scope.is_everywhere
        field.initial = choices[0][0] if choices else ""

    def clean_documents(self) -> Documents:
        try:
            return Documents(_documents_in(self.cleaned_data["documents"]))
        except NotADocument:
            text = gettext(
                "Enter whole documents of 5 letters and digits or more, one a line. Placeholders such as 11.111.111-1 "
                "are refused, because many people's records have them."
            )
            raise forms.ValidationError(text) from None


def _documents_in(text: str) -> Iterator[str]:
    """Yield each document, without the word for its kind. One in groups of digits stays whole.

    Several may be on a line: read as one, they would be found nowhere.
    """
    for line in re.split(r"[\n\r,;|]+", text):
        words = _KIND.sub("", line).split()
        if len(words) > 1 and all(len(word) >= SHORTEST and any(map(str.isdigit, word)) for word in words):
            yield from words
        elif words:
            yield " ".join(words)


class PersonPage(FormPage):
    """The page of requests: the form, then what was found and what can be done with it."""

    title = _("Requests about personal data")
    template_name = "shipments/privacy.html"

    def has_permission(self) -> bool:
        return self.request.user.has_perm(EXPORT) or self.request.user.has_perm(ERASE)

    def get_form(self, form_class: Any = None) -> PersonForm:  # noqa: ANN401, ARG002  # Django's signature
        return PersonForm(self.request.user, self.request.POST if self.request.method == "POST" else None)

    def save(self, form: Any) -> HttpResponse:  # noqa: ANN401  # as above
        step = self.request.POST.get("step")
        if step == "export":
            return self._export(form, _as_json)
        if step == "print":
            return self._export(form, print_person)
        return self._erase(form) if step == "erase" else self._show_found(form)

    def _export(self, form: Any, answer: Any) -> HttpResponse:  # noqa: ANN401  # a valid form, and a function
        if not self.request.user.has_perm(EXPORT):
            raise PermissionDenied
        reference, language = form.cleaned_data["reference"], self.request.POST.get("language")
        with override(language if language in dict(settings.LANGUAGES) else get_language()):
            entries = list(personal_record(self._person(form)))
            guides = sum("guide" in entry for entry in entries)
            log_act_on(self.request, Erasure, "A person", EXPORTED, reference=reference, guides=guides)
            response: HttpResponse = answer(self.request, entries, reference)
        response["Cache-Control"] = "no-store"
        return response

    def _person(self, form: Any) -> Person:  # noqa: ANN401  # as above
        """Return whom the form is about, with the guides that were ticked: of those that the page lists."""
        chosen = form.cleaned_data
        person = Person(chosen["documents"], chosen["country"])
        ticked = set(self.request.POST.getlist(TICKED))
        return person._replace(ticked=[guide.pk for guide in person.similar() if str(guide.pk) in ticked])

    def _erase(self, form: Any) -> HttpResponse:  # noqa: ANN401  # as above
        if not self.request.user.has_perm(ERASE):
            raise PermissionDenied
        reference = form.cleaned_data["reference"]
        if self.request.POST.get("typed", "").strip() != reference:
            return self._show_found(form, gettext("That is not the case reference. Nothing was erased."))
        operator = cast("User", self.request.user)
        receipt, tally = erase_person(
            self._person(form), reference=reference, actor=operator.get_username(), operator=operator
        )
        log_act(self.request, receipt, ERASED, reference=receipt.reference, guides=receipt.guides)
        if receipt.finished_at:
            messages.success(self.request, gettext("The person's data is erased. This is the receipt."))
        else:
            messages.success(self.request, gettext("The person's data is erased, as far as it has been read."))
        if undeleted := tally["undeleted"]:
            text = ngettext(
                "%d file could not be deleted from the storage; the service's log names it.",
                "%d files could not be deleted from the storage; the service's log lists them.",
                undeleted,
            )
            messages.error(self.request, text % undeleted)
        return HttpResponseRedirect(reverse("admin:shipments_erasure_change", args=[receipt.pk]))

    def _show_found(self, form: Any, problem: str = "") -> HttpResponse:  # noqa: ANN401  # as above
        person = self._person(form)
        similar, tally = person.similar(), count_person(person)
        shown = {
            "found": by_company(person),
            "tally": tally,
            "is_any": any(tally.values()),
            "similar": similar,
            "is_cut": len(similar) == MOST_SIMILAR,
            "ticked": person.ticked,
            "problem": problem,
            "where": country_name(person.country) if person.country else "",
            "is_found": True,
        }
        return self.render_to_response(self.get_context_data(form=form, **shown), status=400 if problem else 200)


def _as_json(_request: HttpRequest, entries: Sequence[Any], _reference: str) -> HttpResponse:
    body = json.dumps(entries, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
    headers = {"Content-Disposition": 'attachment; filename="personal-data.json"'}
    return HttpResponse(body, content_type="application/json", headers=headers)


@admin.register(Erasure)
class ErasureAdmin(ReadOnlyAdmin):
    """Receipts of erasures, newest first."""

    list_display = ["reference", "country", "actor", "guides", "manifests", "shown_state", "shown_begun"]
    nothing_yet = _("Nothing has been erased yet")
    how_it_begins = _("A receipt appears here once a person's data is erased.")
    first_steps = [(_("Personal data"), "privacy", "shipments.erase_person")]
    search_fields = ["reference"]
    search_help_text = _("case reference, or a part of it")
    fields = [
        ("reference", "country"), ("actor", "created_at"), ("shown_state", "finished_at"), ("guides", "manifests"),
        ("files", "headings", "mentions"), "shown_drafts", "digest",
    ]  # fmt: skip
    readonly_fields = ["shown_state", "shown_drafts"]

    shown_begun = time_column(_("begun at"), "created_at")
    shown_state = column(_("state"), lambda receipt: badge(*_state(receipt)))
    shown_drafts = column(
        _("drafts ended"), lambda receipt: lines([_draft(each) for each in receipt.drafts]) or gettext("None.")
    )


def _state(receipt: Erasure) -> tuple[str, str]:
    """Return the state in words, and its colour."""
    if receipt.finished_at:
        return pgettext("erasure", "finished"), "success"
    if receipt.erased_at is None:
        return gettext("started; it continues by itself"), "warning"
    unread = unread_uploads(receipt).count()
    text = ngettext("once more after %d upload is read", "once more after %d uploads are read", unread)
    return text % unread, "info"


def _draft(ended: Mapping[str, str]) -> str:
    text = gettext(
        "%(company)s, uploaded by %(operator)s on %(time)s: ask for the workbook again, without this person."
    )
    uploaded_at = timezone.localtime(datetime.fromisoformat(ended["uploaded_at"]))
    return text % {**ended, "time": moments.in_words(uploaded_at)}


def urls() -> list[URLPattern]:
    return [path("", admin.site.admin_view(PersonPage.as_view()), name="privacy")]


# --- the print: in words, by the columns' labels, without operators' names ----------------------------------------

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
            parts.append((title, [list(_label_values(row, model, country)) for row in rows if row]))
        shown.append(parts)
    context = {"entries": shown, "reference": reference, "now": timezone.now()}
    return TemplateResponse(request, "shipments/privacy_print.html", context).render()


def _label_values(row: Mapping[str, Any], model: type[Model] | None, country: str) -> Iterator[tuple[str, str]]:
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
        return date_format(timezone.localtime(value), "DATETIME_FORMAT")  # of any year, and kept
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    if isinstance(value, Decimal):
        return amount(value)
    if name == "event_type":
        return event_name(value)
    if name == "fields":
        return ", ".join(map(field_label, value))
    if name == "body" and isinstance(value, str):  # of a webhook, without what only programs read
        body = json.loads(value)
        return ", ".join(f"{label}: {text}" for label, text in _label_values(body.get("data", body), None, ""))
    if isinstance(value, list):
        return "; ".join(_in_words(name, None, each) for each in value)
    if isinstance(value, dict):
        return value.get("message") or ", ".join(f"{label}: {text}" for label, text in _label_values(value, None, ""))
    choices = dict(column.flatchoices) if column is not None else _CHOICES.get(name, {})
    if name == "country":
        choices = dict(country_choices())
    return reason_in_words(str(choices.get(value) or _CHOICES.get(name, {}).get(value, value)))
