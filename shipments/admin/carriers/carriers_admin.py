"""Carriers in the admin: make them, change them, replace their secrets."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminPasswordToggleWidget

from companies.admin_base.clocks import headed_by_zone, in_list
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from companies.admin_base.scoped_admin import ScopedAdmin
from companies.admin_base.secret_page import SecretPage
from companies.country_names import country_choices
from companies.scope import Scope, scope_of
from shipments.carriers.registration import OVERLAP, check_secret, fill_in, register, rotate_secret
from shipments.models import Carrier
from webhooks import encryption

_MOST_HOURS = 24 * 90


class SecretField(forms.CharField):
    """A secret that is entered but never displayed; None if it is left empty."""

    def __init__(self, label: Any, help_text: Any) -> None:  # noqa: ANN401  # lazy texts
        widget = UnfoldAdminPasswordToggleWidget(attrs={"autocomplete": "new-password"})
        super().__init__(label=label, help_text=help_text, required=False, strip=False, empty_value=None, widget=widget)


def _secret_field() -> SecretField:
    text = _("The carrier's own secret. If left empty, one is generated and shown once on the next page.")
    return SecretField(_("Secret"), text)


class CarrierForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A carrier. scope: the countries that the operator may choose."""

    scope: Scope
    countries = forms.MultipleChoiceField(
        label=_("Countries"),
        choices=country_choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget(),
        help_text=_("Events of guides in other countries are never applied."),
    )
    api_key = SecretField(_("API key"), _("For asking the carrier ourselves. Left empty, it stays as it is."))

    def clean_countries(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["countries"]
        if not self.scope.covers(chosen):
            raise forms.ValidationError(_("Choose among your own countries."))
        return chosen

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "secret" in cleaned and cleaned["secret"] is not None:
            try:
                check_secret(cleaned.get("scheme", ""), cleaned["secret"])
            except ValidationError as refused:
                self.add_error("secret", refused)
        return cleaned


class NewCarrierForm(CarrierForm):
    """Makes a carrier."""

    secret = _secret_field()


class RotationForm(forms.Form):
    """The secret that replaces a carrier's, and for how long the former one is valid."""

    secret = _secret_field()
    overlap_hours = forms.FloatField(
        label=_("Hours that the former secret stays valid"),
        min_value=0,
        max_value=_MOST_HOURS,
        initial=OVERLAP.total_seconds() / 3600,
    )

    def __init__(self, scheme: str, data: Any = None) -> None:  # noqa: ANN401  # Django's
        super().__init__(data)
        self._scheme = scheme

    def clean_secret(self) -> str | None:
        given: str | None = self.cleaned_data["secret"]
        if given is not None:
            check_secret(self._scheme, given)
        return given


_SIGNATURE = ["scheme", "signature_header", "signature_encoding", "signature_prefix"]
_EVENTS = ["time_zone", "number_key"]


def _governs(request: HttpRequest, carrier: Carrier) -> bool:
    return scope_of(request.user).covers(carrier.countries)


def _page(carrier: Carrier) -> str:
    return reverse("admin:shipments_carrier_change", args=[carrier.pk])


def _shown(_admin: object, request: HttpRequest, carrier: Carrier) -> Mapping[str, Any]:
    """Return what the page of the secret shows. Raises `PermissionDenied` for a carrier that also serves elsewhere."""
    if not _governs(request, carrier):
        raise PermissionDenied
    return {"carrier": carrier, "way_back": _page(carrier)}


SECRET_PAGE = SecretPage("secret", "secret", _("Secret of the carrier"), "shipments/carriers/secret.html", _shown)


def _after_secret(admin: ModelAdmin, request: HttpRequest, carrier: Carrier, made: str | None) -> HttpResponse:
    """Redirect to the page that shows the secret `made` once, or to the carrier's own if it was given."""
    return HttpResponseRedirect(_page(carrier)) if made is None else SECRET_PAGE.show(admin, request, carrier, made)


def _rotate(scene: Scene[Carrier], form: RotationForm) -> Done[Carrier]:
    given, carrier = form.cleaned_data["secret"], scene.one
    clear = rotate_secret(carrier, given, overlap=timedelta(hours=form.cleaned_data["overlap_hours"]))
    scene.admin.log_change(scene.request, carrier, [{"changed": {"fields": [gettext_noop("secret")]}}])
    said = [(messages.SUCCESS, gettext("The secret is replaced."))]
    return Done(
        also=said, response=_after_secret(scene.admin, scene.request, carrier, clear if given is None else None)
    )


ROTATE = ConfirmedAction[Carrier](
    name="rotate_secret", label=_("Replace the secret"), icon="key", permission="change",
    question=Question(
        _("Replace the secret"),
        [_("The former secret stays valid for the hours that you enter: nothing is lost while the carrier switches.")],
        _("Replace"),
    ),
    form=lambda scene, data, _files: RotationForm(scene.one.scheme, data), run=_rotate,
)  # fmt: skip


@admin.register(Carrier)
class CarrierAdmin(ScopedAdmin):
    """Carriers are made, changed and made inactive, but never deleted: their events refer to them."""

    nothing_yet = _("No carrier sends its events yet")
    how_it_begins = _("Add one: the next page shows the secret that it signs with.")
    list_display = ["name", "slug", "source", "adapter", "shown_countries", "is_active", "shown_last"]
    list_filter = ["is_active", "adapter"]
    list_per_page = 50
    list_disable_select_all = True
    search_fields = ["name", "slug"]
    search_help_text = _("Name or slug")
    form = CarrierForm
    confirmed_actions = (ROTATE,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Carrier]:
        return cast("QuerySet[Carrier]", super().get_queryset(request).annotate(last=Max("receipts__received_at")))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        first = ["name", "slug", "source", "adapter", "countries"]
        asked = [] if obj is not None and not self.has_change_permission(request, obj) else ["api_key"]
        return [
            (None, {"fields": [*first, *(["is_active", "shown_address"] if obj else [])]}),
            (_("Signature"), {"fields": [*_SIGNATURE, *([] if obj else ["secret"])]}),
            (_("Events"), {"fields": [*_EVENTS, *asked]}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Carrier | None = None) -> list[str]:  # noqa: ARG002  # as above
        return [] if obj is None else ["slug", "adapter", "scheme", "shown_address"]

    def get_form(self, request: HttpRequest, obj: Carrier | None = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: ANN401, FBT001, FBT002  # as above
        kwargs["form"] = CarrierForm if obj else NewCarrierForm
        made: Any = super().get_form(request, obj, change, **kwargs)
        made.scope = scope_of(request.user)
        return made

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401  # Django's signature
        """A carrier that also serves other countries is only shown."""
        if isinstance(obj, str | int):  # unfold passes the key where it asks about a page's actions
            obj = self.get_object(request, str(obj))
        return super().has_change_permission(request, obj) and (obj is None or _governs(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # as above
        return False

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one save button for a new carrier, since the page with its secret always follows."""
        one_button = {"show_save_and_continue": False, "show_save_and_add_another": False}
        return super().add_view(request, form_url, (extra_context or {}) | one_button)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # as above
        api_key = form.cleaned_data["api_key"] or ""
        if not change:
            given = form.cleaned_data["secret"]
            request.first_secret = register(obj, given, api_key) if given is None else None  # type: ignore[attr-defined]  # requests may be extended like this
            if given is not None:
                register(obj, given, api_key)
            return
        fill_in(obj)
        if api_key:
            obj.sealed_api_key = encryption.seal(api_key)
        obj.save()

    def response_add(self, request: HttpRequest, obj: Carrier, post_url_continue: str | None = None) -> HttpResponse:  # noqa: ARG002  # as above
        messages.success(request, gettext("%s can send its events now.") % obj.name)
        return _after_secret(self, request, obj, request.first_secret)  # type: ignore[attr-defined]  # set by save_model

    def get_urls(self) -> list[URLPattern]:
        return [SECRET_PAGE.url(self), *super().get_urls()]

    @display(description=_("countries"))
    def shown_countries(self, carrier: Carrier) -> str:
        return ", ".join(carrier.countries)

    @display(description=headed_by_zone(_("last receipt")), ordering="last")
    def shown_last(self, carrier: Any) -> str:  # noqa: ANN401  # annotated
        return in_list(carrier.last) if carrier.last else "–"

    @display(description=_("address"))
    def shown_address(self, carrier: Carrier) -> str:
        return f"/api/carriers/v1/{carrier.slug}/events"
