"""One service for each database, started again if a row killed it; the invariants are checked after each row."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from faults.environment import postgres as clusters
from faults.environment.postgres import OwnPostgres, Pair
from faults.environment.running import POSTGRESQL, SQLITE, Service, open_service
from faults.environment.tools import needed
from faults.observation import invariants
from faults.observation.witness import Witness
from tests.live.databases import migrate
from tests.webhooks.receivers import Authority, Receiver, opened

Pick = Callable[[Any, Any], Any]
OpenSpecial = Callable[..., Service]
NewDatabase = Callable[[str, str], str]
OpenReceivers = Callable[..., Receiver]
Witnessed = Callable[[Service], Witness]

ROW_SECONDS = 600
"""Anything longer is a hang. A busy machine takes several times as long as an idle one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rows", default="", help="only these rows of docs/faults.md, for example 1,5-7")


def pytest_configure(config: pytest.Config) -> None:
    os.environ["no_proxy"] = "*"  # requests would send even 127.0.0.1 through a proxy that the environment names
    config.addinivalue_line("markers", "fault(row, *backends): a row of docs/faults.md; no backend: both")
    config.addinivalue_line("markers", "long(*backends): not in the short form, on these backends; none: on both")
    # This suite breaks connections on purpose; it ignores the resources that they leave open.
    config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each row once for each backend it concerns."""
    marker = metafunc.definition.get_closest_marker("fault")
    if marker and "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", marker.args[1:] or (SQLITE, POSTGRESQL), scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not asked for; keep the rows of a backend in one process, which most of the time waits."""
    wanted, is_short = _numbers(config.getoption("rows")), config.getoption("short")
    left_out = []
    for item in items:
        if not (marker := item.get_closest_marker("fault")):
            continue
        backend = item.callspec.params["backend"]  # type: ignore[attr-defined]  # of parametrized tests
        is_long = any(not mark.args or backend in mark.args for mark in item.iter_markers("long"))
        if (wanted and marker.args[0] not in wanted) or (is_short and is_long):
            left_out.append(item)
        item.add_marker(pytest.mark.xdist_group(backend))
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(ROW_SECONDS))
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _numbers(asked: str) -> set[int]:
    numbers: set[int] = set()
    for part in filter(None, asked.split(",")):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


@pytest.fixture
def pick(request: pytest.FixtureRequest) -> Pick:
    """`pick(short, full)`: the one that this run's form asks for."""
    is_short = request.config.getoption("short")
    return lambda short, full: short if is_short else full


@pytest.fixture(scope="session")
def authority(tmp_path_factory: Any) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def receiver(authority: Authority) -> Iterator[Receiver]:
    """The endpoint of all companies' webhooks."""
    with Receiver(authority.server()) as receiver:
        yield receiver


@pytest.fixture
def receivers(authority: Authority) -> Iterator[OpenReceivers]:
    """Further endpoints, for as long as the row lasts."""
    with opened(authority) as make:
        yield make


@pytest.fixture(scope="session")
def postgres() -> Iterator[OwnPostgres]:
    """The suite's own cluster; tests must leave it running."""
    needed("initdb")
    with clusters.cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def new_database(request: pytest.FixtureRequest, tmp_path_factory: Any) -> NewDatabase:
    """`new_database(backend, name)`: the URL of a database with all tables. They are migrated once and then copied."""

    def empty(backend: str, name: str) -> str:
        if backend == POSTGRESQL:
            return str(request.getfixturevalue("postgres").create(name))
        return f"sqlite:///{tmp_path_factory.mktemp(name)}/database.sqlite3"

    @cache
    def template(backend: str) -> str:
        url = empty(backend, "template")
        migrate(url)
        return url

    def make(backend: str, name: str) -> str:
        if backend == POSTGRESQL:
            return str(request.getfixturevalue("postgres").create(name, template(backend)))
        url = empty(backend, name)
        shutil.copy(template(backend).removeprefix("sqlite:///"), url.removeprefix("sqlite:///"))
        return url

    return make


@pytest.fixture(scope="session")
def replicated(new_database: NewDatabase) -> str:
    """The name of a database with all tables, there before a `pair` is copied from the cluster."""
    return new_database(POSTGRESQL, "replicated").rpartition("/")[2]


@pytest.fixture
def pair(postgres: OwnPostgres, replicated: str) -> Iterator[Pair]:  # noqa: ARG001  # part of what is copied
    """Copies of the suite's cluster, one following the other."""
    with clusters.pair(postgres) as pair:
        yield pair


@pytest.fixture(scope="session")
def lasting_service(
    backend: str, authority: Authority, receiver: Receiver, tmp_path_factory: Any, new_database: NewDatabase
) -> Iterator[Service]:
    """The service on this backend, for all rows that do not need a special one."""
    directory, url = tmp_path_factory.mktemp("service"), new_database(backend, "service")
    with open_service(directory, url, authority, receiver) as service:
        yield service


@pytest.fixture
def service(lasting_service: Service) -> Service:
    """The running service of this backend, started again if the previous row stopped it."""
    lasting_service.board.clear()
    if not lasting_service.is_up() or not lasting_service.answers():
        lasting_service.stop()  # a failed row may have left it half stopped
        lasting_service.start()
    if not lasting_service.is_dispatching():
        lasting_service.dispatch()
    return lasting_service


@pytest.fixture
def open_special(
    backend: str, authority: Authority, receiver: Receiver, tmp_path: Path, new_database: NewDatabase
) -> Iterator[OpenSpecial]:
    """`open_special(url, past, VARIABLE=...)`: a service of the row's own, on a migrated database; see `Service`."""
    with ExitStack() as stack:

        def make(url: str = "", past: str = "", **more: str) -> Service:
            name = f"special_{os.urandom(4).hex()}"
            url = url or new_database(backend, name)
            return stack.enter_context(open_service(tmp_path / name, url, authority, receiver, past, **more))

        yield make


@pytest.fixture
def witnessed() -> Iterator[Witnessed]:
    """`witnessed(service)`: a witness at the row's own service; the invariants are checked after the row."""
    witnesses: list[Witness] = []

    def make(service: Service) -> Witness:
        witnesses.append(Witness(service, service.tenant(), service.tenant()))
        return witnesses[-1]

    yield make
    for witness in witnesses:
        invariants.check(witness)


@pytest.fixture
def witness(service: Service, witnessed: Witnessed) -> Witness:
    """Two companies of the service, and a record of what it answers; the invariants are checked after the row."""
    return witnessed(service)
