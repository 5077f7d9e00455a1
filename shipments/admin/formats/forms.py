"""The forms of a format's pages: a company and a file, what is compared with the waybill, what is saved, and a set of
forms that ask at once."""

from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
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
    """A company, and one of its countries: if it has only one, nobody has to choose."""

    company = forms.ModelChoiceField(
        label=_("Company"), queryset=Company.objects.none(), widget=UnfoldAdminSelectWidget
    )
    country = forms.ChoiceField(label=_("Country"), required=False, widget=UnfoldAdminSelectWidget)
    countries: Collection[str] = SERVED

    def __init__(self, *args: Any, operator: User, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        self._scope = scope_of(operator)
        fields: Any = self.fields
        clients = Company.objects.governed_by(operator).filter(kind=Kind.CLIENT, is_active=True)
        fields["company"].queryset = clients.order_by("name")
        if "country" in fields:
            own = [(code, name) for code, name in country_choices() if self._is_offered(code)]
            fields["country"].choices = own if len(own) == 1 else [("", _("The company's only one")), *own]

    def clean(self) -> dict[str, Any]:
        """Find the country, and check that the company may ship to it."""
        values: dict[str, Any] = self.cleaned_data
        if not (company := values.get("company")) or "country" not in values:
            return values
        usual = [code for code in company.allowed_countries if self._is_offered(code)]
        if not values["country"] and len(usual) == 1:
            values["country"] = usual[0]
        if not values["country"]:
            self.add_error("country", gettext("The company ships to several countries: choose one."))
        elif values["country"] not in company.allowed_countries:
            self.add_error("country", gettext("This company may not ship to this country."))
        return values

    def _is_offered(self, code: str) -> bool:
        return code in self.countries and self._scope.covers([code])


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


class SavingForm(PublishingForm):
    """What a person has compared with the waybill, and how the format is saved.

    Each total is a choice by its number: if the reading changes meanwhile, it has to be compared again.
    """

    compared = forms.MultipleChoiceField(
        label=_("Does it match the waybill?"),
        help_text=_(
            "Compare with the paper waybill or the client's own totals and tick each. Nothing else finds grams taken "
            "for kilograms, pesos for dollars, or CIF for FOB."
        ),
        error_messages=dict.fromkeys(("required", "invalid_choice"), _("Compare each with the waybill, then tick it.")),
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )
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

    def __init__(self, *args: Any, draft: FormatDraft, totals: ReadTotals, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        self._draft = draft
        if draft.format:
            del self.fields["name"]
        guides, weight, fob = (number_format(each, force_grouping=True) for each in totals)
        count = ngettext("%(count)s shipment", "%(count)s shipments", totals.guides)
        texts = (count % {"count": guides}, gettext("total weight %s kg") % weight, gettext("FOB total US$ %s") % fob)
        compared: Any = self.fields["compared"]
        compared.choices = [
            (f"{name}={total}", text) for (name, total), text in zip(totals._asdict().items(), texts, strict=True)
        ]

    def clean_compared(self) -> list[str]:
        """Check that nothing was left out."""
        ticked: list[str] = self.cleaned_data["compared"]
        field: Any = self.fields["compared"]
        if len(ticked) < len(field.choices):
            raise forms.ValidationError(field.error_messages["required"])
        return ticked

    def clean_name(self) -> str:
        """The name, if it is free."""
        name: str = self.cleaned_data["name"]
        if WorkbookFormat.objects.of(self._draft.company).filter(name=name).exists():
            raise forms.ValidationError(
                gettext("The company has a format of this name. Choose another, or start a new sample from its page.")
            )
        return name


class Asked(forms.BaseFormSet):  # type: ignore[type-arg]  # generic in the stubs alone
    """A form for each part of a sample, bound from the start: to what was posted, else to what is proposed. So what has
    to be answered is asked when the page is opened, and a page where all is proposed can be skipped.
    """

    def __init__(self, parts: Mapping[str, tuple[dict[str, Any], Mapping[str, Any]]], posted: Any = None) -> None:  # noqa: ANN401  # a form's data
        """Arguments: parts: prefix -> what its form is made with, and its proposal, field -> value."""
        self._parts = [(prefix, options) for prefix, (options, _proposal) in parts.items()]
        proposed = {
            f"{prefix}-{name}": value
            for prefix, (_options, proposal) in parts.items()
            for name, value in proposal.items()
            if value not in {None, "", False}
        }
        counts = {
            "form-TOTAL_FORMS": len(parts),
            "form-INITIAL_FORMS": len(parts),
        }  # the sample has them, not the browser
        super().__init__((proposed if posted is None else posted.dict()) | counts)

    def add_prefix(self, index: Any) -> str:  # noqa: ANN401  # Django's signature
        return self._parts[index][0]

    def get_form_kwargs(self, index: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        return self._parts[index][1]
