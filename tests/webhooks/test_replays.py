"""The log that clients read, and what they, and operators, send once more."""

import json
import threading
from base64 import urlsafe_b64decode
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from tests.conftest import Caller, make_caller
from tests.webhooks.conftest import publish, subscribe, subscribe_signed
from tests.webhooks.dispatcher.retried import dispatch, in_turn
from tests.webhooks.receivers import Authority
from tests.webhooks.test_self_service import ask, refused
from webhooks import replays, subscriptions
from webhooks.errors import ResendNotAvailable
from webhooks.models import Delivery, DeliveryAttempt, State, Subscription

pytestmark = pytest.mark.django_db

URL = "https://8.8.8.8/hooks"


def finished(state: State, deliveries: Any = None, **changes: Any) -> None:
    now = timezone.now()
    attempts = 10 if state == State.DEAD else 1
    (Delivery.objects.all() if deliveries is None else deliveries).update(
        **{"state": state, "attempts": attempts, "attempted_at": now, "finished_at": now, "duration_ms": 120,
           "remote_address": "203.0.113.9", "excerpt": "their private words"} | changes
    )  # fmt: skip


def span(hours: int = 48) -> dict[str, str]:
    now = timezone.now()
    return {"since": (now - timedelta(hours=hours)).isoformat(), "until": now.isoformat()}


class TestTheLog:
    def test_one_delivery_has_its_body_and_its_attempts_and_nothing_that_the_endpoint_said(self, acme: Caller) -> None:
        subscription = subscribe_signed(URL)
        publish()
        finished(State.WAITING, due_at=timezone.now(), finished_at=None, error="timeout", reason="Not done: 10.9.8.7")
        row = Delivery.objects.get()
        DeliveryAttempt.objects.create(
            delivery=row, number=1, begun_at=timezone.now(), duration_ms=10_000, error="timeout",
            reason="Not done: 10.9.8.7", remote_address="203.0.113.9", excerpt="their private words",
        )  # fmt: skip
        shown = ask(acme, "GET", f"deliveries/{row.delivery_id}")
        told = shown.json()
        assert (told["id"], told["subscription"]) == (row.delivery_id, subscription.public_id)
        assert (told["state"], told["error"], told["next_attempt_at"][-1]) == ("waiting", "timeout", "Z")
        assert told["body"] == json.loads(bytes(row.body))
        (attempt,) = told["attempts"]
        assert attempt.keys() == {"number", "at", "duration_ms", "http_status", "error", "reason"}
        assert (attempt["number"], attempt["duration_ms"], attempt["error"]) == (1, 10_000, "timeout")
        assert "10 seconds" in attempt["reason"]
        listed = ask(acme, "GET", "deliveries")
        for text in (shown.content.decode(), listed.content.decode()):
            assert not any(hidden in text for hidden in ("203.0.113.9", "10.9.8.7", "private words"))

    def test_a_success_after_a_failure_shows_both(self, acme: Caller) -> None:
        subscribe_signed(URL)
        publish()
        finished(State.DELIVERED, attempts=2, http_status=200)
        row = Delivery.objects.get()
        DeliveryAttempt.objects.create(
            delivery=row, number=1, begun_at=timezone.now(), error="http_status", http_status=500
        )
        told = ask(acme, "GET", f"deliveries/{row.delivery_id}").json()["attempts"]
        assert [(one["number"], one["http_status"], one["error"]) for one in told] == [
            (1, 500, "http_status"), (2, 200, None),
        ]  # fmt: skip

    def test_pages_follow_each_other_and_nothing_comes_twice(self, acme: Caller) -> None:
        subscribe_signed(URL)
        publish(7)
        seen: list[str] = []
        query: dict[str, object] = {"limit": 3, "type": "guide.delivered"}
        while True:
            page = ask(acme, "GET", "deliveries", **query).json()
            seen += [row["id"] for row in page["deliveries"]]
            if page["next_cursor"] is None:
                break
            publish(1)  # what comes meanwhile is newer, and not on a later page
            query["cursor"] = page["next_cursor"]
        assert len(seen) == len(set(seen)) == 7
        rival = make_caller("RIVAL")
        theirs = ask(rival, "GET", "deliveries", **query)
        assert refused(theirs, 400, "invalid_query")["details"].keys() == {"cursor"}
        other = ask(acme, "GET", "deliveries", limit=3, cursor=query["cursor"])
        assert refused(other, 400, "invalid_query")["details"].keys() == {"cursor"}

    def test_ids_and_cursors_tell_nothing_of_how_many_there_are(self, acme: Caller) -> None:
        subscribe_signed(URL)
        publish(4)
        pages = [ask(acme, "GET", "deliveries", limit=limit).json() for limit in (1, 1, 2)]
        first, again, second = (page["next_cursor"] for page in pages)
        assert first == again != second  # the same page, the same answer
        assert len(first) == len(second)
        sealed = [urlsafe_b64decode(cursor + "==") for cursor in (first, second)]
        assert sum(one == other for one, other in zip(*sealed, strict=True)) < 10  # not the same but for a number
        Delivery.objects.filter(pk=Delivery.objects.earliest("pk").pk).update(id=10**9)
        assert len(ask(acme, "GET", "deliveries", limit=1).json()["next_cursor"]) == len(first)
        subscribed = [subscribe_signed(f"{URL}{number}").public_id for number in range(3)]
        assert all(UUID(name.removeprefix("sub_")).version == 4 for name in subscribed)

    def test_filters_narrow_it(self, acme: Caller) -> None:
        first, second = subscribe_signed(URL), subscribe_signed(f"{URL}2")
        publish(2)
        finished(State.DEAD, Delivery.objects.filter(subscription=first))
        for query, rows in (
            ({"subscription": second.public_id}, 2), ({"state": "dead"}, 2), ({"subject": "ACM0000001"}, 2),
            ({"type": "guide.exception"}, 0), ({"from": span()["since"]}, 4), ({"to": span()["since"]}, 0),
            ({"state": "dead", "subscription": second.public_id}, 0), ({"nonsense": "ignored"}, 4),
        ):  # fmt: skip
            assert len(ask(acme, "GET", "deliveries", **query).json()["deliveries"]) == rows, query

    @pytest.mark.parametrize(
        ("name", "value"),
        [("limit", "0"), ("limit", "101"), ("state", "lost"), ("type", "x"), ("from", "2026-01-01T00:00:00"),
         ("to", "tomorrow"), ("subscription", "12"), ("cursor", "x"), ("subject", "a\0b")],
    )  # fmt: skip
    def test_a_parameter_that_cannot_be_read_is_named(self, acme: Caller, name: str, value: str) -> None:
        assert refused(ask(acme, "GET", f"deliveries?{name}={quote(value)}"), 400, "invalid_query")[
            "details"
        ].keys() == {name}


