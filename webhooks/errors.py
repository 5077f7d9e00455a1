"""What this room refuses. None of it reaches a client: subscriptions are the operators' business alone."""

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
