"""Removing free text from the delivery log when a person's data is erased. The deliveries stay on record."""

import json
from collections.abc import Collection

from webhooks.models import Delivery, DeliveryAttempt

_REASON = b'"reason":'


def forget_texts(company_id: int, subjects: Collection[str]) -> int:
    """Blank clients' responses and remove the reasons from the bodies of a company's deliveries about `subjects`.

    The contract allows a body without `reason`. Runs in the caller's transaction and locks rows in the order of their
    ids. Returns how many deliveries were changed. The response to a delivery in flight is recorded afterwards, and
    stays until the log is pruned.
    """
    rows = Delivery.objects.filter(subject__in=subjects, company_id=company_id).order_by("pk")
    changed = []
    for delivery in rows.only("body", "excerpt").select_for_update(no_key=True):
        body = bytes(delivery.body)
        kept = _without_reason(body) if _REASON in body else body
        if kept != body or delivery.excerpt:
            delivery.body, delivery.excerpt = kept, ""
            changed.append(delivery)
    Delivery.objects.bulk_update(changed, ["body", "excerpt"], batch_size=100)
    past = DeliveryAttempt.objects.filter(delivery__subject__in=subjects, delivery__company_id=company_id)
    past.exclude(excerpt="").update(excerpt="")
    return len(changed)


def _without_reason(body: bytes) -> bytes:
    content = json.loads(body)
    content["data"].pop("reason", None)
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
