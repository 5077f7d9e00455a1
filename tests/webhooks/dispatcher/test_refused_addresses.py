"""Names that lead elsewhere at each look-up: every attempt is vetted anew, in either version."""

from typing import Any

import pytest

from tests.webhooks.conftest import publish, subscribe, subscribe_signed
from tests.webhooks.dispatcher.retried import make_due
from tests.webhooks.posting import looked_up
from tests.webhooks.receivers import Authority, Receiver, answer
from tests.webhooks.running import InThread, states
from webhooks.models import Delivery, DeliveryAttempt
from webhooks.verdicts import Failure

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]

OURS, PRIVATE = "127.0.0.1", "10.0.0.1"
"""Where the tests' receivers are, which the tests open; and what nothing opens."""


def dispatch(authority: Authority, *addresses: str) -> None:
    """Send what is due, while every name resolves to these."""
    with InThread(authority.bundle, once=True, lookup=looked_up(addresses)) as dispatcher:
        dispatcher.wait()


@pytest.mark.parametrize("addresses", [[PRIVATE], [OURS, PRIVATE], ["::ffff:10.0.0.1"], ["169.254.169.254"]])
def test_a_rebinding_name_is_refused_in_either_version(
    authority: Authority, receiver: Receiver, addresses: list[str]
) -> None:
    url = f"https://receiver.test:{receiver.port}/hook"
    subscribe(url)
    subscribe_signed(url)
    publish()
    dispatch(authority, *addresses)
    assert states() == {"failed": 1, "waiting": 1}
    assert set(Delivery.objects.values_list("error", flat=True)) == {Failure.ADDRESS_REFUSED}
    assert DeliveryAttempt.objects.get().error == Failure.ADDRESS_REFUSED
    assert receiver.connections == 0


def test_a_rebinding_name_is_looked_at_again_with_each_attempt(authority: Authority, receivers: Any) -> None:
    receiver = receivers(answer(500))
    subscribe_signed(f"https://receiver.test:{receiver.port}/hook")
    publish()
    for addresses in ([OURS], [PRIVATE], [OURS, PRIVATE], [OURS]):
        make_due()
        dispatch(authority, *addresses)
    errors = list(DeliveryAttempt.objects.order_by("number").values_list("error", flat=True))
    assert errors == ["http_status", "address_refused", "address_refused", "http_status"]
    assert len(receiver.received) == receiver.connections == 2
