"""The ways to a format: from a client's sample, from the house template, from a file."""

from collections.abc import Collection
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget

from companies.admin_base.activity import log_act
from companies.admin_base.admin_pages import FormPage, UploadField
from companies.countries import SERVED
from companies.country_names import country_choices
from companies.errors import DomainError
from companies.models import Company, Kind
from companies.scope import scope_of
from shipments.activity import SAMPLE_UPLOADED
from shipments.admin.formats import format_page
from shipments.admin.formats.forms import PublishingForm
from shipments.admin.formats.place_lines import LINES
from shipments.admin.formats.readings import refusal_in_words
from shipments.errors import FormatConflict, FormatInvalid, HeadingsDiffer
from shipments.formats import drafting
from shipments.formats.drafting import change_draft, look_at
from shipments.formats.format_files import import_format, use_house
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.manifests.mapped.spec import MAX_FILE_BYTES, load
from shipments.models import FormatDraft, WorkbookFormat

NAME = "shipments_workbookformat"
LIST = reverse_lazy(f"admin:{NAME}_changelist")


class CompanyForm(forms.Form):
    """A company, and one of its countries: if it has only one, nobody has to choose."""

    company = forms.ModelChoiceField(
        label=_("Company"), queryset=Company.objects.none(), widget=UnfoldAdminSelectWidget, empty_label=_("Choose…")
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


def page_of(name: str, draft: FormatDraft) -> str:
    """The address of a page of a draft."""
    return reverse(f"admin:{NAME}_{name}", args=[draft.pk])


class TeachingPage(FormPage):
    """A page for those who may teach formats."""

    permission_required = ("shipments.add_workbookformat", "shipments.change_workbookformat")
    extra_context = {"opts": WorkbookFormat._meta, "list_url": LIST}  # Django's

    def refused(self, form: Any, refused: DomainError) -> HttpResponse:  # noqa: ANN401  # the form of each page
        """Show the refusal in the operator's words; ask where a person may go on all the same."""
        if not (isinstance(form, PublishingForm) and form.blame(refused)):
            form.add_error("file" if "file" in form.fields else None, refusal_in_words(refused))
        return self.form_invalid(form)

    def to_format(self, form: WorkbookFormat, text: str) -> HttpResponse:
        """Go to the page of a format."""
        messages.success(self.request, text)
        return HttpResponseRedirect(reverse(f"admin:{NAME}_change", args=[form.pk]))


class NewFormatPage(TeachingPage):
    """A page on which a company is chosen."""

    template_name = "shipments/formats/binding.html"
    text: str | Promise = ""
    button: str | Promise = ""

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "operator": self.request.user}

    def get_initial(self) -> dict[str, Any]:
        """The company that the list was filtered by."""
        code = self.request.GET.get("company", "")
        return {"company": Company.objects.governed_by(self.request.user).filter(client_code=code).first()}


class HousePage(NewFormatPage):
    """Binding the house template to a company."""

    title, form_class, button = _("Use the house template"), HouseForm, _("Use from now on")
    text = _(
        "The client fills in our own template; its workbooks are read from now on. The template is downloaded from the "
        "page Upload a manifest."
    )

    def saved(self, form: HouseForm) -> HttpResponse:
        company, country = form.cleaned_data["company"], form.cleaned_data["country"]
        found = use_house(company, country, actor=self.request.user.get_username())
        return self.to_format(found, gettext("The house template is in use for %s.") % company.name)


class ImportPage(NewFormatPage):
    """Saving the format of a file. It is not used until it is published."""

    title, form_class, button = _("Import a format"), FormatFileForm, _("Import")
    text = _("The format is saved without being used; its kept tests are run when you choose to use it.")

    def saved(self, form: FormatFileForm) -> HttpResponse:
        content = form.cleaned_data["file"].read(MAX_FILE_BYTES + 1)
        try:
            spec, _tests = load(content)
        except FormatInvalid as error:
            raise FormatInvalid(gettext("The file is not a valid format. In detail: %s") % error) from error
        if not scope_of(self.request.user).covers([spec.country]):
            raise FormatConflict(gettext("The format is for a country outside yours."))
        saved = import_format(
            form.cleaned_data["company"],
            content,
            actor=self.request.user.get_username(),
            despite_headings=form.is_despite(HeadingsDiffer),
        )
        text = gettext("The format is saved. It is not used until a version is chosen.")
        return self.to_format(saved.version.format, text)


class SamplePage(NewFormatPage):
    """The first page, of a new format or, with an `object_id`, of a new version."""

    title, form_class, button = _("Upload a sample workbook"), SampleForm, _("Next")
    template_name = "shipments/formats/sample.html"

    @cached_property
    def known(self) -> WorkbookFormat | None:
        key = self.kwargs.get("object_id")
        return format_page.format_or_404(self.request, key) if key else None

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "known": self.known}

    def saved(self, form: SampleForm) -> HttpResponse:
        values, known = form.cleaned_data, self.known
        company, country = (known.company, known.country) if known else (values["company"], values["country"])
        draft = drafting.begin_draft(cast("User", self.request.user), company, country, values["file"], form=known)
        log_act(self.request, company, SAMPLE_UPLOADED)
        look = look_at(draft)
        lines = LINES(draft, look)
        if not lines.is_found():
            return HttpResponseRedirect(page_of("where", draft))
        change_draft(draft, lines.content(), look.place)  # nothing has to be asked; the next page says where things are
        return HttpResponseRedirect(page_of("columns", draft))
