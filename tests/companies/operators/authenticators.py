"""Operators' apps in the tests: how one logs in, what the app shows, and where the gate leads."""

import time
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_otp.oath import TOTP

from companies.models.operators import Authenticator
from companies.operators import second_factor
from tests.companies.admin_pages import is_in, text_of

PASSWORD = "correct-horse-battery"
START, LOGIN = reverse("admin:index"), reverse("admin:login")
VERIFY, ENROL, QR = (reverse(f"second-factor-{name}") for name in ("verify", "enrol", "qr"))
CODES, STATUS = reverse("second-factor-recovery-codes"), reverse("second-factor")


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


def text_of_redirect(response: Any) -> str:
    return str(response.get("Location", str(response.status_code)))


def verified(user: User) -> Client:
    authenticator = enrolled(user)
    client = logged_in(user.get_username())
    client.post(VERIFY, {"code": code_of(authenticator)})
    assert is_in(client)
    return client
