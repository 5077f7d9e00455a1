"""The people who work in the admin, and the groups that give them their permissions, in the admin's own look."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from companies.models import Country, OperatorProfile
from companies.operators import second_factor
from companies.operators.confirmation import Question, ask, is_confirmed
from companies.operators.role_names import role_name
from companies.operators.scoped_admin import EverywhereAdmin

admin.site.unregister(User)
admin.site.unregister(Group)


admin.site.unregister(TOTPDevice)
admin.site.unregister(StaticDevice)

RESETTING = Question(
    title=_("Reset the second factor"),
    consequences=(
        _("The app and the recovery codes are forgotten; every session that was opened with them is asked anew."),
        _("Until the next login sets up a new app, the password alone stands between anybody and this account."),
        _("Make sure that it is your colleague who asks: by a voice you know, not by a message."),
    ),
    button=_("Reset"),
)


class OperatorForm(UserChangeForm):
    """A user, with the destinations that the user sees."""

    countries = forms.MultipleChoiceField(
        label=_("Countries"),
        choices=Country.choices,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=_("Destinations the operator sees and works on. None chosen: all of them. A superuser sees all."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*args, **kwargs)
        profile = getattr(self.instance, "operator_profile", None)
        self.initial["countries"] = profile.countries if profile else []

    def clean_countries(self) -> list[str]:
        """The chosen codes in the order we always keep them."""
        return [code for code in Country.values if code in self.cleaned_data["countries"]]


@admin.register(User)
class UserAdmin(EverywhereAdmin, DjangoUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]  # as unfold's manual has it; its hints disagree with Django's
    """Users. Only a superuser makes or touches a superuser: `change_user` alone must not be a way to become one."""

    form = OperatorForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = [
        "username", "first_name", "last_name", "email", "shown_countries", "is_staff", "is_active", "last_login",
    ]  # fmt: skip
    list_select_related = ["operator_profile"]
    readonly_fields = ["last_login", "date_joined", "shown_countries"]
    filter_horizontal = ["user_permissions"]
    compressed_fields = False  # two lists side by side need the width
    actions_detail: Any = ["reset_second_factor"]

    @action(
        description=_("Reset second factor"),
        url_path="reset-second-factor",
        permissions=["change"],
        icon="phonelink_erase",
    )
    def reset_second_factor(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask, then forget a colleague's app and codes."""
        user: User | None = self.get_object(request, object_id)
        if user is None:
            raise Http404
        if not self.has_change_permission(request, user):  # unfold has asked with the key alone
            raise PermissionDenied
        page = reverse("admin:auth_user_change", args=[user.pk])
        if not is_confirmed(request):
            return ask(self, request, RESETTING, [user], way_back=page)
        with transaction.atomic():
            had_one = second_factor.reset(user)
            self.log_change(request, user, gettext("Reset the second factor."))
        done = gettext("The second factor of %(user)s is forgotten; the next login sets up a new one.")
        nothing = gettext("%(user)s had no second factor; nothing changed.")
        messages.success(request, (done if had_one else nothing) % {"user": user})
        return HttpResponseRedirect(page)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature
        """All groups in sight: they are few, and each is a decision."""
        if db_field.name != "groups":
            return super().formfield_for_manytomany(db_field, request, **kwargs)
        field: Any = super().formfield_for_manytomany(
            db_field, request, **{**kwargs, "widget": UnfoldAdminCheckboxSelectMultipleWidget()}
        )
        field.label_from_instance = role_name
        return field

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        fields = list(super().get_readonly_fields(request, obj))
        return fields if request.user.is_superuser else [*fields, "is_superuser", "user_permissions"]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        fieldsets = list(super().get_fieldsets(request, obj))
        if obj is None:
            return fieldsets
        field = "countries" if self.has_change_permission(request, obj) else "shown_countries"
        return [*fieldsets[:2], (_("Countries"), {"fields": [field]}), *fieldsets[2:]]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # unfold's signature
        if change:
            # What the form holds, of which the password is only shown: one that its owner changes meanwhile stays so.
            held = form.fields.keys() - {"password"}
            obj.save(update_fields=[column.name for column in obj._meta.concrete_fields if column.name in held])
        else:
            super().save_model(request, obj, form, change)
        if "countries" in form.changed_data:
            profile, _made = OperatorProfile.objects.get_or_create(user=obj)
            profile.countries = form.cleaned_data["countries"]
            profile.save()

    @admin.display(description=_("countries"))
    def shown_countries(self, user: User) -> str:
        profile = None if user.is_superuser else getattr(user, "operator_profile", None)
        return str(profile or _("All countries"))

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and self._may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002  # Django's signature
        """Never: what somebody did would be gone with the name. Who has left is not active any more."""
        return False

    @staticmethod
    def _may_touch(request: HttpRequest, user: Any) -> bool:  # noqa: ANN401  # unfold passes an id where Django passes a user
        return request.user.is_superuser or not getattr(user, "is_superuser", False)


@admin.register(Group)
class GroupAdmin(EverywhereAdmin, DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]  # as above
    """Groups."""

    compressed_fields = False  # as above
    list_display = ["shown_name"]

    @admin.display(description=_("group"), ordering="name")
    def shown_name(self, group: Group) -> str:
        return role_name(group)
