"""A courier that posts for ACME."""

import pytest

from tests.conftest import Caller, make_caller


@pytest.fixture
def courier(acme: Caller) -> Caller:
    caller = make_caller("SWIFT", kind="courier", allowed_countries=[], tracking_prefix="")
    caller.company.posts_for.add(acme.company)
    return caller
