"""Sessions and their tokens: opened, recognised, ended.

A token is a JWT that names its session; whoever it is and what they may is read from the database at each request, so a
role or a country that is taken away counts at once, and so does the end of the session. Its key is derived from
`SECRET_KEY`, whose fallbacks verify: it rotates with it.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from math import ceil
from uuid import UUID

import jwt
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from base.errors import RateLimited, Translatable
from companies.errors import InvalidToken
from companies.models import OperatorAccess, OperatorSession

ISSUER, AUDIENCE = "prealerts", "operators"
MACHINE_SECONDS = 60 * 60
"""How long a machine's token lasts. A person's lasts as long as a session of the admin."""
USE_NOTED_EVERY = timedelta(minutes=1)
"""So that a busy scanner does not turn every request into a write."""
KEPT_AFTER_END = timedelta(days=30)
MOST_TOKENS = 10
"""Tokens that an access or a person may get within a minute."""

_ALGORITHM = "HS256"
_REQUIRED = ["iss", "aud", "sub", "sid", "iat", "exp"]


def open_session(user: User, address: str | None, access: OperatorAccess | None = None) -> OperatorSession:
    """Open a session for a person, or for a machine with its access. Raises `RateLimited`."""
    now = timezone.now()
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # so that two at once are counted as two
        require_few_tokens(user.get_username())
        if access is None:
            expires_at = now + timedelta(seconds=settings.SESSION_COOKIE_AGE)
        else:
            expires_at = min(now + timedelta(seconds=MACHINE_SECONDS), access.expires_at)
            OperatorAccess.objects.filter(pk=access.pk).update(last_used_at=now)
        return OperatorSession.objects.create(
            user=user, access=access, auth_hash=user.get_session_auth_hash(), address=address, expires_at=expires_at
        )


def require_few_tokens(username: str) -> None:
    """Raise `RateLimited` if this person or machine was issued ten tokens within the last minute."""
    since = timezone.now() - timedelta(minutes=1)
    issued = OperatorSession.objects.filter(user__username=username, created_at__gt=since)
    tenth = issued.order_by("-created_at").values_list("created_at", flat=True)[MOST_TOKENS - 1 : MOST_TOKENS].first()
    if tenth is not None:
        wait = max(1, ceil((tenth - since).total_seconds()))
        text = Translatable(
            "At most %(most)s tokens a minute are issued to one person or access. Use the one you have, or ask again "
            "in %(wait)s s.",
            most=MOST_TOKENS,
            wait=wait,
        )
        raise RateLimited(text, retry_after_seconds=wait)


def token_of(session: OperatorSession) -> str:
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": str(session.user_id),
        "sid": str(session.pk),
        "iat": session.created_at,
        "exp": session.expires_at,
    }
    return jwt.encode(claims, _key(settings.SECRET_KEY), algorithm=_ALGORITHM)


def session_of(token: str) -> OperatorSession:
    """Return the live session of a token, with its user, and note its use. Raises `InvalidToken`."""
    claims = _claims(token)
    session = None
    with suppress(ValueError):  # rightly signed, and yet no token of ours
        sessions = OperatorSession.objects.select_related("access", "user__operator_profile")
        session = sessions.filter(pk=UUID(str(claims["sid"]))).first()
    now = timezone.now()
    if session is None or str(session.user_id) != claims["sub"] or not _is_live(session, now):
        raise InvalidToken
    if session.last_used_at is None or now - session.last_used_at >= USE_NOTED_EVERY:
        OperatorSession.objects.filter(pk=session.pk).update(last_used_at=now)
    return session


def _claims(token: str) -> dict[str, str]:
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            return jwt.decode(
                token,
                _key(secret),
                algorithms=[_ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                # Our own clocks may differ; the session says when it began.
                options={"require": _REQUIRED, "verify_iat": False},
            )
        except jwt.InvalidTokenError:
            continue
    raise InvalidToken


def _key(secret: str) -> bytes:
    return salted_hmac("companies.operators.tokens", AUDIENCE, secret=secret, algorithm="sha256").digest()


def _is_live(session: OperatorSession, now: datetime) -> bool:
    """Whether a session may still be used: not ended, not expired, its user as it was when it began."""
    user, access = session.user, session.access
    if session.ended_at is not None or session.expires_at <= now or not user.is_active:
        return False
    if access is not None:
        return access.expires_at > now and _is_same(session, user)
    idle = now - (session.last_used_at or session.created_at)
    return idle < timedelta(minutes=settings.SESSION_IDLE_MINUTES) and user.is_staff and _is_same(session, user)


def _is_same(session: OperatorSession, user: User) -> bool:
    """Whether the password has not changed since. Django's digest of it depends on the secret key."""
    digests = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(session.auth_hash, digest) for digest in digests)


def forget_sessions(*, dry_run: bool = False) -> int:
    """Delete the sessions that ended or expired 30 days ago, and return their number."""
    old = OperatorSession.objects.over_since(timezone.now() - KEPT_AFTER_END)
    return old.count() if dry_run else old.delete()[0]
