"""Registering, rotating, disabling, deleting; secrets sealed at rest; the constraints behind it all."""

import re
from datetime import timedelta
from typing import Any

import pytest
import yarl
from cryptography.fernet import Fernet
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from base import encryption
from base.encryption import SecretUnreadable
from prealerts.management.commands.rotate_field_keys import reseal
from tests.webhooks.conftest import SECRET, company, publish, subscribe, subscribe_signed
from webhooks import destinations, subscriptions
from webhooks.errors import AlreadySubscribed, DestinationRefused, SecretRefused
from webhooks.models import Delivery, State, Subscription

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.com/pre-alerts"
FIRST, SECOND = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def test_a_secret_is_made_where_none_is_given_and_lies_sealed_in_the_row() -> None:
    subscription, secret = subscriptions.register(company(), URL)
    assert re.fullmatch(r"whsec_[\w-]{43}", secret)
    assert secret not in subscription.sealed_secret
    assert encryption.unseal(subscription.sealed_secret) == secret


@pytest.mark.parametrize("secret", ["x", "two words", "~!@#$%^&*()_+{}", "s" * 1024])
def test_any_secret_that_a_header_carries_is_taken(secret: str) -> None:
    assert subscriptions.register(company(), URL, secret)[1] == secret


@pytest.mark.parametrize("secret", ["", " x", "x ", "a\r\nX-Evil: 1", "a\0b", "contraseña", "s" * 1025, "a\tb"])
def test_a_secret_that_a_header_would_change_is_refused(secret: str) -> None:
    with pytest.raises(SecretRefused, match="printable ASCII"):
        subscriptions.register(company(), URL, secret)
    assert not Subscription.objects.exists()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://hooks.example.com/", "https"),
        ("ftp://hooks.example.com/", "https"),
        ("hooks.example.com", "https"),
        ("https://", "host"),
        ("https://user:pass@hooks.example.com/", "user name"),
        ("https://user@hooks.example.com/", "user name"),
        ("https://hooks.example.com:0/", "port"),
        ("https://hooks.example.com:99999/", "port"),
        ("https://hooks.example.com:https/", "port"),
        ("https://hooks.example.com/#top", "#"),
        ("https://hooks.example.com/a b", "spaces"),
        ("https://hooks.example.com/a\nb", "control"),
        ("https://hooks.example.com\\@evil.example/", "control"),
        ("https://[::1/", "URL"),
        ("https://[v1.a]/", "brackets"),
        ("https://[fe80::1%25eth0]/", "link-local"),
        ("https://127.0.0.2./", "number"),
        ("https://10\u30020\u30020\u30022/", "private"),
        ("https://\u2460\u24ea.0.0.2/", "private"),
        ("https://@hooks.example.com/", "user name"),
        ("https://hooks.example.com@127.0.0.2/", "user name"),
        ("https://hooks.example.com%40127.0.0.2/", "name"),
        ("https://hooks.example.com:44 3/", "spaces"),
        ("https:///hooks.example.com/", "host"),
        ("https://./", "name"),
        ("https://" + "a." * 127 + "example/", "name"),
        ("https://..example.com/", "name"),
        ("https://" + "a" * 64 + ".example.com/", "name"),
        ("https://hooks.example.com/" + "a" * 2000, "2000"),
        ("https://10.0.0.1/", "private"),
        ("https://169.254.169.254/latest/meta-data/", "link-local"),
        ("https://[fd00::1]/", "private"),
        ("https://2130706433/", "number"),
        ("https://0x7f.1/", "number"),
    ],
)
def test_a_url_that_cannot_be_is_refused_with_the_reason(url: str, words: str) -> None:
    with pytest.raises(DestinationRefused, match=re.escape(words)):
        subscriptions.register(company(), url)
    assert not Subscription.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.com",
        "https://hooks.example.com:8443/a?b=c&d=%20",
        "HTTPS://Hooks.Example.COM/",
        "https://recepción.example.cl/hook",
        "https://8.8.8.8/",
        "https://[2001:4860:4860::8888]:444/",
        "https://localhost/",  # a name: where it leads is seen when it is resolved
    ],
)
def test_any_other_https_url_is_taken(url: str) -> None:
    assert subscriptions.register(company(), url)[0].url == url


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("https://Hooks.Example.com", "hooks.example.com", 443),
        ("https://hooks.example.com.:8443/", "hooks.example.com.", 8443),
        ("https://recepción.example.cl/", "xn--recepcin-13a.example.cl", 443),
        ("https://faß.example/", "xn--fa-hia.example", 443),  # IDNA 2003 would look up another name: fass.example
        ("https://under_score.example/", "under_score.example", 443),
        ("https://[2001:4860:4860:0:0:0:0:8888]/", "2001:4860:4860:0:0:0:0:8888", 443),
    ],
)
def test_the_host_that_is_looked_up_is_the_one_that_is_sent_to(url: str, host: str, port: int) -> None:
    assert destinations.inspect(url) == (host, port)
    assert ":" in host or yarl.URL(url).raw_host == host


