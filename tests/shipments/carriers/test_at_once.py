"""Concurrent requests of carriers, on PostgreSQL; and how many events one request may carry."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections

from shipments.carriers.codes import map_code
from shipments.models import Action, CarrierEvent
from shipments.statuses import GuideStatus
from tests.conftest import Caller
from tests.shipments.carriers.sending import Sender, announced, counts, event, make_sender, timeline
from tests.shipments.shipping import assert_sound, shipped

needs_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")


def at_once(sender: Sender, bodies: list[Any]) -> list[int]:
    """Send bodies at the same moment; the statuses."""

    def send(body: Any) -> int:
        try:
            return int(Sender(sender.carrier, sender.secret).post(body).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(send, bodies))


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_one_event_sent_eight_times_at_once_is_one_event(acme: Caller) -> None:
    sender = make_sender()
    manifest = shipped(acme.company, 5)
    codes = list(manifest.guides.values_list("tracking_code", flat=True))
    body = {"events": [event("DEP", 1, tracking_code=code) for code in codes]}
    assert at_once(sender, [body] * 8) == [200] * 8
    assert [timeline(code) for code in codes] == [[("in_transit", 2)]] * 5
    assert CarrierEvent.objects.filter(outcome="applied").count() == 5
    assert_sound(manifest)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(5))
def test_an_event_and_the_one_it_must_follow_may_come_at_the_same_moment(acme: Caller, turn: int) -> None:
    sender = make_sender(f"c-{turn}")
    for code, status in (("OFD", "out_for_delivery"), ("NH", "delivery_failed")):
        map_code(sender.carrier, code, Action.STATUS, GuideStatus(status), by="a test")
    manifest = shipped(acme.company, 20)
    codes = list(manifest.guides.values_list("tracking_code", flat=True))
    bodies = [
        {"events": [event(code, hours, tracking_code=each) for each in part]}
        for code, hours in (("NH", 5), ("OFD", 4), ("CRC", 3))
        for part in (codes[:10], codes[10:])
    ]
    assert at_once(sender, bodies) == [200] * 6
    for code in codes:
        assert [status for status, _ in timeline(code)] == ["customs_processing", "out_for_delivery", "delivery_failed"]
    assert not CarrierEvent.objects.exclude(outcome="applied").exists()
    assert_sound(manifest)


@pytest.mark.django_db
def test_a_thousand_events_of_a_thousand_guides_are_one_request_and_few_statements(
    acme: Caller, django_assert_max_num_queries: Any
) -> None:
    sender = make_sender()
    guides = shipped(acme.company, 1_000).guides.values_list("tracking_code", flat=True)
    events = [event("DEP", 1, tracking_code=code) for code in guides]
    with django_assert_max_num_queries(80):
        assert counts(sender.send(*events)) == {"applied": 1_000}
    assert announced(acme) == 0
    with django_assert_max_num_queries(20):
        assert counts(sender.send(*events)) == {"duplicate": 1_000}
