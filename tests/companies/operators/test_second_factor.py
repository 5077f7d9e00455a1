"""The second factor: enrolled at the first login, asked at each later one, each code good once."""

import re
import time
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core import serializers
from django.urls import reverse
from django_otp.plugins.otp_static.models import StaticToken

from companies.models.operators import Authenticator
from companies.operators import second_factor
from tests.companies.admin_pages import is_in, text_of
from tests.companies.operators.authenticators import (
    CODES,
    ENROL,
    PASSWORD,
    QR,
    START,
    STATUS,
    VERIFY,
    code_of,
    enrolled,
    logged_in,
    text_of_redirect,
    verified,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("second_factor_required")]


def test_the_first_login_leads_through_enrolment_to_ten_recovery_codes_that_are_shown_once(olga: User) -> None:
    client = logged_in()
    first: Any = client.get(START, follow=True)
    assert first.redirect_chain[-1][0].startswith(ENROL)
    pending = Authenticator.objects.get(user=olga)
    assert second_factor.readable_key(pending) in text_of(first)
    picture = client.get(QR)
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/svg+xml")
    assert not is_in(client)
    shown: Any = client.post(ENROL, {"code": code_of(pending)}, follow=True)
    assert len(re.findall(r"<code>[a-z2-9-]{29}</code>", text_of(shown))) == 10
    again = text_of(client.get(CODES))
    assert "<li><code>" not in again
    assert "have already been shown" in again
    assert is_in(client)


def test_a_wrong_code_enrols_nothing(olga: User) -> None:
    client = logged_in()
    client.get(ENROL)
    wrong = f"{(int(code_of(Authenticator.objects.get())) + 1) % 10**6:06d}"
    assert "The code is wrong" in text_of(client.post(ENROL, {"code": wrong}))
    assert second_factor.authenticator_of(olga) is None
    assert not is_in(client)


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
    assert not is_in(client)


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
def test_redirects_stay_on_the_site(olga: User, wanted: str) -> None:
    authenticator = enrolled(olga)
    answer: Any = logged_in().post(f"{VERIFY}?next={wanted}", {"code": code_of(authenticator)})
    assert answer["Location"] == START


def test_a_code_works_once_in_its_window(olga: User) -> None:
    authenticator = enrolled(olga)
    code = code_of(authenticator)
    one, other = logged_in(), logged_in()
    one.post(VERIFY, {"code": code})
    assert "already used" in text_of(other.post(VERIFY, {"code": code}))
    assert [is_in(one), is_in(other)] == [True, False]


def test_each_proof_brings_a_new_session_id(olga: User) -> None:
    authenticator = enrolled(olga)
    client = logged_in()
    before = client.session.session_key
    client.post(VERIFY, {"code": code_of(authenticator)})
    assert is_in(client)
    assert client.session.session_key != before


def test_an_earlier_code_is_dead_once_a_later_one_was_used(olga: User) -> None:
    authenticator = enrolled(olga)
    earlier, later = code_of(authenticator, -1), code_of(authenticator)
    one, other = logged_in(), logged_in()
    one.post(VERIFY, {"code": later})
    other.post(VERIFY, {"code": earlier})
    assert not is_in(other)


def test_another_operators_code_is_wrong(olga: User) -> None:
    enrolled(olga)
    colleague = enrolled(User.objects.create_superuser("rita", password=PASSWORD))
    client = logged_in()
    client.post(VERIFY, {"code": code_of(colleague)})
    assert not is_in(client)


def wrong_code(authenticator: Authenticator) -> str:
    return f"{(int(code_of(authenticator)) + 500_000) % 10**6:06d}"


def seconds_reported(page: Any) -> int:
    """How long the page says to wait; 0 when the code was looked at."""
    reported = re.search(r"Try again in (\d+) second", text_of(page))
    return int(reported[1]) if reported else 0


