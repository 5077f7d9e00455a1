"""The start page warns of endpoints that nothing has reached for an hour."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from prealerts.dashboard.webhooks import LISTED
from tests.companies.desk import operator, text_of
from tests.webhooks.conftest import company, subscribe
from webhooks import outbox
from webhooks.models import Delivery, State, Subscription

pytestmark = pytest.mark.django_db

START = reverse("admin:index")
WARNING = "Nothing has reached these endpoints for an hour or more"


@pytest.fixture
def desk(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("view_subscription", "view_delivery")


def attempted(subscription: Subscription, state: State, minutes_ago: int, reason: str = "") -> None:
    outbox.send_test(subscription, "one of many")
    finished_at = timezone.now() - timedelta(minutes=minutes_ago)
    Delivery.objects.pending().update(state=state, finished_at=finished_at, reason=reason)


def test_an_endpoint_that_has_failed_for_an_hour_is_named_with_its_last_reason_and_its_log(desk: Client) -> None:
    failing, healthy = subscribe("https://8.8.8.8/gone"), subscribe("https://8.8.8.8/well", "RIVAL")
    attempted(failing, State.FAILED, 90, "503 Later")
    attempted(failing, State.FAILED, 2, "certificate has expired")
    attempted(healthy, State.FAILED, 90)
    attempted(healthy, State.DELIVERED, 80)
    text = text_of(desk.get(START))
    assert WARNING in text
    assert str(company()) in text
    assert "certificate has expired" in text
    assert "503 Later" not in text
    assert reverse("admin:webhooks_subscription_change", args=[failing.pk]) in text
    assert healthy.url not in text
    log = desk.get(
        reverse("admin:webhooks_delivery_changelist"),
        {"subscription__id__exact": str(failing.pk), "state__exact": "failed"},
    )
    assert f"subscription__id__exact={failing.pk}&amp;state__exact=failed" in text
    assert len(log.context["cl"].result_list) == 2


def test_all_is_quiet_where_nothing_fails_or_only_since_a_moment(desk: Client) -> None:
    subscription = subscribe("https://8.8.8.8/")
    assert WARNING not in text_of(desk.get(START))
    attempted(subscription, State.FAILED, 30)
    assert WARNING not in text_of(desk.get(START))
    attempted(subscription, State.FAILED, 61)
    assert WARNING in text_of(desk.get(START))
    attempted(subscription, State.DELIVERED, 1)
    assert WARNING not in text_of(desk.get(START))


def test_who_disables_the_endpoint_ends_the_warning(desk: Client) -> None:
    subscription = subscribe("https://8.8.8.8/")
    attempted(subscription, State.FAILED, 90)
    Subscription.objects.update(is_active=False)
    assert WARNING not in text_of(desk.get(START))


def test_many_at_once_are_named_in_part_at_a_bounded_price(desk: Client, django_assert_max_num_queries: object) -> None:
    for number in range(LISTED + 3):
        attempted(subscribe(f"https://8.8.8.8/{number}", f"CLIENT{number}"), State.FAILED, 90)
    with django_assert_max_num_queries(4 + LISTED + 5):  # type: ignore[operator]  # pytest-django's fixture
        text = text_of(desk.get(START))
    assert text.count("https://8.8.8.8/") == LISTED
    assert "And others" in text


def test_who_may_not_see_subscriptions_is_not_told_of_them() -> None:
    attempted(subscribe("https://8.8.8.8/"), State.FAILED, 90)
    assert WARNING not in text_of(operator("view_guide").get(START))
