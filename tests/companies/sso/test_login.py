"""A login at a real provider: who gets in, as whom, and with what."""

from typing import Any

import pytest
from auditlog.models import LogEntry as Change
from django.contrib.auth.models import Group, User
from django.test import Client, RequestFactory
from django.urls import reverse

from companies.models import OperatorProfile
from companies.operators.invitations import invite
from companies.sso.claims import username_of
from tests.companies.admin_pages import is_in
from tests.companies.mail.conftest import deliver, post
from tests.companies.sso.logging_in import CALLBACK, LOGIN, START, Provider, bound, said, who
from tests.mail_server import Post, link_in

__all__ = ["post"]
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning"),  # between the mock and its library
    pytest.mark.filterwarnings("ignore::authlib.deprecate.AuthlibDeprecationWarning"),  # the same
]

OPS = {"groups": ["ops", "cl"]}


def roles_of(user: User) -> set[str]:
    return {group.name for group in user.groups.all()}


def test_whoever_has_a_role_and_a_country_is_made_an_operator_with_these(provider: Provider) -> None:
    named = {"given_name": "Ana", "family_name": "Soto", "email": "ana@example.com", "email_verified": True}
    groups = ["ops", "cl", "superuser", "admin"]
    provider.knows("u-1", groups=groups, **named, is_superuser=True)
    browser = Client()
    answer = provider.log_in(browser, "u-1")
    assert (answer.status_code, answer["Location"]) == (302, START)
    assert is_in(browser)
    user = who(browser)
    assert user.username == username_of(provider.issuer, "u-1")
    assert user.username.startswith("sso_")
    assert len(user.username) == 16
    assert user.username[4:].isalpha()
    assert (user.get_full_name(), user.email) == ("Ana Soto", "ana@example.com")
    assert (user.is_staff, user.is_superuser, user.has_usable_password()) == (True, False, False)
    assert roles_of(user) == {"Operations"}
    assert user.operator_profile.countries == ["CL"]


def test_a_second_login_is_the_same_operator_and_another_person_another_one(provider: Provider) -> None:
    for sub in ("u-1", "u-1", "U-1"):
        provider.knows(sub, **OPS)
        provider.log_in(Client(), sub)
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    "groups",
    [
        [],
        ["ops"],
        ["cl"],
        ["ops", "nowhere"],
        ["ghosts", "cl"],
        "ops cl",
        {"ops": 1, "cl": 1},
        [["ops", "cl"]],
        None,
        7,
    ],
)
def test_a_role_without_a_country_the_reverse_and_neither_are_no_way_in(provider: Provider, groups: Any) -> None:
    provider.knows("u-1", groups=groups)
    browser = Client()
    answer = provider.log_in(browser, "u-1")
    assert answer.status_code == 403
    assert "no role here" in said(answer)
    assert "u-1" in said(answer)  # what an administrator would type
    assert not is_in(browser)
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("groups", "roles", "countries"),
    [
        (["ops", "readers", "cl", "pe"], {"Operations", "Read-only"}, ["CL", "PE"]),
        (["readers", "all", "cl"], {"Read-only"}, ["all"]),
        (["ops", "pe", "unknown", 5], {"Operations"}, ["PE"]),
    ],
)
def test_several_values_add_up(provider: Provider, groups: Any, roles: set[str], countries: list[str]) -> None:
    provider.knows("u-1", groups=groups)
    browser = Client()
    provider.log_in(browser, "u-1")
    assert roles_of(who(browser)) == roles
    assert who(browser).operator_profile.countries == countries


def test_another_claim_can_name_the_roles(provider: Provider, settings: Any) -> None:
    settings.OIDC_ROLES_CLAIM = "department"
    settings.OIDC_ROLES, settings.OIDC_COUNTRIES = {"customs": "Read-only"}, {"customs": ["AR"]}
    provider.knows("u-1", department="customs", groups=["ops", "all"])
    browser = Client()
    provider.log_in(browser, "u-1")
    assert roles_of(who(browser)) == {"Read-only"}
    assert who(browser).operator_profile.countries == ["AR"]


def test_an_email_binds_nobody_and_is_not_kept_unless_it_is_verified(provider: Provider) -> None:
    chief = User.objects.create_superuser("chief", "chief@example.com", "correct-horse-battery")
    provider.knows("thief", **OPS, email="chief@example.com", email_verified=True, preferred_username="chief")
    provider.knows("other", **OPS, email="other@example.com", email_verified="true")
    for sub, email in (("thief", "chief@example.com"), ("other", "")):
        browser = Client()
        provider.log_in(browser, sub)
        assert who(browser) != chief
        assert (who(browser).email, who(browser).is_superuser) == (email, False)


