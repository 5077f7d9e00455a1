"""The second factor of an operator: an app that makes codes, and ten recovery codes for the day it is lost.

django-otp keeps the devices, counts an app's wrong codes (`Authenticator` bounds them), and takes no code twice. A
session waits for its own wrong codes before it gets here (`code_waits`).
The database holds neither what the app's key is nor a recovery code, only what the pepper makes of them.
"""

import secrets
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from companies.authenticator import Authenticator
from companies.peppered import peppered

RECOVERY_CODES = 10
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that is read as something else
_GROUPS, _GROUP_LENGTH = 6, 4  # 119 bits: enough to be kept as a keyed digest (OWASP ASVS 5.0, V6.5.2)
_KEPT_LENGTH = 16
_CODE_LENGTH = 6

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a code. device: what it was proved with; None when it was not. waits: seconds until the next
    code is looked at; 0 when at once.
    """

    device: Device | None = None
    waits: int = 0


def authenticator_of(user: User) -> Authenticator | None:
    """The app that `user` has enrolled."""
    return Authenticator.objects.filter(user=user, confirmed=True).first()


def is_verified(user: object) -> bool:
    """Whether the session that a request came with has proved the second factor of its user, `request.user`."""
    return getattr(user, "otp_device", None) is not None


def begin_enrolment(user: User) -> Authenticator:
    """A fresh key, to be shown to `user` and confirmed by a code; one that was begun before is forgotten."""
    with transaction.atomic():
        Authenticator.objects.filter(user=user, confirmed=False).delete()
        authenticator: Authenticator = Authenticator.objects.create(user=user, name="app", confirmed=False)
    return authenticator


def readable_key(authenticator: Authenticator) -> str:
    """The key as a person types it: base32 in groups of four."""
    key = b32encode(authenticator.bin_key).decode("ascii")
    return " ".join(key[start : start + _GROUP_LENGTH] for start in range(0, len(key), _GROUP_LENGTH))


def finish_enrolment(authenticator: Authenticator, code: str) -> Verdict:
    """Take the app into use if `code` comes from it; whoever else has begun meanwhile is too late."""
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
    """Look at a code: six digits are the app's, all else is a recovery code, which works once."""
    compact = _compact(code)
    is_apps = len(compact) == _CODE_LENGTH and compact.isdigit()
    devices = Authenticator.objects if is_apps else StaticDevice.objects
    with transaction.atomic():
        device = devices.select_for_update().filter(user=user, confirmed=True).first()
        if device is None:
            return Verdict()
        verdict = _try(device, compact if is_apps else _kept(compact))
    log.info("second_factor", accepted=verdict.device is not None, recovery_code=not is_apps, user_id=user.pk)
    return verdict


def renew_recovery_codes(user: User) -> Sequence[str]:
    """Ten new codes in clear, to be shown once; the old ones are dead."""
    codes = [_new_code() for _ in range(RECOVERY_CODES)]
    with transaction.atomic():
        device, _made = StaticDevice.objects.get_or_create(user=user, defaults={"name": "recovery codes"})
        device.token_set.all().delete()
        StaticToken.objects.bulk_create(StaticToken(device=device, token=_kept(_compact(code))) for code in codes)
    log.info("recovery_codes_renewed", user_id=user.pk)
    return codes


def recovery_codes_left(user: User) -> int:
    """How many of the codes are still unused."""
    return StaticToken.objects.filter(device__user=user).count()


def reset(user: User) -> bool:
    """Forget the app and the codes: the next login enrols anew. False when there was nothing to forget.

    Sessions that were proved with them are asked again at their next page.
    """
    with transaction.atomic():
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


def _kept(compact: str) -> str:
    """What the table keeps of a recovery code: 80 bits that tell nothing of it."""
    return b32encode(peppered("recovery code", compact)).decode("ascii")[:_KEPT_LENGTH]
