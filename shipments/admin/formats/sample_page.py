"""Uploading a sample workbook, the first page of a new format or of a new version."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget

from companies.admin_base.activity import log_act
from companies.admin_base.admin_pages import UploadField
from companies.country_names import country_choices
from companies.models import Company, Kind
from companies.scope import scope_of
from shipments.activity import SAMPLE_UPLOADED
from shipments.admin.formats.draft_access import (
    FORMATS,
    address,
    draft_page,
    format_or_404,
    refusal_in_words,
    require_teacher,
)
from shipments.errors import ParserBusy, WorkbookUnreadable
from shipments.formats.drafting import MOST_ROWS, SampleTooLong, begin_draft, end_draft
from shipments.models import FormatDraft, WorkbookFormat
from shipments.trouble import reports_missing_files

may_be_called = require_http_methods(["GET", "HEAD", "POST"])


class CompanyForm(forms.Form):
    """A company, and one of its countries."""

    company = forms.ModelChoiceField(
        label=_("Company"), queryset=Company.objects.none(), widget=UnfoldAdminSelectWidget
    )
    country = forms.ChoiceField(label=_("Country"), widget=UnfoldAdminSelectWidget)

    def __init__(self, operator: User, data: Any = None, files: Any = None, initial: Any = None) -> None:  # noqa: ANN401  # a form's
        super().__init__(data, files, initial=initial)
        clients = Company.objects.governed_by(operator).filter(kind=Kind.CLIENT, is_active=True)
        scope = scope_of(operator)
        self.fields["company"].queryset = clients.order_by("name")  # type: ignore[attr-defined]  # a ModelChoiceField
        self.fields["country"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
            (code, name) for code, name in country_choices() if scope.covers([code])
        ]

    def clean(self) -> dict[str, Any]:
        """Check that the company may ship to the country."""
        values: dict[str, Any] = self.cleaned_data
        company, country = values.get("company"), values.get("country")
        if company and country and country not in company.allowed_countries:
            self.add_error("country", gettext("This company may not ship to this country."))
        return values


def asked_company(request: HttpRequest) -> dict[str, Any]:
    """The company that the list was filtered by, and its country if it has only one."""
    companies = Company.objects.governed_by(request.user).filter(client_code=request.GET.get("company", ""))
    company = companies.first()
    countries = company.allowed_countries if company else []
    return {"company": company, "country": countries[0] if len(countries) == 1 else None}


class SampleForm(CompanyForm):
    """A sample for a new format."""

    file = UploadField(
        label=_("Sample workbook"),
        help_text=_(
            "An .xlsx that the client would upload, with at least ten shipments; at most 20 MB and 10,000 rows."
        ),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".xlsx"}),
    )

    def __init__(
        self,
        operator: User,
        known: WorkbookFormat | None,
        data: Any = None,  # noqa: ANN401  # a form's
        files: Any = None,  # noqa: ANN401  # as above
        initial: Any = None,  # noqa: ANN401  # as above
    ) -> None:
        super().__init__(operator, data, files, initial)
        if known:  # the sample is for a new version
            del self.fields["company"], self.fields["country"]


@may_be_called
@reports_missing_files
def new_sample(request: HttpRequest, object_id: str = "") -> HttpResponseBase:
    """Show the form, or store the sample and go on to where things are in it. object_id: of a format to change."""
    known = format_or_404(request, object_id) if object_id else None
    operator = require_teacher(request)
    if request.method != "POST":
        return _page(request, SampleForm(operator, known, initial=asked_company(request)), known)
    return _upload(request, operator, known)


def _upload(request: HttpRequest, operator: User, known: WorkbookFormat | None) -> HttpResponseBase:
    form = SampleForm(operator, known, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, known, status=400)
    values = form.cleaned_data
    company, country = (known.company, known.country) if known else (values["company"], values["country"])
    try:
        draft = begin_draft(operator, company, country, values["file"], form=known)
    except SampleTooLong:
        text = gettext("The sample has more than %(most)d rows. Send a part of it, or use the command draft_format.")
        form.add_error("file", text % {"most": MOST_ROWS})
    except (WorkbookUnreadable, ParserBusy) as refused:
        form.add_error("file", refusal_in_words(refused))
    else:
        log_act(request, company, SAMPLE_UPLOADED)
        return HttpResponseRedirect(address("where", draft))
    return _page(request, form, known, status=400)


@draft_page("where")
@require_POST
def discard(request: HttpRequest, draft: FormatDraft) -> HttpResponse:
    """Delete the draft and its sample."""
    end_draft(draft)
    messages.success(request, gettext("The draft and its sample are deleted."))
    return HttpResponseRedirect(reverse(FORMATS))


def _page(request: HttpRequest, form: SampleForm, known: WorkbookFormat | None, *, status: int = 200) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "opts": WorkbookFormat._meta,
        "title": _("Upload a sample workbook"),
        "form": form,
        "known": known,
        "list_url": reverse(FORMATS),
    }
    response = TemplateResponse(request, "shipments/formats/sample.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response