def test_a_bound_operator_gets_what_the_provider_gives_now_and_loses_what_it_gives_no_more(provider: Provider) -> None:
    ana, other = (bound(name, sub, provider.issuer) for name, sub in (("ana", "u-1"), ("eva", "u-2")))
    for user in (ana, other):
        user.groups.set(Group.objects.filter(name="Privacy"))
    provider.knows("u-1", **OPS)
    browser = Client()
    provider.log_in(browser, "u-1")
    assert who(browser) == ana
    assert roles_of(ana) == {"Operations"}
    assert is_in(browser)

    provider.knows("u-1", groups=["cl"])
    assert provider.log_in(Client(), "u-1").status_code == 403
    assert roles_of(ana) == set()  # so that the session of before may nothing, either
    assert browser.get(reverse("admin:shipments_guide_changelist")).status_code == 403
    assert (roles_of(other), other.operator_profile.countries) == ({"Privacy"}, ["PE"])


def test_the_changes_of_a_login_are_in_the_audit_log_as_the_operators_own(provider: Provider) -> None:
    provider.knows("u-1", **OPS)
    provider.log_in(Client(), "u-1")
    user = User.objects.get()
    changes = Change.objects.exclude(action=Change.Action.ACCESS).exclude(content_type__model="group")
    assert {change.actor for change in changes} == {user}
    assert {"groups", "subject"} <= {name for change in changes for name in change.changes}


def test_another_providers_person_with_the_same_sub_is_somebody_else(provider: Provider) -> None:
    ana = bound("ana", "u-1", "https://elsewhere.example.com")
    provider.knows("u-1", **OPS)
    browser = Client()
    provider.log_in(browser, "u-1")
    assert who(browser) != ana


@pytest.mark.parametrize("field", ["is_active", "is_staff"])
def test_a_deactivated_operator_stays_out_and_a_session_of_before_ends(provider: Provider, field: str) -> None:
    ana = bound("ana", "u-1", provider.issuer)
    provider.knows("u-1", **OPS)
    browser = Client()
    provider.log_in(browser, "u-1")
    assert is_in(browser)
    setattr(ana, field, False)
    ana.save(update_fields=[field])
    assert not is_in(browser)
    answer = provider.log_in(Client(), "u-1")
    assert answer.status_code == 403
    assert "deactivated" in said(answer)


def test_a_username_that_somebody_unbound_has_is_not_taken_over(provider: Provider) -> None:
    taken = User.objects.create_user(username_of(provider.issuer, "u-1"), is_staff=True, is_superuser=True)
    provider.knows("u-1", **OPS)
    browser = Client()
    assert provider.log_in(browser, "u-1").status_code == 409
    assert not is_in(browser)
    assert not OperatorProfile.objects.filter(user=taken).exists()


@pytest.mark.parametrize("has_passwords", [True, False])
def test_whoever_opened_an_invitation_and_logs_in_there_is_bound(
    provider: Provider, post: Post, settings: Any, *, has_passwords: bool
) -> None:
    settings.LOCAL_PASSWORDS = has_passwords
    ana = User.objects.create_user("ana", email="ana@example.org", is_staff=True)
    invite(ana, RequestFactory().get("/"))
    deliver()
    assert "choose your password" not in str(post.taken[-1])
    browser = Client()
    page = browser.get(link_in(post.taken[-1], "/invitation/"), follow=True)
    assert page.content.decode().count(f'href="{LOGIN}"') == 1
    assert ("new_password1" in page.content.decode()) == has_passwords
    chosen = dict.fromkeys(("new_password1", "new_password2"), "only-ana-knows-this-1")
    if not has_passwords:
        assert browser.post(page.request["PATH_INFO"], chosen).status_code == 404
    provider.knows("u-1", groups=["ops"])
    assert provider.log_in(browser, "u-1").status_code == 403  # no country: the invitation waits
    provider.knows("u-1", **OPS)
    provider.log_in(browser, "u-1")
    assert who(browser) == ana
    assert "no longer valid" in Client().get(link_in(post.taken[-1], "/invitation/")).content.decode()
    provider.knows("u-2", **OPS)
    another = Client()
    provider.log_in(another, "u-2")
    assert who(another) != ana


@pytest.mark.parametrize(
    ("amr", "counts"),
    [
        (["mfa"], True), (["pwd", "otp"], True), (["pin", "face"], True), (["pwd"], False), (["otp"], False),
        (["pwd", "kba"], False), (["otp", "sms"], False), ("mfa", False), (None, False), ([["mfa"]], False),
    ],
)  # fmt: skip
def test_the_providers_second_factor_counts_if_it_says_so_and_ours_is_asked_else(
    provider: Provider, settings: Any, amr: Any, *, counts: bool
) -> None:
    settings.ADMIN_SECOND_FACTOR = True
    provider.knows("u-1", **OPS, amr=amr)
    browser = Client()
    provider.log_in(browser, "u-1")
    assert is_in(browser) == counts
    if not counts:
        assert browser.get(START)["Location"].startswith(reverse("second-factor-enrol"))