class TestReplaying:
    @pytest.mark.parametrize("state", [State.DEAD, State.DELIVERED, State.WAITING])
    def test_one_is_sent_once_more_under_its_id(self, acme: Caller, state: State) -> None:
        subscribe_signed(URL)
        publish()
        waits = {"due_at": timezone.now(), "finished_at": None} if state == State.WAITING else {}
        finished(state, **waits)
        row = Delivery.objects.get()
        replayed = ask(acme, "POST", f"deliveries/{row.delivery_id}/replay")
        assert replayed.status_code == 202
        assert (replayed.json()["id"], replayed.json()["state"]) == (row.delivery_id, "pending")
        again = Delivery.objects.get()
        assert (again.state, again.attempts, again.replays) == (State.PENDING, 0, 1)
        assert (again.uuid, bytes(again.body)) == (row.uuid, bytes(row.body))
        assert again.past_attempts.count() == (1 if state == State.DELIVERED else 0)
        refused(ask(acme, "POST", f"deliveries/{row.delivery_id}/replay"), 409, "delivery_in_flight")

    def test_what_cannot_be_replayed_says_why(self, acme: Caller) -> None:
        subscribe(URL)
        signed = subscribe_signed(URL)
        publish()
        finished(State.DELIVERED)
        old, new = Delivery.objects.order_by("subscription__version")
        refused(ask(acme, "POST", f"deliveries/{old.delivery_id}/replay"), 409, "replay_not_available")
        Delivery.objects.filter(pk=new.pk).update(created_at=timezone.now() - timedelta(days=31))
        late = ask(acme, "POST", f"deliveries/{new.delivery_id}/replay")
        assert "30 days" in refused(late, 409, "replay_not_available")["message"]
        Delivery.objects.filter(pk=new.pk).update(created_at=timezone.now())
        subscriptions.disable(signed)
        closed = ask(acme, "POST", f"deliveries/{new.delivery_id}/replay")
        assert "disabled" in refused(closed, 409, "replay_not_available")["message"]
        unknown = ask(acme, "POST", f"deliveries/{new.delivery_id}/replay", {"colour": 1})
        refused(unknown, 400, "validation_failed")

    def test_a_range_takes_the_dead_and_leaves_the_rest(self, acme: Caller, rival: Caller) -> None:
        subscription, other = subscribe_signed(URL), subscribe_signed(f"{URL}2")
        subscribe_signed(URL, "RIVAL")
        publish(4)
        publish(4, "RIVAL")
        finished(State.DEAD)
        mine = Delivery.objects.filter(subscription=subscription)
        delivered, late = mine.order_by("pk")[0], mine.order_by("pk")[1]
        finished(State.DELIVERED, mine.filter(pk=delivered.pk))
        mine.filter(pk=late.pk).update(created_at=timezone.now() - timedelta(days=3))
        answer = ask(acme, "POST", f"subscriptions/{subscription.public_id}/replay", span()).json()
        assert (answer["replayed"], answer["has_more"]) == (2, False)
        assert mine.filter(state=State.WAITING, replays=1, attempts=0).count() == 2
        assert Delivery.objects.filter(subscription=other, state=State.DEAD).count() == 4
        assert Delivery.objects.filter(company=rival.company, state=State.DEAD).count() == 4
        again = ask(acme, "POST", f"subscriptions/{subscription.public_id}/replay", span()).json()
        assert (again["replayed"], again["has_more"]) == (0, False)

    def test_a_range_of_what_was_delivered_can_be_asked_for_and_ends(self, acme: Caller, monkeypatch: Any) -> None:
        monkeypatch.setattr(replays, "AT_ONCE", 2)
        subscription = subscribe_signed(URL)
        publish(3)
        publish(2, type="guide.exception")
        finished(State.DELIVERED)
        wanted = span() | {"states": ["dead", "delivered"], "event_types": ["guide.delivered"]}
        path = f"subscriptions/{subscription.public_id}/replay"
        first = ask(acme, "POST", path, wanted).json()
        assert (first["replayed"], first["has_more"]) == (2, True)
        finished(State.DELIVERED, Delivery.objects.filter(state=State.WAITING), due_at=None)  # sent meanwhile
        second = ask(acme, "POST", path, wanted).json()
        assert (second["replayed"], second["has_more"]) == (1, False)
        assert DeliveryAttempt.objects.count() == 3

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"since": None}, "since"),
            ({"since": "2026-01-01"}, "since"),
            ({"until": "2020-01-01T00:00:00Z"}, "since"),
            ({"states": ["sending"]}, "states[0]"),
            ({"limit": 3}, "limit"),
        ],
    )
    def test_a_range_that_cannot_be_read_is_refused(self, acme: Caller, change: Any, field: str) -> None:
        subscription = subscribe_signed(URL)
        answer = ask(acme, "POST", f"subscriptions/{subscription.public_id}/replay", span() | change)
        assert refused(answer, 400, "validation_failed")["details"].keys() == {field}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("shared_database")
