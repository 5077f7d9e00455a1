"""No page of the admin without the second factor, whoever asks and whatever for."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from companies.models.operators import Authenticator
from tests.companies.admin_pages import is_in
from tests.companies.operators.authenticators import (
    CODES,
    ENROL,
    LOGIN,
    PASSWORD,
    QR,
    STATUS,
    VERIFY,
    enrolled,
    logged_in,
    text_of_redirect,
)
from tests.country_scope.addresses import addresses

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("second_factor_required")]


OPEN = {
    "admin:login", "login", "admin:logout", "logout", "sso-login", "sso-callback", "second-factor-verify",
    "second-factor-enrol", "second-factor-qr", "admin:", "",
}  # fmt: skip


def test_no_address_of_the_admin_answers_without_the_code(olga: User) -> None:
    enrolled(olga)
    client = logged_in()
    walked = {reverse(name) for name, _route, pattern in addresses()
              if name not in OPEN and not pattern.pattern.converters and not pattern.pattern.regex.groups}  # fmt: skip
    assert len(walked) > 50
    for address in walked:
        for method in ("get", "post", "head"):
            answer = getattr(client, method)(address)
            assert (answer.status_code, text_of_redirect(answer)[: len(VERIFY)]) == (302, VERIFY), address


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


def test_a_user_who_is_not_an_operator_is_not_enrolled() -> None:
    User.objects.create_user("nobody", password=PASSWORD)
    client = Client()
    client.force_login(User.objects.get(username="nobody"))
    assert text_of_redirect(client.get(ENROL)).startswith(LOGIN)
    assert not Authenticator.objects.exists()


def test_where_the_settings_do_not_ask_the_password_is_enough(olga: User, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False
    enrolled(olga)
    assert is_in(logged_in())
