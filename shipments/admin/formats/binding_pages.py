"""Binding a ready format to a company: the house template, or a format's file."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget

from companies.admin_base.admin_pages import UploadField
from companies.errors import DomainError
from companies.scope import scope_of
from shipments.admin.formats.draft_access import FORMATS, require_teacher
from shipments.admin.formats.sample_page import CompanyForm, asked_company, may_be_called
from shipments.admin.formats.saving_page import PublishingForm
from shipments.errors import FormatConflict, HeadingsDiffer
from shipments.formats.format_files import house_format, import_format
from shipments.formats.publishing import Saved, publish
from shipments.manifests.mapped.house.house_layouts import LAYOUTS
from shipments.manifests.mapped.spec import MAX_FILE_BYTES, load
from shipments.models import WorkbookFormat
from shipments.trouble import reports_missing_files


class FormatFileForm(PublishingForm, CompanyForm):
    """A format's file for a company; the country is in the file."""

    file = UploadField(
        label=_("Format file"),
        help_text=_("A JSON file that this page or the command export_format wrote; at most 3 MB."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".json"}),
    )

    def __init__(self, operator: User, data: Any = None, files: Any = None, initial: Any = None) -> None:  # noqa: ANN401  # a form's
        super().__init__(operator, data, files, initial)
        del self.fields["country"]


class HouseForm(CompanyForm):
    """A company, and one of its countries that has a house template."""

    def __init__(self, operator: User, data: Any = None, files: Any = None, initial: Any = None) -> None:  # noqa: ANN401  # a form's
        super().__init__(operator, data, files, initial)
        country: Any = self.fields["country"]
        country.choices = [(code, name) for code, name in country.choices if code in LAYOUTS]


@may_be_called
def house(request: HttpRequest) -> HttpResponse:
    """Bind the house template's format to a company and use it from now on."""
    operator = require_teacher(request)
    form = HouseForm(operator, request.POST if request.method == "POST" else None, initial=asked_company(request))
    text = _(
        "The client fills in our own template; its workbooks are read from now on. The template is downloaded from the "
        "sidebar."
    )
    if request.method == "POST" and form.is_valid():
        company, country = form.cleaned_data["company"], form.cleaned_data["country"]

        def bind() -> Saved:
            with transaction.atomic():
                saved = import_format(company, house_format(country), actor=operator.get_username())
                publish(saved.version.format, saved.version.number, actor=operator.get_username())
            return saved

        if response := _bound(request, form, bind, gettext("The house template is in use for %s.") % company.name):
            return response
    return _page(request, form, _("Use the house template"), text, _("Use from now on"))


@reports_missing_files
@may_be_called
def import_page(request: HttpRequest) -> HttpResponseBase:
    """Save the format of a file. It is not used until it is published."""
    operator = require_teacher(request)
    if request.method != "POST":
        return _import_page(request, FormatFileForm(operator, initial=asked_company(request)))
    form = FormatFileForm(operator, request.POST, request.FILES)
    if form.is_valid():
        company, upload = form.cleaned_data["company"], form.cleaned_data["file"]

        def bind() -> Saved:
            content = upload.read(MAX_FILE_BYTES + 1)
            if not scope_of(operator).covers([load(content)[0].country]):
                raise FormatConflict(gettext("The format is for a country outside yours."))
            despite_headings = form.is_despite(HeadingsDiffer)
            return import_format(company, content, actor=operator.get_username(), despite_headings=despite_headings)

        text = gettext("The format is saved. It is not used until a version is chosen.")
        if response := _bound(request, form, bind, text):
            return response
    return _import_page(request, form)


def _bound(request: HttpRequest, form: CompanyForm, bind: Callable[[], Saved], text: str) -> HttpResponse | None:
    """Go to the format that `bind` saved; None if it was refused, with the reason on the form."""
    try:
        saved = bind()
    except DomainError as refused:
        if isinstance(form, PublishingForm) and isinstance(refused, HeadingsDiffer):
            form.ask(refused)
        else:
            form.add_error(None, refused.message)
        return None
    messages.success(request, text)
    return HttpResponseRedirect(reverse("admin:shipments_workbookformat_change", args=[saved.version.format_id]))


def _import_page(request: HttpRequest, form: FormatFileForm) -> HttpResponse:
    text = _("The format is saved without being used; its kept tests are run when you choose to use it.")
    return _page(request, form, _("Import a format"), text, _("Import"))


def _page(
    request: HttpRequest,
    form: CompanyForm,
    title: str | Promise,
    text: str | Promise,
    button: str | Promise,
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "opts": WorkbookFormat._meta,
        "title": title,
        "text": text,
        "button": button,
        "form": form,
        "list_url": reverse(FORMATS),
    }
    response = TemplateResponse(request, "shipments/formats/binding.html", context, status=400 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response
