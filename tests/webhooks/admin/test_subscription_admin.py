"""Subscriptions in the admin: registering, showing, rotating, disabling, and what is never shown."""

import re
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base import encryption
from base.admin.activity import act_in_words
from tests.companies.admin_pages import messages_of, operator, text_of
from tests.webhooks.conftest import SECRET, company, publish, subscribe
from webhooks import outbox, subscriptions
from webhooks.admin import forms, statistics
from webhooks.models import Delivery, State, Subscription

pytestmark = pytest.mark.django_db

URL = "https://8.8.8.8/hook"
LIST = reverse("admin:webhooks_subscription_changelist")
ADD = reverse("admin:webhooks_subscription_add")


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("add_subscription", "change_subscription", "delete_subscription", "view_subscription",
                    "view_delivery", "view_company")  # fmt: skip


def page(name: str, subscription: Subscription) -> str:
    return reverse(f"admin:webhooks_subscription_{name}", args=[subscription.pk])


def secret_of(subscription: Subscription) -> str:
    subscription.refresh_from_db()
    return encryption.unseal(subscription.sealed_secret)


def shown_secret(response: Any) -> str | None:
    found = re.search(r"whsec_[\w-]{43}", text_of(response))
    return found.group() if found else None


def register(staff: Client, **fields: Any) -> Any:
    return staff.post(ADD, {"company": company().pk, "url": URL, "secret": ""} | fields, follow=True)


def test_a_registered_endpoint_gets_a_secret_that_is_shown_once(staff: Client) -> None:
    response = register(staff)
    subscription = Subscription.objects.get()
    assert shown_secret(response) == secret_of(subscription)
    assert shown_secret(staff.get(page("secret", subscription))) is None
    assert (subscription.company, subscription.url, subscription.is_active) == (company(), URL, True)


def test_the_clients_own_secret_is_taken_and_never_shown(staff: Client) -> None:
    response = register(staff, secret="their-own-secret-of-24-ch")
    assert secret_of(Subscription.objects.get()) == "their-own-secret-of-24-ch"
    assert "their-own-secret" not in text_of(response)


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"secret": "short"}, "guessed"), ({"url": "https://hooks.invalid/"}, "does not resolve")],
)
def test_what_may_be_a_mistake_is_taken_with_a_remark(staff: Client, fields: dict[str, str], words: str) -> None:
    assert any(words in message for message in messages_of(register(staff, **fields)))
    assert Subscription.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"url": "http://8.8.8.8/"}, "https"),
        ({"url": "https://10.0.0.1/"}, "10.0.0.1 (private)"),
        ({"url": "https://localhost/hook"}, "whole name"),
        ({"url": f"{URL}/taken"}, "already has an active subscription"),
        ({"secret": " blank at the end "}, "printable ASCII"),
        ({"url": ""}, "required"),
    ],
)
@pytest.mark.usefixtures("closed_doors")
def test_what_is_refused_is_refused_beside_its_field(staff: Client, fields: dict[str, str], words: str) -> None:
    taken = subscribe(f"{URL}/taken")
    assert words in text_of(register(staff, **fields))
    assert Subscription.objects.get() == taken


