"""Clients of operators: one with every permission on companies except deleting, one who needs a second factor."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.companies.admin_pages import operator
from tests.companies.operators.authenticators import PASSWORD


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("add_company", "change_company", "view_company")


@pytest.fixture
def second_factor_required(settings: Any) -> None:
    """For modules that use it: no page of the admin without a code."""
    settings.ADMIN_SECOND_FACTOR = True


@pytest.fixture
def olga() -> User:
    return User.objects.create_superuser("olga", password=PASSWORD)
