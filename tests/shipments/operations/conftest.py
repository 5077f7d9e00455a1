"""Two companies in two countries, and operators' programs that see one country or all."""

from typing import Any

import pytest

from companies.models import Company
from shipments.models import Guide
from tests.companies.operators.tokens.speaking import Program, program
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped


@pytest.fixture(autouse=True)
def _one_factor(settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False


@pytest.fixture
def acme(db: None) -> Company:  # noqa: ARG001  # the database must be there first
    return ClientFactory.create(client_code="ACME", name="Acme Ltda.")


@pytest.fixture
def rival(db: None) -> Company:  # noqa: ARG001  # as above
    return ClientFactory.create(client_code="RIVAL")


@pytest.fixture
def chilean(acme: Company) -> Guide:
    return shipped(acme, 2, country="CL").guides.earliest("id")


@pytest.fixture
def peruvian(rival: Company) -> Guide:
    return shipped(rival, 2, country="PE").guides.earliest("id")


@pytest.fixture
def scanner(db: None) -> Program:  # noqa: ARG001  # as above
    return program("scanner")


@pytest.fixture
def limeno(db: None) -> Program:  # noqa: ARG001  # as above
    return program("lima", "PE")


@pytest.fixture
def reader(db: None) -> Program:  # noqa: ARG001  # as above
    return program("reader", role="Read-only")


def house_of(guide: Guide) -> str:
    return f"{guide.manifest.mawb}/{guide.hawb}"
