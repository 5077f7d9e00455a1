"""The commands about webhooks: names, standard output and exit codes are what scripts rely on."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from base import encryption
from tests.webhooks.conftest import SECRET, company, publish, subscribe, subscribe_signed
from webhooks.models import Delivery, State, Subscription
from webhooks.subscriptions import disable, remove

pytestmark = pytest.mark.django_db

URL = "https://8.8.8.8/hook"


def run(*arguments: str) -> tuple[str, str]:
    """Standard output and standard error of `manage.py ...`."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def only_json_line(out: str) -> dict[str, Any]:
    assert out.endswith("\n")
    assert out.count("\n") == 1
    line: dict[str, Any] = json.loads(out)
    return line


def test_add_webhook_prints_one_json_line() -> None:
    company()
    out, err = run("add_webhook", "acme", URL)
    line = only_json_line(out)
    subscription = Subscription.objects.get()
    assert line == {"subscription_id": subscription.pk, "secret": encryption.unseal(subscription.sealed_secret)}
    assert (subscription.company, subscription.url, err) == (company(), URL, "")


@pytest.mark.parametrize(("secret", "is_short"), [("fifteen-letters", True), ("sixteen--letters", False)])
def test_add_webhook_takes_the_clients_own_secret_and_warns_of_a_short_one(secret: str, *, is_short: bool) -> None:
    company()
    out, err = run("add_webhook", "ACME", URL, "--secret", secret)
    assert only_json_line(out)["secret"] == secret
    assert ("guessed" in err) == is_short


def test_add_webhook_remarks_on_a_name_that_does_not_resolve_yet() -> None:
    company()
    out, err = run("add_webhook", "ACME", "https://hooks.invalid/")
    assert only_json_line(out)["subscription_id"]
    assert "does not resolve" in err


def test_add_webhook_takes_the_filters_of_version_2() -> None:
    company()
    options = ["--v2", "--events", "guide.delivered", "--countries", "cl, PE"]
    line = only_json_line(run("add_webhook", "ACME", URL, *options)[0])
    made = Subscription.objects.get(pk=line["subscription_id"])
    assert line["secret"].startswith("whsec_")
    assert (made.version, made.event_types, made.countries) == (2, ["guide.delivered"], ["CL", "PE"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["NOBODY", URL], "NOBODY"),
        (["ACME", "http://8.8.8.8/"], "https"),
        (["ACME", "https://erp/"], "whole name"),
        (["ACME", f"{URL}/taken"], "already"),
        (["ACME", URL, "--secret", "a\r\nb"], "--secret"),
        (["ACME", URL, "--events", "guide.delivered"], "v2"),
        (["ACME", URL, "--v2", "--events", "guide.lost"], "--events: choose from"),
        (["ACME", URL, "--v2", "--countries", "XX"], "--countries: choose from"),
        (["ACME", URL, "--v2", "--secret", "the-clients-own-secret"], "secret"),
    ],
)
def test_add_webhook_refuses_with_the_reason_and_stores_nothing(arguments: list[str], words: str) -> None:
    taken = subscribe(f"{URL}/taken")
    with pytest.raises(CommandError, match=words):
        run("add_webhook", *arguments)
    assert Subscription.objects.get() == taken


def test_rotate_webhook_secret_prints_the_new_one() -> None:
    subscription = subscribe(URL)
    line = only_json_line(run("rotate_webhook_secret", str(subscription.pk))[0])
    subscription.refresh_from_db()
    assert line == {"subscription_id": subscription.pk, "secret": encryption.unseal(subscription.sealed_secret)}
    assert line["secret"] != SECRET
    given = only_json_line(run("rotate_webhook_secret", str(subscription.pk), "--secret", "a-secret-of-their-own")[0])
    assert given["secret"] == "a-secret-of-their-own"


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_secret_is_taken_from_standard_input(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    company()
    monkeypatch.setattr("sys.stdin", StringIO(f"a-secret-of-their-own{ending}"))
    line = only_json_line(run("add_webhook", "ACME", URL, "--secret", "-")[0])
    assert line["secret"] == "a-secret-of-their-own"
    monkeypatch.setattr("sys.stdin", StringIO(f"another-of-their-own{ending}"))
    line = only_json_line(run("rotate_webhook_secret", str(line["subscription_id"]), "--secret", "-")[0])
    assert line["secret"] == "another-of-their-own"
    assert encryption.unseal(Subscription.objects.get().sealed_secret) == "another-of-their-own"


@pytest.mark.parametrize("given", ["", "\n", "two\nlines", "x" * 1025, None])
def test_standard_input_without_a_usable_secret_is_refused(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    company()
    monkeypatch.setattr("sys.stdin", None if given is None else StringIO(given))
    with pytest.raises(CommandError, match="--secret"):
        run("add_webhook", "ACME", URL, "--secret", "-")
    assert not Subscription.objects.exists()


def test_webhooks_are_disabled_enabled_and_listed_without_their_secrets() -> None:
    subscription = subscribe(URL)
    subscribe(URL, "RIVAL")
    key = str(subscription.pk)
    assert "is disabled" in run("disable_webhook", key)[0]
    assert "already" in run("disable_webhook", key)[0]
    lines = [json.loads(line) for line in run("list_webhooks")[0].splitlines()]
    assert [(line["client_code"], line["is_active"]) for line in lines] == [("ACME", False), ("RIVAL", True)]
    assert "is enabled" in run("enable_webhook", key)[0]
    assert "already" in run("enable_webhook", key)[0]
    out, _err = run("list_webhooks", "--company", "acme")
    assert only_json_line(out)["subscription_id"] == subscription.pk
    assert SECRET not in out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["rotate_webhook_secret", "4711"], "4711"),
        (["disable_webhook", "4711"], "4711"),
        (["enable_webhook", "4711"], "4711"),
        (["send_test_webhook", "4711"], "4711"),
        (["send_test_webhook", "{key}", "--type", "guide.delivered"], "version 1"),
        (["replay_webhooks", "{key}", "--since", "2026-01-01T00:00:00Z"], "version 1"),
        (["send_test_webhook", "{disabled}"], "disabled"),
    ],
)
def test_what_a_subscription_cannot_do_is_refused_with_the_reason(command: list[str], words: str) -> None:
    plain, disabled = subscribe(URL), subscribe(f"{URL}/disabled")
    disable(disabled)
    with pytest.raises(CommandError, match=words):
        run(*(argument.format(key=plain.pk, disabled=disabled.pk) for argument in command))
    assert not Delivery.objects.exists()


