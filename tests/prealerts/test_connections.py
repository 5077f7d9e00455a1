"""What our connections ask of PostgreSQL: nobody waits long for the locks of a process that is gone."""

import subprocess
import sys

import pytest
from django.db import connection, transaction

from companies.models import Company
from tests.factories import ClientFactory
from tests.webhooks.running import wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no server that could miss anything"),
]

HOLDER = """
import psycopg, sys
connection = psycopg.connect(sys.argv[1], options=sys.argv[2])
connection.execute("UPDATE companies_company SET name = 'Held' WHERE id = %s", [sys.argv[3]])
print("held", flush=True)
connection.execute("SELECT pg_sleep(600)")
"""


SLEEPING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'
"""


def is_under_way() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(SLEEPING)
        return bool(cursor.fetchone()[0])


def test_the_locks_of_a_process_that_was_killed_in_the_middle_of_a_statement_are_free_in_time() -> None:
    """The other waits as ours do, 15 s; without the check the lock would last until the statement ended, 30 s."""
    company = ClientFactory.create(name="Before SpA")
    parameters = connection.get_connection_params()
    options = parameters["options"]
    assert "client_connection_check_interval" in options
    reached = {
        name: parameters[name] for name in ("dbname", "user", "password", "host", "port") if parameters.get(name)
    }
    address = " ".join(f"{name}={value}" for name, value in reached.items())
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, address, options, str(company.pk)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        wait_until(is_under_way)
        holder.kill()
    with transaction.atomic():
        Company.objects.filter(pk=company.pk).update(name="After SpA")
    company.refresh_from_db()
    assert company.name == "After SpA"


@pytest.mark.parametrize("limit", ["statement_timeout", "lock_timeout", "client_connection_check_interval"])
def test_each_limit_is_in_force(limit: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT setting::int FROM pg_settings WHERE name = %s", [limit])
        assert cursor.fetchone()[0] > 0