def test_the_model_gives_the_reason_to_forms() -> None:
    with pytest.raises(ValidationError) as refused:
        Subscription(company=company(), url="http://hooks.example.com/", sealed_secret="x").full_clean()
    assert "https" in str(refused.value.message_dict["url"])


def test_one_endpoint_is_subscribed_once_and_may_come_back() -> None:
    first = subscribe(URL)
    subscribe(URL, "RIVAL")
    with pytest.raises(AlreadySubscribed):
        subscribe(URL)
    subscriptions.disable(first)
    second = subscribe(URL)
    with pytest.raises(AlreadySubscribed):
        subscriptions.enable(first)
    subscriptions.disable(second)
    assert subscriptions.enable(first)
    assert not subscriptions.enable(first)


def test_rotation_kills_the_old_secret_at_once() -> None:
    subscription = subscribe(URL)
    secret = subscriptions.rotate_secret(subscription)
    stored = Subscription.objects.get()
    assert encryption.unseal(stored.sealed_secret) == secret != SECRET
    assert stored.secret_set_at > stored.created_at


def test_disabling_cancels_what_waits_and_nothing_of_others() -> None:
    subscription, _other = subscribe(URL), subscribe(URL + "/other")
    publish(2)
    assert subscriptions.disable(subscription)
    assert not subscriptions.disable(subscription)
    cancelled = Delivery.objects.filter(state=State.CANCELLED)
    assert {delivery.subscription_id for delivery in cancelled} == {subscription.pk}
    assert all(delivery.finished_at for delivery in cancelled)
    assert Delivery.objects.pending().count() == 2


def test_deleting_cancels_what_waits_and_the_log_stays() -> None:
    subscription = subscribe_signed(URL)
    publish(2)
    Delivery.objects.filter(pk=Delivery.objects.latest("pk").pk).update(state=State.WAITING, due_at=timezone.now())
    subscriptions.remove(subscription)
    assert {(row.state, row.company) for row in Delivery.objects.all()} == {(State.CANCELLED, company())}
    assert not Subscription.objects.exists()
    gone = Subscription.everyone.get()
    assert (gone.is_active, gone.sealed_secret) == (False, "")


def test_what_is_deleted_cannot_be_brought_back_and_its_url_is_free(settings: Any) -> None:
    subscription = subscribe(URL)
    subscriptions.remove(subscription)
    assert not subscriptions.enable(subscription)
    assert not Subscription.everyone.get().is_active
    again = subscribe(URL)
    assert list(Subscription.objects.all()) == [again]
    settings.FIELD_ENCRYPTION_KEYS = [FIRST]
    assert reseal(Subscription)[1] == [again.pk]


