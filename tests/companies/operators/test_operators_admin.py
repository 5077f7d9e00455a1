"""The admin's users: shown in its own style, and `change_user` alone does not allow becoming a superuser."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

from companies.models import OperatorProfile
from companies.operators.operators_admin import OperatorForm
from companies.scope import EVERYWHERE, NOWHERE, scope_of

pytestmark = pytest.mark.django_db

UNFOLD_INPUT = "rounded-default"


def page(name: str, *args: Any) -> str:
    return reverse(f"admin:auth_{name}", args=args)


@pytest.fixture
def manager() -> Client:
    """Somebody who manages users without being a superuser."""
    user = User.objects.create_user("marta", is_staff=True)
    OperatorProfile.objects.create(user=user, countries=["all"])
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="auth", content_type__model="user"))
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("name", ["user_changelist", "user_add", "group_changelist", "group_add"])
def test_users_and_groups_wear_the_admins_look(admin_client: Client, name: str) -> None:
    assert UNFOLD_INPUT in admin_client.get(page(name)).content.decode()


@pytest.mark.parametrize(
    ("language", "names"),
    [("es", ["Altas", "Operaciones", "Solo lectura"]), ("en", ["Onboarding", "Operations", "Read-only"])],
)
def test_roles_are_read_and_chosen_in_the_operators_language(
    admin_client: Client, admin_user: User, language: str, names: list[str]
) -> None:
    Group.objects.create(name="Turno de noche")
    for address in (page("group_changelist"), page("user_change", admin_user.pk)):
        content = admin_client.get(address, headers={"accept-language": language}).content.decode()
        assert [name for name in (*names, "Turno de noche") if name not in content] == []
    role = page("group_change", Group.objects.get(name="Read-only").pk)
    content = admin_client.get(role, headers={"accept-language": language}).content.decode()
    assert "Can erase" not in content
    assert re.search(rf"<title>\s*{names[-1]} \| ", content)


def test_deleting_a_group_names_who_has_it_and_not_how_permissions_are_stored(admin_client: Client) -> None:
    group = Group.objects.create(name="Turno de noche")
    group.permissions.set(Permission.objects.all()[:3])
    User.objects.create_user("nora", is_staff=True).groups.add(group)
    content = admin_client.get(page("group_delete", group.pk)).content.decode()
    assert "nora" in content
    assert "relationship" not in content
    admin_client.post(page("group_delete", group.pk), {"post": "yes"})
    assert not Group.objects.filter(pk=group.pk).exists()


def test_roles_are_given_by_ticking_them(admin_client: Client) -> None:
    user = User.objects.create_user("nora", is_staff=True)
    role = Group.objects.get(name="Operations")
    form = admin_client.get(page("user_change", user.pk)).context["adminform"].form
    sent = {name: value for name, value in form.initial.items() if isinstance(value, str)}
    joined = {"date_joined_0": f"{user.date_joined:%Y-%m-%d}", "date_joined_1": f"{user.date_joined:%H:%M:%S}"}
    admin_client.post(
        page("user_change", user.pk), {**sent, **joined, "is_active": "on", "countries": ["CL"], "groups": [role.pk]}
    )
    assert list(user.groups.all()) == [role]


def test_a_superusers_pages_are_closed_to_a_manager_of_users(manager: Client, admin_user: User) -> None:
    before = admin_user.password
    assert manager.post(page("user_change", admin_user.pk), {"username": "mine"}).status_code == 403
    assert manager.get(page("user_delete", admin_user.pk)).status_code == 403
    address = reverse("admin:auth_user_password_change", args=[admin_user.pk])
    chosen = {"password1": "correct-horse-battery", "password2": "correct-horse-battery", "usable_password": "true"}
    assert manager.post(address, chosen).status_code == 403
    admin_user.refresh_from_db()
    assert (admin_user.username, admin_user.password) == ("admin", before)


def edited(user: User, **fields: Any) -> dict[str, Any]:
    return {"username": user.username, "is_active": "on", "is_staff": "on", "countries": ["CL"], **fields}


def test_a_manager_of_users_makes_nobody_a_superuser(manager: Client, admin_client: Client) -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    wanted = edited(clerk, first_name="Clara", is_superuser="on")
    manager.post(page("user_change", clerk.pk), wanted)
    clerk.refresh_from_db()
    assert (clerk.first_name, clerk.is_superuser) == ("Clara", False)
    admin_client.post(page("user_change", clerk.pk), wanted)
    clerk.refresh_from_db()
    assert clerk.is_superuser


def test_a_users_rights_are_roles_that_are_explained_and_others_are_only_named(admin_client: Client) -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    asked = admin_client.get(page("user_change", clerk.pk)).content.decode()
    assert "Privacy: exports and erases a person&#x27;s data" in asked
    assert "user_permissions" not in asked
    clerk.user_permissions.set(Permission.objects.filter(codename="change_company"))
    spanish = admin_client.get(page("user_change", clerk.pk), headers={"accept-language": "es"}).content.decode()
    assert "Empresas · empresa: cambiar" in spanish
    admin_client.post(page("user_change", clerk.pk), edited(clerk))
    assert clerk.user_permissions.count() == 1


def test_a_password_that_is_changed_while_its_owner_is_edited_stays_changed(
    manager: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    clerk = User.objects.create_user("clerk", is_staff=True, password="seen-by-somebody")

    def meanwhile(form: OperatorForm) -> dict[str, Any]:
        """Between the reading of the row and its writing."""
        owner = User.objects.get(pk=clerk.pk)
        owner.set_password("correct-horse-battery")
        owner.save()
        return form.cleaned_data

    monkeypatch.setattr(OperatorForm, "clean", meanwhile)
    manager.post(page("user_change", clerk.pk), edited(clerk, first_name="Clara"))
    clerk.refresh_from_db()
    assert clerk.first_name == "Clara"
    assert clerk.check_password("correct-horse-battery")


def test_deleting_in_the_list_spares_a_superuser(manager: Client, admin_user: User) -> None:
    chosen = {"action": "delete_selected", "_selected_action": [admin_user.pk], "post": "yes"}
    manager.post(page("user_changelist"), chosen)
    assert User.objects.filter(pk=admin_user.pk).exists()


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (["PE"], ["PE"]),
        (["all"], ["all"]),
        (["AR", "CL"], ["CL", "AR"]),
        ([], None),
        (["all", "PE"], None),
        (["XX"], None),
    ],
)
def test_an_operators_countries_are_all_or_some_and_never_none(
    admin_client: Client, sent: list[str], stored: list[str] | None
) -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    profile = OperatorProfile.objects.create(user=clerk, countries=["PE"])
    answer: Any = admin_client.post(page("user_change", clerk.pk), edited(clerk, countries=sent))
    profile.refresh_from_db()
    if stored is None:
        assert answer.context["adminform"].form.errors.keys() == {"countries"}
        assert profile.countries == ["PE"]
    else:
        assert answer.status_code == 302
        assert profile.countries == stored


def test_a_superuser_needs_no_countries_until_it_is_one_no_more(admin_client: Client) -> None:
    chief = User.objects.create_superuser("chief")
    closed = edited(chief, countries=[])
    assert admin_client.post(page("user_change", chief.pk), {**closed, "is_superuser": "on"}).status_code == 302
    answer: Any = admin_client.post(page("user_change", chief.pk), closed)
    assert answer.context["adminform"].form.errors.keys() == {"countries"}
    assert scope_of(User.objects.get(pk=chief.pk)) == EVERYWHERE


def test_nobody_chose_countries_so_nothing_is_seen_and_the_pages_say_so(admin_client: Client) -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(codename="view_manifest"))
    assert scope_of(clerk) == NOWHERE
    assert "No country" in admin_client.get(page("user_changelist")).content.decode()
    browser = Client()
    browser.force_login(clerk)
    start = browser.get(reverse("admin:index")).content.decode()
    assert "Your account has no country yet" in start
    OperatorProfile.objects.create(user=clerk, countries=["PE"])
    assert "Your account has no country yet" not in browser.get(reverse("admin:index")).content.decode()
