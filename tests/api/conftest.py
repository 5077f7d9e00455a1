"""A courier that posts for ACME."""

from typing import Any

import pytest
from django.test import Client

from tests.conftest import Caller, make_caller


@pytest.fixture
def courier(acme: Caller) -> Caller:
    caller = make_caller("SWIFT", kind="courier", allowed_countries=[], tracking_prefix="")
    caller.company.posts_for.add(acme.company)
    return caller


@pytest.fixture
def clock(time_machine: Any) -> Any:
    time_machine.move_to("2026-11-21T12:00:00Z")
    return time_machine


@pytest.fixture
def anyone() -> Client:
    return Client(raise_request_exception=False)
