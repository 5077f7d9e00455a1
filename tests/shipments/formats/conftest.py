"""A company of Peru and an operator who teaches its workbooks."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.conftest import Caller
from tests.country_scope.operators import operator_of


@pytest.fixture
def lima(company_maker: Callable[..., Caller]) -> Caller:
    return company_maker("LIMA", allowed_countries=["PE"])


@pytest.fixture
def staff() -> Client:
    return operator_of("PE", role="Onboarding")
