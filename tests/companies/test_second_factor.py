"""The second factor: enrolled at the first login, asked at each later one, and no page without it."""

import re
import time
from typing import Any

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core import serializers
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from companies import second_factor
from companies.models import Authenticator
from tests.companies.desk import text_of

pytestmark = pytest.mark.django_db

PASSWORD = "correct-horse-battery"
START, LOGIN = reverse("admin:index"), reverse("admin:login")
VERIFY, ENROL, QR = (reverse(f"second-factor-{name}") for name in ("verify", "enrol", "qr"))
CODES, STATUS = reverse("second-factor-recovery-codes"), reverse("second-factor")


@pytest.fixture(autouse=True)
def required(settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick: nothing here is about it


@pytest.fixture
def olga() -> User:
    return User.objects.create_superuser("olga", password=PASSWORD)


def logged_in(username: str = "olga") -> Client:
    """A browser that has given the password, and nothing more."""
    client = Client()
    answer = client.post(LOGIN, {"username": username, "password": PASSWORD, "next": START})
    assert answer.status_code == 302, text_of(answer)
    return client


def code_of(authenticator: Authenticator, steps: int = 0) -> str:
    """What the app shows now, or so many steps of thirty seconds later."""
    totp = TOTP(authenticator.bin_key)  # type: ignore[no-untyped-call]  # django-otp ships no types
    totp.time = time.time() + 30 * steps
    return f"{totp.token():06d}"  # type: ignore[no-untyped-call]  # as above


def enrolled(user: User) -> Authenticator:
    """The user's app, in use; its last code was used a while ago."""
    authenticator = second_factor.begin_enrolment(user)
    authenticator.confirmed = True
    authenticator.save()
    return authenticator


def let_in(client: Client) -> bool:
    return client.get(START).status_code == 200


def test_the_first_login_leads_through_enrolment_to_the_start_page(olga: User) -> None:
    client = logged_in()
    first: Any = client.get(START, follow=True)
    assert first.redirect_chain[-1][0].startswith(ENROL)
    pending = Authenticator.objects.get(user=olga)
    assert second_factor.readable_key(pending) in text_of(first)
    picture = client.get(QR)
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/svg+xml")
    assert not let_in(client)
    shown: Any = client.post(ENROL, {"code": code_of(pending)}, follow=True)
    assert len(re.findall(r"<code>[a-z2-9-]{29}</code>", text_of(shown))) == 10
    assert let_in(client)


def test_recovery_codes_are_shown_once(olga: User) -> None:
    client = logged_in()
    client.get(ENROL)
    pending = Authenticator.objects.get(user=olga)
    client.post(ENROL, {"code": code_of(pending)})
    assert text_of(client.get(CODES)).count("<li><code>") == 10
    again = text_of(client.get(CODES))
    assert "<li><code>" not in again
    assert "were shown already" in again


def test_a_wrong_code_enrols_nothing(olga: User) -> None:
    client = logged_in()
    client.get(ENROL)
    wrong = f"{(int(code_of(Authenticator.objects.get())) + 1) % 10**6:06d}"
    assert "This code is wrong" in text_of(client.post(ENROL, {"code": wrong}))
    assert second_factor.authenticator_of(olga) is None
    assert not let_in(client)


def test_what_another_session_began_to_enrol_is_not_taken_up(olga: User) -> None:
    thief, owner = logged_in(), logged_in()
    thief.get(ENROL)
    seen = Authenticator.objects.get(user=olga).key
    owner.get(ENROL)
    (pending,) = Authenticator.objects.filter(user=olga)
    assert pending.key != seen


def test_who_has_an_app_cannot_enrol_another_with_the_password_alone(olga: User) -> None:
    enrolled(olga)
    client = logged_in()
    for page in (ENROL, QR):
        assert text_of_redirect(client.get(page)).startswith((STATUS, "404"))
    assert client.post(ENROL, {"code": "123456"}).status_code == 302
    assert Authenticator.objects.count() == 1
    assert not let_in(client)


def text_of_redirect(response: Any) -> str:
    return str(response.get("Location", str(response.status_code)))


def test_later_logins_ask_for_the_code_and_lead_where_one_was_going(olga: User) -> None:
    authenticator = enrolled(olga)
    client = logged_in()
    wanted = reverse("admin:shipments_guide_changelist") + "?q=1"
    asked: Any = client.get(wanted)
    assert asked["Location"].startswith(VERIFY)
    answer: Any = client.post(asked["Location"], {"code": code_of(authenticator)})
    assert answer["Location"] == wanted
    assert client.get(wanted).status_code == 200


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/x", "javascript:alert(1)"])
def test_the_way_on_stays_in_the_house(olga: User, wanted: str) -> None:
    authenticator = enrolled(olga)
    answer: Any = logged_in().post(f"{VERIFY}?next={wanted}", {"code": code_of(authenticator)})
    assert answer["Location"] == START


def test_a_code_works_once_in_its_window(olga: User) -> None:
    authenticator = enrolled(olga)
    code = code_of(authenticator)
    one, other = logged_in(), logged_in()
    one.post(VERIFY, {"code": code})
    assert "used before" in text_of(other.post(VERIFY, {"code": code}))
    assert [let_in(one), let_in(other)] == [True, False]


def test_each_proof_brings_a_new_session_id(olga: User) -> None:
    authenticator = enrolled(olga)
    client = logged_in()
    before = client.session.session_key
    client.post(VERIFY, {"code": code_of(authenticator)})
    assert let_in(client)
    assert client.session.session_key != before


def test_an_earlier_code_is_dead_once_a_later_one_was_used(olga: User) -> None:
    authenticator = enrolled(olga)
    earlier, later = code_of(authenticator, -1), code_of(authenticator)
    one, other = logged_in(), logged_in()
    one.post(VERIFY, {"code": later})
    other.post(VERIFY, {"code": earlier})
    assert not let_in(other)


def test_another_operators_code_is_wrong(olga: User) -> None:
    enrolled(olga)
    colleague = enrolled(User.objects.create_superuser("rita", password=PASSWORD))
    client = logged_in()
    client.post(VERIFY, {"code": code_of(colleague)})
    assert not let_in(client)


def test_wrong_codes_make_the_next_one_wait_even_a_right_one(olga: User) -> None:
    authenticator = enrolled(olga)
    client = logged_in()
    wrong = f"{(int(code_of(authenticator)) + 1) % 10**6:06d}"
    with time_machine.travel(time.time(), tick=False) as clock:
        client.post(VERIFY, {"code": wrong})
        assert "Too many wrong codes. Try again in 1 second." in text_of(client.post(VERIFY, {"code": wrong}))
        client.post(VERIFY, {"code": code_of(authenticator)})
        assert not let_in(client)
        clock.shift(2)
        client.post(VERIFY, {"code": code_of(authenticator)})
        assert let_in(client)


def test_a_recovery_code_opens_once_in_any_spelling(olga: User) -> None:
    enrolled(olga)
    first, second, *_rest = second_factor.renew_recovery_codes(olga)
    client = logged_in()
    page: Any = client.post(VERIFY, {"code": f" {first.upper().replace('-', ' ')}"}, follow=True)
    assert "9 recovery codes are left." in text_of(page)
    again = logged_in()
    again.post(VERIFY, {"code": first})
    assert not let_in(again)
    with time_machine.travel(time.time() + 60):
        again.post(VERIFY, {"code": second})
        assert let_in(again)


def test_renewing_kills_the_old_codes(olga: User) -> None:
    authenticator = enrolled(olga)
    old = second_factor.renew_recovery_codes(olga)
    client = logged_in()
    client.post(VERIFY, {"code": code_of(authenticator)})
    assert "10 recovery codes are left." in text_of(client.get(STATUS))
    client.post(CODES)
    shown = re.findall(r"<code>([a-z2-9-]{29})</code>", text_of(client.get(CODES)))
    assert len(shown) == 10
    assert set(shown).isdisjoint(old)
    assert [second_factor.verify(olga, code).device is not None for code in (shown[0], old[0])] == [True, False]


def test_codes_are_renewed_by_a_verified_session_alone_even_where_nobody_is_asked(olga: User, settings: Any) -> None:
    enrolled(olga)
    kept = set(StaticToken.objects.values_list("token", flat=True))
    settings.ADMIN_SECOND_FACTOR = False
    client = logged_in()
    assert text_of_redirect(client.post(CODES)).startswith(VERIFY)
    assert set(StaticToken.objects.values_list("token", flat=True)) == kept


def test_the_database_holds_neither_key_nor_code(olga: User, settings: Any) -> None:
    authenticator = enrolled(olga)
    codes = second_factor.renew_recovery_codes(olga)
    kept = serializers.serialize("json", [*Authenticator.objects.all(), *StaticToken.objects.all()])
    assert authenticator.bin_key.hex() not in kept
    assert not [code for code in codes if code in kept or code.replace("-", "") in kept]
    key = authenticator.bin_key
    settings.API_PASSWORD_PEPPER = "another pepper " + "x" * 40
    assert Authenticator.objects.get(pk=authenticator.pk).bin_key != key


def gated() -> list[str]:
    """Every address of the admin that takes no argument, and the pages beside it."""
    from tests.test_country_scope import addresses  # noqa: PLC0415  # it walks the resolver

    open_ones = {
        "admin:login",
        "admin:logout",
        "second-factor-verify",
        "second-factor-enrol",
        "second-factor-qr",
        "admin:",
    }
    return sorted({reverse(name) for name, _route, pattern in addresses()
                   if not pattern.pattern.converters and pattern.pattern.regex.groups == 0
                   and name and name not in open_ones})  # fmt: skip


@pytest.mark.parametrize("address", gated())
def test_no_address_of_the_admin_answers_without_the_code(olga: User, address: str) -> None:
    enrolled(olga)
    client = logged_in()
    for method in ("get", "post", "head"):
        answer = getattr(client, method)(address)
        assert answer.status_code == 302, address
        assert text_of_redirect(answer).startswith(VERIFY)


@pytest.mark.parametrize(
    "address", ["/admin/shipments/guide/1/change/", "/admin/no/such/page/", "/admin/events/import/x"]
)
def test_an_address_that_does_not_exist_says_nothing_either(olga: User, address: str) -> None:
    enrolled(olga)
    assert text_of_redirect(logged_in().get(address)).startswith(VERIFY)


def test_strangers_are_asked_for_the_password_first(olga: User) -> None:
    enrolled(olga)
    for page in (VERIFY, ENROL, QR, STATUS, CODES):
        assert text_of_redirect(Client().get(page)).startswith(LOGIN)


def test_a_user_who_is_no_operator_is_not_enrolled() -> None:
    User.objects.create_user("nobody", password=PASSWORD)
    client = Client()
    client.force_login(User.objects.get(username="nobody"))
    assert text_of_redirect(client.get(ENROL)).startswith(LOGIN)
    assert not Authenticator.objects.exists()


def test_where_the_settings_do_not_ask_the_password_is_enough(olga: User, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False
    enrolled(olga)
    assert let_in(logged_in())


# --- resetting ----------------------------------------------------------------------------------------------------


def verified(user: User) -> Client:
    authenticator = enrolled(user)
    client = logged_in(user.get_username())
    client.post(VERIFY, {"code": code_of(authenticator)})
    assert let_in(client)
    return client


def test_an_administrator_resets_a_colleagues_second_factor_and_it_is_logged(olga: User) -> None:
    colleague = User.objects.create_superuser("rita", password=PASSWORD)
    desk, hers = verified(olga), verified(colleague)
    second_factor.renew_recovery_codes(colleague)
    address = reverse("admin:auth_user_reset_second_factor", args=[colleague.pk])
    assert "Make sure that it is your colleague" in text_of(desk.get(address))
    assert second_factor.authenticator_of(colleague) is not None  # asked, and nothing done
    desk.post(address, {"confirmed": "yes"})
    assert second_factor.authenticator_of(colleague) is None
    assert not StaticDevice.objects.filter(user=colleague).exists()
    assert text_of_redirect(hers.get(START)).startswith(ENROL)
    assert let_in(desk)
    entry = LogEntry.objects.get(object_id=str(colleague.pk), user=olga)
    assert "Reset the second factor." in entry.get_change_message()


def test_a_manager_of_users_resets_no_superusers(olga: User) -> None:
    enrolled(olga)
    manager = User.objects.create_user("marta", password=PASSWORD, is_staff=True)
    manager.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))
    address = reverse("admin:auth_user_reset_second_factor", args=[olga.pk])
    assert verified(manager).post(address, {"confirmed": "yes"}).status_code == 403
    assert second_factor.authenticator_of(olga) is not None


def test_the_command_is_the_last_resort(olga: User, capsys: pytest.CaptureFixture[str]) -> None:
    enrolled(olga)
    other = enrolled(User.objects.create_superuser("rita"))
    call_command("reset_second_factor", "olga")
    assert "is forgotten" in capsys.readouterr().out
    assert list(Authenticator.objects.all()) == [other]
    call_command("reset_second_factor", "olga")
    assert "nothing changed" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no user nobody"):
        call_command("reset_second_factor", "nobody")
