"""The admin of companies: onboarding, rights, passwords, activation and deactivation."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.list_filters import ChoiceFilter
from base.admin.lists import badge, column
from base.admin.scoped_admin import ScopedAdmin
from companies.company_actions import (
    PASSWORD_PAGE,
    PICTURES,
    Activate,
    Deactivate,
    EndOldPassword,
    RotatePassword,
    has_old_password,
    old_in_words,
)
from companies.country_names import country_choices, country_name
from companies.forms import CompanyForm, OnboardingForm
from companies.models import Company, EndingPassword
from companies.models.company import ships_to_one_of
from companies.onboarding import onboard
from companies.operators import (  # autodiscovery reads only admin.py
    accesses_admin,  # noqa: F401  # registers accesses
    mails_admin,  # noqa: F401  # registers mails
    operators_admin,  # noqa: F401  # registers users and groups
)
from companies.scope import scope_of
from companies.welcome import welcome_texts

_CONTACT = ["contact_name", "contact_email", "contact_phone"]
_PASSWORD = ["shown_password", "api_password_set_at", "last_used_at"]


class AllowedCountryFilter(ChoiceFilter):
    title = _("country")
    parameter_name = "country"
    options = country_choices()

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Company]:  # noqa: ANN401, ARG002  # the base's signature
        return cast("QuerySet[Company]", rows.filter(ships_to_one_of([value])))


@admin.register(Company)
class CompanyAdmin(ScopedAdmin):
    """Companies are added, changed, activated and deactivated, but never deleted: manifests refer to them."""

    list_display = [
        "client_code", "name", "shown_kind", "shown_countries", "tracking_prefix", "is_active", "shown_password",
        "shown_last_use",
    ]  # fmt: skip
    list_display_links = ["client_code", "name"]
    list_select_related = ["ending_password"]
    list_filter = ["kind", "is_active", AllowedCountryFilter, "is_marketplace"]
    ordering = ["name"]
    list_per_page = 50
    list_disable_select_all = True
    search_fields = ["name", "client_code"]
    search_help_text = _("Name or client code")
    nothing_yet = _("There are no clients yet")
    how_it_begins = _("Add a company: the next page shows its API password and what to send it.")
    first_steps = [(_("Add a company"), "admin:companies_company_add", "companies.add_company")]
    autocomplete_fields = ["posts_for"]
    confirmed_actions = (RotatePassword, EndOldPassword, Deactivate, Activate)
    secret_page = PASSWORD_PAGE
    has_one_button = True
    form = CompanyForm
    add_fieldsets: Any = [
        (None, {
            "fields": ["name", "client_code", "kind"],
            "description": _("The next page shows the company's API password, once."),
        }),
        (_("Rights"), {"fields": [
            "allowed_countries", "read_by_headings", "tracking_prefix", "is_marketplace", "posts_for",
        ]}),
        (_("Contact"), {"fields": _CONTACT}),
    ]  # fmt: skip

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401  # unfold's signature
        if obj is None:
            return super().get_fieldsets(request, obj)
        may_change = self.has_change_permission(request, obj)
        countries = ["allowed_countries"] if may_change else ["country_names"]
        own = "is_marketplace"
        if obj.is_courier:
            own = "posts_for" if may_change else "clients_in_sight"
        else:
            countries.append("read_by_headings" if may_change else "workbook_country_names")
        return [
            (None, {"fields": ["name", "client_code", "kind", "is_active"]}),
            (_("Rights"), {"fields": [*countries, "tracking_prefix", own, "may_correct", "requests_per_second"]}),
            (_("Contact"), {"fields": _CONTACT}),
            (_("API password"), {"fields": [*_PASSWORD, *(["shown_old_password"] if has_old_password(obj) else [])]}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Company | None = None) -> list[str]:  # noqa: ARG002  # Django's signature
        """Fields that are set once, that only actions change, or that the service writes.

        The kind is set once: a courier owns no manifests, and this app cannot check whether there are any.
        """
        if obj is None:
            return []
        return ["client_code", "kind", "is_active", *_PASSWORD, "shown_old_password"]

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any] | None:  # noqa: ANN401  # Django's signature
        """Limit a courier's clients to those wholly within the operator's scope: it may post any of their goods."""
        if db_field.name == "posts_for":
            return Company.objects.managed_by(request.user)
        return super().get_field_queryset(db, db_field, request)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Company | None:
        """Return the company, with the operator attached: a courier may have clients outside the operator's scope."""
        company: Company | None = super().get_object(request, object_id, from_field)
        if company is not None:
            company.viewer = request.user  # type: ignore[attr-defined]  # for `clients_in_sight`
        return company

    def get_form(
        self, request: HttpRequest, obj: Company | None = None, change: bool = False, **kwargs: Any  # noqa: ANN401, FBT001, FBT002  # Django's signature
    ) -> type[CompanyForm]:  # fmt: skip
        if obj is None:
            kwargs["form"] = OnboardingForm
        form = cast("type[CompanyForm]", super().get_form(request, obj, change, **kwargs))
        form.scope = scope_of(request.user)
        return form

    def has_change_permission(self, request: HttpRequest, obj: Company | None = None) -> bool:
        """A company that also ships elsewhere is read-only."""
        if not super().has_change_permission(request, obj):
            return False
        if obj is None or scope_of(request.user).is_everywhere:
            return True
        return Company.objects.managed_by(request.user).filter(pk=obj.pk).exists()

    def has_delete_permission(self, request: HttpRequest, obj: Company | None = None) -> bool:  # noqa: ARG002  # Django's signature
        return False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the company with what to send to it, and what other applications know of it."""
        company = self.get_object(request, object_id)
        shown: dict[str, Any] = {"texts": welcome_texts(request, company)} if company else {}
        if company:
            for draw in PICTURES:
                shown["picture"] = draw(cast("User", request.user), company)
        return super().change_view(request, object_id, form_url, shown | (extra_context or {}))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: ANN401, FBT001  # unfold's signature
        if change:
            # Save only the form's fields: a password rotated, or a company deactivated, in the meantime must stay so.
            obj.save(update_fields=[column.name for column in obj._meta.concrete_fields if column.name in form.fields])
        else:
            request.new_secret = onboard(obj, posts_for=form.cleaned_data["posts_for"])  # type: ignore[attr-defined]  # a request is made to be extended so
        if not change or "tracking_prefix" in form.changed_data:
            self._warn_of_shared_prefix(request, obj)

    def response_add(self, request: HttpRequest, obj: Company, post_url_continue: str | None = None) -> HttpResponse:
        text = gettext("%(company)s was added; its tracking codes begin with %(prefix)s.")
        messages.success(request, text % {"company": obj, "prefix": obj.tracking_prefix})
        return super().response_add(request, obj, post_url_continue)

    @staticmethod
    def _warn_of_shared_prefix(request: HttpRequest, company: Company) -> None:
        seen = Company.objects.visible_to(request.user)
        if others := seen.sharing_prefix_with(company).values_list("client_code", flat=True):
            text = gettext("Tracking codes of %(companies)s also begin with %(prefix)s.")
            messages.warning(request, text % {"companies": ", ".join(others), "prefix": company.tracking_prefix})

    shown_kind = column(
        _("kind"),
        lambda company: badge(company.get_kind_display(), "warning" if company.is_courier else "info"),
        ordering="kind",
    )
    shown_password = column(
        _("API password"), lambda company: f"{company.api_password_hint}…" if company.api_password_hint else ""
    )

    # For operators who may only view the company: the list as words, and a courier's clients within their scope.
    country_names = column(
        _("allowed countries"), lambda company: ", ".join(map(country_name, company.allowed_countries))
    )
    workbook_country_names = column(
        _("workbooks read by their headings"),
        lambda company: ", ".join(map(country_name, company.read_by_headings)),
    )
    clients_in_sight = column(
        _("posts for"), lambda courier: ", ".join(map(str, courier.posts_for.visible_to(courier.viewer)))
    )

    @admin.display(description=_("countries"))
    def shown_countries(self, company: Company) -> SafeString:
        return format_html_join(" ", "{}", ((badge(code, "muted"),) for code in company.allowed_countries))

    @admin.display(description=_("last used"), ordering="last_used_at")
    def shown_last_use(self, company: Company) -> str:
        """How long ago, in a single unit: clearer and shorter in a list than a date."""
        if company.last_seen_at is None:
            return gettext("never")
        return gettext("%(time)s ago") % {"time": timesince(company.last_seen_at, depth=1)}

    @admin.display(description=_("old password"))
    def shown_old_password(self, company: Company) -> str:
        return old_in_words(EndingPassword.objects.get(company=company))
