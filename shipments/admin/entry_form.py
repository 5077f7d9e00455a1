"""The form with which an operator uploads a manifest for a client."""

from pathlib import Path
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextInputWidget

from base.admin.pages import UploadField
from companies.models import Company
from companies.scope import Viewer
from shipments.admin.filters import company_select
from shipments.files.invoices import is_pdf
from shipments.manifests import flights
from shipments.models import Manifest

_SNIFFED_BYTES = 512


class EntryForm(forms.Form):
    """Whose manifest it is, where it goes, and the files."""

    company = forms.ModelChoiceField(
        label=_("Client"),
        queryset=Company.objects.none(),
        to_field_name="client_code",
        widget=company_select(Manifest, _("Choose…")),
        error_messages={"invalid_choice": _("Choose a client that ships to your countries alone.")},
        help_text=_("Only clients that ship to your countries alone. The manifest is theirs, as if they had sent it."),
    )
    manifest_file = UploadField(
        label=_("Manifest"),
        help_text=_("The client's workbook (.xlsx, at most 20 MB), or a JSON manifest (.json, at most 10 MB)."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".xlsx,.json"}),
    )
    destination_airport = forms.CharField(
        label=_("Destination airport"),
        required=False,
        max_length=3,
        widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "SCL"}),
        help_text=_("Only if the workbook does not say it, or says it wrong: what you enter here wins."),
    )
    invoice_file = UploadField(
        label=_("Invoice (PDF)"),
        required=False,
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": "application/pdf,.pdf"}),
        help_text=_("Optional. It can also be attached later."),
    )

    def __init__(self, user: Viewer, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*arguments, **named)
        companies = Company.objects.governed_by(user).clients().active().order_by("name")
        self.fields["company"].queryset = companies  # type: ignore[attr-defined]  # a ModelChoiceField

    def clean_destination_airport(self) -> str:
        text = str(self.cleaned_data["destination_airport"])
        try:
            return flights.airport(text) if text else ""
        except ValueError:
            raise forms.ValidationError(gettext("Write the IATA code of an airport, such as SCL.")) from None

    def clean_invoice_file(self) -> "UploadedFile[bytes] | None":
        invoice: UploadedFile[bytes] | None = self.cleaned_data["invoice_file"]
        if invoice and not is_pdf(invoice):
            raise forms.ValidationError(gettext("The invoice is not a PDF file."))
        return invoice

    def clean(self) -> dict[str, Any]:
        """Refuse a destination beside a JSON manifest, which it would not change."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("destination_airport") and cleaned.get("manifest_file") and self.is_json:
            self.add_error("destination_airport", gettext("A JSON manifest says its destination; leave this empty."))
        return cleaned

    @property
    def path(self) -> Path:
        return Path(self.cleaned_data["manifest_file"].temporary_file_path())

    @property
    def is_json(self) -> bool:
        """Return whether the manifest is JSON, by its beginning or its name. The form must be valid."""
        upload: UploadedFile[bytes] = self.cleaned_data["manifest_file"]
        beginning = upload.read(_SNIFFED_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n")
        upload.seek(0)
        return beginning.startswith((b"{", b"[")) or (upload.name or "").lower().endswith(".json")
