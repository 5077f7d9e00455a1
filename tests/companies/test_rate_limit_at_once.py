"""Several processes draw on one bucket."""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from django.db import connection

from base.errors import RateLimited
from companies.limits.bucket import take
from companies.models import Company
from tests.conftest import Caller

SECONDS = 5
PROCESSES = 4


def _draw(database: dict[str, Any], company: int, until: float) -> int:
    """Draw as often as possible; return how many requests passed."""
    connection.settings_dict.update(database)
    drawn = 0
    owner = Company(pk=company, requests_per_second=2)
    while time.time() < until:
        try:
            take(owner)
            drawn += 1
        except RateLimited:
            time.sleep(0.01)
    connection.close()
    return drawn


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="the test's SQLite database is in memory")
def test_four_processes_pass_what_one_bucket_holds_and_what_refills(acme: Caller) -> None:
    database = dict(connection.settings_dict)
    connection.close()
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("fork")) as pool:
        until = time.time() + SECONDS
        drawn = [pool.submit(_draw, database, acme.company.pk, until) for _each in range(PROCESSES)]
        total = sum(each.result() for each in drawn)
    assert 29 <= total <= 31
