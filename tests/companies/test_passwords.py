"""The format of API passwords, how invented ones are recognised, and what is stored."""

import hashlib
import hmac
import io
import string
import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import serializers
from django.core.management import call_command
from django.utils import timezone

from companies import passwords
from companies.authentication import company_of
from companies.errors import InvalidApiKey
from companies.models import Company, EndingPassword
from companies.models.company import sweep_ended
from companies.onboarding import deactivate
from tests.factories import ClientFactory, password_of

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
GOOD = "pa_live_" + "k" * 43 + "0weDc1"


def number_of(text: str) -> int:
    number = 0
    for character in text:
        number = number * 62 + ALPHABET.index(character)
    return number


def test_a_password_is_a_prefix_43_random_characters_and_a_checksum() -> None:
    password = passwords.generate()
    assert len(password) == 57
    assert password.startswith("pa_live_")
    assert set(password[8:]) <= set(ALPHABET)
    assert number_of(password[-6:]) == zlib.crc32(password[:-6].encode())


def test_a_known_password_stays_well_formed() -> None:
    assert passwords.is_well_formed(GOOD)


TAMPERED = {
    "empty": "",
    "prefix alone": "pa_live_",
    "another prefix": GOOD.replace("pa_live_", "pa_test_"),
    "prefix in capitals": GOOD.replace("pa_live_", "PA_LIVE_"),
    "one character changed": GOOD.replace("k", "j", 1),
    "checksum changed": GOOD[:-1] + "2",
    "checksum in another case": GOOD[:-6] + GOOD[-6:].swapcase(),
    "one character short": GOOD[:-1],
    "one character more": GOOD + "0",
    "a space behind": GOOD + " ",
    "a line break behind": GOOD + "\n",
    "letters beyond ASCII": GOOD[:20] + "ñ" + GOOD[21:],
    "a lone surrogate": GOOD[:20] + "\udcff" + GOOD[21:],
    "NUL inside": GOOD[:20] + "\x00" + GOOD[21:],
    "very long": GOOD * 1000,
}


@pytest.mark.django_db
@pytest.mark.parametrize("tampered", TAMPERED.values(), ids=TAMPERED.keys())
def test_a_tampered_password_is_refused_without_asking_the_database(
    tampered: str, django_assert_num_queries: Callable[[int], Any]
) -> None:
    with django_assert_num_queries(0), pytest.raises(InvalidApiKey):
        Company.with_password(tampered)


@pytest.mark.django_db
def test_a_well_formed_password_of_nobody_is_refused_as_a_former_one_is() -> None:
    company = ClientFactory.create()
    former = company.set_new_password()
    company.set_new_password()
    messages = set()
    for password in (GOOD, former):
        with pytest.raises(InvalidApiKey) as refused:
            Company.with_password(password)
        messages.add(refused.value.message)
    assert messages == {InvalidApiKey.default_message}


@pytest.mark.django_db
def test_a_password_of_the_wrong_shape_is_told_its_shape_alone() -> None:
    for password in (GOOD[:-1], "", "x" * 57, f"{GOOD[:-1]}!"):
        with pytest.raises(InvalidApiKey, match=r"57 characters|A character of this API password is wrong"):
            Company.with_password(password)


@pytest.mark.django_db
def test_only_a_keyed_digest_and_twelve_characters_are_kept(settings: Any) -> None:
    company = ClientFactory.create()
    password = password_of(company)
    company.refresh_from_db()
    expected = hmac.new(settings.API_PASSWORD_PEPPER.encode(), password.encode(), hashlib.sha256).hexdigest()
    assert company.api_password_digest == expected
    assert company.api_password_hint == password[:12]
    assert password[12:] not in serializers.serialize("json", Company.objects.all())


@pytest.mark.django_db
def test_another_pepper_makes_every_password_worthless(settings: Any) -> None:
    password = password_of(ClientFactory.create())
    settings.API_PASSWORD_PEPPER = "another pepper " + "x" * 40
    with pytest.raises(InvalidApiKey):
        Company.with_password(password)


@pytest.mark.django_db
def test_a_new_password_kills_the_old_one_and_leaves_the_other_companys_alone() -> None:
    rotated, untouched = ClientFactory.create(), ClientFactory.create()
    new = rotated.set_new_password()
    assert Company.with_password(new) == rotated
    assert Company.with_password(password_of(untouched)) == untouched
    with pytest.raises(InvalidApiKey):
        Company.with_password(password_of(rotated))


@pytest.mark.django_db
def test_companies_without_a_password_do_not_get_into_each_others_way() -> None:
    for code in ("NEW1", "NEW2"):
        Company.objects.create(name="New", client_code=code)
    assert Company.objects.filter(api_password_digest=None).count() == 2