class TestAtWork:
    def test_of_two_replays_at_once_one_is_taken(self, acme: Caller) -> None:
        subscribe_signed(URL)
        publish()
        finished(State.DEAD)
        name = Delivery.objects.get().delivery_id
        barrier, statuses = threading.Barrier(2), []

        def replay() -> None:
            barrier.wait()
            statuses.append(ask(acme, "POST", f"deliveries/{name}/replay").status_code)
            connection.close()

        threads = [threading.Thread(target=replay) for _each in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [202, 409]
        assert Delivery.objects.get().replays == 1

    def test_what_was_given_up_arrives_after_a_replay_under_the_same_id(
        self, acme: Caller, authority: Authority, receivers: Any
    ) -> None:
        receiver = receivers(in_turn(500, 200))
        subscribe_signed(receiver.url)
        publish()
        Delivery.objects.update(attempts=9)
        dispatch(authority)
        row = Delivery.objects.get()
        assert row.state == State.DEAD
        assert ask(acme, "POST", f"deliveries/{row.delivery_id}/replay").status_code == 202
        dispatch(authority)
        row.refresh_from_db()
        assert (row.state, row.attempts, row.replays) == (State.DELIVERED, 1, 1)
        assert len(receiver.received) == 2
        assert {request.headers["webhook-id"] for request in receiver.received} == {row.delivery_id}

    def test_an_operator_may_send_a_failed_delivery_of_version_1_once_more(
        self, acme: Caller, authority: Authority, receivers: Any
    ) -> None:
        receiver = receivers(in_turn(500, 200))
        subscribe(receiver.url)
        publish()
        dispatch(authority)
        row = Delivery.objects.get()
        assert row.state == State.FAILED
        replays.resend(row, reason="Their certificate had expired", actor="ana")
        dispatch(authority)
        again = Delivery.objects.get()
        assert (again.state, again.resends, bytes(again.body)) == (State.DELIVERED, 1, bytes(row.body))
        (kept,) = again.past_attempts.all()
        assert (kept.number, kept.http_status, kept.error) == (1, 500, "http_status")
        first, second = receiver.received
        assert (first.body, first.headers) == (second.body, second.headers)
        with pytest.raises(ResendNotAvailable):
            replays.resend(again, reason="Once more", actor="ana")
        assert acme.company == again.company


def test_an_operator_cannot_resend_what_is_replayed_or_has_nobody_to_go_to(acme: Caller) -> None:
    old, new = subscribe(URL), subscribe_signed(URL)
    publish()
    finished(State.FAILED, Delivery.objects.filter(subscription=old))
    finished(State.DEAD, Delivery.objects.filter(subscription=new))
    Subscription.objects.filter(pk=old.pk).update(is_active=False)
    for row in Delivery.objects.filter(company=acme.company):
        with pytest.raises(ResendNotAvailable):
            replays.resend(row, reason="Please", actor="ana")
