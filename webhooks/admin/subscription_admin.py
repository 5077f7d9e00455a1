"""Subscriptions in the admin: register, test, rotate, disable and enable, and see how they do."""

from datetime import datetime
from typing import Any, cast

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from base.admin.lists import badge, column
from base.admin.scoped_admin import ScopedAdmin
from base.db.moments import in_list
from companies.clocks import add_zone
from companies.country_names import country_choices
from companies.models import Company
from companies.models.contact import contact_of
from companies.scope import scope_of
from webhooks import subscriptions
from webhooks.admin import statistics
from webhooks.admin.advice import advice, cause_of, to_send_again_in_words
from webhooks.admin.forms import FilterField, RegistrationForm, SubscriptionForm
from webhooks.admin.subscription_actions import (
    SECRET_PAGE,
    SEND_AGAIN,
    Disable,
    Enable,
    ReplayRange,
    RotateSecret,
    SendAgain,
    SendTest,
    warn_of_shortness,
)
from webhooks.errors import AlreadySubscribed
from webhooks.models import Delivery, Subscription, SubscriptionQuerySet

GOOD_PERCENT, BAD_PERCENT = 99, 90


@admin.register(Subscription)
class SubscriptionAdmin(ScopedAdmin):
    confirmed_actions = (SendTest, RotateSecret, SendAgain, ReplayRange, Disable, Enable)
    secret_page = SECRET_PAGE
    has_one_button = True
    nothing_yet = _("No endpoint is subscribed yet")
    how_it_begins = _("Clients subscribe theirs through the API, or you subscribe one for them.")
    first_steps = [(_("Add a subscription"), "admin:webhooks_subscription_add", "webhooks.add_subscription")]
    list_display = [
        "shown_company", "endpoint", "version", "is_active", "shown_health", "shown_success", "shown_average",
    ]  # fmt: skip
    list_display_links = ["shown_company", "endpoint"]
    list_select_related = ["company"]
    list_filter = ["is_active", "version"]
    linked_lookups = {"company__id__exact"}  # from the company's page
    list_per_page = 50
    list_disable_select_all = True
    search_fields = ["url", "company__name", "company__client_code"]
    search_help_text = _("URL, company's name or client code")
    autocomplete_fields = ["company"]
    form = SubscriptionForm
    change_form_outer_after_template: Any = "webhooks/last_day.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subscription]:
        return cast("SubscriptionQuerySet", super().get_queryset(request)).with_last_day()

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:  # noqa: ANN401  # Django's signature
        """Offer only companies whose countries are all the operator's: an endpoint receives all of a company's
        events."""
        if db_field.name == "company":
            return Company.objects.managed_by(request.user)
        return super().get_field_queryset(db, db_field, request)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        if obj is None:
            filters = (_("Version 2"), {"fields": ["event_types", "countries", "description"]})
            return [(None, {"fields": ["company", "url", "version", "secret"]}), filters]
        again = self.has_change_permission(request) and to_send_again_in_words(obj)
        health = [
            "is_active", "shown_health", "shown_last_failure", *(["shown_send_again"] if again else []),
            "shown_contact", "shown_log",
        ]  # fmt: skip
        settings = ["company", "url", "version", "shown_id", ("secret_set_at", "created_at")]
        chosen = ["event_types", "countries", "description"] if obj.signs else []
        folded = {"fields": [*settings, *chosen], "classes": ["collapse"]}
        return [(_("Health"), {"fields": health}), (_("Settings"), folded)]

    def get_readonly_fields(self, request: HttpRequest, obj: Subscription | None = None) -> list[str]:  # noqa: ARG002  # Django's signature
        """The company cannot be changed, the rest only by actions or not at all."""
        shown = ["shown_id", "shown_health", "shown_last_failure", "shown_send_again", "shown_contact", "shown_log"]
        fixed = ["company", "version", "is_active", "secret_set_at", "created_at", *shown]
        return [] if obj is None else fixed

    endpoint = column(_("endpoint"), lambda subscription: subscription.shown_url, ordering="url")
    shown_id = column(_("ID in the API"), lambda subscription: subscription.public_id)
    shown_company = column(_("company"), lambda subscription: str(subscription.company), ordering="company__name")

    def get_form(
        self, request: HttpRequest, obj: Subscription | None = None, change: bool = False, **kwargs: Any  # noqa: ANN401, FBT001, FBT002  # Django's signature
    ) -> type[SubscriptionForm]:  # fmt: skip
        if obj is None:
            kwargs["form"] = RegistrationForm
        made = cast("type[SubscriptionForm]", super().get_form(request, obj, change, **kwargs))
        scope = scope_of(request.user)
        own = [(code, name) for code, name in country_choices() if scope.covers([code])]
        made.base_fields["countries"] = FilterField(label=_("Countries"), choices=own)
        return made

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form with the last 24 hours below it."""
        subscription = self.get_object(request, object_id)
        shown: dict[str, Any] = {}
        if subscription is not None:
            day = statistics.last_day(subscription)
            shown = {"day": day, "outcomes": statistics.outcomes(day), "latencies": statistics.latencies(day)}
            shown |= {"half_within": day.within_ms(0.5), "most_within": day.within_ms(0.95)}
        return super().change_view(request, object_id, form_url, (extra_context or {}) | shown)

    def changeform_view(  # type: ignore[override]  # unfold promises a page, and redirects as often
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Save the form. If two are saved for one URL at the same moment, the database refuses the second."""
        try:
            response: HttpResponse = super().changeform_view(request, object_id, form_url, extra_context)
        except AlreadySubscribed as refused:
            messages.error(request, refused.message)
            return HttpResponseRedirect(reverse("admin:webhooks_subscription_changelist"))
        return response

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # unfold's signature
        if form.remark:
            messages.warning(request, form.remark)
        if change:
            # Keep what another operator rotates or disables in the meantime.
            subscriptions.store(obj, "url", "event_types", "countries", "description")
            return
        given = form.cleaned_data["secret"]
        made = subscriptions.new_signing_secret() if obj.signs else subscriptions.new_secret()
        obj.set_secret(made if given is None else given)
        subscriptions.store(obj)
        request.new_secret = made if given is None else None  # type: ignore[attr-defined]  # requests may be extended like this
        text = gettext("Events of %(company)s will be sent to %(url)s.")
        messages.success(request, text % {"company": obj.company, "url": obj.shown_url})
        warn_of_shortness(request, given)

    def delete_model(self, request: HttpRequest, obj: Subscription) -> None:  # noqa: ARG002  # Django's signature
        """Cancel waiting deliveries; the log stays."""
        subscriptions.remove(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Subscription]) -> None:  # noqa: ARG002  # Django's signature
        for subscription in queryset:
            subscriptions.remove(subscription)

    @admin.display(description=_("arrived, 24 hours"))
    def shown_success(self, subscription: Any) -> SafeString:  # noqa: ANN401  # annotated by with_last_day
        attempted = (subscription.day_attempted or 0) + (subscription.day_waiting or 0)
        if not attempted:
            return badge(gettext("nothing sent"), "info")
        percent = 100 * (subscription.day_delivered or 0) / attempted
        colour = "success" if percent >= GOOD_PERCENT else "warning" if percent >= BAD_PERCENT else "danger"
        shown = {"percent": number_format(round(percent, 1), 1), "rows": number_format(attempted)}
        return badge(gettext("%(percent)s %% of %(rows)s") % shown, colour)

    @admin.display(description=add_zone(_("health")))
    def shown_health(self, subscription: Subscription) -> str:
        """What the dispatcher recorded about an endpoint of version 2, and until when the previous secret signs."""
        lines = []
        if subscription.disabled_reason and not subscription.is_active:
            lines.append(f"{subscription.get_disabled_reason_display()}, {_minute(subscription.disabled_at)}")
        elif subscription.failing_since:
            text = ngettext(
                "failing since %(at)s (%(failures)d attempt)",
                "failing since %(at)s (%(failures)d attempts)",
                subscription.failures,
            )
            lines.append(text % {"at": _minute(subscription.failing_since), "failures": subscription.failures})
        if subscription.previous_until and subscription.previous_until > timezone.now():
            lines.append(gettext("both secrets sign until %s") % _minute(subscription.previous_until))
        return "; ".join(lines) or "–"

    @admin.display(description=add_zone(_("last failure")))
    def shown_last_failure(self, subscription: Subscription) -> SafeString | str:
        """When and why the last failed delivery failed, linked to it, and what to do."""
        last = Delivery.objects.last_failure_of(subscription)
        if last is None:
            return "–"
        url = reverse("admin:webhooks_delivery_change", args=[last.pk])
        when = _minute(last.attempted_at or last.created_at)
        head = format_html(
            '<a class="underline" href="{}">{} · {}</a>', url, when, cause_of(last, signs=subscription.signs)
        )
        return format_html("<div>{}</div><div>{}</div>", head, advice(last) or last.reason)

    @admin.display(description=SEND_AGAIN)
    def shown_send_again(self, subscription: Subscription) -> SafeString:
        """How many deliveries can be sent again, linked to the page that does it."""
        url = reverse("admin:webhooks_subscription_send_again", args=[subscription.pk])
        return format_html('<a class="underline" href="{}">{}</a>', url, " ".join(to_send_again_in_words(subscription)))

    shown_contact = column(
        _("contact of the company"),
        lambda subscription: contact_of(subscription.company) or gettext("None is entered on the company's page."),
    )
    shown_average = column(_("mean answer"), lambda subscription: statistics.milliseconds(subscription.day_average_ms))

    @admin.display(description=_("log"))
    def shown_log(self, subscription: Subscription) -> SafeString:
        url = reverse("admin:webhooks_delivery_changelist", query={"subscription__id__exact": subscription.pk})
        return format_html('<a class="underline" href="{}">{}</a>', url, gettext("Deliveries"))


def _minute(at: datetime | None) -> str:
    """Return a time under a heading with its zone; empty only beside a missing reason."""
    return in_list(at) if at else ""
