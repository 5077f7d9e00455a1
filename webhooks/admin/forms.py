"""The operators' forms of a subscription and of its secret."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminPasswordToggleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSplitDateTimeWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from companies.country_names import country_choices
from webhooks import destinations
from webhooks.errors import DestinationRefused, SecretRefused
from webhooks.events import EventType
from webhooks.models import Subscription, Version
from webhooks.subscriptions import TOLD_ALREADY, check_secret


class SecretField(forms.CharField):
    """A secret that goes in and never comes out; None when it is left empty."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Secret"),
            required=False,
            strip=False,  # a blank at an end is refused, not taken away in silence
            empty_value=None,
            help_text=_("The client's own. Left empty, one is made; the next page shows it, once."),
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
    """What a signed webhook hears of; nothing chosen is everything, and stored as null."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # Django's own options
        options.setdefault("help_text", _("Nothing chosen: everything."))
        super().__init__(required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget(), **options)

    def clean(self, value: Any) -> Any:  # noqa: ANN401  # Django's signature
        return super().clean(value) or None

    def has_changed(self, initial: Any, data: Any) -> bool:  # noqa: ANN401  # Django's signature
        return set(initial or []) != set(data or [])


class SubscriptionForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Where it points. The URL is looked up at once, so that the reason of a refusal is told here."""

    event_types = FilterField(
        label=_("Types of events"),
        choices=[(kind.value, kind.value) for kind in EventType],
        help_text=_("Nothing chosen: everything but webhook.* and upload.*"),
    )
    countries = FilterField(label=_("Countries"), choices=country_choices)

    class Meta:
        model = Subscription
        fields = ("company", "url", "event_types", "countries", "description")
        widgets = {"url": UnfoldAdminTextInputWidget(attrs={"placeholder": "https://", "class": "max-w-4xl"})}

    remark: str | None = None
    """What the operator ought to know of a URL that was taken."""

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if "url" in self.changed_data:
            try:
                self.remark = destinations.inspect_name(url)
            except DestinationRefused as refused:
                raise forms.ValidationError(refused.message) from None
        return url

    def clean(self) -> dict[str, Any]:
        """Refuse a second active subscription for one endpoint here, beside the field, and not in the database."""
        cleaned = super().clean() or self.cleaned_data
        company = cleaned.get("company") if self.instance.pk is None else self.instance.company
        twins = Subscription.objects.filter(
            company=company, url=cleaned.get("url"), version=self.instance.version, is_active=True
        )
        if self.instance.is_active and twins.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError({"url": TOLD_ALREADY})
        return cleaned


class RegistrationForm(SubscriptionForm):
    """A subscription that is being made."""

    version = forms.TypedChoiceField(
        label=_("Version"),
        coerce=int,
        choices=Version.choices,
        initial=Version.V1,
        required=False,
        empty_value=str(Version.V1.value),
        help_text=_("1: a bearer secret and one attempt. 2: signed, filtered, attempted up to ten times. It stays."),
        widget=UnfoldAdminSelectWidget(),
    )
    secret = SecretField()

    field_order = ("company", "url", "version", "secret")

    def clean(self) -> dict[str, Any]:
        """A signed webhook has a secret of ours; filters are for signed ones alone."""
        self.instance.version = self.cleaned_data.get("version", Version.V1)
        cleaned = super().clean()
        if self.instance.signs:
            if cleaned.get("secret") is not None:
                self.add_error("secret", _("The secret of a signed webhook is made here; leave it empty."))
            return cleaned
        for name in ("event_types", "countries"):
            if cleaned.get(name):
                self.add_error(name, _("Version 1 hears of everything; leave it empty."))
        return cleaned


class RotationForm(forms.Form):
    """The secret that replaces the one a subscription has."""

    secret = SecretField()


class RangeForm(forms.Form):
    """Which deliveries are sent again."""

    since = forms.SplitDateTimeField(label=_("From"), widget=UnfoldAdminSplitDateTimeWidget())
    until = forms.SplitDateTimeField(label=_("Until"), widget=UnfoldAdminSplitDateTimeWidget())
    with_delivered = forms.BooleanField(
        label=_("Also what was delivered"), required=False, widget=UnfoldBooleanSwitchWidget()
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since >= until:
            raise forms.ValidationError({"since": _("This is not before the end.")})
        if until:
            cleaned["until"] = min(until, timezone.now())
        return cleaned
