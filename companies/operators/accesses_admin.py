"""The admin of machines that work as operators: made, shown with their secret once, renewed and ended."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _, pgettext
from unfold.decorators import display
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Question
from base.admin.lists import badge, column
from base.admin.scoped_admin import ReadOnly
from base.admin.secret_page import SecretPage
from base.db.moments import in_list
from companies.clocks import add_zone
from companies.everywhere_admin import EverywhereAdmin
from companies.models import OperatorAccess
from companies.models.operators import MOST_DAYS, make_access
from companies.operators.operators_admin import CountriesField, RoleField
from companies.operators.role_names import roles_of
from companies.scope import scope_of

SECRET_ROTATED = act("access_secret_rotated", ActKind.CONFIGURED, _("Rotated the secret."))
ACCESS_ENDED = act("access_ended", ActKind.CONFIGURED, _("Ended the access."))


class AccessForm(forms.ModelForm):  # type: ignore[type-arg]  # a parameter only for mypy
    role = RoleField(help_text=_("Its permissions decide what the machine may do."))
    countries = CountriesField(_("Destinations the machine sees and works on."), must_choose=True)
    days = forms.IntegerField(
        label=_("Ends after (days)"),
        min_value=1,
        max_value=MOST_DAYS,
        initial=MOST_DAYS,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text=_("After this time it stops working. At most 365 days from now; then create a new one."),
    )

    class Meta:
        model = OperatorAccess
        fields = ("name",)


def _get_context_data(_admin: object, _request: object, access: OperatorAccess) -> Mapping[str, OperatorAccess]:
    """Return what the page of the secret shows. Raises `Http404` for an access that is over."""
    if access.is_over:
        raise Http404
    return {"access": access}


SECRET_PAGE = SecretPage("secret", "secret", _("Secret"), "companies/access_secret.html", _get_context_data)


class _OfLive(ConfirmedAction[OperatorAccess]):
    """Of an access that is not over."""

    permission = "add"
    fits = staticmethod(lambda row: not row.is_over)

    def among(self) -> QuerySet[OperatorAccess]:
        if self.row.is_over:
            raise Http404
        return self.rows


class Rotate(_OfLive):
    name, label, icon = "rotate_secret", _("Rotate secret"), "key"
    question = Question(
        _("Rotate the secret"),
        [
            _("The present secret and the tokens that were issued for it stop working at once."),
            _("The next page shows the new secret, once. Have a safe way ready to hand it over."),
        ],
        _("Rotate"), is_dangerous=True,
    )  # fmt: skip
    logged = SECRET_ROTATED

    def confirm(self, form: object) -> Sequence[OperatorAccess]:  # noqa: ARG002  # nothing is entered
        self.secret = self.row.set_new_secret()
        self.row.save()
        return [self.row]

    def respond(self, rows: object) -> HttpResponseBase:  # noqa: ARG002  # the base's signature
        return SECRET_PAGE.show(self.admin, self.request, self.row, self.secret)


class End(_OfLive):
    name, label, icon = "end", _("End"), "block"
    question = Question(
        _("End the access"),
        [
            _("Its secret and its tokens stop working at once. What it did keeps its name."),
            _("It cannot be enabled again: create a new access under another name."),
        ],
        _("End"), is_dangerous=True,
    )  # fmt: skip
    logged, said = ACCESS_ENDED, _("The access %(rows)s is ended.")

    def confirm(self, form: object) -> Sequence[OperatorAccess]:  # noqa: ARG002  # nothing is entered
        self.row.end()
        return [self.row]


@admin.register(OperatorAccess)
class AccessAdmin(ReadOnly, EverywhereAdmin):  # type: ignore[misc]  # unfold's hints disagree with Django's
    """Accesses are made, renewed and ended by who may add operators, never edited or deleted: timelines name them."""

    form = AccessForm
    list_display = ["name", "shown_role", "shown_countries", "shown_state", "shown_end", "shown_use", "created_by"]
    list_select_related = ["user__operator_profile"]
    list_display_links = ["name"]
    search_fields = ["name"]
    search_help_text = _("name")
    nothing_yet = _("No machine has an access yet")
    how_it_begins = _("A machine that works as an operator, such as a scanner or a broker's program, needs an access.")
    first_steps = [(_("Add an access"), "admin:companies_operatoraccess_add", "auth.add_user")]
    fieldsets = [
        (None, {"fields": ["name", ("client_id", "hint"), ("shown_role", "shown_countries"), "shown_state"]}),
        (_("Dates"), {"fields": [("created_at", "created_by"), ("secret_set_at", "expires_at"), "last_used_at"]}),
    ]
    add_fieldsets: Any = [(None, {"fields": ["name", "role", "countries", "days"]})]
    confirmed_actions = (Rotate, End)
    secret_page = SECRET_PAGE

    def get_queryset(self, request: HttpRequest) -> QuerySet[OperatorAccess]:
        accesses: QuerySet[OperatorAccess] = super().get_queryset(request)
        return accesses.prefetch_related("user__groups")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ANN401, ARG002  # Django's signature
        shown = ["client_id", "hint", "shown_role", "shown_countries", "shown_state", "created_at", "created_by"]
        return [] if obj is None else [*shown, "name", "secret_set_at", "expires_at", "last_used_at"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002  # as above
        return scope_of(request.user).is_everywhere and request.user.has_perm("auth.view_user")

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:  # noqa: ANN401, ARG002  # as above
        return scope_of(request.user).is_everywhere and request.user.has_perm("auth.add_user")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001  # as above
        given, actor = form.cleaned_data, request.user.get_username()
        access, secret = make_access(given["name"], given["role"], given["countries"], days=given["days"], actor=actor)
        vars(obj).update(vars(access))
        request.new_secret = secret  # type: ignore[attr-defined]  # a request is made to be extended so

    client_id = column(_("client ID"), lambda access: access.client_id)
    shown_role = column(_("role"), lambda access: roles_of(access.user))
    shown_countries = column(_("countries"), lambda access: str(getattr(access.user, "operator_profile", "")))
    shown_end = column(add_zone(_("ends at")), lambda access: in_list(access.expires_at), ordering="expires_at")
    shown_use = column(
        add_zone(_("last used")), lambda access: in_list(access.last_used_at) if access.last_used_at else ""
    )

    @display(description=_("state"))
    def shown_state(self, access: OperatorAccess) -> SafeString:
        if access.is_over:
            return badge(pgettext("access", "over"), "muted")
        return badge(pgettext("access", "valid"), "success")
