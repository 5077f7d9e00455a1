"""Subscriptions and deliveries. Deliveries are outbox, queue and log: one row from event to outcome."""

from webhooks.models.delivery import (
    ATTEMPTED,
    FINISHED,
    OUTCOME,
    UNSENT,
    Delivery,
    DeliveryAttempt,
    DeliveryQuerySet,
    State,
)
from webhooks.models.subscription import (
    DisabledReason,
    Subscriber,
    Subscription,
    SubscriptionQuerySet,
    Version,
    may_be_reached,
)

__all__ = [
    "ATTEMPTED", "FINISHED", "OUTCOME", "UNSENT", "Delivery", "DeliveryAttempt", "DeliveryQuerySet", "DisabledReason",
    "State", "Subscriber", "Subscription", "SubscriptionQuerySet", "Version", "may_be_reached",
]  # fmt: skip
