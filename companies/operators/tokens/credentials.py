"""Who asks for a token: a person with password and second factor, or a machine with its secret.

Each refusal of credentials is the same. A person's costs one round of the password hasher, so that neither the answer
nor its time tells what was wrong; a machine's costs none, for nobody can guess its secret.
"""

import base64
import binascii
from urllib.parse import unquote_plus

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.http import HttpRequest

from base.errors import RateLimited, Translatable
from companies import passwords
from companies.errors import Forbidden, InvalidCredentials
from companies.limits.attempts import attempt
from companies.models import OperatorAccess
from companies.operators import second_factor
from companies.operators.password_gate import must_change
from companies.operators.tokens.sessions import require_few_tokens

_LARGEST_KEY = 2**63


def person(request: HttpRequest, username: str, password: str, otp: str) -> User:
    """Return the operator with this name, password and code of the second factor.

    Raises `InvalidCredentials`; `RateLimited` and `PasswordsBusy` before the password is looked at; `Forbidden` after a
    right password if the operator must first do something in the admin.
    """
    username = User.normalize_username(username)  # as the form of the admin does
    require_few_tokens(username)
    with attempt(request, username):
        user = authenticate(request, username=username, password=password)
        if not isinstance(user, User) or not user.is_staff:
            raise InvalidCredentials
        if settings.ADMIN_SECOND_FACTOR:
            _verify_code(request, user, otp)
    if must_change(user):
        raise Forbidden(_FIRST_IN_ADMIN.format("choose your own password"), reason="password_change_required")
    return user


def _verify_code(request: HttpRequest, user: User, otp: str) -> None:
    if second_factor.authenticator_of(user) is None:
        raise Forbidden(_FIRST_IN_ADMIN.format("set up the second factor"), reason="second_factor_not_enrolled")
    if not otp:
        raise InvalidCredentials
    verdict = second_factor.verify(user, otp)
    if verdict.waits:
        text = Translatable("Too many wrong codes. Try again in %(wait)s s.", wait=verdict.waits)
        raise RateLimited(text, retry_after_seconds=verdict.waits)
    if verdict.device is None:
        user_login_failed.send(sender=__name__, credentials={"username": user.get_username()}, request=request)
        raise InvalidCredentials


def machine(client_id: str, client_secret: str) -> OperatorAccess:
    """Return the access with this id and secret. Raises `InvalidCredentials`."""
    access = _access(client_id) if passwords.is_well_formed(client_secret, passwords.OPERATOR) else None
    if access is None or not access.has_secret(client_secret) or access.is_over or not access.user.is_active:
        raise InvalidCredentials
    return access


def _access(client_id: str) -> OperatorAccess | None:
    prefix, _, number = client_id.partition("_")
    if prefix != "oa" or not (number.isascii() and number.isdigit()) or len(number) > len(str(_LARGEST_KEY)):
        return None
    key = int(number)
    return OperatorAccess.objects.select_related("user").filter(pk=key).first() if key < _LARGEST_KEY else None


def of_basic(header: str) -> tuple[str, str] | None:
    """Return client id and secret of `Authorization: Basic` (RFC 6749, 2.3.1); None if the header has none."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        client_id, colon, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    return (unquote_plus(client_id), unquote_plus(secret)) if colon else None


_FIRST_IN_ADMIN = "Log in to the admin and {} first."