def test_a_later_login_without_it_in_the_same_session_is_asked(provider: Provider, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = True
    browser = Client()
    for amr, counts in ((["mfa"], True), (["pwd"], False)):
        provider.knows("u-1", **OPS, amr=amr)
        provider.log_in(browser, "u-1")
        assert is_in(browser) == counts


def test_a_first_password_that_nobody_used_stops_nobody(provider: Provider) -> None:
    ana = bound("ana", "u-1", provider.issuer, password="correct-horse-battery")
    OperatorProfile.objects.filter(user=ana).update(must_change_password=True)
    provider.knows("u-1", **OPS)
    browser = Client()
    provider.log_in(browser, "u-1")
    assert is_in(browser)


def test_whoever_has_no_password_here_is_told_so_where_it_would_be_changed(provider: Provider) -> None:
    provider.knows("u-1", **OPS)
    browser = Client()
    provider.log_in(browser, "u-1")
    page = browser.get(reverse("admin:password_change"), follow=True)
    assert "You have no password here: you log in with 127.0.0.1" in said(page)


def test_each_login_has_a_new_session_id(provider: Provider) -> None:
    provider.knows("u-1", **OPS)
    browser = Client()
    way_back = provider.way_back(browser, "u-1")
    fixed = {browser.session.session_key}
    for _ in range(2):
        browser.get(way_back)
        assert browser.session.session_key not in fixed
        fixed.add(browser.session.session_key)
        way_back = provider.way_back(browser, "u-1")
    thief = Client()
    for key in fixed - {browser.session.session_key}:
        thief.cookies["sessionid"] = str(key)
        assert not is_in(thief)


@pytest.mark.parametrize(
    ("wanted", "led"),
    [
        ("/admin/shipments/guide/?q=x", "/admin/shipments/guide/?q=x"),
        ("https://evil.example.com/", START), ("//evil.example.com", START), ("/\\evil.example.com", START),
        ("javascript:alert(1)", START), ("", START),
    ],
)  # fmt: skip
def test_a_login_leads_on_to_a_page_of_ours_and_nowhere_else(provider: Provider, wanted: str, led: str) -> None:
    provider.knows("u-1", **OPS)
    assert provider.log_in(Client(), "u-1", next=wanted)["Location"] == led


def test_an_answer_counts_once_and_only_in_the_browser_that_asked(provider: Provider) -> None:
    provider.knows("u-1", **OPS)
    browser = Client()
    way_back = provider.way_back(browser, "u-1")
    victim = Client()
    assert victim.get(way_back).status_code == 400
    assert not is_in(victim)
    assert browser.get(way_back).status_code == 302
    assert browser.get(way_back).status_code == 400  # again
    assert is_in(browser)


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize("query", ["", "?code=x", "?state=x", "?code=x&state=x", "?code=&state=", "?error=x"])
def test_a_way_back_that_nobody_began_is_a_page_in_words_and_logs_nobody_out(admin_client: Client, query: str) -> None:
    for browser in (Client(), admin_client):
        answer = browser.get(CALLBACK + query)
        assert answer.status_code in {400, 502}
        assert "/admin/login/" in said(answer)
    assert is_in(admin_client)


@pytest.mark.usefixtures("provider")
def test_somebody_who_cancels_is_told_so() -> None:
    answer = Client().get(CALLBACK, {"error": "access_denied", "state": "x"})
    assert answer.status_code == 403
    assert "did not confirm" in said(answer)


@pytest.mark.usefixtures("provider")
def test_a_password_in_the_form_is_not_taken_for_an_answer_of_the_provider() -> None:
    User.objects.create_superuser("olga", password="correct-horse-battery")
    form = {"username": "olga", "password": "correct-horse-battery", "next": START}
    assert Client().post("/admin/login/?code=x&state=y", form).status_code == 302
    assert Client().post("/admin/login/?code=x&state=y", {**form, "password": "wrong"}).status_code == 200


def test_without_a_provider_there_is_no_such_page_and_no_button(settings: Any) -> None:
    settings.OIDC_ISSUER = ""
    for name in ("login", "callback", "logout"):
        assert Client().get(reverse(f"sso-{name}")).status_code == 404
    assert LOGIN not in said(Client().get(reverse("admin:login")))


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(
    ("language", "words"), [("en", "Log in with 127.0.0.1"), ("es", "Iniciar sesión con 127.0.0.1")]
)
def test_the_login_page_has_a_button_that_leads_on_to_the_page_that_was_asked_for(language: str, words: str) -> None:
    page = said(Client().get("/admin/login/?next=/admin/clock/", headers={"Accept-Language": language}))
    assert words in page
    assert f'href="{LOGIN}?next=%2Fadmin%2Fclock%2F"' in page


def test_logging_out_ends_our_session_and_leads_to_the_providers(provider: Provider) -> None:
    provider.knows("u-1", **OPS)
    browser = Client()
    provider.log_in(browser, "u-1")
    page = said(browser.post(reverse("admin:logout")))
    assert "you may still be logged in" in page
    assert not is_in(browser)
    led = browser.get(reverse("sso-logout"))["Location"]
    assert led.startswith(f"{provider.issuer}/oauth2/end_session?client_id=prealerts&post_logout_redirect_uri=")
