"""An operator of Chile, and a company that ships to Chile and to Peru."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from companies.models import Company
from prealerts import answers
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


@pytest.fixture
def plain_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse without the page around it, which is the same everywhere and takes most of a refusal's time."""

    def plain(_request: HttpRequest, *words: str, status: int) -> HttpResponse:
        return HttpResponse("\n".join(words), status=status)

    monkeypatch.setattr(answers, "trouble_page", plain)
