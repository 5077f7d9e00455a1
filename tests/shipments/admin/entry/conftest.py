"""The operator who enters manifests; two companies are there."""

import pytest
from django.test import Client

from tests.companies.admin_pages import operator
from tests.conftest import Caller


@pytest.fixture
def staff(acme: Caller, rival: Caller) -> Client:  # noqa: ARG001  # the companies must be there first
    return operator("change_manifest", "view_manifest", "view_guide")
