"""The errors of the domain: what was refused, in words, with no thought of HTTP.

`DomainError` stands here, in the lowest room, so that every room can raise its own kind. Which status and which
code each kind becomes is written once, in the roof's table (`prealerts/answers.py`).
"""

from collections.abc import Mapping, Sequence


class DomainError(Exception):
    """Something the domain refuses.

    message: one sentence for a person: what was wrong and what to do about it. Never a secret, never personal data.
    details: field name -> messages, where fields are concerned.
    extras: further keys of the answer that help the caller, such as `country` or `manifest_id`.
    """

    default_message = "The request was refused."

    def __init__(
        self,
        message: str = "",
        *,
        details: Mapping[str, Sequence[str]] | None = None,
        **extras: object,
    ) -> None:
        self.message = message or self.default_message
        self.details = {name: list(messages) for name, messages in (details or {}).items()}
        self.extras = extras
        super().__init__(self.message)


class MissingApiKey(DomainError):
    """No `Authorization: Bearer <password>` on the request."""

    default_message = "Send the header Authorization: Bearer <API_PASSWORD>."


class InvalidApiKey(DomainError):
    """The password belongs to no active company. One voice for unknown, rotated and deactivated."""

    default_message = "The API password is not valid."


class CompanyIsCourier(DomainError):
    """A courier posted without naming the client it posts for."""

    default_message = "A courier posts on behalf of a client: use the JSON endpoint and send client_code."


class ClientCodeNotAllowed(DomainError):
    """A client's password came with a client_code."""

    default_message = "client_code is only for couriers; leave it out."


class ClientNotResolved(DomainError):
    """Unknown, inactive or not linked to this courier: one voice. Extra `client_code`."""

    default_message = "client_code names no active client that you may post for."


class UnsupportedCountry(DomainError):
    """None of the company's countries is served here. Extras `country` and `allowed_countries`."""

    default_message = "None of your countries is served by this endpoint."


class CountryNotAllowed(DomainError):
    """The destination is outside the company's allowed countries. Extra `country`."""

    default_message = "Your company may not ship to this country."


class TrackingPrefixMissing(DomainError):
    """The owning company cannot issue tracking codes yet."""

    default_message = "Your company has no tracking prefix yet; ask the operators to set one."