def test_of_two_saved_at_the_same_moment_the_second_is_refused(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A double click: both forms look before either has saved."""
    monkeypatch.setattr(forms.SubscriptionForm, "clean", lambda form: form.cleaned_data)
    monkeypatch.setattr(Subscription, "validate_constraints", lambda *_args, **_options: None)
    register(staff)
    assert any("already has an active" in message for message in messages_of(register(staff)))
    other = subscribe(f"{URL}/other")
    moved = staff.post(page("change", other), {"url": URL}, follow=True)
    assert any("already has an active" in message for message in messages_of(moved))
    assert sorted(Subscription.objects.values_list("url", flat=True)) == [URL, f"{URL}/other"]


def test_a_secret_that_is_rotated_while_a_url_is_being_changed_stays(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscription = subscribe(URL)

    def rotated_meanwhile(form: forms.SubscriptionForm) -> dict[str, Any]:
        subscriptions.rotate_secret(Subscription.objects.get(pk=subscription.pk), "set-by-another-operator")
        return form.cleaned_data

    monkeypatch.setattr(forms.SubscriptionForm, "clean", rotated_meanwhile)
    staff.post(page("change", subscription), {"url": f"{URL}/new"})
    assert secret_of(subscription) == "set-by-another-operator"
    assert subscription.url == f"{URL}/new"


def test_a_changed_url_is_checked_and_the_company_stays(staff: Client) -> None:
    subscription = subscribe(URL)
    refused = staff.post(page("change", subscription), {"url": "https://192.168.0.1/", "company": company("RIVAL").pk})
    assert "192.168.0.1 (private)" in text_of(refused)
    staff.post(page("change", subscription), {"url": f"{URL}/new", "company": company("RIVAL").pk, "is_active": ""})
    subscription.refresh_from_db()
    assert (subscription.url, subscription.company, subscription.is_active) == (f"{URL}/new", company(), True)


def test_no_page_holds_the_secret(staff: Client) -> None:
    subscription = subscribe(URL)
    for address in (
        LIST,
        page("change", subscription),
        page("rotate_secret", subscription),
        page("secret", subscription),
    ):
        text = text_of(staff.get(address))
        assert SECRET not in text
        assert subscription.sealed_secret not in text


def test_rotation_asks_first_and_shows_the_new_secret_once(staff: Client) -> None:
    subscription = subscribe(URL)
    asked = text_of(staff.get(page("rotate_secret", subscription)))
    assert f"<div>{subscription.company}</div>" in asked  # below the row that is asked about
    assert secret_of(subscription) == SECRET
    response = staff.post(page("rotate_secret", subscription), {"step": "run", "secret": ""}, follow=True)
    assert shown_secret(response) == secret_of(subscription) != SECRET
    assert shown_secret(staff.get(page("secret", subscription))) is None
    assert act_in_words(LogEntry.objects.latest("pk")) == "Rotated the secret."


def test_a_second_rotation_says_that_the_first_secret_stops_signing(staff: Client) -> None:
    subscription, _secret = subscriptions.register_signed(company(), URL)
    said = "The secret from before the last rotation signs until"
    assert said not in text_of(staff.get(page("rotate_secret", subscription)))
    staff.post(page("rotate_secret", subscription), {"step": "run"})
    assert said not in text_of(staff.get(page("rotate_secret", subscription)))  # within minutes it goes on
    Subscription.objects.update(secret_set_at=timezone.now() - timedelta(hours=1))
    assert said in text_of(staff.get(page("rotate_secret", subscription)))


def test_rotation_takes_the_clients_own_and_refuses_what_no_header_carries(staff: Client) -> None:
    subscription = subscribe(URL)
    refused = staff.post(page("rotate_secret", subscription), {"step": "run", "secret": "a\tb"})
    assert "printable ASCII" in text_of(refused)
    staff.post(page("rotate_secret", subscription), {"step": "run", "secret": "their-new-secret-of-them"})
    assert secret_of(subscription) == "their-new-secret-of-them"


def test_disabling_cancels_what_waits_and_enabling_brings_back(staff: Client) -> None:
    subscription = subscribe(URL)
    publish()
    assert "cancelled" in text_of(staff.get(page("disable", subscription)))
    assert Delivery.objects.pending().exists()
    staff.post(page("disable", subscription), {"step": "run"})
    subscription.refresh_from_db()
    assert not subscription.is_active
    assert not Delivery.objects.pending().exists()
    staff.post(page("enable", subscription), {"step": "run"})
    subscription.refresh_from_db()
    assert subscription.is_active


def test_enabling_the_twin_of_an_active_one_is_refused_in_words(staff: Client) -> None:
    first = subscribe(URL)
    staff.post(page("disable", first), {"step": "run"})
    subscribe(URL)
    response = staff.post(page("enable", first), {"step": "run"}, follow=True)
    assert "already" in text_of(response)


def test_a_test_event_asks_first_goes_to_this_one_alone_and_is_followed(staff: Client) -> None:
    subscription = subscribe(URL)
    subscribe(f"{URL}/other")
    staff.get(page("send_test_event", subscription))
    assert not Delivery.objects.exists()
    response = staff.post(page("send_test_event", subscription), {"step": "run"}, follow=True)
    delivery = Delivery.objects.get()
    assert (delivery.subscription, delivery.event_type) == (subscription, "webhook.test")
    assert response.redirect_chain[-1][0] == reverse("admin:webhooks_delivery_change", args=[delivery.pk])
    assert 'hx-trigger="every 2s"' in text_of(response)


def test_a_disabled_one_is_sent_no_test(staff: Client) -> None:
    subscription = subscribe(URL)
    staff.post(page("disable", subscription), {"step": "run"})
    staff.post(page("send_test_event", subscription), {"step": "run"})
    assert not Delivery.objects.exists()


def test_deleting_leaves_the_log(staff: Client) -> None:
    subscription = subscribe(URL)
    publish()
    staff.get(page("delete", subscription))
    assert Subscription.objects.get() == subscription, "asked first"
    staff.post(page("delete", subscription), {"post": "yes"})
    assert not Subscription.objects.exists()
    assert Delivery.objects.get().state == State.CANCELLED


def finished(subscription: Subscription, state: State, minutes_ago: int, duration_ms: int | None = None) -> None:
    outbox.send_test(subscription, "one of many")
    finished_at = timezone.now() - timedelta(minutes=minutes_ago)
    Delivery.objects.pending().update(state=state, finished_at=finished_at, duration_ms=duration_ms)


def test_the_last_day_counts_what_was_attempted_and_how_long_it_took(staff: Client) -> None:
    subscription, other = subscribe(URL), subscribe(URL, "RIVAL")
    for duration_ms in (15, 15, 40, 900):
        finished(subscription, State.DELIVERED, 90, duration_ms)
    finished(subscription, State.FAILED, 30, 10_000)
    finished(subscription, State.ABANDONED, 30)
    finished(subscription, State.CANCELLED, 30)
    finished(subscription, State.DELIVERED, 24 * 60 + 1, 5)
    finished(other, State.FAILED, 5, 1)
    day = statistics.last_day(subscription)
    assert (day.delivered, day.attempted) == (4, 6)
    assert (day.within_ms(0.5), day.within_ms(0.95)) == (20, 1000)
    assert len(day.hours) == 25
    assert "66.7 % of 6 deliveries succeeded." in text_of(staff.get(page("change", subscription)))
    listed = text_of(staff.get(LIST))
    assert "66.7 % of 6" in listed
    assert "0.0 % of 1" in listed
    assert "242 ms" in listed


def test_a_day_without_deliveries_says_so(staff: Client) -> None:
    subscription = subscribe(URL)
    assert "Nothing was sent." in text_of(staff.get(page("change", subscription)))
    assert "nothing sent" in text_of(staff.get(LIST))


@pytest.mark.parametrize(
    ("delivered", "colour"), [(990, "success"), (989, "warning"), (900, "warning"), (899, "danger")]
)
def test_what_arrived_is_shown_in_a_colour_by_its_share(delivered: int, colour: str) -> None:
    row = SimpleNamespace(day_attempted=1000, day_waiting=None, day_delivered=delivered)
    assert f"pa-{colour}" in site._registry[Subscription].shown_success(row)  # type: ignore[attr-defined]  # of our admin


def test_the_list_costs_the_same_for_many(staff: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(15):
        finished(subscribe(f"{URL}/{number}", f"CLIENT{number}"), State.DELIVERED, 5, 10)
    with django_assert_max_num_queries(10):
        staff.get(LIST)


def test_a_subscription_says_what_its_last_failure_means(staff: Client) -> None:
    subscription = subscribe(URL)
    outbox.send_test(subscribe(URL, "RIVAL"), "A test.")
    assert "The endpoint rejects our secret." not in text_of(staff.get(page("change", subscription)))
    failed = outbox.send_test(subscription, "A test.")
    waiting = outbox.send_test(subscription, "A test.")
    now = timezone.now()
    Delivery.objects.filter(pk=failed.pk).update(
        state="failed", error="http_status", http_status=401, attempted_at=now, finished_at=now
    )
    response = staff.get(page("change", subscription))
    text = text_of(response)
    assert "401 · secret refused" in text
    assert "The endpoint rejects our secret." in text
    hours = response.context["day"].hours.values()
    assert [sum(getattr(hour, name) for hour in hours) for name in ("delivered", "failed", "waiting")] == [0, 1, 1]
    assert waiting.state == "pending"
