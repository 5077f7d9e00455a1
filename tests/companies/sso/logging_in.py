"""A person at a browser: from our login to the provider and back."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from companies.models import OperatorProfile

LOGIN, CALLBACK = reverse("sso-login"), reverse("sso-callback")
START = reverse("admin:index")


@dataclass
class Provider:
    issuer: str

    def knows(self, sub: str, **claims: Any) -> None:
        requests.put(f"{self.issuer}/users/{sub}", json=claims, timeout=10).raise_for_status()

    def way_back(self, browser: Client, sub: str, **query: str) -> str:
        """Begin a login, be `sub` at the provider, and return the address that it sends the browser to."""
        begun = browser.get(LOGIN, query)
        assert begun.status_code == 302, begun.content.decode()
        back = requests.post(begun["Location"], data={"sub": sub}, allow_redirects=False, timeout=10)
        parts = urlsplit(back.headers["Location"])
        return f"{parts.path}?{parts.query}"

    def log_in(self, browser: Client, sub: str, **query: str) -> Any:
        return browser.get(self.way_back(browser, sub, **query))


def who(browser: Client) -> User:
    return User.objects.get(pk=browser.session["_auth_user_id"])


def bound(username: str, subject: str, issuer: str, **fields: Any) -> User:
    user = User.objects.create_user(username, is_staff=True, **fields)
    OperatorProfile.objects.create(user=user, countries=["PE"], issuer=issuer, subject=subject)
    return user


def said(response: Any) -> str:
    return " ".join(response.content.decode().split())
