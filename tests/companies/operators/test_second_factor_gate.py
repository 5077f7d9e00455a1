"""No page of the admin without the second factor, whoever asks and whatever for."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from companies.models.operators import Authenticator
from tests.companies.operators.authenticators import (
    CODES,
    ENROL,
    LOGIN,
    PASSWORD,
    QR,
    STATUS,
    VERIFY,
    enrolled,
    let_in,
    logged_in,
    text_of_redirect,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("second_factor_required")]


def gated() -> list[str]:
    """Every address of the admin that takes no argument, and the pages beside it."""
    from tests.country_scope.addresses import addresses  # noqa: PLC0415  # it walks the resolver

    open_ones = {
        "admin:login",
        "login",
        "admin:logout",
        "logout",
        "sso-login",
        "sso-callback",
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


def test_a_user_who_is_not_an_operator_is_not_enrolled() -> None:
    User.objects.create_user("nobody", password=PASSWORD)
    client = Client()
    client.force_login(User.objects.get(username="nobody"))
    assert text_of_redirect(client.get(ENROL)).startswith(LOGIN)
    assert not Authenticator.objects.exists()


def test_where_the_settings_do_not_ask_the_password_is_enough(olga: User, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False
    enrolled(olga)
    assert let_in(logged_in())
