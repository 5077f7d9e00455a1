"""The commands about webhooks of version 2: their lines are what scripts read."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.webhooks.conftest import company, event, subscribe, subscribe_signed
from webhooks import outbox
from webhooks.models import Delivery, State, Subscription

pytestmark = pytest.mark.django_db

URL = "https://8.8.8.8/hook"


def say(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def test_one_is_added_with_its_filters() -> None:
    company()
    told = json.loads(say("add_webhook", "ACME", URL, "--v2", "--events", "guide.delivered", "--countries", "cl, PE"))
    made = Subscription.objects.get(pk=told["subscription_id"])
    assert told["secret"].startswith("whsec_")
    assert (made.version, made.event_types, made.countries) == (2, ["guide.delivered"], ["CL", "PE"])


@pytest.mark.parametrize(
    "arguments",
    [["--events", "guide.delivered"], ["--v2", "--events", "guide.lost"], ["--v2", "--countries", "XX"],
     ["--v2", "--secret", "the-clients-own-secret"]],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(arguments: list[str]) -> None:
    company()
    with pytest.raises(CommandError):
        say("add_webhook", "ACME", URL, *arguments)
    assert not Subscription.objects.exists()


def test_a_test_event_is_sent_to_one_subscription_of_either_version() -> None:
    signed, plain = subscribe_signed(URL), subscribe(URL)
    assert "evt_" in say("send_test_webhook", str(plain.pk))
    assert Delivery.objects.get().subscription == plain
    say("send_test_webhook", str(signed.pk), "--type", "guide.delivered")
    sent = Delivery.objects.get(subscription=signed)
    body = json.loads(bytes(sent.body))
    assert (body["type"], body["data"]["test"]) == ("guide.delivered", True)


@pytest.mark.parametrize("case", ["version 1 with a type", "disabled", "unknown"])
def test_a_test_event_that_cannot_be_sent_is_refused(case: str) -> None:
    subscription = subscribe(URL)
    arguments = [str(subscription.pk if case != "unknown" else 987654)]
    if case == "disabled":
        say("disable_webhook", arguments[0])
    if case == "version 1 with a type":
        arguments += ["--type", "guide.delivered"]
    with pytest.raises(CommandError):
        say("send_test_webhook", *arguments)
    assert not Delivery.objects.exists()


def test_a_range_is_replayed() -> None:
    subscription, other = subscribe_signed(URL), subscribe_signed(f"{URL}2")
    outbox.publish(company(), [event(number) for number in range(3)])
    Delivery.objects.update(state=State.DEAD, finished_at=timezone.now())
    since = (timezone.now() - timedelta(hours=1)).isoformat()
    assert say("replay_webhooks", str(subscription.pk), "--since", since) == "Replayed 3 deliveries.\n"
    assert Delivery.objects.filter(subscription=other, state=State.DEAD).count() == 3


def test_a_range_of_version_1_is_refused() -> None:
    with pytest.raises(CommandError, match="version 1"):
        say("replay_webhooks", str(subscribe(URL).pk), "--since", "2026-01-01T00:00:00Z")


def test_what_was_given_up_is_kept_for_30_days() -> None:
    subscribe_signed(URL)
    outbox.publish(company(), [event(number) for number in range(2)])
    old, young = Delivery.objects.order_by("pk")
    Delivery.objects.update(state=State.DEAD, finished_at=timezone.now() - timedelta(days=9))
    Delivery.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=31))
    assert say("prune_webhook_log", older_than=7) == "Deleted 1 deliveries.\n"
    assert Delivery.objects.get() == young
