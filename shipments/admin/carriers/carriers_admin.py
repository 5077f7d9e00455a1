"""Carriers in the admin: make them, change them, replace their secrets."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Max, Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, gettext_noop
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminPasswordToggleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from base import encryption
from base.admin.activity import ActKind, act, log_act
from base.admin.confirmed_action import ConfirmedAction, Question
from base.admin.scoped_admin import ScopedAdmin
from base.admin.secret_page import SecretPage
from base.db.moments import in_list
from companies.country_names import country_choices
from companies.scope import Scope, scope_of
from shipments.admin.columns import column, time_column
from shipments.carriers.guides import bind_by_hand
from shipments.carriers.registration import OVERLAP, check_secret, fill_in, has_unsent_secret, register, rotate_secret
from shipments.manifests.waybills import NUMBER_LENGTH
from shipments.models import Carrier, CarrierNumber, Guide
from shipments.statuses import FINAL, GuideStatus
from shipments.tracking.moves import text_problem

NUMBER_ENTERED = act("carrier_number_entered", ActKind.CONFIGURED, _("Entered the number of %(carrier)s."))
NUMBER_MOVED = act("carrier_number_moved", ActKind.CONFIGURED, _("Moved the number of %(carrier)s to another guide."))


class NumberForm(forms.Form):
    """A carrier's number for a guide. carriers, guides: those that the operator may name."""

    carrier = forms.ModelChoiceField(Carrier.objects.none(), label=_("Carrier"), widget=UnfoldAdminSelectWidget())
    number = forms.CharField(label=_("Carrier's number"), max_length=NUMBER_LENGTH, widget=UnfoldAdminTextInputWidget())
    is_moved = forms.BooleanField(
        label=_("Take it from the guide that has it"), required=False, widget=UnfoldBooleanWidget()
    )

    def __init__(self, guide: Guide, carriers: QuerySet[Carrier], guides: QuerySet[Guide], data: Any = None) -> None:  # noqa: ANN401  # Django's
        super().__init__(data)
        self.former: Guide | None = None
        self._guide, self._guides = guide, guides
        self.fields["carrier"].queryset = carriers  # type: ignore[attr-defined]  # a ModelChoiceField's

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if text_problem(cleaned.get("number", "")):
            self.add_error("number", text_problem(cleaned["number"]))
        if GuideStatus(self._guide.status).is_terminal:
            self.add_error(None, _("The guide's status is final: the number is for its next guide."))
        known = CarrierNumber.objects.filter(carrier=cleaned.get("carrier"), number=cleaned.get("number"))
        if bound := known.exclude(guide=None).exclude(guide__status__in=FINAL).first():
            if bound.guide_id == self._guide.pk and bound.is_known:
                self.add_error("number", _("The guide has this number already."))
            elif bound.guide_id != self._guide.pk:
                self._ask_to_move(bound)
        return cleaned

    def _ask_to_move(self, bound: CarrierNumber) -> None:
        self.former = self._guides.filter(carrier_numbers=bound).first()
        if self.former is None:
            self.add_error("number", _("The carrier has this number for a guide of another country."))
        elif not self.cleaned_data.get("is_moved"):
            named = {"guide": self.former, "company": self.former.manifest.company.name}
            self.add_error("is_moved", gettext("%(guide)s of %(company)s has the number.") % named)


class EnterNumber(ConfirmedAction[Guide]):
    name, path = "enter_carrier_number", "carrier-number"
    label, icon = _("Enter a carrier's number"), "tag"
    question = Question(
        _("Enter a carrier's number"),
        [_("The carrier's events with this number are applied to the guide; those that wait, within seconds.")],
        _("Save"),
    )
    logged, said = NUMBER_ENTERED, _("The number is stored.")

    @staticmethod
    def fits(row: Guide) -> bool:
        if GuideStatus(row.status).is_terminal:
            return False
        return any(row.manifest.country in each.countries for each in Carrier.objects.filter(is_active=True))

    def get_form(self, data: Any, files: object) -> NumberForm:  # noqa: ANN401, ARG002  # Django's data
        active = Carrier.objects.visible_to(self.request.user).filter(is_active=True)
        serving = [carrier.pk for carrier in active if self.row.manifest.country in carrier.countries]
        visible = Guide.objects.visible_to(self.request.user).select_related("manifest__company")
        return NumberForm(self.row, active.filter(pk__in=serving), visible, data)

    def confirm(self, form: NumberForm) -> Sequence[Guide]:
        carrier = form.cleaned_data["carrier"]
        bind_by_hand(carrier, form.cleaned_data["number"], self.row)
        if form.former:
            log_act(self.request, form.former, NUMBER_MOVED, carrier=carrier.name)
        self.params = {"carrier": carrier.name}
        return [self.row]


def numbers_of(guide: Guide) -> list[tuple[str, str, str]]:
    """Return each carrier's number of a guide: the carrier, the number, and whose it is, for the guide's page."""
    numbers = CarrierNumber.objects.filter(Q(guide=guide) | Q(claims__guide=guide)).select_related("carrier").distinct()
    return [
        (
            number.carrier.name,
            number.number,
            gettext("bound") if number.guide_id == guide.pk else gettext("claimed by its client"),
        )
        for number in numbers.order_by("carrier__name", "number")[:_SHOWN_OF_A_GUIDE]
    ]