def test_wrong_codes_make_even_a_right_one_wait_which_grows_to_two_minutes_and_no_longer(olga: User) -> None:
    authenticator = enrolled(olga)
    client = logged_in()
    waits = []
    with time_machine.travel(time.time(), tick=False) as clock:
        for _ in range(12):
            client.post(VERIFY, {"code": wrong_code(authenticator)})
            waits.append(seconds_reported(client.post(VERIFY, {"code": code_of(authenticator)})))
            assert not is_in(client)
            clock.shift(waits[-1])
        client.post(VERIFY, {"code": code_of(authenticator)})
    assert waits == [1, 2, 4, 8, 16, 32, 64, *[120] * 5]
    assert is_in(client)


def test_a_right_code_ends_the_waits(olga: User) -> None:
    authenticator = enrolled(olga)
    client = logged_in()
    with time_machine.travel(time.time(), tick=False) as clock:
        for _ in range(3):
            client.post(VERIFY, {"code": wrong_code(authenticator)})
            clock.shift(60)
        client.post(VERIFY, {"code": code_of(authenticator)})
        client.post(VERIFY, {"code": wrong_code(authenticator)})
        assert seconds_reported(client.post(VERIFY, {"code": wrong_code(authenticator)})) == 1


def test_a_session_waits_for_its_own_wrong_codes_alone(olga: User) -> None:
    authenticator = enrolled(olga)
    thief = logged_in()
    with time_machine.travel(time.time(), tick=False) as clock:
        for _ in range(30):
            thief.post(VERIFY, {"code": wrong_code(authenticator)})
            clock.shift(120)
        thief.post(VERIFY, {"code": wrong_code(authenticator)})
        assert seconds_reported(thief.post(VERIFY, {"code": wrong_code(authenticator)})) == 120
        owner = logged_in()
        owner.post(VERIFY, {"code": code_of(authenticator)})
        assert is_in(owner)


def test_many_sessions_together_guess_no_faster_and_a_recovery_code_opens_meanwhile(
    olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Authenticator, "MOST_WRONG_CODES", 3)
    authenticator, colleague = enrolled(olga), User.objects.create_superuser("rita", password=PASSWORD)
    codes = second_factor.renew_recovery_codes(olga)
    with time_machine.travel(time.time(), tick=False) as clock:
        for _ in range(3):
            logged_in().post(VERIFY, {"code": wrong_code(authenticator)})
        fresh = logged_in()
        assert seconds_reported(fresh.post(VERIFY, {"code": code_of(authenticator)})) == 120
        assert not is_in(fresh)
        assert is_in(verified(colleague))
        by_recovery_code = logged_in()
        by_recovery_code.post(VERIFY, {"code": "wrong-recovery-code"})
        clock.shift(1)
        by_recovery_code.post(VERIFY, {"code": codes[0]})
        assert is_in(by_recovery_code)
        clock.shift(119)
        fresh.post(VERIFY, {"code": code_of(authenticator)})
        assert is_in(fresh)


def test_enrolling_waits_in_the_same_way(olga: User) -> None:
    client = logged_in()
    client.get(ENROL)
    pending = Authenticator.objects.get(user=olga)
    with time_machine.travel(time.time(), tick=False):
        client.post(ENROL, {"code": wrong_code(pending)})
        assert seconds_reported(client.post(ENROL, {"code": code_of(pending)})) == 1
    assert second_factor.authenticator_of(olga) is None


def test_a_recovery_code_opens_once_in_any_spelling(olga: User) -> None:
    enrolled(olga)
    first, second, *_rest = second_factor.renew_recovery_codes(olga)
    client = logged_in()
    page: Any = client.post(VERIFY, {"code": f" {first.upper().replace('-', ' ')}"}, follow=True)
    assert "9 recovery codes are left." in text_of(page)
    again = logged_in()
    again.post(VERIFY, {"code": first})
    assert not is_in(again)
    with time_machine.travel(time.time() + 60):
        again.post(VERIFY, {"code": second})
        assert is_in(again)


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
