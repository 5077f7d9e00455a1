"""One service per backend, started once and restarted if a fault killed it; checks the invariants after every fault."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling

from faults.environment import own_postgres
from faults.environment.own_postgres import OwnPostgres, Pair
from faults.environment.running import Service, environment_without_proxies, open_service
from faults.environment.tools import needed
from faults.matrix import BACKENDS, FAULTS, POSTGRESQL, SQLITE
from faults.observation import invariants
from faults.observation.witness import Witness
from faults.table import ONLY_FULL, MatrixTable
from tests.live.databases import migrate
from tests.live.server import ROOT
from tests.webhooks.receivers import Authority, Receiver

Pick = Callable[[Any, Any], Any]
Say = Callable[[str], None]
NewHouse = Callable[..., Service]
NewDatabase = Callable[..., str]
Witnessed = Callable[[Service], Witness]

REPLICATED = "replicated"
ROW_SECONDS = 600
"""Anything longer is a hang. A busy machine takes several times as long as an idle one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults")
    group.addoption("--rows", default="", help="Only these faults, for example 1,5-7.")
    group.addoption(
        "--mutants", default="0", help="The number of mutants in row 26 instead of 10,000 (100 in the short form)."
    )
    group.addoption("--faults-page", default="", help="Write the table into this page.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fault(number, *backends): a row of the fault matrix; no backend: both")
    # This suite breaks connections on purpose; it ignores the resources that they leave open.
    config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")
    config.addinivalue_line("markers", "long(*backends): only in the full form, on these backends; no backend: both")
    config.addinivalue_line("markers", "borrowed: the suite's own tests; the short form leaves them to the suite")
    page = config.getoption("faults_page")
    table = MatrixTable(is_short=config.getoption("short"), page=Path(page) if page else None)
    config.pluginmanager.register(table, "fault-matrix")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each row once per backend it concerns."""
    marker = metafunc.definition.get_closest_marker("fault")
    if marker and "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", marker.args[1:] or BACKENDS, scope="session")


class ByBackend(LoadScopeScheduling):
    """One worker per backend, because most rows spend their time waiting for it.

    Rows past one machine start services of their own; the worker that is done first, mostly SQLite's, runs them.
    """

    def _split_scope(self, nodeid: str) -> str:
        if "past_one_machine" in nodeid:
            return "past_one_machine"
        return next((backend for backend in BACKENDS if backend in nodeid), "")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByBackend:
    """With two workers the backends run in parallel."""
    return ByBackend(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort by backend and number, so that each service is started once; deselect what was not requested."""
    wanted = _numbers(config.getoption("rows"))
    rows = [item for item in items if _number(item)]
    items[:] = sorted(
        (item for item in rows if _number(item) in wanted), key=lambda item: (_backend(item), _number(item))
    )
    for item in items:
        item.user_properties += [("fault", _number(item)), ("backend", _backend(item))]
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(ROW_SECONDS))
        if config.getoption("short") and (reason := _left_out(item)):
            item.add_marker(pytest.mark.skip(reason=reason))


def _left_out(item: pytest.Item) -> str:
    """Why the short form leaves this one out; empty if it does not."""
    is_long = any(_backend(item) in (mark.args or BACKENDS) for mark in item.iter_markers("long"))
    return ONLY_FULL if is_long else ""


def _number(item: pytest.Item) -> int:
    marker = item.get_closest_marker("fault")
    return int(marker.args[0]) if marker else 0


def _backend(item: pytest.Item) -> str:
    return str(item.callspec.params.get("backend", "")) if hasattr(item, "callspec") else ""


def _numbers(asked: str) -> set[int]:
    if not asked:
        return set(FAULTS)
    numbers: set[int] = set()
    for part in asked.split(","):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


@pytest.fixture(scope="session", autouse=True)
def _no_proxies() -> None:
    environment_without_proxies()


@pytest.fixture
def pick(request: pytest.FixtureRequest) -> Pick:
    """`pick(short, full)`: the one that this run's form asks for."""
    is_short = request.config.getoption("short")
    return lambda short, full: short if is_short else full


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Say:
    """Add a remark to the table's last column."""
    return lambda words: request.node.user_properties.append(("note", words))


@pytest.fixture(scope="session")
def authority(tmp_path_factory: Any) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def receiver(authority: Authority) -> Iterator[Receiver]:
    """The endpoint of all companies' webhooks."""
    with Receiver(authority.server()) as receiver:
        yield receiver


