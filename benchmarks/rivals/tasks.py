"""One Celery task for each delivery, with `requests`, as Django projects usually send webhooks.

One look-up by key with its subscription, one POST with the contract's headers and time-out, one update.
`requests.post`, as its own guide has it: a connection and a TLS handshake for each delivery, where ours keeps
connections open. What else it lacks follows from its design: an end-to-end deadline, a check of addresses, an outbox,
and limits for endpoints that hang.
"""

import os
from contextlib import suppress

import django
import requests
from celery import Celery
from django.apps import apps

if not apps.ready:
    django.setup()

from django.utils import timezone  # Django had to be set up first

from base import encryption  # as above
from webhooks.models import Delivery, State  # as above

app = Celery("rival", broker=os.environ["BENCH_BROKER_URL"])
app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)


@app.task  # type: ignore[untyped-decorator]  # celery has no type hints
def deliver(key: int) -> None:
    """POST one delivery and store the result."""
    delivery = Delivery.objects.select_related("subscription").get(pk=key)
    assert delivery.subscription
    claimed_at, state, status = timezone.now(), State.FAILED, None
    with suppress(requests.RequestException):
        answer = requests.post(
            delivery.subscription.url,
            data=bytes(delivery.body),
            headers={
                "Authorization": f"Bearer {encryption.unseal(delivery.subscription.sealed_secret)}",
                "Content-Type": "application/json",
                "X-Service-Delivery-Id": delivery.delivery_id,
                "X-Service-Event": delivery.event_type,
            },
            timeout=10,
            allow_redirects=False,
            verify=os.environ["WEBHOOK_CA_BUNDLE"],
        )
        state, status = State.DELIVERED if answer.ok else State.FAILED, answer.status_code
    Delivery.objects.filter(pk=key).update(
        state=state, claimed_at=claimed_at, finished_at=timezone.now(), http_status=status
    )