@pytest.mark.django_db
class TestThePasswordBeforeARotation:
    """Where the rotation says so, it works on for a while beside the new one."""

    DAY = timedelta(hours=24)

    def test_works_until_its_end_and_says_when_that_is(self) -> None:
        rotated, other = ClientFactory.create(), ClientFactory.create()
        old, start = password_of(rotated), timezone.now()
        with time_machine.travel(start, tick=False) as clock:
            new = rotated.set_new_password(old_works_for=self.DAY)
            found = Company.with_password(old)
            assert (found, found.password_expires_at) == (rotated, start + self.DAY)
            assert Company.with_password(new).password_expires_at is None
            assert Company.with_password(password_of(other)).password_expires_at is None
            clock.shift(self.DAY)
            with pytest.raises(InvalidApiKey):
                Company.with_password(old)
            assert Company.with_password(new) == rotated

    def test_is_looked_up_only_if_the_current_one_fails(self, django_assert_num_queries: Any) -> None:
        rotated = ClientFactory.create()
        old = password_of(rotated)
        new = rotated.set_new_password(old_works_for=self.DAY)
        for password, queries in ((new, 1), (old, 3)):
            with django_assert_num_queries(queries):
                Company.with_password(password)

    def test_opens_nothing_for_an_inactive_company(self) -> None:
        rotated = ClientFactory.create()
        old = password_of(rotated)
        rotated.set_new_password(old_works_for=self.DAY)
        deactivate(rotated)
        with pytest.raises(InvalidApiKey):
            Company.with_password(old)

    def test_is_the_one_that_the_client_has_even_if_the_button_was_clicked_twice(self) -> None:
        rotated = ClientFactory.create()
        in_use = password_of(rotated)
        unseen = rotated.set_new_password(old_works_for=self.DAY)
        shown = rotated.set_new_password(old_works_for=timedelta(days=7))
        assert Company.with_password(in_use) == Company.with_password(shown) == rotated
        assert EndingPassword.objects.get().ends_at > timezone.now() + timedelta(days=6)
        with pytest.raises(InvalidApiKey):
            Company.with_password(unseen)

    def test_is_the_one_that_the_client_has_already_switched_to_even_if_it_was_made_minutes_ago(self) -> None:
        rotated, other = ClientFactory.create(), ClientFactory.create()
        first = password_of(rotated)
        used = rotated.set_new_password(old_works_for=self.DAY)
        company_of({"HTTP_AUTHORIZATION": f"Bearer {first}"})  # of another of the client's programs
        other.set_new_password(old_works_for=self.DAY)
        company_of({"HTTP_AUTHORIZATION": f"Bearer {used}"})
        shown = rotated.set_new_password(old_works_for=self.DAY)
        assert Company.with_password(used) == Company.with_password(shown) == rotated
        with pytest.raises(InvalidApiKey):
            Company.with_password(first)
        assert Company.with_password(password_of(other)) == other

    def test_used_alone_makes_the_new_one_no_less_unsent(self) -> None:
        rotated = ClientFactory.create()
        in_use = password_of(rotated)
        company_of({"HTTP_AUTHORIZATION": f"Bearer {in_use}"})
        rotated.set_new_password(old_works_for=self.DAY)
        company_of({"HTTP_AUTHORIZATION": f"Bearer {in_use}"})
        assert Company.objects.get(pk=rotated.pk).last_seen_at is not None
        rotated.set_new_password(old_works_for=self.DAY)
        assert Company.with_password(in_use) == rotated

    def test_there_are_never_three(self) -> None:
        rotated = ClientFactory.create()
        first = password_of(rotated)
        second = rotated.set_new_password(old_works_for=self.DAY)
        Company.objects.update(api_password_set_at=timezone.now() - timedelta(hours=1))
        third = rotated.set_new_password(old_works_for=self.DAY)
        assert Company.with_password(second) == Company.with_password(third) == rotated
        with pytest.raises(InvalidApiKey):
            Company.with_password(first)
        rotated.set_new_password()
        for password in (second, third):
            with pytest.raises(InvalidApiKey):
                Company.with_password(password)

    def test_is_ended_at_once_and_its_use_is_noted_apart(self) -> None:
        rotated, other = ClientFactory.create(), ClientFactory.create()
        old = password_of(rotated)
        for company in (rotated, other):
            company.set_new_password(old_works_for=self.DAY)
        company_of({"HTTP_AUTHORIZATION": f"Bearer {old}"})
        assert EndingPassword.objects.get(company=rotated).last_used_at is not None
        assert EndingPassword.objects.get(company=other).last_used_at is None
        assert rotated.end_old_password()
        assert not rotated.end_old_password()
        with pytest.raises(InvalidApiKey):
            Company.with_password(old)
        assert EndingPassword.objects.get().company == other

    def test_is_swept_once_it_has_ended(self) -> None:
        for hours in (-1, 1):
            company = ClientFactory.create()
            company.set_new_password(old_works_for=self.DAY)
            EndingPassword.objects.filter(company=company).update(ends_at=timezone.now() + timedelta(hours=hours))
        assert (sweep_ended(dry_run=True), EndingPassword.objects.count()) == (1, 2)
        call_command("sweep_files", stdout=io.StringIO())
        assert EndingPassword.objects.get().company == company
