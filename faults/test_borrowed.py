"""Rows covered by the suite's own tests, run again here on the matrix's databases.

The short form only checks that they still exist: CI runs them with the whole suite.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from faults.conftest import Say
from faults.environment.pgbouncer import pooling
from faults.environment.tools import needed
from faults.matrix import POSTGRESQL, SQLITE
from faults.table import WITH_THE_SUITE
from tests.live.server import ROOT

Borrowed = Callable[..., None]

pytestmark = [pytest.mark.borrowed, pytest.mark.timeout(900)]


@pytest.fixture
def borrowed(request: pytest.FixtureRequest, note: Say) -> Borrowed:
    """`borrowed(path, ..., only="words of -k", program=..., through=..., VARIABLE=...)`: these tests, which must all
    pass; some must run. `through` makes another URL of the database's.
    """
    backend = request.node.callspec.params.get("backend")
    is_short = request.config.getoption("short")

    def run(*paths: str, only: str = "", program: str = "", through: Callable[[str], str] = str, **more: str) -> None:
        expect_to_be_there(paths, only)
        if is_short:
            pytest.skip(WITH_THE_SUITE)
        if program:
            needed(program)
        url = (
            request.getfixturevalue("postgres").create(f"borrowed_{os.urandom(4).hex()}")
            if backend == POSTGRESQL
            else ""
        )
        environment = {name: value for name, value in os.environ.items() if name != "TEST_DATABASE_URL"}
        finished = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-n", "0", "-p", "no:randomly"),
                *(["-k", only] if only else []),
                *paths,
            ],
            cwd=ROOT,
            env=environment | more | ({"TEST_DATABASE_URL": through(url)} if url else {}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout[-4000:]
        passed = re.search(r"(\d+) passed", finished.stdout)
        assert passed, finished.stdout[-4000:]
        note(f"{passed[1]} of the suite's own tests")

    return run


def expect_to_be_there(paths: Sequence[str], only: str) -> None:
    """Each file has tests, and each word of `only` is in the name of one of them."""
    sources = [(ROOT / path).read_text(encoding="utf-8") for path in paths]
    names = [re.findall(r"^ *def (test_\w+)", source, re.MULTILINE) for source in sources]
    assert all(names), paths
    gone = [word for word in only.split(" or ") if not any(word in name for each in names for name in each)]
    assert not gone, f"no test is called after {gone}"


@pytest.mark.fault(12, POSTGRESQL)
def test_nginx_does_not_wait_for_ever(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # names the database
    borrowed("tests/proxy/test_own_answers.py", only="never_answers", program="nginx")


@pytest.mark.fault(15, POSTGRESQL)
def test_bulk_moves_and_deadlocks(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed("tests/shipments/tracking/test_at_once.py", only="deadlock or opposite or interleaving")


@pytest.mark.fault(18, POSTGRESQL)
def test_two_at_one_guide_whoever_wins(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed("tests/shipments/tracking/test_at_once.py", only="wins or many_at_one")


@pytest.mark.fault(25)
def test_slow_clients_through_nginx(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed("tests/proxy/test_through_nginx.py", only="sixty or cut_off", program="nginx")


@pytest.mark.fault(26, SQLITE)
def test_hostile_workbooks(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    """Once: they ask no database."""
    borrowed(
        "tests/shipments/manifests/xlsx/test_workbook_opening.py",
        "tests/shipments/manifests/xlsx/test_damaged_workbooks.py",
        "tests/shipments/manifests/xlsx/test_workbook_process.py",
    )


@pytest.mark.fault(27)
def test_bad_requests(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed(
        "tests/api/test_http.py",
        "tests/api/test_json.py",
        "tests/api/test_json_manifests.py",
        "tests/api/test_json_posters.py",
        "tests/api/test_refused_uploads.py",
        "tests/api/test_routes.py",
        "tests/api/test_upload.py",
        "tests/shipments/manifests/payload/test_strict_json.py",
    )


@pytest.mark.fault(28)
def test_one_post_at_a_time(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed(
        "tests/webhooks/test_sender.py",
        "tests/webhooks/test_sender_connections.py",
        "tests/webhooks/test_sender_names.py",
        "tests/webhooks/dispatcher/test_dispatcher.py",
        "tests/webhooks/dispatcher/test_dispatcher_faults.py",
    )


@pytest.mark.fault(29)
def test_no_address_that_is_not_public(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed(
        "tests/webhooks/test_addresses.py",
        "tests/webhooks/test_sender.py",
        "tests/webhooks/test_subscriptions.py",
        "tests/webhooks/test_self_service.py",
        "tests/webhooks/dispatcher/test_refused_addresses.py",
        only="address or literal or ambiguous or network or way_of_writing or private or changes_between or localhost "
        "or may_not_reach or rebinding",
    )


@pytest.mark.fault(31)
def test_the_clock_inside_one_process(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed(
        "tests/shipments/tracking/test_any_order.py",
        "tests/shipments/tracking/test_moves.py",
        "tests/shipments/admin/test_local_days.py",
    )


@pytest.mark.fault(31)
def test_the_dispatchers_clock(backend: str, borrowed: Borrowed) -> None:  # noqa: ARG001  # as above
    borrowed("tests/webhooks/dispatcher/test_dispatcher_faults.py", only="clock")


@pytest.mark.fault(37, POSTGRESQL)
def test_the_api_through_pgbouncer(
    backend: str,  # noqa: ARG001  # as above
    borrowed: Borrowed,
    request: pytest.FixtureRequest,
) -> None:
    tests = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/api").glob("test_*.py"))
    if request.config.getoption("short"):
        borrowed(*tests)
    with pooling(request.getfixturevalue("postgres")) as bouncer:
        borrowed(*tests, through=bouncer.url, BEHIND_PGBOUNCER="on")
