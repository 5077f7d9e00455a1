"""Operators' second factor: an authenticator app, and ten recovery codes in case it is lost.

django-otp stores the devices, counts the app's wrong codes (`Authenticator` limits them), and accepts each code only
once. A session's own delay applies before any of this (`seconds_left`). The database stores neither the app's key nor
the recovery codes in clear, only values derived with the pepper.
"""

import secrets
import time
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING

import structlog
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from base.http.requests import is_admin_request
from companies.models.operators import Authenticator, OperatorSession
from companies.passwords import digest_with_pepper

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase

RECOVERY_CODES = 10
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # no characters that look alike
_GROUPS, _GROUP_LENGTH = 6, 4  # 119 bits: enough to be kept as a keyed digest (OWASP ASVS 5.0, V6.5.2)
_KEPT_LENGTH = 16
_CODE_LENGTH = 6

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a code. device: the device that verified it, or None. waits: seconds until the next attempt is
    allowed; 0 if it is allowed now.
    """

    device: Device | None = None
    waits: int = 0


def authenticator_of(user: User) -> Authenticator | None:
    return Authenticator.objects.filter(user=user, confirmed=True).first()


def is_verified(user: object) -> bool:
    """Whether the request's session has verified the second factor of its user, `request.user`."""
    return getattr(user, "otp_device", None) is not None


def begin_enrolment(user: User) -> Authenticator:
    """Return a new key, to be shown to `user` and confirmed by a code; replaces any unconfirmed one."""
    with transaction.atomic():
        Authenticator.objects.filter(user=user, confirmed=False).delete()
        authenticator: Authenticator = Authenticator.objects.create(user=user, name="app", confirmed=False)
    return authenticator


def readable_key(authenticator: Authenticator) -> str:
    """The key as people type it: base32 in groups of four."""
    key = b32encode(authenticator.bin_key).decode("ascii")
    return " ".join(key[start : start + _GROUP_LENGTH] for start in range(0, len(key), _GROUP_LENGTH))


def finish_enrolment(authenticator: Authenticator, code: str) -> Verdict:
    """Confirm the app if `code` is valid; any other unconfirmed enrolment is discarded."""
    with transaction.atomic():
        pending = Authenticator.objects.select_for_update().filter(pk=authenticator.pk, confirmed=False).first()
        if pending is None or authenticator_of(pending.user) is not None:
            return Verdict()
        verdict = _try(pending, _compact(code))
        if verdict.device is not None:
            pending.confirmed = True
            pending.save(update_fields=["confirmed"])
            log.info("second_factor_enrolled", user_id=pending.user_id)
    return verdict


def verify(user: User, code: str) -> Verdict:
    """Verify a code: six digits belong to the app, anything else is a recovery code, which works once."""
    compact = _compact(code)
    is_apps = len(compact) == _CODE_LENGTH and compact.isdigit()
    devices = Authenticator.objects if is_apps else StaticDevice.objects
    with transaction.atomic():
        device = devices.select_for_update().filter(user=user, confirmed=True).first()
        if device is None:
            return Verdict()
        verdict = _try(device, compact if is_apps else _digest_code(compact))
    log.info("second_factor", accepted=verdict.device is not None, recovery_code=not is_apps, user_id=user.pk)
    return verdict


def renew_recovery_codes(user: User) -> Sequence[str]:
    """Return ten new recovery codes in clear, to be shown once; the old ones stop working."""
    codes = [_new_code() for _ in range(RECOVERY_CODES)]
    with transaction.atomic():
        device, _made = StaticDevice.objects.get_or_create(user=user, defaults={"name": "recovery codes"})
        device.token_set.all().delete()
        StaticToken.objects.bulk_create(
            StaticToken(device=device, token=_digest_code(_compact(code))) for code in codes
        )
    log.info("recovery_codes_renewed", user_id=user.pk)
    return codes


def recovery_codes_left(user: User) -> int:
    return StaticToken.objects.filter(device__user=user).count()


def reset(user: User) -> bool:
    """Remove the app and the recovery codes: the next login enrols again. Return False if there was nothing to remove.

    Sessions that were verified with them are asked for a code on their next page; those of the operators' API end.
    """
    with transaction.atomic():
        OperatorSession.objects.filter(user=user).end()
        had = Authenticator.objects.filter(user=user).delete()[0] + StaticDevice.objects.filter(user=user).delete()[0]
    log.warning("second_factor_reset", user_id=user.pk, had_one=bool(had))
    return bool(had)


def _try(device: Authenticator | StaticDevice, token: str) -> Verdict:
    allowed, why = device.verify_is_allowed()
    if not allowed:
        log.warning("second_factor_held", user_id=device.user_id)
        until: datetime | None = (why or {}).get("locked_until")
        return Verdict(waits=max(1, round((until - timezone.now()).total_seconds())) if until else 1)
    return Verdict(device if device.verify_token(token) else None)  # type: ignore[no-untyped-call]  # django-otp ships no types


def _new_code() -> str:
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_LENGTH)) for _ in range(_GROUPS))
    return "-".join(groups)


def _compact(code: str) -> str:
    return "".join(code.split()).replace("-", "").lower()


def _digest_code(compact: str) -> str:
    """The stored form of a recovery code: an 80-bit digest that reveals nothing about it."""
    return b32encode(digest_with_pepper("recovery code", compact)).decode("ascii")[:_KEPT_LENGTH]


LONGEST_SECONDS = 120

_COUNT, _LAST = "wrong_codes", "last_wrong_code"


def seconds_left(session: "SessionBase") -> int:
    """Seconds until this session may try the next code: 1, 2, 4 ... after wrong ones; 0 if it may do so now.

    Each session is delayed only by its own wrong codes: somebody who guesses codes with an operator's password delays
    nobody else. `Authenticator` limits the total over all sessions of an operator.
    """
    count: int = session.get(_COUNT, 0)
    if not count:
        return 0
    # The shift is capped: a count of thousands would produce a number of as many bits.
    wait = min(1 << min(count - 1, LONGEST_SECONDS.bit_length()), LONGEST_SECONDS)
    elapsed: float = time.time() - session[_LAST]
    return min(max(0, ceil(wait - elapsed)), wait)  # a clock set back must not extend the delay


def note_wrong_code(session: "SessionBase") -> None:
    session[_COUNT] = session.get(_COUNT, 0) + 1
    session[_LAST] = time.time()


def forget_wrong_codes(session: "SessionBase") -> None:
    session.pop(_COUNT, None)
    session.pop(_LAST, None)


_OPEN = (
    "admin:login", "admin:logout", "sso-login", "sso-callback", "second-factor-verify", "second-factor-enrol",
    "second-factor-qr",
)  # fmt: skip
BY_PROVIDER = "second_factor_by_provider"
"""In sessions of single sign-on: whether the provider has asked for a second factor."""


class SecondFactorMiddleware(MiddlewareMixin):
    """Redirect sessions that have only verified a password to the page that asks for the code.

    Decides by path, not by view, so that new pages of the admin are protected automatically. Comes after django-otp's
    middleware, which determines whether this session has verified its second factor.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not settings.ADMIN_SECOND_FACTOR or not is_admin_request(request):
            return None
        if request.path in {reverse(name) for name in _OPEN} or is_verified(request.user):
            return None
        if isinstance(request.user, AnonymousUser) or request.session.get(BY_PROVIDER):
            return None
        page = "second-factor-verify" if authenticator_of(request.user) else "second-factor-enrol"
        query = {"next": request.get_full_path()} if request.method == "GET" else None
        return HttpResponseRedirect(reverse(page, query=query))
