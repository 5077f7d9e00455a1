"""The two links of mails: Django's tokens, each worth something once and for so many hours."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import base36_to_int, urlsafe_base64_encode

INVITATION_HOURS, NEW_PASSWORD_HOURS = 72, 24


class _Tokens(PasswordResetTokenGenerator):
    hours = NEW_PASSWORD_HOURS

    def check_token(self, user: Any, token: Any) -> bool:  # noqa: ANN401  # Django's signature
        if user is None or not user.is_active or not super().check_token(user, token):
            return False
        seconds = self._num_seconds(self._now()) - base36_to_int(token.split("-")[0])
        return bool(seconds <= self.hours * 60 * 60)


class InvitationTokens(_Tokens):
    """Worth something until the invitation is accepted, or another one is written."""

    key_salt = "companies.mail.links.InvitationTokens"
    hours = INVITATION_HOURS

    def check_token(self, user: Any, token: Any) -> bool:  # noqa: ANN401  # Django's signature
        return invited_at(user) is not None and super().check_token(user, token)

    def _make_hash_value(self, user: Any, timestamp: int) -> str:  # noqa: ANN401  # as above
        return f"{user.pk} {user.password} {invited_at(user)} {user.email} {timestamp}"


def invited_at(user: User | None) -> datetime | None:
    return getattr(getattr(user, "operator_profile", None), "invited_at", None)


NEW_PASSWORD_TOKENS, INVITATION_TOKENS = _Tokens(), InvitationTokens()


def invitation_link(user: User) -> str:
    return reverse("invitation", args=[_key(user), INVITATION_TOKENS.make_token(user)])


def new_password_link(user: User) -> str:
    return reverse("new-password", args=[_key(user), NEW_PASSWORD_TOKENS.make_token(user)])


def _key(user: User) -> str:
    return urlsafe_base64_encode(force_bytes(user.pk))
