"""What is refused here, in the domain's words. `prealerts/api.py` says which answer a client gets for each."""

from companies.errors import DomainError


class DestinationRefused(DomainError):
    """An address that no delivery may be sent to; the message says why and what would do."""

    default_message = "Deliveries may not be sent to this address."


class AddressRefused(DestinationRefused):
    """The host is, or resolves to, an address outside what deliveries may reach."""

    default_message = "Deliveries may not reach this address."


class SecretRefused(DomainError):
    """A secret that no `Authorization` header can carry."""

    default_message = "The secret cannot be sent in a header."


class SecretUnreadable(DomainError):
    """A stored secret that none of FIELD_ENCRYPTION_KEYS opens."""

    default_message = (
        "None of FIELD_ENCRYPTION_KEYS opens the stored secret: put the old key back, or set a new secret."
    )


class AlreadySubscribed(DomainError):
    """The company has an active subscription with this very URL: each event would arrive twice, under two ids."""

    default_message = "The company is already told at this URL."


# --- what clients do for themselves -----------------------------------------------------------------------------


class BodyRefused(DomainError):
    """A body that is not one JSON object."""

    default_message = "The body must be one JSON object in UTF-8, sent as application/json."


class FieldsRefused(DomainError):
    """Fields of a body that cannot be taken; `details` names each with its reasons."""

    default_message = "Some fields are not valid; see details."


class QueryRefused(DomainError):
    """Parameters of a query that cannot be read; `details` names each with its reasons."""

    default_message = "Some parameters are not valid; see details."


class CourierRefused(DomainError):
    """A courier would subscribe for itself, and nothing is ever sent to it."""

    default_message = (
        "Webhooks are for clients: a courier subscribes for itself and hears nothing of its clients' shipments."
    )


class WebhookNotFound(DomainError):
    """No such subscription or delivery among the caller's."""

    default_message = "Not found."


class ManagedByOperators(DomainError):
    """A subscription of version 1, which the operators keep."""

    default_message = (
        "This webhook is of version 1 and kept by the operators; create one of version 2 for the same URL instead."
    )


class SubscriptionLimit(DomainError):
    """As many live subscriptions as a company may have."""

    default_message = "You have 10 active webhooks; delete or deactivate one first."


class DeliveryInFlight(DomainError):
    """A delivery that is about to be sent, or is being sent."""

    default_message = "This delivery is on its way already."


class ReplayNotAvailable(DomainError):
    """A delivery that cannot be sent again; the message says why."""

    default_message = "Deliveries of version 1 are sent once and cannot be replayed."


class TooManyTests(DomainError):
    """More test deliveries than a company may have sent in a minute."""

    default_message = "At most 10 test deliveries a minute."

    def __init__(self, retry_after_seconds: int) -> None:
        self.retry_after_seconds = retry_after_seconds
        super().__init__()


class ResendNotAvailable(DomainError):
    """A delivery that an operator cannot send once more; the message says why."""

    default_message = "Only what failed or was abandoned can be sent once more."
