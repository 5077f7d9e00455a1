"""An operator of Chile, and a company that ships to Chile and to Peru."""

import pytest
from django.test import Client

from companies.models import Company
from shipments.models import Guide
from tests.country_scope.operators import CHILEAN, PERUVIAN, operator_of
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped


@pytest.fixture
def staff() -> Client:
    """An operator of Chile who may do everything there."""
    return operator_of("CL")


@pytest.fixture
def both() -> Company:
    """A company that ships to Chile and to Peru."""
    return ClientFactory.create(client_code="BOTH", allowed_countries=["CL", "PE"])


@pytest.fixture
def home(both: Company) -> Guide:
    manifest = shipped(both, 2, country="CL", consignee_name=f"{CHILEAN} Ana")
    return manifest.guides.earliest("id")


@pytest.fixture
def abroad(both: Company) -> Guide:
    manifest = shipped(both, 2, country="PE", consignee_name=f"{PERUVIAN} Rosa")
    return manifest.guides.earliest("id")
