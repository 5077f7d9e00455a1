"""Operators at webhooks of version 2: register, see how they do, replay; and the one resend that version 1 knows."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone, translation

from base.admin.activity import act_in_words
from companies.models import OperatorProfile
from tests.companies.admin_pages import operator, text_of
from tests.webhooks.conftest import company, publish, subscribe, subscribe_signed
from webhooks import outbox, replays
from webhooks.dispatcher.claims import promote
from webhooks.event_names import EVENT_NAMES
from webhooks.models import Delivery, DeliveryAttempt, State, Subscription
from webhooks.verdicts import Failure

pytestmark = pytest.mark.django_db

URL = "https://8.8.8.8/hook"
ADD, SUBSCRIPTIONS = "/admin/webhooks/subscription/add/", "/admin/webhooks/subscription/"
RIGHTS = ("view_delivery", "view_subscription", "add_subscription", "change_subscription", "view_company")


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator(*RIGHTS)


def page_of(row: Delivery | Subscription, action: str = "change") -> str:
    return f"/admin/webhooks/{row._meta.model_name}/{row.pk}/{action}/"


def ended(state: State, **changes: Any) -> Delivery:
    publish()
    now = timezone.now()
    Delivery.objects.update(state=state, attempted_at=now, finished_at=now, attempts=1, **changes)
    return Delivery.objects.get()


def make_wait(subscription: Subscription, *, waiting: int, dead: int) -> None:
    """Leave deliveries of the endpoint that failed: some wait for five hours, some were given up."""
    publish(waiting + dead)
    mine = Delivery.objects.filter(subscription=subscription)
    Delivery.objects.filter(state=State.PENDING).exclude(subscription=subscription).delete()
    now, new = timezone.now(), list(mine.filter(state=State.PENDING).values_list("pk", flat=True))
    failed = {"attempted_at": now, "error": "http_status", "http_status": 500}
    mine.filter(pk__in=new[:dead]).update(state=State.DEAD, attempts=10, finished_at=now, **failed)
    mine.filter(pk__in=new[dead:]).update(state=State.WAITING, attempts=4, due_at=now + timedelta(hours=5), **failed)


def test_version_2_is_preselected_and_event_types_have_names_beside_their_code(staff: Client) -> None:
    page = staff.get(ADD, headers={"accept-language": "es"}).content.decode()
    assert re.search('<option value="2"[^>]* selected', page)
    assert not re.search('<option value="1"[^>]* selected', page)
    for kind, name in EVENT_NAMES.items():
        with translation.override("es"):
            assert re.search(f"{name} <small>{kind}</small>", page), kind


def test_one_is_registered_with_filters_and_a_generated_secret(staff: Client) -> None:
    form = {
        "company": company().pk, "url": URL, "version": "2", "event_types": ["guide.delivered"], "description": "ERP",
    }  # fmt: skip
    staff.post(ADD, form)
    made = Subscription.objects.get()
    assert (made.version, made.event_types, made.countries, made.description) == (2, ["guide.delivered"], None, "ERP")
    text = text_of(staff.get(page_of(made)))
    assert "guide.delivered" in text


@pytest.mark.parametrize(
    "changes",
    [{"version": "2", "secret": "the-clients-own-secret"}, {"version": "1", "event_types": ["guide.delivered"]}],
)
def test_what_does_not_go_together_is_refused(staff: Client, changes: dict[str, Any]) -> None:
    form = {"company": company().pk, "url": URL, **changes}
    assert staff.post(ADD, form).status_code == 200
    assert not Subscription.objects.exists()


def test_filters_are_changed_and_an_empty_one_is_none(staff: Client) -> None:
    subscription = subscribe_signed(URL, event_types=["guide.delivered"], countries=["CL"])
    page = page_of(subscription)
    staff.post(page, {"url": URL, "countries": ["CL", "PE"], "description": ""})
    subscription.refresh_from_db()
    assert (subscription.event_types, subscription.countries) == (None, ["CL", "PE"])


def test_an_operator_of_one_country_is_offered_that_one(db: None) -> None:  # noqa: ARG001  # the database
    chilean = operator(*RIGHTS, username="carla")
    OperatorProfile.objects.filter(user=User.objects.get(username="carla")).update(countries=["CL"])
    text = text_of(chilean.get(ADD))
    assert 'value="CL"' in text
    assert 'value="PE"' not in text


def test_a_page_says_how_the_endpoint_does(staff: Client) -> None:
    subscription = subscribe_signed(URL)
    Subscription.objects.update(failing_since=timezone.now() - timedelta(hours=3), failures=7)
    text = text_of(staff.get(page_of(subscription)))
    assert "failing since" in text
    assert "7 attempts" in text


def test_what_failed_and_is_attempted_again_counts_in_the_last_day(staff: Client) -> None:
    subscription = subscribe_signed(URL)
    publish(4)
    now = timezone.now()
    keys = list(Delivery.objects.order_by("pk").values_list("pk", flat=True))
    Delivery.objects.filter(pk=keys[0]).update(state=State.DELIVERED, finished_at=now, attempted_at=now, duration_ms=40)
    for key, ago in zip(keys[1:], (1, 2, 30), strict=True):
        Delivery.objects.filter(pk=key).update(
            state=State.WAITING, due_at=now, attempted_at=now - timedelta(hours=ago), error=Failure.TIMEOUT
        )
    assert "33.3 % of 3" in text_of(staff.get(SUBSCRIPTIONS))
    page = text_of(staff.get(page_of(subscription)))
    assert "33.3 % of 3 deliveries succeeded" in page
    Delivery.objects.exclude(pk=keys[0]).delete()
    page = text_of(staff.get(page_of(subscription)))
    assert "100 % of 1 delivery succeeded" in page


def test_disabling_says_what_becomes_of_what_waits(staff: Client) -> None:
    for subscription, said in ((subscribe_signed(URL), "can be replayed"), (subscribe(URL), "are cancelled")):
        text = text_of(staff.get(page_of(subscription, "disable")))
        assert [words for words in ("can be replayed", "are cancelled") if words in text] == [said]


def test_refusals_are_answers_with_times_whether_they_are_sent_again_or_not(staff: Client) -> None:
    ours, theirs = subscribe_signed(URL), subscribe_signed(URL, "RIVAL")
    page = page_of(ours)
    moment = timezone.now() - timedelta(minutes=20)
    dead = {"state": State.DEAD, "finished_at": moment}
    waiting = {"state": State.WAITING, "due_at": timezone.now()}
    for owner, state, status, duration_ms, said in (
        (ours, dead, None, 10_000, "There were no responses."),
        (theirs, dead, 500, 900, "There were no responses."),
        (ours, dead, 401, 40, "Median 50 ms, 95th percentile 50 ms."),
        (ours, waiting, 500, 60, "Median 50 ms, 95th percentile 75 ms."),
    ):
        made = outbox.send_test(owner, "A test.")
        Delivery.objects.filter(pk=made.pk).update(
            attempted_at=moment, http_status=status, duration_ms=duration_ms, **state
        )
        assert said in text_of(staff.get(page))


def test_a_delivery_shows_its_attempts_and_the_next_one(staff: Client) -> None:
    subscribe_signed(URL)
    row = ended(State.DELIVERED)
    Delivery.objects.update(state=State.WAITING, due_at=timezone.now() + timedelta(minutes=5), finished_at=None)
    DeliveryAttempt.objects.create(
        delivery=row, number=1, begun_at=timezone.now(), http_status=503, error="http_status", reason="503 Later"
    )
    text = text_of(staff.get(page_of(row)))
    assert "503 Later" in text
    assert "Next attempt" in text


def test_one_is_replayed_and_the_log_of_the_admin_knows_by_whom(staff: Client) -> None:
    subscribe_signed(URL)
    row = ended(State.DEAD)
    assert "Replay" in text_of(staff.get(page_of(row, "replay")))
    assert Delivery.objects.get().state == State.DEAD, "asked first"
    staff.post(page_of(row, "replay"), {"step": "run"})
    assert (Delivery.objects.get().state, Delivery.objects.get().replays) == (State.PENDING, 1)
    assert [act_in_words(each) for each in LogEntry.objects.filter(object_id=str(row.pk))] == ["Replayed."]


def test_a_failed_delivery_of_version_1_is_sent_once_more_with_a_reason(staff: Client) -> None:
    subscribe(URL)
    row = ended(State.FAILED, error="tls")
    staff.post(page_of(row, "resend"), {"step": "run", "reason": ""})
    assert Delivery.objects.get().state == State.FAILED, "not without a reason"
    staff.post(page_of(row, "resend"), {"step": "run", "reason": "Their certificate had expired"})
    again = Delivery.objects.get()
    assert (again.state, again.resends) == (State.PENDING, 1)
    assert "certificate had expired" in act_in_words(LogEntry.objects.get(object_id=str(row.pk)))


def test_a_range_is_replayed(staff: Client) -> None:
    subscription = subscribe_signed(URL)
    ended(State.DEAD)
    page = page_of(subscription, "replay-range")
    assert "30 days" in text_of(staff.get(page))
    today, tomorrow = (timezone.localdate() + timedelta(days=days) for days in (-1, 1))
    staff.post(
        page,
        {"step": "run", "since_0": str(today), "since_1": "00:00", "until_0": str(tomorrow), "until_1": "00:00"},
    )
    assert (Delivery.objects.get().state, Delivery.objects.get().replays) == (State.WAITING, 1)


class TestSendingAgain:
    def test_what_waits_is_sent_now_after_its_number_was_shown(self, staff: Client) -> None:
        subscription, other = subscribe_signed(URL), subscribe_signed(f"{URL}2")
        make_wait(subscription, waiting=4, dead=2)
        make_wait(other, waiting=1, dead=1)
        page = page_of(subscription, "send-again")
        assert page in text_of(staff.get(page_of(subscription)))
        asked = text_of(staff.get(page))
        assert "4 deliveries wait for another attempt." in asked
        assert "2 were given up in the last 30 days." in asked
        assert "all: 4 waiting, 2 given up" in asked
        switch = asked[asked.index('name="with_dead"') :].partition(">")[0]
        assert " checked" not in switch.replace(" checked:", ""), "the waiting ones alone"
        mine = Delivery.objects.filter(subscription=subscription)
        assert not mine.exclude(replays=0).exists(), "asked first"
        done = staff.post(page, {"step": "run", "with_dead": "on"}, follow=True)
        assert "6 deliveries will be sent again." in text_of(done)
        assert "There are more" not in text_of(done)
        assert mine.filter(state=State.WAITING, due_at__lte=timezone.now(), attempts=0, replays=1).count() == 6
        assert not Delivery.objects.filter(subscription=other).exclude(replays=0).exists()
        last = LogEntry.objects.latest("pk")
        assert (last.object_id, act_in_words(last)) == (str(subscription.pk), "Replayed deliveries: 6.")

    def test_what_was_given_up_is_left_unless_it_is_wanted_and_nothing_starts_twice(self, staff: Client) -> None:
        subscription = subscribe_signed(URL)
        make_wait(subscription, waiting=1, dead=1)
        page = page_of(subscription, "send-again")
        for _twice in range(2):
            staff.post(page, {"step": "run"})
        assert [one.replays for one in Delivery.objects.order_by("state")] == [0, 1]
        Delivery.objects.filter(state=State.DEAD).delete()
        assert "Nothing can be sent again now" in text_of(staff.get(page))

    def test_a_failing_endpoint_still_gets_two_at_a_time(self, staff: Client) -> None:
        subscription = subscribe_signed(URL)
        make_wait(subscription, waiting=5, dead=0)
        Subscription.objects.update(failing_since=timezone.now())
        staff.post(page_of(subscription, "send-again"), {"step": "run"})
        assert promote() == 2

    def test_it_is_offered_where_something_waits(self, staff: Client) -> None:
        idle, old = subscribe_signed(URL), subscribe(f"{URL}1")
        for subscription in (idle, old):
            path = page_of(subscription, "send-again")
            assert path not in text_of(staff.get(page_of(subscription)))
            assert "cannot" not in text_of(staff.post(path, {"step": "run"}, follow=True))
        assert not Delivery.objects.exclude(replays=0).exists()

    def test_only_of_the_time_that_was_chosen(self, staff: Client) -> None:
        subscription = subscribe_signed(URL)
        make_wait(subscription, waiting=3, dead=0)
        old = Delivery.objects.order_by("pk").first()
        assert old is not None
        Delivery.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=3))
        newest = Delivery.objects.latest("pk").created_at  # it fails a moment later
        Subscription.objects.update(failing_since=newest + timedelta(seconds=5))
        page = page_of(subscription, "send-again")
        asked = text_of(staff.get(page))
        for text in ("all: 3", "of the last 24 hours: 2", "of the last 7 days: 3", "since it began failing: 2"):
            assert f"{text} waiting, 0 given up" in asked
        staff.post(page, {"step": "run", "since": "nonsense"})
        assert not Delivery.objects.exclude(replays=0).exists()
        staff.post(page, {"step": "run", "since": "failing"})
        assert Delivery.objects.filter(replays=1).count() == 2
        assert Delivery.objects.get(pk=old.pk).replays == 0


LIST = "/admin/webhooks/delivery/"


def ticked(action: str, rows: Any, **more: str) -> dict[str, Any]:
    return {"action": action, "_selected_action": [row.pk for row in rows], **more}


class TestSendingTickedOnesAgain:
    def test_of_version_2_the_numbers_come_first_and_nothing_starts_twice(self, staff: Client) -> None:
        subscription, other = subscribe_signed(URL), subscribe_signed(f"{URL}2")
        make_wait(subscription, waiting=2, dead=1)
        make_wait(other, waiting=1, dead=0)
        mine = list(Delivery.objects.filter(subscription=subscription))
        asked = text_of(staff.post(LIST, ticked("send_again_selected", mine)))
        assert "2 deliveries wait for another attempt." in asked
        assert "1 was given up in the last 30 days." in asked
        assert not Delivery.objects.exclude(replays=0).exists()
        for _twice in range(2):
            staff.post(LIST, ticked("send_again_selected", mine, step="run"))
        assert Delivery.objects.filter(subscription=subscription, replays=1, due_at__lte=timezone.now()).count() == 3
        assert not Delivery.objects.filter(subscription=other).exclude(replays=0).exists()

    def test_of_two_clicks_at_once_each_logs_what_it_sent(self, staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        make_wait(subscribe_signed(URL), waiting=2, dead=1)
        rows = list(Delivery.objects.order_by("pk"))
        locked = Delivery.objects.filter(pk=rows[0].pk)  # the other click has the rest by now
        real = replays.restartable
        monkeypatch.setattr(replays, "restart", lambda found: replays._restart(real(found) & locked))
        staff.post(LIST, ticked("send_again_selected", rows, step="run"))
        entry = LogEntry.objects.get()
        assert (entry.object_id, act_in_words(entry)) == (str(rows[0].pk), "Replayed.")
        monkeypatch.setattr(replays, "restart", lambda _found: ([], False))
        said = text_of(staff.post(LIST, ticked("send_again_selected", rows[1:], step="run"), follow=True))
        assert "Nothing can be sent again now" in said
        assert "0 deliveries" not in said
        assert LogEntry.objects.count() == 1

    def test_of_version_1_failed_ones_with_a_reason_and_a_limit(
        self, staff: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        subscribe(URL)
        publish(3)
        failed = list(Delivery.objects.order_by("pk")[:2])
        now = timezone.now()
        Delivery.objects.filter(pk__in=[one.pk for one in failed]).update(
            state=State.FAILED, attempts=1, attempted_at=now, finished_at=now
        )
        every = list(Delivery.objects.all())
        assert "2 deliveries failed." in text_of(staff.post(LIST, ticked("resend_selected", every)))
        staff.post(LIST, ticked("resend_selected", every, step="run"))
        assert not Delivery.objects.exclude(resends=0).exists(), "without a reason"
        monkeypatch.setattr(replays, "RESENT_AT_ONCE", 1)
        staff.post(LIST, ticked("resend_selected", every, step="run", reason="Asked for"))
        assert not Delivery.objects.exclude(resends=0).exists(), "too many"
        monkeypatch.undo()
        for _twice in range(2):
            staff.post(LIST, ticked("resend_selected", every, step="run", reason="Asked for"))
        assert Delivery.objects.filter(resends=1, state=State.PENDING).count() == 2
        assert act_in_words(LogEntry.objects.latest("pk")).startswith("Resent: Asked for")