_SHOWN_OF_A_GUIDE = 20
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
    secret = _secret_field()


class RotationForm(forms.Form):
    """The secret that replaces a carrier's, and for how long the former one is valid."""

    secret = _secret_field()
    overlap_hours = forms.FloatField(
        label=_("Hours that the former secret stays valid"),
        min_value=0,
        max_value=_MOST_HOURS,
        initial=OVERLAP // timedelta(hours=1),
        widget=UnfoldAdminDecimalFieldWidget,
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


def _secret_context(_admin: object, request: HttpRequest, carrier: Carrier) -> dict[str, Any]:
    if not _governs(request, carrier):
        raise PermissionDenied
    return {"carrier": carrier, "way_back": reverse("admin:shipments_carrier_change", args=[carrier.pk])}


SECRET = SecretPage("secret", "secret", _("Secret of the carrier"), "shipments/carriers/secret.html", _secret_context)


def _governs(request: HttpRequest, carrier: Carrier) -> bool:
    return scope_of(request.user).covers(carrier.countries)


class RotateSecret(ConfirmedAction[Carrier]):
    name, permission = "rotate_secret", "change"
    label, icon = _("Rotate the secret"), "key"

    def get_question(self) -> Question:
        lines: list[str | Promise] = [
            _("The former secret stays valid for the hours that you enter: nothing is lost while the carrier switches.")
        ]
        older = self.row.secrets.filter(ends_at__gt=timezone.now()).first()
        if older and older.ends_at:
            text = gettext(
                "The secret from before the last rotation is valid until %s. It stops now: has the carrier switched?"
            )
            if has_unsent_secret(self.row):
                text = gettext(
                    "The secret from before the last rotation is valid until %s. The current one was created minutes "
                    "ago and has never been used: it stops working now, and the older one keeps working."
                )
            lines.insert(0, text % in_list(older.ends_at))
        return Question(_("Rotate the secret"), lines, _("Rotate"))

    def get_form(self, data: Any, files: object) -> RotationForm:  # noqa: ANN401, ARG002  # as above
        return RotationForm(self.row.scheme, data)

    def confirm(self, form: RotationForm) -> Sequence[Carrier]:
        given = form.cleaned_data["secret"]
        clear = rotate_secret(self.row, given, overlap=timedelta(hours=form.cleaned_data["overlap_hours"]))
        self.shown_secret = clear if given is None else None
        self.admin.log_change(self.request, self.row, [{"changed": {"fields": [gettext_noop("secret")]}}])
        return []

    def respond(self, rows: Sequence[Carrier]) -> HttpResponseBase:
        messages.success(self.request, gettext("The secret is rotated."))
        if self.shown_secret is None:
            return super().respond(rows)
        return SECRET.show(self.admin, self.request, self.row, self.shown_secret)


@admin.register(Carrier)
class CarrierAdmin(ScopedAdmin):
    """Carriers are made, changed and made inactive, but never deleted: their events refer to them."""

    nothing_yet = _("No carrier sends its events yet")
    how_it_begins = _("Add one: the next page shows the secret that it signs with.")
    first_steps = [(_("Add a carrier"), "admin:shipments_carrier_add", "shipments.add_carrier")]
    list_display = ["name", "slug", "source", "adapter", "shown_countries", "is_active", "shown_last"]
    list_filter = ["is_active", "adapter"]
    list_per_page = 50
    list_disable_select_all = True
    search_fields = ["name", "slug"]
    search_help_text = _("Name or slug")
    form = CarrierForm
    confirmed_actions = (RotateSecret,)
    secret_page = SECRET
    has_one_button = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Carrier]:
        return cast("QuerySet[Carrier]", super().get_queryset(request).annotate(last=Max("receipts__received_at")))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        is_only_shown = obj is not None and not self.has_change_permission(request, obj)
        first = ["name", "slug", "source", "adapter", "shown_countries" if is_only_shown else "countries"]
        asked = [] if is_only_shown else ["api_key"]
        return [
            (None, {"fields": [*first, *(["is_active", "shown_address"] if obj else [])]}),
            (_("Signature"), {"fields": [*_SIGNATURE, *([] if obj else ["secret"])]}),
            (_("Events"), {"fields": [*_EVENTS, *asked]}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Carrier | None = None) -> list[str]:  # noqa: ARG002  # as above
        return [] if obj is None else ["slug", "adapter", "scheme", "shown_countries", "shown_address"]

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

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # as above
        api_key = form.cleaned_data["api_key"] or ""
        if not change:
            given = form.cleaned_data["secret"]
            clear = register(obj, given, api_key)
            request.new_secret = clear if given is None else None  # type: ignore[attr-defined]  # requests may be extended like this
            messages.success(request, gettext("%s can send its events now.") % obj.name)
            return
        fill_in(obj)
        if api_key:
            obj.sealed_api_key = encryption.seal(api_key)
        obj.save()

    shown_countries = column(_("countries"), lambda carrier: ", ".join(carrier.countries))
    shown_last = time_column(_("last receipt"), "last", ordering="last")
    shown_address = column(_("address"), lambda carrier: f"/api/carriers/v1/{carrier.slug}/events")
