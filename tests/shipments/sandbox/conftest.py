from collections.abc import Iterator

import pytest
from django.test import override_settings

from tests.conftest import Caller, make_caller


@pytest.fixture
def sandbox() -> Iterator[None]:
    with override_settings(SANDBOX=True, ROOT_URLCONF="prealerts.sandbox_urls"):
        yield


@pytest.fixture
def ana(sandbox: None, db: None) -> Caller:  # noqa: ARG001  # the passwords are a sandbox's
    return make_caller("ANA")


@pytest.fixture
def beto(sandbox: None, db: None) -> Caller:  # noqa: ARG001  # as above
    return make_caller("BETO")