def test_a_long_backlog_is_cancelled_in_parts(monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any) -> None:
    monkeypatch.setattr(subscriptions, "CANCELLED_AT_ONCE", 3)
    subscription, other = subscribe(URL), subscribe(URL + "/other")
    publish(7)
    with django_assert_num_queries(8):  # three times look and cancel, and look once more, for what is retried too
        assert subscriptions.cancel(Delivery.objects.filter(subscription=subscription)) == 7
    assert set(Delivery.objects.pending().values_list("subscription", flat=True)) == {other.pk}


def test_what_a_disabling_that_was_cut_short_left_is_not_sent_after_an_enabling() -> None:
    subscription = subscribe(URL)
    publish()
    Subscription.objects.update(is_active=False)
    assert subscriptions.enable(subscription)
    assert Delivery.objects.get().state == State.CANCELLED


def test_deleting_what_somebody_else_has_deleted_meanwhile_changes_nothing() -> None:
    subscription, other = subscribe(URL), subscribe(URL + "/other")
    subscriptions.remove(Subscription.objects.get(pk=subscription.pk))
    subscriptions.remove(subscription)
    assert list(Subscription.objects.all()) == [other]


def test_keys_rotate_and_the_old_one_can_go(settings: Any) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [FIRST]
    subscription = subscribe(URL)
    settings.FIELD_ENCRYPTION_KEYS = [SECOND, FIRST]
    assert reseal(Subscription) == (1, [])
    settings.FIELD_ENCRYPTION_KEYS = [SECOND]
    subscription.refresh_from_db()
    assert encryption.unseal(subscription.sealed_secret) == SECRET


def test_a_secret_that_no_key_opens_is_named_and_left_alone(settings: Any) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [FIRST]
    lost = subscribe(URL)
    settings.FIELD_ENCRYPTION_KEYS = [SECOND]
    subscribe(URL + "/other")
    sealed = lost.sealed_secret
    assert reseal(Subscription) == (1, [lost.pk])
    lost.refresh_from_db()
    assert lost.sealed_secret == sealed
    with pytest.raises(SecretUnreadable, match="FIELD_ENCRYPTION_KEYS"):
        encryption.unseal(sealed)


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"state": "lost", "finished_at": timezone.now()}, "delivery_state_known"),
        ({"subscription": None}, "delivery_waits_for_somebody"),
        ({"state": State.SENDING}, "delivery_sent_by_somebody"),
        ({"state": State.DELIVERED}, "delivery_finished_at_some_time"),
    ],
)
def test_the_database_knows_the_law_of_deliveries(changes: dict[str, Any], constraint: str) -> None:
    subscribe(URL)
    publish()
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Delivery.objects.update(**changes)


def test_the_database_knows_that_urls_are_https() -> None:
    subscribe(URL)
    with pytest.raises(IntegrityError, match="subscription_https_only"), transaction.atomic():
        Subscription.objects.update(url="http://hooks.example.com/")


@pytest.mark.parametrize(
    ("history", "is_failing"),
    [
        ([], False),
        ([(State.FAILED, 90)], True),
        ([(State.FAILED, 30)], False),
        ([(State.FAILED, 90), (State.DELIVERED, 80), (State.FAILED, 10)], False),
        ([(State.DELIVERED, 95), (State.FAILED, 90), (State.FAILED, 10)], True),
        ([(State.CANCELLED, 90), (State.ABANDONED, 80)], False),
        ([(State.FAILED, 30), (State.FAILED, 20), (State.FAILED, 10)], True),
        ([(State.FAILED, 40), (State.DELIVERED, 30), (State.FAILED, 20), (State.FAILED, 10)], False),
    ],
)
def test_a_subscription_fails_since_the_first_failure_or_for_many_without_a_success_after_it(
    history: list[tuple[State, int]],
    is_failing: bool,  # noqa: FBT001  # a table's column
) -> None:
    subscription = subscribe(URL)
    now = timezone.now()
    for state, minutes in history:
        publish()
        Delivery.objects.pending().update(state=state, finished_at=now - timedelta(minutes=minutes))
    hour_ago = now - timedelta(hours=1)
    assert (subscription in Subscription.objects.unreached(hour_ago, in_a_row=3)) is is_failing