@pytest.fixture(scope="session")
def postgres() -> Iterator[OwnPostgres]:
    """The suite's own cluster; tests must leave it running."""
    needed("initdb")
    with own_postgres.cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def new_database(request: pytest.FixtureRequest, tmp_path_factory: Any) -> NewDatabase:
    """`new_database(backend, name)`: the URL of a database with all tables; with `is_empty`, of one with none."""

    def empty(backend: str, name: str, template: str = "") -> str:
        if backend == POSTGRESQL:
            cluster: OwnPostgres = request.getfixturevalue("postgres")
            return cluster.create(name, template)
        file = tmp_path_factory.mktemp(name) / "database.sqlite3"
        if template:
            shutil.copy(template.removeprefix("sqlite:///"), file)
        return f"sqlite:///{file}"

    @cache
    def template(backend: str) -> str:
        url = empty(backend, "template")
        migrate(url)
        return url

    def make(backend: str, name: str, *, is_empty: bool = False) -> str:
        return empty(backend, name) if is_empty else empty(backend, name, template(backend))

    return make


@pytest.fixture
def pair(postgres: OwnPostgres, new_database: NewDatabase) -> Iterator[Pair]:
    """Copies of the suite's cluster, one following the other; the database `REPLICATED` has the tables."""
    if not postgres.has(REPLICATED):
        new_database(POSTGRESQL, REPLICATED)
    with own_postgres.pair(postgres) as pair:
        yield pair


@pytest.fixture(scope="session")
def sqlite_service(
    authority: Authority, receiver: Receiver, tmp_path_factory: Any, new_database: NewDatabase
) -> Iterator[Service]:
    """The service on SQLite, for all rows that do not need a special one."""
    directory, url = tmp_path_factory.mktemp("service_sqlite"), new_database(SQLITE, "service")
    with open_service(directory, url, authority, receiver, is_migrated=True) as service:
        yield service


@pytest.fixture(scope="session")
def postgresql_service(
    postgres: OwnPostgres,  # noqa: ARG001  # stopped after this service: a dispatcher without its database takes its time
    authority: Authority,
    receiver: Receiver,
    tmp_path_factory: Any,
    new_database: NewDatabase,
) -> Iterator[Service]:
    """The same on PostgreSQL."""
    directory, url = tmp_path_factory.mktemp("service_postgresql"), new_database(POSTGRESQL, "service")
    with open_service(directory, url, authority, receiver, is_migrated=True) as service:
        yield service


@pytest.fixture
def service(backend: str, request: pytest.FixtureRequest) -> Service:
    """The running service of this backend, restarted if the previous row stopped it."""
    service: Service = request.getfixturevalue(f"{backend}_service")
    service.board.clear()
    if not service.is_up() or not service.answers():
        service.stop()  # a failed row may have left it half stopped
        service.start()
    if not service.is_dispatching():
        service.dispatch()
    return service


@pytest.fixture
def witness(service: Service) -> Iterator[Witness]:
    """Two companies of the service; the invariants are checked after the row."""
    yield from witnessing(service)


@pytest.fixture
def open_special(
    backend: str, authority: Authority, receiver: Receiver, tmp_path: Path, new_database: NewDatabase
) -> Iterator[Callable[..., Service]]:
    """`open_special(url=..., past=..., root=..., VARIABLE=...)`: a service of the row's own. A database that is brought
    along has its tables where `is_migrated` says so.
    """
    with ExitStack() as stack:

        def make(
            url: str = "", past: str = "", root: Path = ROOT, *, is_migrated: bool = False, **more: str
        ) -> Service:
            name = f"special_{os.urandom(4).hex()}"
            if not url:
                is_migrated = root == ROOT
                url = new_database(backend, name, is_empty=not is_migrated)
            return stack.enter_context(
                open_service(
                    tmp_path / name, url, authority, receiver, past=past, root=root, is_migrated=is_migrated, **more
                )
            )

        yield make


def witnessing(service: Service) -> Iterator[Witness]:
    """Yield a witness; then check the invariants."""
    witness = Witness(service, service.tenant(), service.tenant())
    yield witness
    invariants.check(witness)


@pytest.fixture
def witnessed() -> Iterator[Callable[[Service], Witness]]:
    """`witnessed(service)`: a witness at the row's own service; checks the invariants after the row."""
    with ExitStack() as stack:
        yield lambda service: stack.enter_context(contextmanager(witnessing)(service))
