"""The start page warns of endpoints that nothing has reached for an hour, or many times in a row."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import OperatorProfile
from prealerts.dashboard.to_do import FAILURES_IN_A_ROW, LISTED
from tests.companies.admin_pages import operator, text_of
from tests.webhooks.conftest import company, event, subscribe, subscribe_signed
from webhooks import outbox, subscriptions
from webhooks.models import Delivery, DisabledReason, State, Subscription
from webhooks.verdicts import Failure

pytestmark = pytest.mark.django_db

START = reverse("admin:index")
WARNING = "Nothing arrives at"
DISABLED = "was disabled on"


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("view_subscription", "view_delivery")


def attempted(subscription: Subscription, state: State, minutes_ago: int, reason: str = "") -> None:
    outbox.send_test(subscription, "one of many")
    finished_at = timezone.now() - timedelta(minutes=minutes_ago)
    Delivery.objects.pending().update(state=state, finished_at=finished_at, reason=reason)


def test_an_endpoint_that_has_failed_for_an_hour_is_named_with_its_last_reason_and_its_log(staff: Client) -> None:
    failing, healthy = subscribe("https://8.8.8.8/gone"), subscribe("https://8.8.8.8/well", "RIVAL")
    attempted(failing, State.FAILED, 90, "503 Later")
    attempted(failing, State.FAILED, 2, "certificate has expired")
    attempted(healthy, State.FAILED, 90)
    attempted(healthy, State.DELIVERED, 80)
    text = text_of(staff.get(START))
    assert WARNING in text
    assert company().name in text
    assert "certificate has expired" in text
    assert "503 Later" not in text
    assert reverse("admin:webhooks_subscription_change", args=[failing.pk]) in text
    assert healthy.url not in text


def test_all_is_quiet_where_nothing_fails_or_only_since_a_moment(staff: Client) -> None:
    subscription = subscribe("https://8.8.8.8/")
    assert WARNING not in text_of(staff.get(START))
    attempted(subscription, State.FAILED, 30)
    assert WARNING not in text_of(staff.get(START))
    attempted(subscription, State.FAILED, 61)
    assert WARNING in text_of(staff.get(START))
    attempted(subscription, State.DELIVERED, 1)
    assert WARNING not in text_of(staff.get(START))


def test_twenty_failures_in_a_row_need_no_hour(staff: Client) -> None:
    signed, unsigned = subscribe_signed("https://8.8.8.8/signed"), subscribe("https://8.8.8.8/unsigned")
    for _ in range(FAILURES_IN_A_ROW - 1):
        attempted(unsigned, State.FAILED, 10)
    Subscription.objects.filter(pk=signed.pk).update(failing_since=timezone.now(), failures=FAILURES_IN_A_ROW - 1)
    assert WARNING not in text_of(staff.get(START))
    attempted(unsigned, State.FAILED, 1)
    assert unsigned.url in text_of(staff.get(START))
    attempted(unsigned, State.DELIVERED, 0)
    Subscription.objects.filter(pk=signed.pk).update(failures=FAILURES_IN_A_ROW)
    text = text_of(staff.get(START))
    assert unsigned.url not in text
    assert signed.url in text


def test_who_disables_the_endpoint_ends_the_warning(staff: Client) -> None:
    subscription = subscribe("https://8.8.8.8/")
    attempted(subscription, State.FAILED, 90)
    Subscription.objects.update(is_active=False)
    assert WARNING not in text_of(staff.get(START))


def test_many_at_once_are_named_in_part_at_a_bounded_price(
    staff: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(LISTED + 3):
        attempted(subscribe(f"https://8.8.8.8/{number}", f"CLIENT{number}"), State.FAILED, 90)
    with django_assert_max_num_queries(4 + LISTED + 5):  # type: ignore[operator]  # pytest-django's fixture
        text = text_of(staff.get(START))
    assert len(set(re.findall(r"https://8.8.8.8/\d", text))) == LISTED
    assert "More endpoints fail" in text


def test_who_may_not_see_subscriptions_is_not_reported_of_them() -> None:
    attempted(subscribe("https://8.8.8.8/"), State.FAILED, 90)
    assert WARNING not in text_of(operator("view_guide").get(START))


def test_a_signed_one_is_named_with_what_it_is_waiting_for(staff: Client) -> None:
    failing = subscribe_signed("https://8.8.8.8/signed")
    outbox.send_test(failing, "one of many")
    now = timezone.now()
    Delivery.objects.update(
        state=State.WAITING, due_at=now, attempts=2, error=Failure.HTTP_STATUS, http_status=401, reason="401"
    )
    Subscription.objects.update(failing_since=now - timedelta(hours=2), failures=2)
    text = text_of(staff.get(START))
    assert WARNING in text
    assert "rejects our signature" in text
    assert reverse("admin:webhooks_subscription_change", args=[failing.pk]) in text


def disabled_by_the_service(url: str, code: str = "ACME", *, days_ago: int = 0) -> Subscription:
    subscription = subscribe_signed(url, code)
    outbox.send_test(subscription, "one of many")
    Delivery.objects.filter(subscription=subscription).update(
        state=State.DEAD, finished_at=timezone.now(), error=Failure.HTTP_STATUS, http_status=410
    )
    subscriptions.switch_off(subscription, DisabledReason.GONE)
    disabled_at = timezone.now() - timedelta(days=days_ago)
    Subscription.objects.filter(pk=subscription.pk).update(disabled_at=disabled_at)
    return subscription


def test_one_that_the_service_disabled_is_named_with_why_until_it_is_enabled(staff: Client) -> None:
    gone = disabled_by_the_service("https://8.8.8.8/gone")
    text = text_of(staff.get(START))
    assert DISABLED in text
    assert WARNING not in text
    assert gone.url in text
    assert "The endpoint answered 410 Gone" in text
    subscriptions.enable(gone)
    assert DISABLED not in text_of(staff.get(START))


def test_what_waits_for_a_failing_endpoint_can_be_sent_by_those_who_may_change_it(staff: Client) -> None:
    subscription = subscribe_signed("https://8.8.8.8/failing")
    now = timezone.now()
    outbox.publish(company(), [event(number) for number in range(3)])
    Delivery.objects.update(state=State.WAITING, attempts=2, due_at=now + timedelta(hours=2), error="timeout")
    Subscription.objects.filter(pk=subscription.pk).update(failing_since=now - timedelta(hours=2), failures=6)
    link = reverse("admin:webhooks_subscription_send_again", args=[subscription.pk])
    assert link not in text_of(staff.get(START))
    chief = operator("view_subscription", "view_delivery", "change_subscription", username="carla")
    start = text_of(chief.get(START))
    assert link in start
    assert "3 deliveries wait." in start


def test_one_that_a_person_disabled_or_deleted_or_that_was_disabled_long_ago_is_not_named(staff: Client) -> None:
    subscriptions.disable(subscribe_signed("https://8.8.8.8/by-hand"))
    subscriptions.remove(disabled_by_the_service("https://8.8.8.8/deleted"))
    disabled_by_the_service("https://8.8.8.8/long-ago", days_ago=8)
    assert DISABLED not in text_of(staff.get(START))


def test_an_operator_of_another_country_learns_nothing_of_it() -> None:
    disabled_by_the_service("https://8.8.8.8/gone")
    elsewhere = operator("view_subscription", "view_delivery", username="carla")
    OperatorProfile.objects.filter(user=User.objects.get(username="carla")).update(countries=["PE"])
    assert DISABLED not in text_of(elsewhere.get(START))
