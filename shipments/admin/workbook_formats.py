"""Workbook formats: their versions and alarms, and publishing, going back and retiring."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_permission_codename
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget

from companies.admin_base.activity import Act, Params
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from companies.models import Company
from shipments.activity import FORMAT_PUBLISHED, FORMAT_RETIRED
from shipments.admin.columns import column, time_column
from shipments.admin.filters import CompanyFilter, CountryFilter
from shipments.admin.formats.format_page import format_context, uploads_of
from shipments.admin.formats.forms import PublishingForm
from shipments.admin.formats.wizard import format_urls
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.errors import KeptTestsDiffer
from shipments.formats.publishing import publish, retire
from shipments.models import WorkbookFormat


class VersionForm(PublishingForm):
    number = forms.TypedChoiceField(label=_("Version"), coerce=int, widget=UnfoldAdminSelectWidget)

    def __init__(self, form: WorkbookFormat, data: Any = None, initial: Any = None) -> None:  # noqa: ANN401  # a form's
        super().__init__(data, initial=initial)
        choices = [(version.number, _label(version)) for version in form.versions.all()]
        self.fields["number"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField has them


def _label(version: Any) -> str:  # noqa: ANN401  # a row with its note
    about = f"v{version.number} · {_when(version.created_at)} · {version.created_by}"
    return f"{about} · {version.note}" if version.note else about


def _when(moment: datetime) -> str:
    return date_format(localtime(moment), "SHORT_DATETIME_FORMAT")


def _publish(scene: Scene[WorkbookFormat], choice: VersionForm) -> Done[WorkbookFormat]:
    number, despite = choice.cleaned_data["number"], choice.is_despite(KeptTestsDiffer)
    publish(scene.one, number, actor=scene.actor, despite_tests=despite)
    return _done(scene, FORMAT_PUBLISHED, {"version": number})


def _retire(scene: Scene[WorkbookFormat], _form: object) -> Done[WorkbookFormat]:
    retire(scene.one, actor=scene.actor)
    return _done(scene, FORMAT_RETIRED, {})


def _done(scene: Scene[WorkbookFormat], done: Act, params: Params) -> Done[WorkbookFormat]:
    return Done([scene.one], [(messages.SUCCESS, done.said(params))], params, logged=done)


FORMAT_ACTIONS = (
    ConfirmedAction[WorkbookFormat](
        name="use_version", label=_("Use a version…"), icon="published_with_changes",
        question=Question(
            _("Use a version"),
            [_("Uploads from now on are read by this version, whether it is newer or older than the one in use.")],
            _("Use this version"),
        ),
        form=lambda scene, data, _files: VersionForm(
            scene.one, data, initial={"number": scene.request.GET.get("number")}
        ),
        run=_publish,
    ),
    ConfirmedAction[WorkbookFormat](
        name="retire", label=_("Retire"), icon="block",
        question=Question(
            _("Retire the format"),
            [_("It reads nothing more. Its versions stay, because manifests name them.")],
            _("Retire"), is_dangerous=True,
        ),
        run=_retire, fits=lambda form: form.is_active, among=lambda scene: scene.rows.filter(is_active=True),
    ),
)  # fmt: skip


@admin.register(WorkbookFormat)
class WorkbookFormatAdmin(ReadOnlyAdmin):
    """Formats are read here and changed by actions; the commands import and export them."""

    list_display = ["name", "company", "country", "in_use_number", "uploads", "last_upload", "open_alarms", "is_active"]
    list_select_related = ["company", "in_use"]
    nothing_yet = _("No format has been taught yet")
    how_it_begins = _("Workbooks are read by their headings. Teach a format for a client whose headings are others.")
    first_steps = ()  # its buttons are above the list
    list_filter = [CompanyFilter, CountryFilter, "is_active"]
    search_fields = ["name"]
    fields = ["company", "country", "name", "is_active", "is_only", "in_use_number"]
    readonly_fields = ["in_use_number"]
    list_before_template: Any = "shipments/formats/list_before.html"
    confirmed_actions = FORMAT_ACTIONS

    def get_urls(self) -> list[URLPattern]:
        """Return the model's pages after ours, whose addresses are more specific."""
        return [*format_urls(), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        formats: QuerySet[Any] = super().get_queryset(request)
        counted: QuerySet[Any] = formats.annotate(alarms_count=Count("alarms", filter=Q(alarms__closed_at=None)))
        return counted

    in_use_number = column(_("version in use"), lambda form: f"v{form.in_use.number}" if form.in_use else "-")
    open_alarms = column(_("open alarms"), lambda form: int(form.alarms_count))

    uploads = column(_("uploads, 30 days"), lambda form: int(form.uploads_count))
    last_upload = time_column(_("last of them"), "last_upload_at")

    def get_changelist_instance(self, request: HttpRequest) -> Any:  # noqa: ANN401  # unfold's list
        """Return the list, with the uploads of all its formats counted in one query."""
        changes = super().get_changelist_instance(request)
        found = uploads_of(list(changes.result_list))
        for form in changes.result_list:
            form.uploads_count, form.last_upload_at = found.get(form.pk, (0, None))
        return changes

    def page_context(self, request: HttpRequest, form: WorkbookFormat) -> dict[str, Any]:
        return {**format_context(form), "may_teach": self.has_operate_permission(request, form)}

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # a WorkbookFormat
        """The change permission, and only for companies whose every country is the operator's."""
        if not request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename('change', self.opts)}"):
            return False
        if obj is None:
            return True
        return Company.objects.governed_by(request.user).filter(pk=obj.company_id).exists()
