"""The desk of an operator who may do everything with companies but delete them."""

import pytest
from django.test import Client

from tests.companies.desk import operator


@pytest.fixture
def desk(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("add_company", "change_company", "view_company")
