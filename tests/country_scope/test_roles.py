"""Who sees what: with all countries or none, as a superuser, a stranger; and what each role may do."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from companies.models import Company, OperatorProfile
from prealerts.roles import ROLES, fill_roles
from shipments.models import Guide
from tests.country_scope.operators import operator_of, text_of
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db


def test_with_all_countries_and_as_a_superuser_everything_is_seen(both: Company, home: Guide, abroad: Guide) -> None:
    everywhere = User.objects.create_user("elsa", is_staff=True)
    OperatorProfile.objects.create(user=everywhere, countries=["all"])
    chief = User.objects.create_superuser("chief")
    OperatorProfile.objects.create(user=chief, countries=["CL"])
    for user in (everywhere, chief):
        assert set(Guide.objects.visible_to(user)) >= {home, abroad}
        assert both in Company.objects.managed_by(user)


def test_a_stranger_a_closed_account_and_an_operator_without_countries_see_nothing(home: Guide) -> None:
    from django.contrib.auth.models import AnonymousUser  # noqa: PLC0415  # kept beside its only use

    bare, unticked = User.objects.create_user("bare", is_staff=True), User.objects.create_user("ana", is_staff=True)
    OperatorProfile.objects.create(user=unticked, countries=[])
    closed = User.objects.create_user("closed", is_staff=True, is_active=False)
    assert home.pk
    OperatorProfile.objects.create(user=closed, countries=["all"])
    for user in (AnonymousUser(), closed, bare, unticked):
        assert list(Guide.objects.visible_to(user)) == []
        assert list(Company.objects.visible_to(user)) == []
        assert list(Delivery.objects.visible_to(user)) == []


def test_a_migration_makes_the_roles_with_their_permissions() -> None:
    for name, permissions in ROLES.items():
        held = Group.objects.get(name=name).permissions.values_list("content_type__app_label", "codename")
        assert {f"{app}.{codename}" for app, codename in held} == set(permissions)


def test_what_an_administrator_added_to_a_role_stays_and_what_is_missing_comes_back() -> None:
    from django.apps import apps  # noqa: PLC0415  # kept beside its only use

    role = Group.objects.get(name="Read-only")
    role.permissions.remove(Permission.objects.get(codename="view_guide"))
    role.permissions.add(Permission.objects.get(codename="change_guide"))
    fill_roles(apps.get_app_config("prealerts"))
    codenames = set(role.permissions.values_list("codename", flat=True))
    assert {"view_guide", "change_guide"} <= codenames


@pytest.mark.parametrize(
    ("role", "may_move", "may_onboard"),
    [("Onboarding", False, True), ("Operations", True, False), ("Read-only", False, False)],
)
def test_what_each_role_may(
    home: Guide,
    role: str,
    may_move: bool,  # noqa: FBT001  # a table
    may_onboard: bool,  # noqa: FBT001  # a table
) -> None:
    staff = operator_of("CL", role=role)
    assert home.tracking_code in text_of(staff.get(reverse("admin:shipments_guide_changelist")))
    for name in ("company", "subscription", "delivery"):
        app = "companies" if name == "company" else "webhooks"
        assert staff.get(reverse(f"admin:{app}_{name}_changelist")).status_code == 200
    advance = staff.get(reverse("admin:shipments_guide_advance", args=[home.pk]))
    assert (advance.status_code == 200) is may_move
    assert (staff.get(reverse("admin:companies_company_add")).status_code == 200) is may_onboard
    assert staff.get(reverse("admin:auth_user_changelist")).status_code == 403
