"""A certificate authority for the session, receivers, a sender, a database that other threads and processes open."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from companies.models import Company
from tests.webhooks.posting import Post, posting, with_sender
from tests.webhooks.receivers import Authority, Receiver, opened
from webhooks import outbox
from webhooks.addresses import parse_networks
from webhooks.events import Event, EventType
from webhooks.models import Subscription
from webhooks.sender import Posting, Sender
from webhooks.subscriptions import register, register_signed
from webhooks.verdicts import Verdict


@pytest.fixture(scope="session")
def authority(tmp_path_factory: Any) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def receivers(authority: Authority) -> Iterator[Callable[..., Receiver]]:
    """Make receivers; they stop with the test."""
    with opened(authority) as make:
        yield make


@pytest.fixture
def receiver(receivers: Callable[..., Receiver]) -> Receiver:
    """One that answers 200."""
    return receivers()


@pytest.fixture
def post(authority: Authority) -> Post:
    """Post once, or several times one after the other, over one sender that may reach this machine."""

    def run(*urls: str | Posting, allowed: Sequence[str] = ("127.0.0.0/8",), **options: Any) -> Any:
        async def go(sender: Sender) -> list[Verdict]:
            return [await sender.post(posting(url) if isinstance(url, str) else url) for url in urls]

        verdicts = with_sender(authority, go, allowed=parse_networks(allowed), **options)
        return verdicts if len(verdicts) > 1 else verdicts[0]

    return run


@pytest.fixture(autouse=True)
def open_doors(settings: Any, authority: Authority) -> None:
    """Deliveries may reach this machine and trust the tests' authority."""
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    settings.WEBHOOK_CA_BUNDLE = authority.bundle


@pytest.fixture
def shared_database(request: pytest.FixtureRequest, transactional_db: None, tmp_path: Path) -> Iterator[dict[str, str]]:  # noqa: ARG001  # the schema must be there first
    """A database that is really committed to and that other threads and processes open: their environment.

    For modules marked `django_db(transaction=True)`, without which pytest-django makes no database at all.
    On PostgreSQL the test database; on SQLite a file of its own, for the test database lives in memory.
    """
    if connection.vendor == "postgresql":
        of = connection.settings_dict
        url = f"postgres://{of['USER']}:{of['PASSWORD']}@{of['HOST']}:{of['PORT']}/{of['NAME']}"
        yield _environment(request, url)
        return
    path = str(tmp_path / "shared.sqlite3")
    in_memory = connections["default"]
    in_memory.ensure_connection()
    with closing(sqlite3.connect(path)) as file:
        in_memory.connection.backup(file)
    name, connections.databases["default"]["NAME"] = connections.databases["default"]["NAME"], path
    connections["default"] = connections.create_connection("default")
    try:
        yield _environment(request, f"sqlite:///{path}")
    finally:
        connections["default"].close()
        connections["default"] = in_memory
        connections.databases["default"]["NAME"] = name


def _environment(request: pytest.FixtureRequest, url: str) -> dict[str, str]:
    bundle = request.getfixturevalue("authority").bundle
    return {"DATABASE_URL": url, "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8", "WEBHOOK_CA_BUNDLE": bundle}


SECRET = "s3cret-of-the-client"


def company(code: str = "ACME") -> Company:
    """The company with this code, made if need be."""
    return Company.objects.get_or_create(client_code=code, defaults={"name": f"{code.title()} Ltda."})[0]


def subscribe(url: str, code: str = "ACME", secret: str = SECRET) -> Subscription:
    return register(company(code), url, secret)[0]


def subscribe_signed(url: str, code: str = "ACME", **filters: Any) -> Subscription:
    """Subscribe in version 2."""
    return register_signed(company(code), url, **filters)[0]


def event(number: int = 1, **changes: Any) -> Event:
    fields: dict[str, Any] = {
        "type": EventType.GUIDE_DELIVERED,
        "occurred_at": timezone.now(),
        "subject": f"ACM{number:07}",
        "data": {"tracking_code": f"ACM{number:07}", "status": "delivered", "status_code": 6},
    }
    return Event(**fields | changes)


def publish(count: int = 1, code: str = "ACME", **changes: Any) -> None:
    with transaction.atomic():
        outbox.publish(company(code), [event(number, **changes) for number in range(count)])


@pytest.fixture
def closed_doors(settings: Any, open_doors: None) -> None:  # noqa: ARG001  # after it
    """Deliveries reach the public internet alone, as in production."""
    settings.WEBHOOK_ALLOWED_NETWORKS = []
