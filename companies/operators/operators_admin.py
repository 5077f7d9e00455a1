"""The admin of operators, their live sessions, and the groups that give them their permissions, in unfold's style."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin, UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Question
from base.admin.lists import column
from base.db.moments import in_list
from companies.clocks import add_zone
from companies.countries import SERVED
from companies.country_names import country_choices
from companies.everywhere_admin import EverywhereAdmin
from companies.mail import outbox
from companies.models import OperatorProfile, OperatorSession
from companies.models.operators import LONGEST_SUBJECT, Authenticator, is_subject
from companies.operators import second_factor
from companies.operators.clock_page import ZoneField
from companies.operators.invitations import Invite, invitation_in_words, invite
from companies.operators.notifications_page import LanguageField
from companies.operators.password_gate import require_change
from companies.operators.role_names import permission_in_words, role_explained, role_name, roles_of
from companies.scope import ALL_COUNTRIES

for model in (User, Group, TOTPDevice, StaticDevice):
    admin.site.unregister(model)

SESSION_ENDED = act("api_session_ended", ActKind.CONFIGURED, _("Ended a session of the operators' API."))


class EndSession(ConfirmedAction[Any]):
    """The rows are sessions, the subject is their user."""

    name, label, permission = "end_session", _("End the session"), "change"
    nothing = _("The session is over.")
    logged, said = SESSION_ENDED, _("The session is ended.")

    def get_question(self) -> Question:
        lines: list[str | Promise] = [
            _describe(self.rows.get()),
            _("Its token stops working at once. The program that uses it must log in again."),
            _("If somebody else may know the password, change it too."),
        ]
        return Question(_("End the session"), lines, _("End"), is_dangerous=True)

    def confirm(self, form: object) -> Sequence[Any]:  # noqa: ARG002  # nothing is entered
        self.rows.end()  # type: ignore[attr-defined]  # of sessions
        return [self.row]


def _describe(session: OperatorSession) -> str:
    used = session.last_used_at or session.created_at
    return gettext("from %(address)s, began %(began)s, last used %(used)s") % {
        "address": session.address or "?",
        "began": in_list(session.created_at),
        "used": in_list(used),
    }


def _link(session: OperatorSession) -> SafeString:
    page = reverse("admin:auth_user_end_session", args=[session.user_id, session.pk])
    return format_html('<a class="font-medium text-red-600 dark:text-red-500 ml-2" href="{}">{}</a>', page, _("End"))


SECOND_FACTOR_RESET = act("second_factor_reset", ActKind.CONFIGURED, _("Reset the second factor."))


class ResetSecondFactor(ConfirmedAction[User]):
    name, permission = "reset_second_factor", "change"
    label, icon = _("Reset second factor"), "phonelink_erase"
    question = Question(
        _("Reset the second factor"),
        [
            _("The app and the recovery codes stop working; every session opened with them is asked for a code again."),
            _("Until the next login sets up a new app, only the password protects this account."),
            _("Make sure that the request really comes from your colleague: by phone or in person, not by message."),
        ],
        _("Reset"), is_dangerous=True,
    )  # fmt: skip
    logged = SECOND_FACTOR_RESET
    said = _("The second factor of %(rows)s was reset; the next login sets up a new one.")

    def confirm(self, form: object) -> Sequence[User]:  # noqa: ARG002  # nothing is entered
        if second_factor.reset(self.row):
            return [self.row]
        nothing = gettext("%(user)s had no second factor; nothing changed.")
        messages.info(self.request, nothing % {"user": self.row})
        return []


_SEEN = _("Destinations the operator sees and works on. A superuser sees all.")
NO_COUNTRY = _("Choose all countries, or at least one of them.")


class CountriesField(forms.MultipleChoiceField):
    """The countries of an operator, as the profile stores them: some, or all with those added later."""

    def __init__(self, help_text: Any = _SEEN, *, must_choose: bool = False) -> None:  # noqa: ANN401  # lazy
        self.must_choose = must_choose
        super().__init__(
            label=_("Countries"),
            choices=lambda: [(ALL_COUNTRIES, _("All countries, also later ones")), *country_choices()],
            required=False,
            widget=UnfoldAdminCheckboxSelectMultipleWidget,
            help_text=help_text,
        )

    def clean(self, value: Any) -> list[str]:  # noqa: ANN401  # Django's signature
        """Return the chosen codes in the order we always keep them."""
        chosen = super().clean(value)
        if ALL_COUNTRIES in chosen and len(chosen) > 1:
            raise forms.ValidationError(gettext("Choose all countries, or some of them."))
        if self.must_choose and not chosen:
            raise forms.ValidationError(NO_COUNTRY)
        return [code for code in (ALL_COUNTRIES, *SERVED) if code in chosen]


class RoleField(forms.ModelChoiceField):  # type: ignore[type-arg]  # a parameter only for mypy
    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # Django's
        groups = Group.objects.order_by("name")
        super().__init__(groups, label=_("Role"), empty_label=_("Choose…"), widget=UnfoldAdminSelectWidget, **options)

    def label_from_instance(self, obj: Group) -> str:
        return role_explained(obj)


class OperatorForm(UserChangeForm):
    """A user, with the destinations the user sees, and who the user is at the provider of single sign-on."""

    countries = CountriesField()
    time_zone = ZoneField(_("Time zone"))
    subject = forms.CharField(
        label=_("Identifier at the provider"),
        required=False,
        max_length=LONGEST_SUBJECT,
        widget=UnfoldAdminTextInputWidget,
        help_text=_(
            "The `sub` of the person there, who then logs in as this operator. Roles and countries follow what the "
            "provider says at each login. Empty: nobody logs in there as this operator."
        ),
    )
    language = LanguageField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*args, **kwargs)
        profile = getattr(self.instance, "operator_profile", None)
        self.initial["countries"] = profile.countries if profile else []
        self.initial["time_zone"] = profile.time_zone if profile else ""
        self.initial["subject"] = profile.subject if profile and profile.issuer == settings.OIDC_ISSUER else ""
        self.initial["language"] = (profile and profile.language) or settings.LANGUAGE_CODE
        if groups := self.fields.get("groups"):
            groups.widget = groups.widget.widget  # without the links to add and change a role

    def clean_subject(self) -> str:
        """Accept what a provider can send, and what no other operator has."""
        subject: str = self.cleaned_data["subject"]
        if not subject:
            return ""
        if not is_subject(subject):
            raise forms.ValidationError(gettext("The identifier contains invisible characters. Copy it again."))
        others = OperatorProfile.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject)
        if other := others.exclude(user=self.instance).first():
            raise forms.ValidationError(gettext("%s has this identifier.") % other.user)
        return subject

    def clean(self) -> dict[str, Any]:
        """Require a choice of countries, except for a superuser, who sees all of them."""
        cleaned = super().clean() or self.cleaned_data
        is_superuser = cleaned.get("is_superuser", self.instance.is_superuser)
        if cleaned.get("countries") == [] and not is_superuser:
            self.add_error("countries", NO_COUNTRY)
        return cleaned


class NewOperatorForm(UserCreationForm):
    """A new operator, able to log in at once, with a first password that the operator then changes."""

    role = RoleField()
    countries = CountriesField(must_choose=True)

    class Meta(UserCreationForm.Meta):
        fields = ("username", "first_name", "last_name", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*args, **kwargs)
        self.fields["email"].required = self.fields["first_name"].required = True
        self.fields["password1"].help_text = _("Hand it over safely. The operator must change it at the first login.")


class InvitedOperatorForm(NewOperatorForm):
    """A new operator, who chooses a password behind the link of a mail."""

    language = LanguageField(initial=lambda: (get_language() or "")[:2])

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*args, **kwargs)
        for name in ("usable_password", "password1", "password2"):
            del self.fields[name]

    def validate_passwords(self, *_names: str) -> None:
        """There is none until the invitation is accepted."""
        self.cleaned_data["set_usable_password"] = False


@admin.register(User)
class UserAdmin(EverywhereAdmin, DjangoUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]  # as unfold's manual has it; its hints disagree with Django's
    """Users. Only a superuser may create or change a superuser: `change_user` alone must not allow becoming one."""

    form = OperatorForm
    add_fieldsets: Any = (
        (None, {"fields": (("first_name", "last_name"), "email", "username", ("password1", "password2"))}),
        (_("What the operator may do"), {"fields": ("role", "countries")}),
    )
    invited_fieldsets: Any = (
        (None, {
            "fields": (("first_name", "last_name"), ("email", "language"), "username"),
            "description": _("An invitation goes there: its link works once, within 72 hours, and sets the password."),
        }),
        add_fieldsets[1],
    )  # fmt: skip
    add_form_template = "admin/change_form.html"
    change_password_form = AdminPasswordChangeForm
    list_display = [
        "username", "shown_name", "email", "shown_role", "shown_countries", "shown_second_factor",
        "is_active", "shown_last_login",
    ]  # fmt: skip
    list_select_related = ["operator_profile"]
    shown_last_login = column(
        add_zone(_("last login")), lambda user: in_list(user.last_login) if user.last_login else "–",
        ordering="last_login",
    )  # fmt: skip
    readonly_fields = [
        "last_login", "date_joined", "shown_countries", "shown_permissions", "shown_sessions", "shown_invitation",
    ]  # fmt: skip
    filter_horizontal = ()
    confirmed_actions = (Invite, ResetSecondFactor)

    @property
    def add_form(self) -> type[NewOperatorForm]:
        return InvitedOperatorForm if outbox.is_on() else NewOperatorForm

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature
        """Show all groups at once: there are few, and each one matters."""
        if db_field.name != "groups":
            return super().formfield_for_manytomany(db_field, request, **kwargs)
        field: Any = super().formfield_for_manytomany(
            db_field, request, **{**kwargs, "widget": UnfoldAdminCheckboxSelectMultipleWidget()}
        )
        field.label, field.help_text, field.label_from_instance = _("Roles"), "", role_explained
        return field

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        fields = list(super().get_readonly_fields(request, obj))
        return fields if request.user.is_superuser else [*fields, "is_superuser"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        apps = Authenticator.objects.filter(user=OuterRef("pk"), confirmed=True)
        users: QuerySet[User] = super().get_queryset(request).filter(operator_access=None)  # machines have their own
        return users.prefetch_related("groups").annotate(has_second_factor=Exists(apps))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        fieldsets = list(super().get_fieldsets(request, obj))
        if obj is None:
            return self.invited_fieldsets if outbox.is_on() else fieldsets
        may_change = self.has_change_permission(request, obj)
        fields = ["countries", "time_zone", "language"] if may_change else ["shown_countries"]
        sessions = (_("Sessions of the operators' API"), {"fields": ["shown_sessions"]})
        own = ["shown_permissions"] if obj.user_permissions.exists() else []
        if settings.OIDC_ISSUER and request.user.is_superuser:
            fields = [*fields, "subject"]
        rights = {"fields": ["is_active", "is_staff", "is_superuser", "groups", *own]}
        countries = (_("Countries"), {"fields": fields})
        person = dict(fieldsets[1][1])
        if invitation_in_words(obj):
            person["fields"] = [*person["fields"], "shown_invitation"]
        return [fieldsets[0], (fieldsets[1][0], person), countries, (fieldsets[2][0], rights), *fieldsets[3:], sessions]

    def get_form(self, request: HttpRequest, obj: User | None = None, change: bool = False, **options: Any) -> Any:  # noqa: ANN401, FBT001, FBT002  # Django's signature
        """Leave the identifier at the provider to superusers: whoever has it logs in as the operator."""
        form = super().get_form(request, obj, change=change, **options)
        if not (settings.OIDC_ISSUER and request.user.is_superuser):
            form.base_fields.pop("subject", None)
        return form

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # unfold's signature
        if not change:
            self._save_new(request, obj, form)
            return
        # Only the form's fields, without the displayed password: its owner may change it in the meantime.
        held = form.fields.keys() - {"password"}
        obj.save(update_fields=[column.name for column in obj._meta.concrete_fields if column.name in held])
        if chosen := {"countries", "time_zone", "language", "subject"} & set(form.changed_data):
            values = {name: form.cleaned_data[name] for name in chosen}
            if "subject" in chosen:
                values["issuer"] = settings.OIDC_ISSUER if values["subject"] else ""
            OperatorProfile.objects.update_or_create(user=obj, defaults=values)

    def _save_new(self, request: HttpRequest, user: User, form: Any) -> None:  # noqa: ANN401  # Django's form
        user.is_staff = True  # without it the operator could not log in
        super().save_model(request, user, form, change=False)
        OperatorProfile.objects.create(
            user=user,
            countries=form.cleaned_data["countries"],
            language=form.cleaned_data.get("language") or (get_language() or "")[:2],
            must_change_password=user.has_usable_password(),
        )
        if outbox.is_on():
            invite(user, request)
            messages.info(request, gettext("The invitation is on its way to %s.") % user.email)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # Django's signature
        super().save_related(request, form, formsets, change)
        if not change:
            form.instance.groups.set([form.cleaned_data["role"]])

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002  # Django's signature
        """Change a password. Its owner must change it again, unless it is the administrator's own."""
        with transaction.atomic():
            response: HttpResponse = super().user_change_password(request, id, form_url)
            user = self.get_object(request, id)
            if response.status_code == 302 and user is not None and user != request.user:
                require_change(user)
        return response

    shown_name = column(_("name"), lambda user: user.get_full_name(), ordering="first_name")
    shown_role = column(_("role"), lambda user: gettext("Superuser") if user.is_superuser else roles_of(user))

    @admin.display(description=_("permissions besides the roles'"))
    def shown_permissions(self, user: User) -> str:
        return ", ".join(map(permission_in_words, user.user_permissions.select_related("content_type")))

    @admin.display(description=_("invitation"))
    def shown_invitation(self, user: User) -> str:
        return invitation_in_words(user)

    @admin.display(description=_("second factor"), boolean=True)
    def shown_second_factor(self, user: User) -> bool:
        return bool(getattr(user, "has_second_factor", False))

    @admin.display(description=_("countries"))
    def shown_countries(self, user: User) -> str:
        if user.is_superuser:
            return gettext("All countries")
        return str(getattr(user, "operator_profile", None) or OperatorProfile())

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.end_session)
        return [path("<path:object_id>/sessions/<str:session>/end/", view, name="auth_user_end_session"),
                *super().get_urls()]  # fmt: skip

    @admin.display(description=_("live sessions"))
    def shown_sessions(self, user: User) -> SafeString | str:
        """One line each, with the link that asks whether to end it."""
        live = OperatorSession.objects.live().filter(user=user)
        lines = format_html_join("", "<li>{} {}</li>", ((_describe(each), _link(each)) for each in live))
        return format_html("<ul>{}</ul>", lines) if lines else gettext("None.")

    def end_session(self, request: HttpRequest, object_id: str, session: str) -> HttpResponseBase:
        user: Any = self.get_object(request, object_id)
        if user is None:
            raise Http404
        live = OperatorSession.objects.live().filter(user=user)
        found = live.filter(pk__in=[each.pk for each in live if str(each.pk) == session])
        page = reverse("admin:auth_user_change", args=[user.pk])
        return EndSession(self, request, found, page, subject=user).answer()

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and self._may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002  # Django's signature
        """Never: the log would lose the name of who did what. Deactivate users who leave instead."""
        return False

    @staticmethod
    def _may_touch(request: HttpRequest, user: Any) -> bool:  # noqa: ANN401  # unfold passes an id where Django passes a user
        return request.user.is_superuser or not getattr(user, "is_superuser", False)


@admin.register(Group)
class GroupAdmin(EverywhereAdmin, DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]  # as above
    compressed_fields = False  # two lists side by side need the width
    list_display = ["shown_name"]
    shown_name = column(_("group"), role_name, ordering="name")

    def title_of(self, row: Group) -> str:
        return role_name(row)

    def get_deleted_objects(self, objs: Iterable[Group], request: HttpRequest) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        """Name each group and who has it, instead of the rows that join it to its permissions."""
        named = [each for group in objs for each in (role_name(group), [str(user) for user in group.user_set.all()])]
        return [each for each in named if each], {self.opts.verbose_name_plural: len(list(objs))}, set(), []

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:  # noqa: ANN401  # Django's signature
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        field.label_from_instance = permission_in_words
        return field
