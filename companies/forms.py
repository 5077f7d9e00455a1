"""The admin's forms for companies."""

from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget

from companies.countries import SERVED
from companies.country_names import country_choices
from companies.models import Company, CompanyQuerySet
from companies.onboarding import check_links, prefix_from_code
from companies.scope import EVERYWHERE


class CompanyForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """The fields of a company that can be changed at any time."""

    allowed_countries = forms.MultipleChoiceField(
        label=_("Allowed countries"),
        choices=country_choices,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=_("Destinations the company may ship to. With none, the API rejects every pre-alert."),
    )

    read_by_headings = forms.MultipleChoiceField(
        label=_("Workbooks read by their headings"),
        choices=country_choices,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=_("Destinations whose workbooks are read, whatever their layout. Workbooks for others are refused."),
    )

    class Meta:
        model = Company
        fields = "__all__"  # noqa: DJ007  # the admin's fieldsets choose
        # Spelled out: the history stores labels as written here and translates them for display.
        labels = {
            "name": _("Name"),
            "tracking_prefix": _("Tracking prefix"),
            "is_marketplace": _("Marketplace"),
            "posts_for": _("Posts for"),
            "may_correct": _("May correct and cancel by API"),
            "requests_per_second": _("Requests per second"),
            "contact_name": _("Contact"),
            "contact_email": _("Contact's e-mail"),
            "contact_phone": _("Contact's phone"),
        }
        widgets = {
            "client_code": UnfoldAdminTextInputWidget(attrs={"class": "uppercase", "placeholder": "ACME"}),
            "tracking_prefix": UnfoldAdminTextInputWidget(attrs={"class": "uppercase", "placeholder": "ACM"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*args, **kwargs)
        if "posts_for" in self.fields:
            # No links to add, change or view related companies: a client added in a pop-up could not show its password.
            widget = self.fields["posts_for"].widget
            widget.can_add_related = widget.can_change_related = widget.can_view_related = False
            self.initial["posts_for"] = self._links().filter(pk__in=self._offered())
        for name in {"allowed_countries", "read_by_headings"} & self.fields.keys():
            field = cast("forms.MultipleChoiceField", self.fields[name])
            field.choices = [(code, label) for code, label in country_choices() if self.scope.covers([code])]

    scope = EVERYWHERE
    """The countries the operator may assign; set by the admin."""

    def clean_allowed_countries(self) -> list[str]:
        """The chosen codes in the order we always keep them."""
        chosen = [code for code in SERVED if code in self.cleaned_data["allowed_countries"]]
        links = self.data.getlist("posts_for") if hasattr(self.data, "getlist") else ()
        if not self.scope.covers(chosen) and (chosen or not links):
            raise forms.ValidationError(
                _("Choose at least one of your countries; you could not see the company otherwise.")
            )
        return chosen

    def clean_read_by_headings(self) -> list[str]:
        """The chosen codes, and those already there that are outside the operator's scope, in our order."""
        chosen, before = self.cleaned_data["read_by_headings"], self.instance.read_by_headings
        return [code for code in SERVED if code in (chosen if self.scope.covers([code]) else before)]

    def clean_posts_for(self) -> list[Company]:
        """Return the chosen clients, and those already linked that are outside the operator's scope."""
        return [*self.cleaned_data["posts_for"], *self._links().exclude(pk__in=self._offered())]

    def _links(self) -> CompanyQuerySet:
        return Company.objects.none() if self.instance.pk is None else self.instance.posts_for.all()

    def _offered(self) -> Any:  # noqa: ANN401  # a query, for others' conditions
        field = cast("forms.ModelMultipleChoiceField[Company]", self.fields["posts_for"])
        return cast("QuerySet[Company]", field.queryset).order_by().values("pk")

    def clean_tracking_prefix(self) -> str:
        return str(self.cleaned_data["tracking_prefix"]).upper()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        check_links(cleaned.get("kind", self.instance.kind), cleaned.get("posts_for") or ())
        return cleaned


class OnboardingForm(CompanyForm):
    """The form of a new company: its client code is set here, once; a missing tracking prefix is derived from it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*args, **kwargs)
        self.fields["tracking_prefix"].help_text = _(
            "The start of its tracking codes. If left empty, it is derived from the client code."
        )
        if len(own := [code for code in SERVED if self.scope.covers([code])]) == 1:
            self.initial["allowed_countries"] = own

    def clean_client_code(self) -> str:
        return str(self.cleaned_data["client_code"]).upper()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("client_code") and not cleaned.get("tracking_prefix", "-"):
            cleaned["tracking_prefix"] = prefix_from_code(cleaned["client_code"])
        return cleaned
