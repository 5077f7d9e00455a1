"""Workbook formats: their versions and alarms, and publishing, going back and retiring."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_permission_codename
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget

from companies.admin_base.activity import Act, log_act
from companies.admin_base.confirmation import Question, ask, is_confirmed
from companies.errors import DomainError
from companies.models import Company
from shipments.activity import FORMAT_PUBLISHED, FORMAT_RETIRED
from shipments.admin.filters import CompanyFilter, CountryFilter
from shipments.admin.formats.format_page import format_context, uploads_of
from shipments.admin.formats.forms import PublishingForm
from shipments.admin.formats.wizard import format_urls
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.errors import KeptTestsDiffer
from shipments.formats.publishing import publish, retire
from shipments.models import WorkbookFormat

PUBLISHING = Question(
    title=_("Use a version"),
    consequences=(
        _("Uploads from now on are read by this version, whether it is newer or older than the one in use."),
    ),
    button=_("Use this version"),
)
RETIRING = Question(
    title=_("Retire the format"),
    consequences=(_("It reads nothing more. Its versions stay, because manifests name them."),),
    button=_("Retire"),
    is_dangerous=True,
)


class VersionForm(PublishingForm):
    """The version to use."""

    number = forms.TypedChoiceField(label=_("Version"), coerce=int, widget=UnfoldAdminSelectWidget)

    def __init__(self, form: WorkbookFormat, data: Any = None, initial: Any = None) -> None:  # noqa: ANN401  # a form's
        super().__init__(data, initial=initial)
        choices = [(version.number, _label(version)) for version in form.versions.all()]
        self.fields["number"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField has them


def _label(version: Any) -> str:  # noqa: ANN401  # a row with its note
    when = date_format(localtime(version.created_at), "SHORT_DATETIME_FORMAT")
    return f"v{version.number} · {when} · {version.created_by}" + (f" · {version.note}" if version.note else "")


@admin.register(WorkbookFormat)
class WorkbookFormatAdmin(ReadOnlyAdmin):
    """Formats are read here and changed by actions; the commands import and export them."""

    list_display = [
        "name", "company", "country", "in_use_number", "uploads", "last_upload", "open_alarms", "is_active",
    ]  # fmt: skip
    list_select_related = ["company", "in_use"]
    nothing_yet = _("No format has been taught yet")
    how_it_begins = _("Workbooks are read by their headings. Teach a format for a client whose headings are others.")
    list_filter = [CompanyFilter, CountryFilter, "is_active"]
    search_fields = ["name"]
    fields = ["company", "country", "name", "is_active", "is_only", "in_use_number"]
    readonly_fields = ["in_use_number"]
    list_before_template: Any = "shipments/formats/list_before.html"
    actions_detail: Any = ["use_version", "retire"]

    def get_urls(self) -> list[URLPattern]:
        """Return the model's pages after ours, whose addresses are more specific."""
        return [*format_urls(), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        formats: QuerySet[Any] = super().get_queryset(request)
        counted: QuerySet[Any] = formats.annotate(alarms_count=Count("alarms", filter=Q(alarms__closed_at=None)))
        return counted

    @display(description=_("version in use"))
    def in_use_number(self, form: WorkbookFormat) -> str:
        return f"v{form.in_use.number}" if form.in_use else "-"

    @display(description=_("open alarms"))
    def open_alarms(self, form: Any) -> int:  # noqa: ANN401  # annotated
        return int(form.alarms_count)

    @display(description=_("uploads, 30 days"))
    def uploads(self, form: WorkbookFormat) -> int:
        return self._uploads(form)[0]

    @display(description=_("last of them"))
    def last_upload(self, form: WorkbookFormat) -> str:
        last = self._uploads(form)[1]
        return date_format(localtime(last), "SHORT_DATETIME_FORMAT") if last else "-"

    def _uploads(self, form: Any) -> tuple[int, Any]:  # noqa: ANN401  # annotated
        if not hasattr(form, "uploads_found"):
            form.uploads_found = uploads_of([form]).get(form.pk, (0, None))
        found: tuple[int, Any] = form.uploads_found
        return found

    def get_changelist_instance(self, request: HttpRequest) -> Any:  # noqa: ANN401  # unfold's list
        """Return the list, with the uploads of all its formats counted in one query."""
        changes = super().get_changelist_instance(request)
        found = uploads_of(list(changes.result_list))
        for form in changes.result_list:
            form.uploads_found = found.get(form.pk, (0, None))
        return changes

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a format with its versions, kept tests and alarms."""
        form = self._form_or_404(request, object_id)
        context = {**format_context(form), "may_teach": self.has_operate_permission(request, form)}
        return super().change_view(request, object_id, form_url, {**context, **(extra_context or {})})

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # unfold passes a key where Django passes a row
        """The change permission, and only for companies whose every country is the operator's."""
        if not request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename('change', self.opts)}"):
            return False
        if obj is None:
            return True
        form = obj if isinstance(obj, WorkbookFormat) else self._form_or_404(request, str(obj))
        return Company.objects.governed_by(request.user).filter(pk=form.company_id).exists()

    def _form_or_404(self, request: HttpRequest, object_id: str) -> WorkbookFormat:
        form: WorkbookFormat | None = self.get_object(request, object_id)
        if form is None:
            raise Http404
        return form

    @action(
        description=_("Use a version…"), url_path="use-version", permissions=["operate"], icon="published_with_changes"
    )
    def use_version(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Publish a version, or go back to an earlier one."""
        form = self._form_or_404(request, object_id)
        page = reverse("admin:shipments_workbookformat_change", args=[form.pk])
        choice = VersionForm(
            form, request.POST if is_confirmed(request) else None, initial={"number": request.GET.get("number")}
        )
        if choice.is_valid():
            number = choice.cleaned_data["number"]
            try:
                publish(
                    form, number, actor=request.user.get_username(), despite_tests=choice.is_despite(KeptTestsDiffer)
                )
            except KeptTestsDiffer as refused:
                choice.ask(refused)
            except DomainError as refused:
                choice.add_error(None, refused.message)
            else:
                return self._done(request, form, page, FORMAT_PUBLISHED, version=number)
        return ask(self, request, PUBLISHING, way_back=page, subject=form, form=choice)

    @action(description=_("Retire"), url_path="retire", permissions=["operate"], icon="block")
    def retire(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Stop using the format."""
        form = self._form_or_404(request, object_id)
        page = reverse("admin:shipments_workbookformat_change", args=[form.pk])
        if not is_confirmed(request):
            return ask(self, request, RETIRING, way_back=page, subject=form)
        retire(form, actor=request.user.get_username())
        return self._done(request, form, page, FORMAT_RETIRED)

    def _done(self, request: HttpRequest, form: WorkbookFormat, page: str, done: Act, **params: Any) -> HttpResponse:  # noqa: ANN401  # see Params
        log_act(request, form, done, **params)
        messages.success(request, done.said(params))
        return HttpResponseRedirect(page)
