"""Two companies with manifests, and operators with and without the right to act."""

import pytest
from django.test import Client

from companies.models import Company
from tests.companies.admin_pages import operator
from tests.factories import ClientFactory

READS = ("view_guide", "view_manifest", "view_flight")
ACTS = (*READS, "change_guide", "change_manifest")


@pytest.fixture
def ours(db: None) -> Company:  # noqa: ARG001  # the database must be there first
    return ClientFactory.create(name="Ours SpA", client_code="OURS", tracking_prefix="OUR")


@pytest.fixture
def theirs(db: None) -> Company:  # noqa: ARG001  # as above
    return ClientFactory.create(name="Theirs SpA", client_code="THEIRS", tracking_prefix="THE")


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # as above
    """An operator who may act."""
    return operator(*ACTS)


@pytest.fixture
def reader(db: None) -> Client:  # noqa: ARG001  # as above
    """An operator who may only read."""
    return operator(*READS, username="rita")
