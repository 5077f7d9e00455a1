"""The delivery log: every event sent to clients, when, and with which outcome. Read-only."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import truncatechars
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.paginator import InfinitePaginator

from base.admin.list_exports import ExportedColumn, ExportedList, ListExports
from base.admin.list_filters import ChoiceFilter, StatesFilter
from base.admin.lists import badge, column
from base.admin.saved_views import SavedViews
from base.admin.scoped_admin import ReadOnly, ScopedAdmin, ScopedAutocompleteFilter
from base.admin.spreadsheets import Value
from base.db.moments import in_list
from companies.clocks import add_zone
from companies.exported_columns import moment
from companies.models.contact import contact_of
from webhooks.admin.advice import advice, cause_of
from webhooks.admin.delivery_actions import Replay, Resend, ResendFailed, SendAgain
from webhooks.admin.statistics import milliseconds
from webhooks.event_names import EVENT_NAMES, event_name
from webhooks.models import Delivery, DeliveryQuerySet, State, Subscription
from webhooks.verdicts import Failure

_LISTS = {f"webhooks_delivery_{name}" for name in ("changelist", "views", "export_csv", "export_xlsx")}
_SHOWN_OF_URL = 40
_COLOURS = {
    State.PENDING: "info",
    State.SENDING: "info",
    State.DELIVERED: "success",
    State.FAILED: "danger",
    State.ABANDONED: "warning",
    State.CANCELLED: "warning",
    State.WAITING: "warning",
    State.DEAD: "danger",
}

_MEANINGS = {
    State.PENDING: _("is sent in a moment"),
    State.SENDING: _("its request is under way"),
    State.DELIVERED: _("the client's server accepted it"),
    State.FAILED: _("version 1: did not arrive, and is not sent again by itself"),
    State.ABANDONED: _("version 1: it is unknown whether it arrived"),
    State.CANCELLED: _("version 1: the subscription ended before it was sent"),
    State.WAITING: _("version 2: did not arrive, and is sent again by itself"),
    State.DEAD: _("version 2: did not arrive at any attempt, or the subscription ended"),
}

DELIVERY_COLUMNS: Sequence[ExportedColumn] = (
    moment("created_at", _("created at")),
    ExportedColumn("delivery_id", _("delivery id")),
    ExportedColumn("event_type", _("type"), EVENT_NAMES),
    ExportedColumn("subject", _("subject")),
    ExportedColumn("client_code", _("client code")),
    ExportedColumn("endpoint", _("endpoint")),
    ExportedColumn("state", _("state"), dict(State.choices)),
    ExportedColumn("http_status", _("HTTP status")),
    ExportedColumn("error", _("error"), dict(Failure.choices)),
    ExportedColumn("duration_ms", _("duration (ms)")),
    ExportedColumn("attempts", _("attempts")),
    ExportedColumn("replays", _("replays")),
    ExportedColumn("resends", _("resends")),
    moment("sent_at", _("sent at")),
    moment("finished_at", _("finished at")),
)

_FETCHED = 2_000


def delivery_rows(deliveries: QuerySet[Delivery]) -> Iterator[Sequence[Value]]:
    """Yield the rows for `DELIVERY_COLUMNS`, read lazily from the database.

    deliveries: with `is_endpoint_seen`, whether the operator may see the subscription. Its URL is empty otherwise, and
    once it is deleted, as in the list.
    """
    for one in deliveries.select_related("company", "subscription").iterator(chunk_size=_FETCHED):
        subscription = one.subscription
        is_seen = subscription is not None and not subscription.deleted_at and getattr(one, "is_endpoint_seen", False)
        yield (
            one.created_at, one.delivery_id, one.event_type, one.subject, one.company.client_code,
            subscription.shown_url if subscription is not None and is_seen else "", one.state, one.http_status,
            one.error, one.duration_ms, one.attempts, one.replays, one.resends, one.attempted_at, one.finished_at,
        )  # fmt: skip


class AgeFilter(ChoiceFilter):
    title = _("age")
    parameter_name = "age"
    options = [("1", _("last hour")), ("24", _("last 24 hours")), ("168", _("last 7 days"))]

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Delivery]:  # noqa: ANN401, ARG002  # the base's signature
        return cast("QuerySet[Delivery]", rows.filter(created_at__gte=timezone.now() - timedelta(hours=int(value))))


class TypeFilter(ChoicesDropdownFilter):
    """Filters by type, under its name."""

    def choices(self, changelist: Any) -> Iterator[Any]:  # noqa: ANN401  # unfold's signature
        for one in super().choices(changelist):
            field = one["form"].fields[self.lookup_kwarg]
            field.choices = [(value, event_name(value) if value else label) for value, label in field.choices]
            yield one


class StateFilter(StatesFilter):
    """Filters by state, and says what each one means."""

    def choices(self, changelist: Any) -> Iterator[Any]:  # noqa: ANN401  # unfold's signature
        for one in super().choices(changelist):
            field = one["form"].fields[self.lookup_kwarg]
            field.choices = [
                (value, f"{label}: {_MEANINGS[State(value)]}" if value else label) for value, label in field.choices
            ]
            yield one


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly, SavedViews, ListExports, ScopedAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    confirmed_actions = (Replay, Resend, SendAgain, ResendFailed)
    nothing_yet = _("Nothing has been sent yet")
    how_it_begins = _("Each event for a subscribed endpoint appears here, whether it was sent or still waits.")
    first_steps = [(_("Subscriptions"), "admin:webhooks_subscription_changelist", "webhooks.view_subscription")]
    list_display = [
        "shown_created", "shown_type", "subject", "company", "shown_endpoint", "shown_state", "shown_outcome",
        "shown_duration",
    ]  # fmt: skip
    list_select_related = ["company", "subscription"]
    list_filter = [
        ("company", ScopedAutocompleteFilter),
        ("subscription", ScopedAutocompleteFilter),
        ("state", StateFilter),
        ("event_type", TypeFilter),
        "error",
        AgeFilter,
    ]
    sortable_by = ("shown_created",)  # no index has the log in another order
    list_per_page = 50
    paginator = InfinitePaginator  # counting millions of rows would take longer than showing fifty of them
    show_full_result_count = False
    exported = ExportedList("deliveries", _("List of deliveries"), DELIVERY_COLUMNS, delivery_rows)
    search_fields = ["subject"]
    search_help_text = _("A whole tracking code, MAWB or delivery id (evt_...)")
    fieldsets = [
        (None, {"fields": [
            ("state", "shown_outcome", "shown_duration"), "shown_advice",
            ("shown_type", "shown_subject"), "company", "shown_subscription",
            "shown_id", "shown_times", "shown_attempts",
        ]}),
        (_("Sent"), {"fields": ["shown_body"]}),
        (_("Answer"), {"fields": [("http_status", "remote_address"), "shown_excerpt"]}),
    ]  # fmt: skip
    readonly_fields = [
        "shown_outcome", "shown_advice", "shown_duration", "shown_subject", "shown_subscription", "shown_id",
        "shown_times", "shown_attempts", "shown_body", "shown_excerpt",
    ]  # fmt: skip
    change_form_template = "webhooks/delivery.html"

    def has_replay_permission(self, request: HttpRequest, delivery: Delivery | None = None) -> bool:  # noqa: ARG002  # the same for each
        """Operators who may change a subscription may replay its deliveries."""
        return request.user.has_perm("webhooks.change_subscription")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Delivery], search_term: str  # noqa: ARG002  # Django's signature
    ) -> tuple[QuerySet[Delivery], bool]:  # fmt: skip
        """Search by the whole subject or id. Both are indexed; searching for a part would read the whole log."""
        term = search_term.strip()
        if not term:
            return queryset, False
        wanted = Q(subject=term) | Q(subject=term.upper())
        with suppress(ValueError):  # no id, then
            wanted |= Q(uuid=UUID(term.lower().removeprefix("evt_")))
        return queryset.filter(wanted), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        if Delivery.objects.visible_to(request.user).overdue().exists():
            self.message_user(request, _nobody_sends(), "warning")
        return super().changelist_view(request, extra_context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Delivery]:
        """Omit the two large columns from lists, and load the subscription for pages."""
        queryset = cast("DeliveryQuerySet", super().get_queryset(request))
        seen = Exists(Subscription.objects.visible_to(request.user).filter(pk=OuterRef("subscription")).order_by())
        match = request.resolver_match
        if match is not None and match.url_name in _LISTS:
            return queryset.without_body().annotate(is_endpoint_seen=seen)
        queryset = queryset.prefetch_related("past_attempts")
        return queryset.select_related("company", "subscription").annotate(is_endpoint_seen=seen)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one delivery; the page updates itself until the delivery is finished."""
        delivery = self.get_object(request, object_id)
        shown = {"is_under_way": delivery is not None and delivery.state in {State.PENDING, State.SENDING}}
        soon = timezone.now() - timedelta(seconds=10)
        if delivery is not None and delivery.state == State.PENDING and delivery.created_at < soon:
            self.message_user(request, _nobody_sends(), "warning")
        return super().change_view(request, object_id, form_url, (extra_context or {}) | shown)

    shown_created = column(add_zone(_("time")), lambda one: in_list(one.created_at, "%H:%M:%S"), ordering="id")
    shown_type = column(_("type"), lambda delivery: event_name(delivery.event_type))
    shown_id = column(_("delivery id"), lambda delivery: delivery.delivery_id)
    shown_duration = column(_("duration"), lambda delivery: milliseconds(delivery.duration_ms))
    shown_outcome = column(_("outcome"), lambda delivery: cause_of(delivery, signs=delivery.is_retried))

    # `get_state_display` hashes all labels for each row.
    shown_state = column(_("state"), lambda delivery: badge(State(delivery.state).label, _COLOURS[delivery.state]))

    @admin.display(description=_("endpoint"))
    def shown_endpoint(self, delivery: Delivery) -> SafeString | str:
        """The URL without its scheme, cut after 40 characters, if the operator may see its subscription."""
        if delivery.subscription is None or delivery.subscription.deleted_at:
            return gettext("Deleted.")
        if not getattr(delivery, "is_endpoint_seen", False):
            return "–"
        url = delivery.subscription.shown_url
        return format_html(
            '<span title="{}">{}</span>', url, truncatechars(url.removeprefix("https://"), _SHOWN_OF_URL)
        )

    @admin.display(description=_("what it means"))
    def shown_advice(self, delivery: Delivery) -> SafeString | str:
        """The advice for operators, above the sender's message, which an engineer of the client may ask for."""
        meaning = advice(delivery)
        if not meaning:
            return delivery.reason
        contact = contact_of(delivery.company)
        return format_html(
            '<div>{}</div>{}<div class="mt-1 text-xs break-words">{}</div>',
            meaning,
            format_html("<div>{} {}</div>", gettext("Contact:"), contact) if contact else "",
            delivery.reason,
        )

    @admin.display(description=_("subject"))
    def shown_subject(self, delivery: Delivery) -> SafeString | str:
        """A tracking code or MAWB, linked to its page if there is one."""
        page = delivery.subject and import_string(settings.WEBHOOK_SUBJECT_PAGE)(delivery.company_id, delivery.subject)
        if not page:
            return delivery.subject
        return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', page, delivery.subject)

    @admin.display(description=_("subscription"))
    def shown_subscription(self, delivery: Delivery) -> SafeString | str:
        if delivery.subscription is None or delivery.subscription.deleted_at:
            return gettext("Deleted.")
        if not getattr(delivery, "is_endpoint_seen", False):
            return gettext("Not shown: this subscription also receives events of other countries.")
        url = reverse("admin:webhooks_subscription_change", args=[delivery.subscription.pk])
        return format_html(
            '<a class="break-all text-primary-600 dark:text-primary-500" href="{}">{}</a>', url, delivery.subscription
        )

    @admin.display(description=add_zone(_("times")))
    def shown_times(self, delivery: Delivery) -> SafeString:
        """The time of creation, then the other times in seconds after it."""
        after = [
            (_("claimed"), delivery.claimed_at), (_("sent"), delivery.attempted_at),
            (_("finished"), delivery.finished_at),
        ]  # fmt: skip
        created = gettext("created")  # the catalogue reads no f-strings
        lines = [f"{_moment(delivery.created_at)} {created}"]
        seconds = [((at - delivery.created_at).total_seconds(), what) for what, at in after if at]
        lines += [f"+{number_format(passed, 3)} s {what}" for passed, what in seconds]
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines))

    @admin.display(description=add_zone(_("attempts")))
    def shown_attempts(self, delivery: Delivery) -> SafeString | str:
        """The earlier attempts with their reasons, and when the next one is due."""
        lines = []
        for one in delivery.past_attempts.all():
            parts = (_moment(one.begun_at), cause_of(one, signs=delivery.is_retried), one.reason)
            lines.append(f"{one.number}. {' · '.join(part for part in parts if part)}")
        if delivery.due_at is not None:
            lines.append(gettext("Next attempt: %s") % in_list(delivery.due_at, "%H:%M:%S"))
        if delivery.replays:
            lines.append(gettext("Replays: %d") % delivery.replays)
        if delivery.resends:
            lines.append(gettext("Resent by operators: %d") % delivery.resends)
        return format_html_join("", '<div class="break-words">{}</div>', ((line,) for line in lines)) or "–"

    @admin.display(description=_("body"))
    def shown_body(self, delivery: Delivery) -> SafeString:
        body = json.dumps(json.loads(bytes(delivery.body)), indent=2, ensure_ascii=False)
        return format_html('<pre class="pa-raw">{}</pre>', body)

    shown_excerpt = column(
        _("start of the response"),
        lambda one: format_html('<pre class="pa-raw">{}</pre>', one.excerpt) if one.excerpt else gettext("None."),
    )


def _moment(at: datetime) -> str:
    return in_list(at, "%H:%M:%S.%f")[:-3]


def _nobody_sends() -> str:
    return gettext(
        "Deliveries are waiting longer than they should: sending has probably stopped. Tell whoever runs the service."
    )
