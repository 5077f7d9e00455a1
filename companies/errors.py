"""Errors of companies and operators: what was refused and why, with the status and code of the APIs' answers."""

from base.errors import DomainError, TemporarilyUnavailable


class MissingApiKey(DomainError):
    """The request has no `Authorization: Bearer <password>` header."""

    status, code = 401, "missing_api_key"
    default_message = "Send the header Authorization: Bearer <API_PASSWORD>."


class InvalidApiKey(DomainError):
    """The password belongs to no active company: the same error for unknown, rotated and deactivated ones."""

    status, code = 401, "invalid_api_key"
    default_message = "The API password is not valid."


class MistypedApiKey(InvalidApiKey):
    """A password of the right form whose check digits do not hold."""

    default_message = "A character of this API password is wrong; copy it again."


class OtherServicesApiKey(InvalidApiKey):
    """A password of the sandbox, sent to the live service, or the reverse."""

    default_message = "This is a password of the sandbox; this is the live service."


class MissingToken(DomainError):
    """A request to the operators' API has no `Authorization: Bearer <token>` header."""

    status, code = 401, "missing_token"
    default_message = "Send the header Authorization: Bearer <token>; POST tokens returns one."


class InvalidToken(DomainError):
    """The token is malformed, expired or forged, or its session has ended: one error for all."""

    status, code = 401, "invalid_token"
    default_message = "The token is not valid, or its session has ended. Ask for another one."


class InvalidCredentials(DomainError):
    """Unknown name, wrong password, wrong or missing code, unknown or ended access: one error for all."""

    status, code = 401, "invalid_credentials"
    default_message = "The credentials are not valid."


class TokenRequestInvalid(DomainError):
    """A request for a token lacks a field, or has an unknown grant. `details` names the fields."""

    code = "validation_failed"
    default_message = "Some fields are invalid; see details."


class Forbidden(DomainError):
    """The operator may not do this. Extra `permission`, the one that is missing, or `reason`."""

    status, code = 403, "forbidden"
    default_message = "Your role does not allow this."


class ForbiddenCountry(DomainError):
    """The country is outside those of the operator. Extra `country`."""

    status, code = 403, "forbidden_country"
    default_message = "This country is outside those that you work on."


class CompanyIsCourier(DomainError):
    """A courier posted without naming the client it posts for."""

    code = "company_is_courier"
    default_message = "A courier posts on behalf of a client: use the JSON endpoint and send client_code."


class ClientCodeNotAllowed(DomainError):
    """A client sent a client_code."""

    status, code = 403, "client_code_not_allowed"
    default_message = "client_code is only for couriers; leave it out."


class ClientNotResolved(DomainError):
    """The client is unknown, inactive or not linked to this courier: one error for all. Extra `client_code`."""

    status, code = 403, "client_not_resolved"
    default_message = "client_code names no active client that you may post for."


class UnsupportedCountry(DomainError):
    """This endpoint serves none of the company's countries. Extras `country` and `allowed_countries`."""

    status, code = 403, "unsupported_country"
    default_message = "None of your countries is served by this endpoint; POST process-pre-alert-json serves them all."


class CountryNotAllowed(DomainError):
    """The destination is not among the company's allowed countries. Extra `country`."""

    status, code = 403, "country_not_allowed"
    default_message = "Your company may not ship to this country."


class TrackingPrefixMissing(DomainError):
    """The company has no tracking prefix, so no tracking codes can be assigned."""

    code = "tracking_prefix_missing"
    default_message = "Your company has no tracking prefix yet; ask the operators to set one."


class ChangesNotAllowed(DomainError):
    """The operators have switched off corrections and cancellations by API for the company."""

    status, code = 403, "forbidden"
    default_message = "Your company may not correct or cancel by API; ask the operators."


class PasswordsBusy(TemporarilyUnavailable):
    """More passwords wait to be hashed than this process takes on."""

    default_message = "Too many people are logging in at this moment. Try again in a few seconds."
    retry_after_seconds = 2
