"""Mail is on: a real server in this process, and operators with addresses."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from companies.mail import sending
from companies.models import OperatorProfile
from tests.mail_server import Post, post_office


@pytest.fixture
def post(settings: Any) -> Iterator[Post]:
    with post_office() as office:
        settings.MAIL = office.settings
        settings.EMAIL_FROM = "prealerts@example.com"
        yield office


OLD = "old-password-of-theirs"


def operator(name: str, *, language: str = "en", password: str | None = OLD, **profile: Any) -> User:
    user = User.objects.create_user(name, f"{name}@example.org", password, is_staff=True, first_name=name.title())
    OperatorProfile.objects.create(user=user, countries=["CL"], language=language, **profile)
    return user


def deliver() -> None:
    """Let the worker send what is due."""
    while sending.send_next():
        pass
