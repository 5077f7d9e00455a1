"""The audit pages: what operators did, and what was changed. Read-only, for operators who see every country."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

import auditlog.admin  # noqa: F401  # registers its own page, which ours replaces; autodiscovery may come to it later
from auditlog.models import LogEntry as Change
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry as Act
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter, RangeDateFilter
from unfold.paginator import InfinitePaginator

from base.admin.activity import ActKind, act_in_words
from base.admin.list_exports import ExportedColumn, ExportedList, ListExports
from base.admin.list_filters import ChoiceFilter, DaysForm
from base.admin.lists import badge, column
from base.admin.scoped_admin import ReadOnly
from base.admin.spreadsheets import Value
from base.db.moments import in_list, midnight
from companies.clocks import add_zone
from companies.everywhere_admin import EverywhereAdmin
from companies.exported_columns import moment
from companies.operators.role_names import permission_in_words, role_in_words
from webhooks.event_names import event_name

admin.site.unregister(Change)

_COLOURS = {
    ActKind.OPENED: "info",
    ActKind.EXPORTED: "warning",
    ActKind.MOVED: "success",
    ActKind.CORRECTED: "success",
    ActKind.UPLOADED: "success",
    ActKind.NOTED: "info",
    ActKind.SENT: "warning",
    ActKind.CONFIGURED: "info",
}


class KindFilter(DropdownFilter):
    """Filter by kind of object; offers only kinds that occur in the log."""

    title = _("kind of object")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        kinds = [(kind, kind.model_class()) for kind in ContentType.objects.order_by("app_label", "model")]
        kept = {"company", "flight", "group", "guide", "manifest", "operatorprofile", "subscription", "user"}
        return [(str(kind.pk), str(model._meta.verbose_name)) for kind, model in kinds if model and kind.model in kept]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # Django's signature
        value = self.value()
        return queryset.filter(content_type_id=value) if value in dict(self.lookup_choices) else queryset


class DayFilter(RangeDateFilter):
    """Filter by days of the operator's clock, both included; unfold's own filter compares times with midnight."""

    form_class = DaysForm  # type: ignore[assignment]  # any form

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # Django's signature
        for ending, lookup in (("from", "gte"), ("to", "lte")):
            with suppress(ValueError):  # empty, or not a date
                day = date.fromisoformat(str(self.used_parameters.get(f"{self.parameter_name}_{ending}")))
                queryset = queryset.filter(**{f"{self.parameter_name}__date__{lookup}": day})
        return queryset


class ActKindFilter(ChoiceFilter):
    title = _("action")
    parameter_name = "what"
    options = [(kind.name.lower(), kind.label) for kind in ActKind]

    def narrow(self, request: HttpRequest, rows: QuerySet[Any], value: str) -> QuerySet[Any]:  # noqa: ARG002  # the base's signature
        kind = ActKind[value.upper()]
        if kind is ActKind.CONFIGURED:
            return rows.exclude(action_flag__in=[other for other in ActKind if other is not kind])
        return rows.filter(action_flag=kind)


_MOMENTS = {Act: "action_time", Change: "timestamp"}
"""The field with the time, of each log."""


class RecentDayFilter(ChoiceFilter):
    """Filter by today or yesterday, by the operator's clock."""

    title = _("day")
    parameter_name = "day"
    options = [("today", _("Today")), ("yesterday", _("Yesterday"))]

    def narrow(self, request: HttpRequest, rows: QuerySet[Any], value: str) -> QuerySet[Any]:  # noqa: ARG002  # the base's signature
        day, moment = timezone.localdate() - timedelta(days=value == "yesterday"), _MOMENTS[rows.model]
        begins, ends = midnight(day), midnight(day + timedelta(days=1))
        return rows.filter(**{f"{moment}__gte": begins, f"{moment}__lt": ends})


