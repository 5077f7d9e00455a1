"""The forms of a format's pages: a company and a file, what is compared with the waybill, what is saved."""

from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from companies.admin_base.admin_pages import UploadField
from companies.countries import SERVED
from companies.country_names import country_choices
from companies.errors import DomainError
from companies.models import Company, Kind
from companies.scope import scope_of
from shipments.admin.formats.readings import ReadTotals
from shipments.errors import HeadingsDiffer, KeptTestsDiffer
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.manifests.mapped.spec import LONGEST_NAME
from shipments.models import FormatDraft, WorkbookFormat

NOW, LATER = "now", "later"

_QUESTIONS: Mapping[type[DomainError], tuple[str, Any, Any]] = {
    KeptTestsDiffer: (
        "despite_tests",
        _("Use it although it reads these tests differently"),
        _("They are not run again until a version passes them."),
    ),
    HeadingsDiffer: (
        "despite_headings",
        _("Save it although it is another layout"),
        _("A layout that the client uses beside the other one should be a format of its own."),
    ),
}


class PublishingForm(forms.Form):
    """A form that asks, after a refusal that a person may overrule, whether to go on all the same."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        for kind, (name, *_texts) in _QUESTIONS.items():
            if name in self.data:
                self._add_field(kind)

    def blame(self, refused: DomainError) -> bool:
        """Report a refusal that a person may overrule, and ask whether to go on; return whether it is one."""
        if type(refused) not in _QUESTIONS:
            return False
        self._add_field(type(refused))
        self.add_error(None, refused.message)
        return True

    def is_despite(self, kind: type[DomainError]) -> bool:
        """Whether the operator goes on all the same."""
        return bool(self.cleaned_data.get(_QUESTIONS[kind][0]))

    def _add_field(self, kind: type[DomainError]) -> None:
        name, label, help_text = _QUESTIONS[kind]
        self.fields[name] = forms.BooleanField(
            label=label, help_text=help_text, required=False, widget=UnfoldBooleanWidget
        )


class CompanyForm(forms.Form):
    """A company, and one of its countries."""

    company = forms.ModelChoiceField(
        label=_("Company"), queryset=Company.objects.none(), widget=UnfoldAdminSelectWidget
    )
    country = forms.ChoiceField(label=_("Country"), widget=UnfoldAdminSelectWidget)
    countries: Collection[str] = SERVED

    def __init__(self, *args: Any, operator: User, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        clients = Company.objects.governed_by(operator).filter(kind=Kind.CLIENT, is_active=True)
        scope = scope_of(operator)
        self.fields["company"].queryset = clients.order_by("name")  # type: ignore[attr-defined]  # a ModelChoiceField
        if "country" in self.fields:
            self.fields["country"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
                (code, name) for code, name in country_choices() if code in self.countries and scope.covers([code])
            ]

    def clean(self) -> dict[str, Any]:
        """Check that the company may ship to the country."""
        values: dict[str, Any] = self.cleaned_data
        company, country = values.get("company"), values.get("country")
        if company and country and country not in company.allowed_countries:
            self.add_error("country", gettext("This company may not ship to this country."))
        return values


class SampleForm(CompanyForm):
    """A sample for a new format."""

    file = UploadField(
        label=_("Sample workbook"),
        help_text=_(
            "An .xlsx that the client would upload, with at least ten shipments; at most 20 MB and 10,000 rows."
        ),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".xlsx"}),
    )

    def __init__(self, *args: Any, known: WorkbookFormat | None, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        if known:  # the sample is for a new version
            del self.fields["company"], self.fields["country"]


class FormatFileForm(PublishingForm, CompanyForm):
    """A format's file for a company; the country is in the file."""

    country = None  # type: ignore[assignment]  # Django's, for a field that is not inherited
    file = UploadField(
        label=_("Format file"),
        help_text=_("A JSON file that this page or the command export_format wrote; at most 3 MB."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".json"}),
    )


class HouseForm(CompanyForm):
    """A company, and one of its countries that has a house template."""

    countries = LAYOUTS


class WaybillForm(forms.Form):
    """What a person has compared with the waybill: the one check that finds grams, pesos and CIF."""

    guides = forms.BooleanField(widget=UnfoldBooleanWidget)
    weight_kg = forms.BooleanField(widget=UnfoldBooleanWidget)
    fob_usd = forms.BooleanField(widget=UnfoldBooleanWidget)

    def __init__(self, *args: Any, totals: ReadTotals, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        count = ngettext("%(count)s shipment", "%(count)s shipments", totals.guides)
        self.fields["guides"].label = count % {"count": number_format(totals.guides, force_grouping=True)}
        weight, fob = (number_format(each, force_grouping=True) for each in totals[1:])
        self.fields["weight_kg"].label = gettext("total weight %s kg") % weight
        self.fields["fob_usd"].label = gettext("FOB total US$ %s") % fob
        for field in self.fields.values():
            field.error_messages["required"] = gettext("Compare it with the waybill, then tick it.")


class SavingForm(PublishingForm):
    """The format's name, a note on the version, and whether it is used."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, widget=UnfoldAdminTextInputWidget)
    note = forms.CharField(
        label=_("Note"),
        max_length=255,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Why this version exists. Do not name people."),
    )
    use = forms.ChoiceField(
        label=_("Use"),
        choices=[(NOW, _("Use from now on")), (LATER, _("Save without using"))],
        initial=NOW,
        widget=UnfoldAdminRadioSelectWidget,
    )

    def __init__(self, *args: Any, draft: FormatDraft, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        self._draft = draft
        if draft.format:
            del self.fields["name"]

    def clean_name(self) -> str:
        """The name, if it is free."""
        name: str = self.cleaned_data["name"]
        if WorkbookFormat.objects.of(self._draft.company).filter(name=name).exists():
            raise forms.ValidationError(
                gettext("The company has a format of this name. Choose another, or start a new sample from its page.")
            )
        return name
