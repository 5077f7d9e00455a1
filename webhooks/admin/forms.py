"""The forms for a subscription and its secret."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminPasswordToggleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSplitDateTimeWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from base.admin.confirmed_action import Grouped
from companies.clocks import ZONE
from companies.country_names import country_choices
from webhooks import destinations, replays
from webhooks.errors import DestinationRefused, SecretRefused
from webhooks.event_names import EVENT_NAMES
from webhooks.models import Delivery, Subscription, Version
from webhooks.subscriptions import ALREADY_SUBSCRIBED, check_secret


class SecretField(forms.CharField):
    """A secret that is entered but never displayed; None if it is left empty."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Secret"),
            required=False,
            strip=False,  # leading or trailing spaces are refused rather than silently removed
            empty_value=None,
            help_text=_("The client's own secret. If left empty, one is generated and shown once on the next page."),
            widget=UnfoldAdminPasswordToggleWidget(attrs={"autocomplete": "new-password"}),
        )

    def validate(self, value: str | None) -> None:
        super().validate(value)
        if value is not None:
            try:
                check_secret(value)
            except SecretRefused as refused:
                raise forms.ValidationError(refused.message) from None


class FilterField(forms.MultipleChoiceField):
    """The filter of a signed webhook. Choosing nothing means everything, stored as null."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # Django's own options
        options.setdefault("help_text", _("If none is selected: all."))
        super().__init__(required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget(), **options)

    def clean(self, value: Any) -> Any:  # noqa: ANN401  # Django's signature
        return super().clean(value) or None


def _event_choices() -> Iterator[tuple[str, SafeString]]:
    """Yield each type with its name for operators, and beside it what the client's program compares."""
    for kind, name in EVENT_NAMES.items():
        yield kind, format_html("{} <small>{}</small>", name, kind)


class SubscriptionForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """The subscription's URL. Its host is resolved at once, so that the form can show why it is refused."""

    event_types = FilterField(
        label=_("Event types"),
        choices=_event_choices,
        help_text=_("If none is selected: all about manifests and guides."),
    )
    countries = FilterField(label=_("Countries"), choices=country_choices)

    class Meta:
        model = Subscription
        fields = ("company", "url", "event_types", "countries", "description")
        widgets = {"url": UnfoldAdminTextInputWidget(attrs={"placeholder": "https://", "class": "max-w-4xl"})}

    remark: str | None = None
    """A warning about a URL that was accepted."""

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if "url" in self.changed_data:
            try:
                self.remark = destinations.inspect_name(url)
            except DestinationRefused as refused:
                raise forms.ValidationError(refused.message) from None
        return url

    def clean(self) -> dict[str, Any]:
        """Refuse a second active subscription for the URL with a field error, before the database would."""
        cleaned = super().clean() or self.cleaned_data
        company = cleaned.get("company") if self.instance.pk is None else self.instance.company
        twins = Subscription.objects.filter(
            company=company, url=cleaned.get("url"), version=self.instance.version, is_active=True
        )
        if self.instance.is_active and twins.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError({"url": ALREADY_SUBSCRIBED})
        return cleaned


class RegistrationForm(SubscriptionForm):
    version = forms.TypedChoiceField(
        label=_("Version"),
        coerce=int,
        choices=Version.choices,
        initial=Version.V2,
        required=False,
        empty_value=str(Version.V1.value),
        help_text=_(
            "1: a bearer secret and one attempt. 2: signed, filtered, up to ten attempts. It cannot be changed later."
        ),
        widget=UnfoldAdminSelectWidget(),
    )
    secret = SecretField()

    field_order = ("company", "url", "version", "secret")

    def clean(self) -> dict[str, Any]:
        """The secret of a signed webhook is generated here; only signed ones have filters."""
        self.instance.version = self.cleaned_data.get("version", Version.V1)
        cleaned = super().clean()
        if self.instance.signs:
            if cleaned.get("secret") is not None:
                self.add_error("secret", _("Leave this empty: secrets of signed webhooks are generated."))
            return cleaned
        for name in ("event_types", "countries"):
            if cleaned.get(name):
                self.add_error(name, _("Leave this empty: version 1 sends everything."))
        return cleaned


class RotationForm(forms.Form):
    secret = SecretField()


class SendAgainForm(forms.Form):
    """Which deliveries are sent again: of what time, and whether those that were given up. `since` is cleaned to a
    time, or None.
    """

    since = forms.ChoiceField(label=_("Events"), required=False, widget=UnfoldAdminSelectWidget())
    with_dead = forms.BooleanField(
        label=_("Include those that were given up"), required=False, widget=UnfoldBooleanSwitchWidget()
    )

    def __init__(self, subscription: Subscription, data: Any = None) -> None:  # noqa: ANN401  # a form's data
        """Offer each time with the number of deliveries since."""
        super().__init__(data)
        now = timezone.now()
        self._times = {"24": now - timedelta(hours=24), "168": now - timedelta(days=7)}
        names = {"24": _("of the last 24 hours: %s"), "168": _("of the last 7 days: %s")}
        if subscription.failing_since:
            # The events that failed first were made a moment before they failed.
            self._times["failing"] = subscription.failing_since - timedelta(minutes=1)
            names["failing"] = _("since it began failing: %s")
        waiting, dead = replays.to_send_again(subscription)
        choices = [("", _("all: %s") % _both(waiting, dead))]
        for key, since in self._times.items():
            choices.append((key, names[key] % _both(*(each.filter(created_at__gte=since) for each in (waiting, dead)))))
        self.fields["since"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField
        self.initial["with_dead"] = not waiting.exists()  # "Send the 144 waiting ones now" sends no others

    def clean_since(self) -> datetime | None:
        return self._times.get(self.cleaned_data["since"])


def _both(waiting: QuerySet[Delivery], dead: QuerySet[Delivery]) -> str:
    numbers = {"waiting": Grouped(waiting.count()), "dead": Grouped(dead.count())}
    return gettext("%(waiting)s waiting, %(dead)s given up") % numbers


class RangeForm(forms.Form):
    since = forms.SplitDateTimeField(label=_("From"), help_text=ZONE, widget=UnfoldAdminSplitDateTimeWidget())
    until = forms.SplitDateTimeField(label=_("Until"), help_text=ZONE, widget=UnfoldAdminSplitDateTimeWidget())
    with_delivered = forms.BooleanField(
        label=_("Include delivered events"), required=False, widget=UnfoldBooleanSwitchWidget()
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since >= until:
            raise forms.ValidationError({"since": _("Must be before the end.")})
        if until:
            cleaned["until"] = min(until, timezone.now())
        return cleaned
