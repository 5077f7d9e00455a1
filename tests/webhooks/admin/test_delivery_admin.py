"""The delivery log: found by what a client quotes, filtered, read and never written."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.companies.admin_pages import messages_of, operator, text_of
from tests.webhooks.conftest import company, event, subscribe
from webhooks import outbox, subscriptions
from webhooks.admin.advice import cause_of
from webhooks.models import Delivery, State

pytestmark = pytest.mark.django_db

URL = "https://8.8.8.8/hook"
LIST = reverse("admin:webhooks_delivery_changelist")


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("view_delivery", "view_subscription", "view_company")


@pytest.fixture
def delivery() -> Delivery:
    """A failed one, among others."""
    subscribe(URL)
    subscribe(URL, "RIVAL")
    outbox.publish(company(), [event(1)])
    outbox.publish(company("RIVAL"), [event(2)])
    found = Delivery.objects.get(company=company())
    now = timezone.now()
    Delivery.objects.filter(pk=found.pk).update(
        state=State.FAILED, claimed_at=now, attempted_at=now, finished_at=now + timedelta(seconds=1), duration_ms=1000,
        http_status=503, error="http_status", reason="503 Service Unavailable", excerpt="<b>come back later</b>",
        remote_address="8.8.8.8",
    )  # fmt: skip
    found.refresh_from_db()
    return found


def page(delivery: Delivery) -> str:
    return reverse("admin:webhooks_delivery_change", args=[delivery.pk])


def test_a_delivery_shows_everything(staff: Client, delivery: Delivery) -> None:
    text = text_of(staff.get(page(delivery)))
    for told in (delivery.delivery_id, "503 Service Unavailable", "ACM0000001", "guide.delivered", "8.8.8.8", "Failed",
                 "&quot;tracking_code&quot;", "+1.0", "Ask the client to check its log."):  # fmt: skip
        assert told in text
    assert "&lt;b&gt;come back later&lt;/b&gt;" in text
    assert 'hx-trigger="every 2s"' not in text


def test_the_list_names_the_endpoint_and_the_cause(staff: Client, delivery: Delivery) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(http_status=401)
    text = text_of(staff.get(LIST, {"company__id__exact": delivery.company_id}))
    assert f'<span title="{URL}">8.8.8.8/hook</span>' in text
    assert "401 · secret refused" in text


@pytest.mark.parametrize(
    ("error", "status", "reason", "signs", "cause"),
    [
        ("http_status", 403, "", False, "403 · secret refused"),
        ("http_status", 401, "", True, "401 · signature refused"),
        ("http_status", 503, "", False, "503 · endpoint's error"),
        ("http_status", 418, "", False, "418 · Non-2xx response"),
        ("tls", None, "certificate has expired", False, "Certificate expired"),
        ("timeout", None, "", False, "Timed out"),
        ("", 200, "", False, "200"),
    ],
)
def test_a_cause_has_two_words(error: str, status: int | None, reason: str, signs: bool, cause: str) -> None:  # noqa: FBT001  # a case's own
    said = cause_of(Delivery(error=error, http_status=status, reason=reason), signs=signs)
    assert said == cause


def test_a_delivery_is_in_spanish_too(staff: Client, delivery: Delivery) -> None:
    text = text_of(staff.get(page(delivery), headers={"accept-language": "es"}))
    for told in ("Id de aviso", "Duración", "1\u202f000 ms", "creado", "Fallido", "Pida al cliente", "503 Service"):
        assert told in text
    assert "&#x27;failed&#x27;" not in text


@pytest.mark.parametrize("term", ["ACM0000001", "acm0000001", " ACM0000001 ", "evt_{uuid}", "Evt_{uuid}", "{uuid}"])
def test_a_delivery_is_found_by_what_a_client_quotes(staff: Client, delivery: Delivery, term: str) -> None:
    found = staff.get(LIST, {"q": term.format(uuid=delivery.uuid)}).context["cl"].result_list
    assert list(found) == [delivery]


def test_what_nobody_quoted_is_not_found(staff: Client, delivery: Delivery) -> None:  # noqa: ARG001  # it must be there
    assert list(staff.get(LIST, {"q": "ACM"}).context["cl"].result_list) == []


def test_the_log_is_filtered(staff: Client, delivery: Delivery) -> None:
    assert delivery.subscription
    assert len(staff.get(LIST, {"age": "1"}).context["cl"].result_list) == 2
    Delivery.objects.exclude(pk=delivery.pk).update(created_at=timezone.now() - timedelta(hours=2))
    for filters in (
        {"company__id__exact": delivery.company_id},
        {"subscription__id__exact": delivery.subscription.pk},
        {"state__exact": "failed"},
        {"error__exact": "http_status"},
        {"age": "1"},
    ):
        assert list(staff.get(LIST, filters).context["cl"].result_list) == [delivery], filters


def test_the_log_is_sorted_by_time_alone(staff: Client, delivery: Delivery) -> None:
    Delivery.objects.exclude(pk=delivery.pk).update(event_type="webhook.test")
    newest = list(Delivery.objects.order_by("-pk"))
    assert delivery in newest
    for order, expected in (("0", newest[::-1]), ("-0", newest), ("1", newest), ("-1", newest)):
        assert list(staff.get(LIST, {"o": order}).context["cl"].result_list) == expected, order


def test_nobody_writes_the_log(delivery: Delivery) -> None:
    staff = operator("view_delivery", "change_delivery", "add_delivery", "delete_delivery")
    assert staff.post(page(delivery), {"state": "delivered"}).status_code == 403
    assert staff.get(reverse("admin:webhooks_delivery_add")).status_code == 403
    assert staff.post(reverse("admin:webhooks_delivery_delete", args=[delivery.pk]), {"post": "yes"}).status_code == 403


def test_a_delivery_outlives_its_subscription(staff: Client, delivery: Delivery) -> None:
    assert delivery.subscription
    subscriptions.remove(delivery.subscription)
    assert "Deleted." in text_of(staff.get(page(delivery)))


def test_waiting_without_a_dispatcher_is_reported(staff: Client, delivery: Delivery) -> None:
    assert messages_of(staff.get(LIST)) == []
    waiting = Delivery.objects.exclude(pk=delivery.pk).get()
    assert 'hx-trigger="every 2s"' in text_of(staff.get(page(waiting)))
    Delivery.objects.pending().update(created_at=timezone.now() - timedelta(minutes=2))
    for address in (LIST, page(waiting)):
        assert any("sending has probably stopped" in message for message in messages_of(staff.get(address)))


def test_the_list_costs_the_same_for_many_and_leaves_the_bodies_alone(
    staff: Client, django_assert_max_num_queries: Any
) -> None:
    subscribe(URL)
    outbox.publish(company(), [event(number) for number in range(60)])
    with django_assert_max_num_queries(10) as captured:
        listed: Any = staff.get(LIST)
    assert len(listed.context["cl"].result_list) == 50
    assert not any('"webhooks_delivery"."body"' in query["sql"] for query in captured.captured_queries)


def test_a_row_links_to_its_page_and_back_to_the_filtered_list(staff: Client, delivery: Delivery) -> None:
    rows = text_of(staff.get(LIST, {"state__exact": "failed"}))
    assert f'<a href="{page(delivery)}?_changelist_filters=state__exact%3Dfailed">' in rows
    assert '<span class="pa-badge pa-danger">Failed</span>' in rows
    for state in State:  # which the filter explains
        assert f"{state.label}: " in rows