def test_a_test_event_is_sent_to_one_subscription_of_either_version() -> None:
    signed, plain = subscribe_signed(URL), subscribe(URL)
    assert "evt_" in run("send_test_webhook", str(plain.pk))[0]
    assert Delivery.objects.get().subscription == plain
    run("send_test_webhook", str(signed.pk), "--type", "guide.delivered")
    body = json.loads(bytes(Delivery.objects.get(subscription=signed).body))
    assert (body["type"], body["data"]["test"]) == ("guide.delivered", True)


def test_a_range_is_replayed() -> None:
    subscription, other = subscribe_signed(URL), subscribe_signed(f"{URL}2")
    publish(3)
    Delivery.objects.update(state=State.DEAD, finished_at=timezone.now())
    since = (timezone.now() - timedelta(hours=1)).isoformat()
    assert run("replay_webhooks", str(subscription.pk), "--since", since)[0] == "Replayed 3 deliveries.\n"
    assert Delivery.objects.filter(subscription=other, state=State.DEAD).count() == 3


def test_pruning_takes_what_finished_long_ago_and_nothing_that_is_under_way() -> None:
    subscribe(URL)
    publish(5)
    rows = list(Delivery.objects.order_by("id"))
    now = timezone.now()
    for row, state, days in zip(
        rows, [State.DELIVERED, State.FAILED, State.CANCELLED, State.DELIVERED], [31, 40, 31, 29], strict=False
    ):
        Delivery.objects.filter(pk=row.pk).update(state=state, finished_at=now - timedelta(days=days))
    Delivery.objects.update(created_at=now - timedelta(days=365))
    assert run("prune_webhook_log", "--older-than", "30", "--dry-run")[0] == "Would delete 3 deliveries.\n"
    assert Delivery.objects.count() == 5
    assert run("prune_webhook_log", "--older-than", "30")[0] == "Deleted 3 deliveries.\n"
    assert set(Delivery.objects.values_list("pk", flat=True)) == {rows[3].pk, rows[4].pk}


def test_what_was_given_up_is_kept_for_30_days() -> None:
    subscribe_signed(URL)
    publish(2)
    old, young = Delivery.objects.order_by("pk")
    Delivery.objects.update(state=State.DEAD, finished_at=timezone.now() - timedelta(days=9))
    Delivery.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=31))
    assert run("prune_webhook_log", "--older-than", "7")[0] == "Deleted 1 deliveries.\n"
    assert Delivery.objects.get() == young


def test_a_deleted_subscription_goes_with_the_last_of_its_log_and_no_other_does() -> None:
    deleted, silent = subscribe(URL), subscribe(URL, "RIVAL")
    publish(2)
    remove(deleted)
    first, second = Delivery.objects.order_by("pk")
    for row, left in ((first, {deleted, silent}), (second, {silent})):
        Delivery.objects.filter(pk=row.pk).update(finished_at=timezone.now() - timedelta(days=31))
        run("prune_webhook_log", "--older-than", "30")
        assert set(Subscription.everyone.all()) == left


def test_pruning_needs_a_number_of_days() -> None:
    with pytest.raises(CommandError, match="at least 1"):
        run("prune_webhook_log", "--older-than", "0")


def test_rotate_field_keys_shows_what_it_did_and_what_it_could_not(settings: Any) -> None:
    subscribe(URL)
    lost = subscribe(URL, "RIVAL")
    Subscription.objects.filter(pk=lost.pk).update(sealed_secret="of a key that is gone")
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode(), *settings.FIELD_ENCRYPTION_KEYS]
    out = StringIO()
    with pytest.raises(CommandError, match=f"{lost.pk}"):
        call_command("rotate_field_keys", stdout=out)
    assert out.getvalue() == "Encrypted 1 secrets with the first key.\n"
