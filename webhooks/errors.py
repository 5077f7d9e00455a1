"""The errors of webhooks; those with a code have a response."""

from base.errors import DomainError


class DestinationRefused(DomainError):
    """Deliveries may not be sent to this URL; the message says why and what is accepted."""

    default_message = "Deliveries may not be sent to this address."


class AddressRefused(DestinationRefused):
    """The host is, or resolves to, an address that deliveries may not reach."""

    default_message = "Events cannot be delivered to this address."


class SecretRefused(DomainError):
    """The secret cannot be sent in an `Authorization` header."""

    default_message = "The secret cannot be sent in a header."


class AlreadySubscribed(DomainError):
    """The company already has an active subscription with this URL: each event would arrive twice, with two ids."""

    status, code = 409, "subscription_exists"
    default_message = "The company already has an active subscription for this URL."


# --- what clients do for themselves -----------------------------------------------------------------------------


class CourierRefused(DomainError):
    """A courier tried to subscribe; its clients receive the events, never the courier."""

    status, code = 403, "forbidden"
    default_message = "Webhooks are for clients: a courier would receive no events about its clients' shipments."


class ManagedByOperators(DomainError):
    """Subscriptions of version 1 are managed by operators."""

    status, code = 409, "subscription_managed_by_operators"
    default_message = (
        "This webhook is of version 1 and managed by the operators; create one of version 2 for the same URL instead."
    )


class SubscriptionLimit(DomainError):
    """The company has as many active subscriptions as it may have."""

    status, code = 409, "subscription_limit"
    default_message = "You have 10 active webhooks; delete or disable one first."


class DeliveryInFlight(DomainError):
    """The delivery is about to be sent, or is being sent."""

    status, code = 409, "delivery_in_flight"
    default_message = "This delivery is already being sent."


class ReplayNotAvailable(DomainError):
    """The delivery cannot be replayed; the message says why."""

    status, code = 409, "replay_not_available"
    default_message = "Deliveries of version 1 are sent once and cannot be replayed."


class TooManyTests(DomainError):
    """Too many test deliveries for the company within a minute."""

    status, code = 429, "rate_limited"
    default_message = "At most 10 test deliveries a minute."

    def __init__(self, retry_after_seconds: int) -> None:
        self.retry_after_seconds = retry_after_seconds
        super().__init__()


class ResendNotAvailable(DomainError):
    """The delivery cannot be resent by an operator; the message says why."""

    default_message = "Only failed or abandoned deliveries can be resent."
