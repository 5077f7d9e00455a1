"""Taking free text out of the delivery log, for those who erase a person's data. What was delivered stays on record."""

import json
from collections.abc import Collection

from webhooks.models import Delivery, DeliveryAttempt

_REASON = b'"reason":'


def forget_texts(company_id: int, subjects: Collection[str]) -> int:
    """Blank what clients answered and take the reasons out of the bodies, for a company's deliveries on `subjects`.

    A body without its `reason` is still a body by the contract. Within the caller's transaction; rows in the order of
    their ids. Gives how many deliveries were changed. The answer to a delivery that is in flight at that moment is
    recorded after it, and stays until the log is pruned.
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