def _title(act: Act | Change) -> str:
    """The object's name at the time; a role, and what has no page, are named in the reader's language."""
    if act.content_type and act.content_type.model == "group":
        return role_in_words(act.object_repr)
    return str(act.object_repr) if act.object_id or not act.object_repr else gettext(act.object_repr)


class AuditAdmin(ReadOnly, EverywhereAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """A log that nobody can change, not even a superuser."""

    list_display_links = None
    list_per_page = 50
    actions = None
    paginator = InfinitePaginator  # counting millions of rows takes longer than showing fifty
    show_full_result_count = False
    sortable_by = ()

    shown_time = column(
        add_zone(_("time")),
        lambda row: in_list(getattr(row, _MOMENTS[type(row)]), "%H:%M:%S"),
    )

    @admin.display(description=_("kind of object"))
    def shown_kind(self, row: Any) -> str:  # noqa: ANN401  # a line of either log
        model = row.content_type.model_class() if row.content_type else None
        return str(model._meta.verbose_name) if model else ""

    shown_object = column(_("object"), _title)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        """A line's page has what the list has: the rest is as programs keep it."""
        return self.get_list_display(request)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401, ARG002  # as above
        return self.get_list_display(request)

    def title_of(self, row: Any) -> str:  # noqa: ANN401  # a line of either log
        return f"{in_list(getattr(row, _MOMENTS[type(row)]))} · {_title(row)}"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Never cached: the page contains personal data."""
        response = super().changelist_view(request, extra_context)
        response["Cache-Control"] = "no-store"
        return response


def act_rows(acts: QuerySet[Act]) -> Iterator[Sequence[Value]]:
    """Yield the rows for `_ACT_COLUMNS`, read lazily from the database."""
    for act in acts.select_related("user", "content_type").iterator(chunk_size=2_000):
        kind = act.content_type.model if act.content_type else ""
        done = ActKind.of(act).name.lower()
        message = act_in_words(act)
        yield act.action_time, act.user.get_username(), kind, _title(act), act.object_id, done, message


_KINDS: Mapping[str, Any] = {str(model._meta.model_name): model._meta.verbose_name for model in apps.get_models()}
_ACT_COLUMNS = (
    moment("time", _("time")),
    ExportedColumn("user", _("user")),
    ExportedColumn("kind_of_object", _("kind of object"), _KINDS),
    ExportedColumn("object", _("object")),
    ExportedColumn("object_id", _("object id")),
    ExportedColumn("action", _("action"), {kind.name.lower(): kind.label for kind in ActKind}),
    ExportedColumn("details", _("details")),
)


@admin.register(Act)
class ActAdmin(ListExports, AuditAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """What operators did: viewed, moved, corrected, exported, downloaded, changed."""

    list_title = _("Activity log")
    shown_message = column(_("details"), act_in_words)
    exported = ExportedList("activity", _("Activity log"), _ACT_COLUMNS, act_rows)
    list_display = ["shown_time", "user", "shown_kind", "shown_object", "shown_action", "shown_message"]
    list_select_related = ["user", "content_type"]
    list_filter = [
        "user",
        ActKindFilter,
        KindFilter,
        RecentDayFilter,
        ("action_time", DayFilter),
    ]
    ordering = ["-id"]
    search_fields = ["=object_repr", "=object_id"]
    search_help_text = _("Full tracking code, MAWB, company or user, as shown in the object column")

    def get_exported_rows(self, request: HttpRequest) -> QuerySet[Act]:
        """Leave out the entry of the export itself: it is written before the rows are read."""
        newest = Act.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        return super().get_exported_rows(request).filter(pk__lte=newest)

    @admin.display(description=_("action"))
    def shown_action(self, act: Act) -> SafeString:
        kind = ActKind.of(act)
        return badge(kind.label, _COLOURS[kind])

    @admin.display(description=_("object"))
    def shown_object(self, act: Act) -> str:
        page = act.get_admin_url() if act.object_id and not act.is_deletion() else None
        return format_html('<a href="{}">{}</a>', page, _title(act)) if page else _title(act)


@admin.register(Change)
class ChangeAdmin(AuditAdmin):
    """What changed on companies, endpoints, operators and groups, from the admin or a command; and logins."""

    list_title = _("Configuration changes")
    list_display = ["shown_time", "shown_actor", "shown_kind", "shown_object", "shown_action", "shown_changes"]
    list_select_related = ["actor", "content_type"]
    list_filter = [
        "actor",
        KindFilter,
        "action",
        RecentDayFilter,
        ("timestamp", DayFilter),
    ]
    ordering = ["-id"]
    search_fields = ["=object_repr", "=object_pk"]
    search_help_text = _("Full name of the company, endpoint, user or group, as shown in the object column")

    @admin.display(description=_("who"))
    def shown_actor(self, change: Change) -> str:
        who = str(change.actor or gettext("a command"))
        return f"{who} ({change.remote_addr})" if change.remote_addr else who

    @admin.display(description=_("action"))
    def shown_action(self, change: Change) -> SafeString:
        badges = {
            Change.Action.CREATE: (gettext("made"), "success"),
            Change.Action.UPDATE: (gettext("changed"), "info"),
            Change.Action.DELETE: (gettext("deleted"), "danger"),
            Change.Action.ACCESS: (gettext("logged in"), "warning"),
        }
        return badge(*badges[change.action])

    @admin.display(description=_("before and after"))
    def shown_changes(self, change: Change) -> SafeString:
        model = change.content_type.model_class()
        lines = (_describe(model, name, values) for name, values in (change.changes or {}).items())
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines if line))


def _describe(model: Any, name: str, values: Any) -> SafeString | str:  # noqa: ANN401  # a model or None, auditlog's JSON
    """Return a field's change in words; empty if none shows. values: a pair, or what became of links to other rows.

    A field that no longer exists has its former name.
    """
    try:
        field = model._meta.get_field(name)
    except (AttributeError, FieldDoesNotExist):
        field = None
    label = str(getattr(field, "verbose_name", name))
    if isinstance(values, dict):
        operations = {"add": gettext("added"), "delete": gettext("removed")}
        operation = operations.get(values["operation"], values["operation"])
        in_words = {"groups": role_in_words, "permissions": _permission}.get(name, str)
        named = map(in_words, values["objects"])
        return format_html("<b>{}</b>: {} {}", label, operation, ", ".join(named))
    before, after = (_in_words(field, value) for value in values)
    return format_html("<b>{}</b>: {} → {}", label, before, after) if (before, after) != ("–", "–") else ""


def _permission(text: str) -> str:
    """Return a permission in words. text: as Django writes it, such as `Companies | company | Can view company`."""
    kept = Permission.objects.filter(name=text.rpartition(" | ")[2]).select_related("content_type")
    found = [permission for permission in kept if str(permission.content_type.name) in text] or list(kept)
    return permission_in_words(found[0]) if found else text


def _in_words(field: Any, value: str) -> str:  # noqa: ANN401  # a model's field, or None
    """Return a value of auditlog as forms show it: a row by its name, a moment by the operator's clock."""
    words = {"": "–", "None": "–", "null": "–", "[]": "–", "True": gettext("yes"), "False": gettext("no")}
    if field is None or value in words:
        return words.get(value, value)
    with suppress(ValueError, ValidationError):  # the field has had another type
        if field.is_relation:
            return str(field.related_model.objects.filter(pk=value).first() or value)
        if field.get_internal_type() == "DateTimeField":
            return in_list(datetime.fromisoformat(value).replace(tzinfo=UTC))
        if field.get_internal_type() == "JSONField":
            in_words = event_name if field.name == "event_types" else str
            return ", ".join(map(in_words, json.loads(value)))
    return str(dict(getattr(field, "flatchoices", ())).get(value, value))  # a link from other rows has none
