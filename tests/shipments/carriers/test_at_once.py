"""Concurrent requests of carriers, on PostgreSQL; and how many events one request may carry."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections

from shipments.models import CarrierEvent
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
@pytest.mark.parametrize("turn", range(3))
def test_an_event_and_the_one_it_must_follow_may_come_at_the_same_moment(acme: Caller, turn: int) -> None:
    sender = make_sender(f"c-{turn}")
    sender.means("OFD", "out_for_delivery")
    sender.means("NH", "delivery_failed")
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
def test_many_events_of_as_many_guides_are_one_request_and_few_statements(
    acme: Caller, django_assert_max_num_queries: Any
) -> None:
    sender = make_sender()
    guides = shipped(acme.company, 300).guides.values_list("tracking_code", flat=True)
    events = [event("DEP", 1, tracking_code=code) for code in guides]
    with django_assert_max_num_queries(80):
        assert counts(sender.send(*events)) == {"applied": 300}
    assert announced(acme) == 0
    with django_assert_max_num_queries(20):
        assert counts(sender.send(*events)) == {"duplicate": 300}


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(3))
def test_what_the_carrier_says_of_a_number_wins_over_claims_at_the_same_moment(
    acme: Caller, rival: Caller, turn: int
) -> None:
    sender = make_sender(f"c-{turn}", number_key="courier_no")
    guide = shipped(acme.company, 1, mawb="045-12345675").guides.get()
    claimed = shipped(rival.company, 1, extra_data={"courier_no": "N1"}).guides.get()
    named = event("DEP", 2, carrier_number="N1", hawb="H001", mawb="045-12345675")
    alone = [event("TRM", hours, carrier_number="N1") for hours in (1, 3, 4, 5)]
    with ThreadPoolExecutor(1) as claiming:
        later = claiming.submit(lambda: shipped_apart(rival, "N1"))
        assert at_once(sender, [{"events": [each]} for each in (*alone, named)]) == [200] * 5
        later.result()
    assert counts(sender.send(event("CRC", 9, carrier_number="N1"))) == {"applied": 1}
    assert timeline(guide.tracking_code)[-1][0] == "customs_processing"
    assert "customs_processing" not in [status for status, _sequence in timeline(claimed.tracking_code)]


def shipped_apart(caller: Caller, number: str) -> None:
    """Another manifest that claims the number, from a connection of its own."""
    try:
        shipped(caller.company, 1, extra_data={"courier_no": number})
    finally:
        connections.close_all()
