"""The delivery log: everything clients were told, when, and what became of it. Read-only."""

import json
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from companies.operators.scoped_admin import ScopedAutocompleteFilter
from webhooks import subjects
from webhooks.admin.advice import advice
from webhooks.admin.delivery_pages import DeliveryPages
from webhooks.models import Delivery, DeliveryAttempt, DeliveryQuerySet, State, Subscription

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


class AgeFilter(admin.SimpleListFilter):
    """How long ago a delivery came into being."""

    title = _("age")
    parameter_name = "age"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return [("1", _("last hour")), ("24", _("last 24 hours")), ("168", _("last 7 days"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> QuerySet[Delivery]:  # noqa: ARG002  # Django's signature
        if self.value() not in {"1", "24", "168"}:
            return queryset
        return queryset.filter(created_at__gte=timezone.now() - timedelta(hours=int(self.value() or 0)))


@admin.register(Delivery)
class DeliveryAdmin(DeliveryPages):
    list_display = [
        "shown_created", "event_type", "subject", "company", "shown_state", "shown_outcome", "shown_duration",
    ]  # fmt: skip
    list_select_related = ["company"]
    list_filter = [
        ("company", ScopedAutocompleteFilter),
        ("subscription", ScopedAutocompleteFilter),
        ("state", ChoicesDropdownFilter),
        ("event_type", ChoicesDropdownFilter),
        ("error", ChoicesDropdownFilter),
        AgeFilter,
    ]
    list_filter_submit = True
    list_per_page = 50
    paginator = InfinitePaginator  # counting millions of rows would take longer than showing fifty of them
    show_full_result_count = False
    search_fields = ["subject"]
    search_help_text = _("Tracking code, MAWB or delivery id (evt_...), written out")
    fieldsets = [
        (None, {"fields": [
            ("state", "shown_outcome", "shown_duration"), "shown_advice",
            ("event_type", "shown_subject"), "company", "shown_subscription",
            "shown_id", "shown_times", "shown_attempts",
        ]}),
        (_("Sent"), {"fields": ["shown_body"]}),
        (_("Answer"), {"fields": [("http_status", "remote_address"), "shown_excerpt"]}),
    ]  # fmt: skip
    change_form_template = "webhooks/delivery.html"

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002  # the signature is Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002  # as above
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Delivery | None = None) -> list[str]:  # noqa: ARG002  # the signature is Django's
        return [
            "shown_outcome",
            "shown_advice",
            "shown_duration",
            "shown_subject",
            "shown_subscription",
            "shown_id",
            "shown_times",
            "shown_attempts",
            "shown_body",
            "shown_excerpt",
        ]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Delivery], search_term: str  # noqa: ARG002  # Django's signature
    ) -> tuple[QuerySet[Delivery], bool]:  # fmt: skip
        """By the whole subject or the whole id: both are indexed, and a part of either would read the whole log."""
        term = search_term.strip()
        if not term:
            return queryset, False
        wanted = Q(subject=term) | Q(subject=term.upper())
        with suppress(ValueError):  # no id, then
            wanted |= Q(uuid=UUID(term.lower().removeprefix("evt_")))
        return queryset.filter(wanted), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Say so when nobody sends what waits."""
        if Delivery.objects.visible_to(request.user).overdue().exists():
            self.message_user(request, _nobody_sends(), "warning")
        return super().changelist_view(request, extra_context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Delivery]:
        """Lists do without the two large columns, pages read the subscription along."""
        queryset = cast("DeliveryQuerySet", super().get_queryset(request))
        match = request.resolver_match
        if match is not None and match.url_name == "webhooks_delivery_changelist":
            return queryset.without_body()
        queryset = queryset.prefetch_related("past_attempts")
        seen = Subscription.objects.visible_to(request.user).filter(pk=OuterRef("subscription")).order_by()
        return queryset.select_related("company", "subscription").annotate(is_endpoint_seen=Exists(seen))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """One delivery; the page comes again by itself until it is finished."""
        delivery = self.get_object(request, object_id)
        shown = {"is_under_way": delivery is not None and delivery.state in {State.PENDING, State.SENDING}}
        if delivery is not None and delivery.state == State.PENDING and _has_waited(delivery):
            self.message_user(request, _nobody_sends(), "warning")
        return super().change_view(request, object_id, form_url, (extra_context or {}) | shown)

    @admin.display(description=_("created at"), ordering="id")
    def shown_created(self, delivery: Delivery) -> str:
        return _moment(delivery.created_at)[:-4]

    @display(description=_("state"), label={state.value: colour for state, colour in _COLOURS.items()})
    def shown_state(self, delivery: Delivery) -> tuple[str, str]:
        return delivery.state, delivery.get_state_display()

    @admin.display(description=_("outcome"))
    def shown_outcome(self, delivery: Delivery) -> str:
        return _outcome(delivery) if delivery.error or delivery.http_status else ""

    @admin.display(description=_("what it means"))
    def shown_advice(self, delivery: Delivery) -> SafeString | str:
        """In the operator's words; under it the sender's own, which a client's engineer may ask for."""
        meaning = advice(delivery)
        if not meaning:
            return delivery.reason
        return format_html('<div>{}</div><div class="mt-1 text-xs break-words">{}</div>', meaning, delivery.reason)

    @admin.display(description=_("duration"))
    def shown_duration(self, delivery: Delivery) -> str:
        return "" if delivery.duration_ms is None else f"{delivery.duration_ms} ms"

    @admin.display(description=_("speaks of"))
    def shown_subject(self, delivery: Delivery) -> SafeString | str:
        """A tracking code or a MAWB; where somebody can show it, the way there."""
        page = subjects.page_of(delivery)
        if page is None:
            return delivery.subject
        return format_html('<a class="text-primary-600" href="{}">{}</a>', page, delivery.subject)

    @admin.display(description=_("subscription"))
    def shown_subscription(self, delivery: Delivery) -> SafeString | str:
        if delivery.subscription is None or delivery.subscription.deleted_at:
            return gettext("Deleted.")
        if not getattr(delivery, "is_endpoint_seen", False):
            return gettext("The company's; it is told of other countries too.")
        url = reverse("admin:webhooks_subscription_change", args=[delivery.subscription.pk])
        return format_html('<a class="break-all text-primary-600" href="{}">{}</a>', url, delivery.subscription)

    @admin.display(description=_("delivery id"))
    def shown_id(self, delivery: Delivery) -> str:
        return delivery.delivery_id

    @admin.display(description=_("times"))
    def shown_times(self, delivery: Delivery) -> SafeString:
        """When it came into being, and the other moments as seconds after that."""
        after = [
            (_("claimed"), delivery.claimed_at),
            (_("sent"), delivery.attempted_at),
            (_("finished"), delivery.finished_at),
        ]
        created = gettext("created")
        lines = [f"{_moment(delivery.created_at)} {created}"]
        lines += [f"+{(at - delivery.created_at).total_seconds():.3f} s {what}" for what, at in after if at]
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines))

    @admin.display(description=_("attempts"))
    def shown_attempts(self, delivery: Delivery) -> SafeString | str:
        """Those before the one above, each with its reason; and when the next is due."""
        lines = [
            f"{one.number}. {_moment(one.begun_at)} · {_outcome(one)}{f' · {one.reason}' if one.reason else ''}"
            for one in delivery.past_attempts.all()
        ]
        if delivery.due_at is not None:
            lines.append(gettext("Next attempt: %s") % _moment(delivery.due_at)[:-4])
        if delivery.replays:
            lines.append(gettext("Replayed: %d times") % delivery.replays)
        if delivery.resends:
            lines.append(gettext("Sent once more by operators: %d times") % delivery.resends)
        return format_html_join("", '<div class="break-words">{}</div>', ((line,) for line in lines)) or "-"

    @admin.display(description=_("body"))
    def shown_body(self, delivery: Delivery) -> SafeString:
        body = json.dumps(json.loads(bytes(delivery.body)), indent=2, ensure_ascii=False)
        return format_html('<pre class="overflow-x-auto text-xs whitespace-pre">{}</pre>', body)

    @admin.display(description=_("beginning of the answer"))
    def shown_excerpt(self, delivery: Delivery) -> SafeString | str:
        if not delivery.excerpt:
            return gettext("None.")
        return format_html('<pre class="text-xs whitespace-pre-wrap break-all">{}</pre>', delivery.excerpt)


def _moment(at: datetime) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M:%S.%f}"[:-3]


def _outcome(one: Delivery | DeliveryAttempt) -> str:
    parts = [str(one.http_status or ""), one.get_error_display()]
    return " · ".join(part for part in parts if part)


def _has_waited(delivery: Delivery) -> bool:
    return timezone.now() - delivery.created_at > timedelta(seconds=10)


def _nobody_sends() -> str:
    return gettext("Deliveries wait longer than they should. Is a dispatcher running (manage.py dispatch_webhooks)?")
