"""The real process: `manage.py dispatch_webhooks`, killed, stopped, doubled."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection
from django.utils import timezone

from tests.webhooks.conftest import publish, subscribe, subscribe_signed
from tests.webhooks.dispatcher.cable import Cable
from tests.webhooks.dispatcher.retried import ids
from tests.webhooks.receivers import Receiver, answer, hang
from tests.webhooks.running import Process, states, wait_until
from webhooks.models import Delivery, State

pytestmark = pytest.mark.django_db(transaction=True)


def _drain(shared_database: dict[str, str]) -> tuple[int, str]:
    with Process(shared_database, ["--once"]) as dispatcher:
        return dispatcher.wait()


def test_killed_after_the_post_what_is_signed_is_sent_again_under_its_id_and_the_rest_is_abandoned(
    shared_database: dict[str, str], receivers: Any
) -> None:
    receiver = receivers(hang)
    plain, signed = subscribe(receiver.url), subscribe_signed(receiver.url)
    with Process(shared_database) as dispatcher:
        publish()
        receiver.wait_for(2)
        dispatcher.kill()
    assert states() == {"sending": 2}
    receiver.behave = answer()
    Delivery.objects.update(claimed_at=timezone.now() - timedelta(seconds=31))
    for _run in range(2):
        code, log = _drain(shared_database)
        assert code == 0, log
        Delivery.objects.filter(state=State.WAITING).update(due_at=timezone.now() - timedelta(seconds=1))
    assert Delivery.objects.get(subscription=plain).state == State.ABANDONED
    again = Delivery.objects.get(subscription=signed)
    assert (again.state, again.attempts) == (State.DELIVERED, 2)
    sent = [request.headers["x-service-delivery-id"] for request in receiver.received]
    assert sent.count(again.delivery_id) == 2
    assert len(sent) == 3


def test_sigterm_ends_in_good_order(shared_database: dict[str, str], receivers: Any) -> None:
    receiver = receivers(answer(after=0.5))
    subscribe(receiver.url)
    with Process(shared_database) as dispatcher:
        publish(1_000)  # more than can be sent before a busy machine delivers the signal
        receiver.wait_for(3)
        code, log = dispatcher.terminate()
    assert code == 0, log
    told = states()
    assert set(told) == {"delivered", "pending"}
    assert told["delivered"] == len(receiver.received)
    assert "s3cret" not in log


@pytest.fixture
def cable(shared_database: dict[str, str]) -> Iterator[Cable]:
    """Between the dispatcher and PostgreSQL; `shared_database` leads through it."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no server")
    url = urlsplit(shared_database["DATABASE_URL"])
    with Cable(str(url.hostname), url.port or 5432) as cable:
        place = f"{url.username}:{url.password or ''}@127.0.0.1:{cable.port}"
        shared_database["DATABASE_URL"] = urlunsplit(url._replace(netloc=place))
        yield cable


def test_a_database_that_goes_in_flight_and_comes_back_costs_no_event_and_repeats_none(
    shared_database: dict[str, str], receivers: Any, cable: Cable
) -> None:
    receiver = receivers(answer(after=0.05))
    subscribe(receiver.url)
    publish(300)
    with Process(shared_database) as dispatcher:
        for _outage in range(3):
            receiver.wait_for(len(receiver.received) + 20)
            cable.pull()
            time.sleep(1.5)
            cable.plug()
        wait_until(lambda: states() == {"delivered": 300}, seconds=40)
        publish()
        wait_until(lambda: states() == {"delivered": 301})
        code, log = dispatcher.terminate()
    assert code == 0
    assert len(receiver.received) == len(ids(receiver.received)) == 301
    assert "database unavailable" in log
    assert "database available again" in log


def test_an_idle_dispatcher_hears_again_after_its_database_was_away(
    shared_database: dict[str, str], receiver: Receiver, cable: Cable
) -> None:
    subscribe(receiver.url)
    with Process(shared_database) as dispatcher:
        publish()
        receiver.wait_for(1)
        cable.pull()
        publish(5)
        time.sleep(1)
        assert len(receiver.received) == 1
        cable.plug()
        receiver.wait_for(6)
        wait_until(lambda: states() == {"delivered": 6})
        code, _log = dispatcher.terminate()
    assert code == 0


def test_stopped_while_its_database_is_away_it_says_what_that_means(
    shared_database: dict[str, str], receivers: Any, cable: Cable
) -> None:
    receiver = receivers(answer(after=0.5))
    subscribe(receiver.url)
    with Process(shared_database) as dispatcher:
        publish()
        receiver.wait_for(1)
        cable.pull()
        code, log = dispatcher.terminate(seconds=60)
    assert code == 1
    assert "The database stayed unavailable" in log
    assert "Traceback" not in log.rpartition("\n{")[2]
    assert states() == {"sending": 1}


@pytest.mark.parametrize(
    ("changes", "arguments", "words"),
    [
        ({"WEBHOOK_ALLOWED_NETWORKS": "10.0.0.0/99"}, [], "10.0.0.0/99"),
        ({"WEBHOOK_CA_BUNDLE": "/nowhere/ca.pem"}, [], "WEBHOOK_CA_BUNDLE"),
        ({}, ["--concurrency", "0"], "at least 1"),
    ],
)
def test_what_cannot_work_is_said_before_it_begins(
    shared_database: dict[str, str], changes: dict[str, str], arguments: list[str], words: str
) -> None:
    with Process(shared_database | changes, arguments) as dispatcher:
        code, log = dispatcher.wait()
    assert code != 0
    assert words in log
