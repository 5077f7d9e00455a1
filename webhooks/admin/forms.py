"""The operators' forms of a subscription and of its secret."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminPasswordToggleWidget, UnfoldAdminTextInputWidget

from webhooks import destinations
from webhooks.errors import DestinationRefused, SecretRefused
from webhooks.models import Subscription
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


class SubscriptionForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Where it points. The URL is looked up at once, so that the reason of a refusal is told here."""

    class Meta:
        model = Subscription
        fields = ("company", "url")
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
        twins = Subscription.objects.filter(company=company, url=cleaned.get("url"), is_active=True)
        if self.instance.is_active and twins.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError({"url": TOLD_ALREADY})
        return cleaned


class RegistrationForm(SubscriptionForm):
    """A subscription that is being made."""

    secret = SecretField()


class RotationForm(forms.Form):
    """The secret that replaces the one a subscription has."""

    secret = SecretField()
