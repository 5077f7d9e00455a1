"""The real process: `manage.py dispatch_webhooks`, killed, stopped, doubled."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tests.webhooks.conftest import company, event, subscribe, subscribe_signed
from tests.webhooks.dispatcher.cable import Cable
from tests.webhooks.dispatcher.test_dispatcher import ids
from tests.webhooks.receivers import Receiver, answer, hang
from tests.webhooks.running import Process, states, wait_until
from webhooks import outbox
from webhooks.models import Delivery, State

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def environment(shared_database: dict[str, str]) -> dict[str, str]:
    return shared_database


def publish(count: int = 1, code: str = "ACME") -> None:
    with transaction.atomic():
        outbox.publish(company(code), [event(number) for number in range(count)])


def abandoned_and_never_sent_again(environment: dict[str, str], receiver: Receiver, posts: int) -> None:
    """Let the claim grow old, run another dispatcher on an endpoint that is well again, and see what it does."""
    assert Delivery.objects.get().state == State.SENDING
    receiver.behave = answer()
    Delivery.objects.update(claimed_at=timezone.now() - timedelta(seconds=31))
    code, log = _drain(environment)
    assert code == 0, log
    assert Delivery.objects.get().state == State.ABANDONED
    assert len(receiver.received) == posts


def _drain(environment: dict[str, str]) -> tuple[int, str]:
    with Process(environment, ["--once"]) as dispatcher:
        return dispatcher.wait()


def test_killed_after_the_claim_and_before_the_post(environment: dict[str, str], receivers: Any) -> None:
    """The endpoint accepts and never says a word of TLS: the row is claimed, and nothing of the POST has left."""

    async def silent(reader: Any, _writer: Any) -> None:
        await reader.read()

    receiver = receivers(context=None, connection=silent)
    subscribe(receiver.url)
    with Process(environment) as dispatcher:
        publish()
        wait_until(lambda: receiver.connections == 1)
        dispatcher.kill()
    abandoned_and_never_sent_again(environment, receiver, posts=0)
    assert receiver.connections == 1


def test_killed_after_the_post_and_before_the_record(environment: dict[str, str], receivers: Any) -> None:
    receiver = receivers(hang)
    subscribe(receiver.url)
    with Process(environment) as dispatcher:
        publish()
        receiver.wait_for(1)
        dispatcher.kill()
    abandoned_and_never_sent_again(environment, receiver, posts=1)


def test_killed_after_the_post_what_is_signed_is_sent_again_under_its_id(
    environment: dict[str, str], receivers: Any
) -> None:
    receiver = receivers(hang)
    subscribe_signed(receiver.url)
    with Process(environment) as dispatcher:
        publish()
        receiver.wait_for(1)
        dispatcher.kill()
    receiver.behave = answer()
    Delivery.objects.update(claimed_at=timezone.now() - timedelta(seconds=31))
    assert _drain(environment)[0] == 0
    assert states() == {"waiting": 1}
    Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert _drain(environment)[0] == 0
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts) == (State.DELIVERED, 2)
    assert [request.headers["webhook-id"] for request in receiver.received] == [delivery.delivery_id] * 2


def test_sigterm_ends_in_good_order(environment: dict[str, str], receivers: Any) -> None:
    receiver = receivers(answer(after=0.5))
    subscribe(receiver.url)
    with Process(environment) as dispatcher:
        publish(1_000)  # more than can be sent before a busy machine delivers the signal
        receiver.wait_for(3)
        code, log = dispatcher.terminate()
    assert code == 0, log
    told = states()
    assert set(told) == {"delivered", "pending"}
    assert told["delivered"] == len(receiver.received)
    assert "s3cret" not in log


def test_two_dispatchers_racing_over_two_thousand_rows_send_each_once(
    environment: dict[str, str], receiver: Receiver
) -> None:
    for number in range(20):
        subscribe(f"{receiver.url}/{number}", f"RACE{number}")
        publish(100, f"RACE{number}")
    with Process(environment, ["--once"]) as one, Process(environment, ["--once"]) as other:
        ends = [one.wait(100), other.wait(100)]
    assert [code for code, _log in ends] == [0, 0], ends
    assert states() == {"delivered": 2000}
    assert len(receiver.received) == len(ids(receiver.received)) == 2000
    assert not any("Traceback" in log for _code, log in ends)


@pytest.fixture
def cable(environment: dict[str, str]) -> Iterator[Cable]:
    """Between the dispatcher and PostgreSQL; `environment` leads through it."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no server")
    url = urlsplit(environment["DATABASE_URL"])
    with Cable(str(url.hostname), url.port or 5432) as cable:
        place = f"{url.username}:{url.password or ''}@127.0.0.1:{cable.port}"
        environment["DATABASE_URL"] = urlunsplit(url._replace(netloc=place))
        yield cable


def test_a_database_that_goes_in_flight_and_comes_back_costs_no_event_and_repeats_none(
    environment: dict[str, str], receivers: Any, cable: Cable
) -> None:
    receiver = receivers(answer(after=0.05))
    subscribe(receiver.url)
    publish(300)
    with Process(environment) as dispatcher:
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
    environment: dict[str, str], receiver: Receiver, cable: Cable
) -> None:
    subscribe(receiver.url)
    with Process(environment) as dispatcher:
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
    environment: dict[str, str], receivers: Any, cable: Cable
) -> None:
    receiver = receivers(answer(after=0.5))
    subscribe(receiver.url)
    with Process(environment) as dispatcher:
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
    environment: dict[str, str], changes: dict[str, str], arguments: list[str], words: str
) -> None:
    with Process(environment | changes, arguments) as dispatcher:
        code, log = dispatcher.wait()
    assert code != 0
    assert words in log
