"""New operators: one form, a role and countries, and a password that only they know after the first login."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

from companies.scope import scope_of

pytestmark = pytest.mark.django_db

FIRST, OWN = "correct-horse-battery", "only-nora-knows-this-1"
ADD = reverse("admin:auth_user_add")
CHANGE_OWN = reverse("admin:password_change")
START = reverse("admin:index")


def filled(**fields: Any) -> dict[str, Any]:
    return {
        "username": "nora",
        "first_name": "Nora",
        "last_name": "Rojas",
        "email": "nora@example.org",
        "password1": FIRST,
        "password2": FIRST,
        "role": Group.objects.get(name="Operations").pk,
        "countries": ["CL"],
        **fields,
    }


def own(new: str = OWN, old: str = FIRST) -> dict[str, str]:
    return {"old_password": old, "new_password1": new, "new_password2": new}


def logged_in(password: str = FIRST) -> Client:
    browser = Client()
    browser.post(reverse("admin:login"), {"username": "nora", "password": password, "next": START})
    return browser


def test_a_new_operator_has_role_and_countries_and_can_log_in_at_once(admin_client: Client) -> None:
    assert admin_client.post(ADD, filled()).status_code == 302
    nora = User.objects.get(username="nora")
    assert (nora.first_name, nora.email, nora.is_staff, nora.is_active) == ("Nora", "nora@example.org", True, True)
    assert [group.name for group in nora.groups.all()] == ["Operations"]
    assert scope_of(nora).countries == frozenset({"CL"})
    assert not nora.is_superuser
    assert logged_in().get(CHANGE_OWN).status_code == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [("role", ""), ("countries", []), ("countries", ["all", "CL"]), ("email", ""), ("first_name", "")],
)
def test_a_role_and_countries_must_be_chosen(admin_client: Client, field: str, value: Any) -> None:
    answer: Any = admin_client.post(ADD, filled(**{field: value}))
    assert answer.context["adminform"].form.errors.keys() == {field}
    assert not User.objects.filter(username="nora").exists()


def test_all_countries_are_a_choice_too(admin_client: Client) -> None:
    admin_client.post(ADD, filled(countries=["all"]))
    assert scope_of(User.objects.get(username="nora")).is_everywhere


def test_a_password_that_somebody_else_set_opens_only_the_page_that_changes_it(admin_client: Client) -> None:
    admin_client.post(ADD, filled())
    nora = logged_in()
    for address in (START, reverse("admin:shipments_guide_changelist"), reverse("second-factor")):
        assert nora.get(address).headers["Location"].partition("?")[0] == CHANGE_OWN
    assert "Somebody else set your password" in nora.get(CHANGE_OWN).content.decode()
    same: Any = nora.post(CHANGE_OWN, own(FIRST))
    assert "present password" in same.content.decode()
    assert nora.get(START).status_code == 302
    assert nora.post(CHANGE_OWN, own()).status_code == 302
    assert nora.get(START).status_code == 200, "and the session goes on"
    assert logged_in(OWN).get(START).status_code == 200


@pytest.mark.parametrize(
    ("asked", "reached"),
    [
        (f"{reverse('admin:shipments_guide_changelist')}?q=HX", f"{reverse('admin:shipments_guide_changelist')}?q=HX"),
        ("https://example.com/admin/", START),
        ("//example.com/admin/", START),
        ("/api/", START),
    ],
)
def test_whoever_has_changed_it_goes_on_to_the_page_that_was_asked_for(
    admin_client: Client, asked: str, reached: str
) -> None:
    admin_client.post(ADD, filled())
    nora = logged_in()
    gate = nora.get(asked).headers["Location"] if asked == reached else f"{CHANGE_OWN}?next={asked}"
    assert nora.post(gate, own()).headers["Location"] == reached


def test_so_does_one_that_is_set_later_and_not_ones_own(admin_client: Client, admin_user: User) -> None:
    admin_client.post(ADD, filled())
    logged_in().post(CHANGE_OWN, own())
    nora = User.objects.get(username="nora")
    another = {"password1": FIRST, "password2": FIRST, "usable_password": "true"}
    admin_client.post(reverse("admin:auth_user_password_change", args=[nora.pk]), another)
    assert logged_in().get(START).headers["Location"] == CHANGE_OWN
    admin_client.post(reverse("admin:auth_user_password_change", args=[admin_user.pk]), another)
    assert admin_client.get(START).status_code == 200


def test_operators_from_before_go_on_as_they_are(admin_client: Client) -> None:
    User.objects.create_user("nora", password=FIRST, is_staff=True)
    assert logged_in().get(START).status_code == 200
    assert CHANGE_OWN in admin_client.get(START).content.decode(), "the account menu leads there"


def test_the_list_shows_role_countries_and_second_factor(admin_client: Client) -> None:
    admin_client.post(ADD, filled(countries=["CL", "PE"]))
    page = admin_client.get(reverse("admin:auth_user_changelist")).content.decode()
    for shown in ("Operations", "CL, PE", "Superuser", "All countries"):
        assert shown in page


def test_a_manager_of_one_country_adds_nobody(admin_client: Client) -> None:
    admin_client.post(ADD, filled())
    nora = User.objects.get(username="nora")
    nora.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))
    browser = logged_in()
    browser.post(CHANGE_OWN, own())
    assert browser.get(ADD).status_code == 403
    assert browser.post(ADD, filled(username="otra", countries=["all"])).status_code == 403
    assert not User.objects.filter(username="otra").exists()


def test_an_operators_page_says_that_there_is_a_password_and_nothing_of_its_hash(
    admin_client: Client, admin_user: User
) -> None:
    page = admin_client.get(reverse("admin:auth_user_change", args=[admin_user.pk])).content.decode()
    assert "A password is set." in page
    assert admin_user.password.split("$")[0] not in page
