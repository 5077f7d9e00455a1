"""Making carriers and their secrets."""

import secrets
from collections.abc import Mapping
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from standardwebhooks import Webhook

from base import encryption
from companies.passwords import is_unsent
from shipments.carriers.codes import seed_codes
from shipments.models import Adapter, Carrier, CarrierSecret, Scheme
from shipments.models.carriers import Encoding
from webhooks.subscriptions import MAX_SECRET_LENGTH, new_signing_secret

USUAL: Mapping[Adapter, Mapping[str, str]] = {
    Adapter.AFTERSHIP: {"signature_header": "aftership-hmac-sha256", "signature_encoding": Encoding.BASE64},
    Adapter.EASYPOST: {
        "signature_header": "X-Hmac-Signature",
        "signature_encoding": Encoding.HEX,
        "signature_prefix": "hmac-sha256-hex=",
    },
}
"""Adapter -> how its documentation says that bodies are signed. Sources: see the adapters."""
USUAL_HEADER = "X-Signature"
"""The header of a carrier that names none."""

OVERLAP = timedelta(hours=24)
"""How long the former secret is valid too, by default."""


def new_secret(scheme: str) -> str:
    return new_signing_secret() if scheme == Scheme.STANDARD_WEBHOOKS else secrets.token_urlsafe(32)


def check_secret(scheme: str, secret: str) -> None:
    """Raise `ValidationError` for a secret that the scheme cannot use."""
    if not 8 <= len(secret) <= MAX_SECRET_LENGTH or not secret.isprintable() or secret != secret.strip():
        text = _("A secret has 8 to %d printable characters, without spaces at either end.")
        raise ValidationError(text % MAX_SECRET_LENGTH)
    if scheme == Scheme.HEADER and not secret.isascii():
        raise ValidationError(_("A header carries ASCII characters only."))
    if scheme == Scheme.STANDARD_WEBHOOKS:
        try:
            Webhook(secret)
        except Exception:  # noqa: BLE001  # its own class for an empty key has no base
            raise ValidationError(_("A secret of Standard Webhooks is base64, after whsec_.")) from None


def fill_in(carrier: Carrier) -> None:
    """Fill in what the format's own documentation says of signatures, and validate. Raises `ValidationError`."""
    if carrier.scheme == Scheme.HMAC and not carrier.signature_header:
        for name, value in USUAL.get(Adapter(carrier.adapter), {"signature_header": USUAL_HEADER}).items():
            setattr(carrier, name, value)
    if carrier.scheme == Scheme.HEADER and not carrier.signature_header:
        carrier.signature_header = USUAL_HEADER
    carrier.full_clean()


def register(carrier: Carrier, secret: str | None = None, api_key: str = "") -> str:
    """Store a new carrier with its secret and its codes; return the secret in clear.

    secret: the carrier's own; None generates one. Raises `ValidationError`.
    """
    clear = new_secret(carrier.scheme) if secret is None else secret
    check_secret(carrier.scheme, clear)
    fill_in(carrier)
    if api_key:
        carrier.sealed_api_key = encryption.seal(api_key)
    with transaction.atomic():
        carrier.save(force_insert=True)
        CarrierSecret.objects.create(carrier=carrier, sealed_secret=encryption.seal(clear))
        seed_codes(carrier)
    return clear


def rotate_secret(carrier: Carrier, secret: str | None = None, *, overlap: timedelta = OVERLAP) -> str:
    """Replace the secret; return the new one in clear. The former one is valid until `overlap` has passed.

    Two are live at most: older ones end at once, unless the carrier has not used the former one yet, made minutes ago.
    Then that one ends, and the older one is valid instead. Raises `ValidationError`.
    """
    clear = new_secret(carrier.scheme) if secret is None else secret
    check_secret(carrier.scheme, clear)
    now = timezone.now()
    with transaction.atomic():
        Carrier.objects.select_for_update(no_key=True).get(pk=carrier.pk)
        former = carrier.secrets.filter(ends_at=None)
        older = carrier.secrets.filter(ends_at__gt=now)
        if overlap and has_unsent_secret(carrier) and older.exists():
            former.delete()
        else:
            carrier.secrets.exclude(ends_at=None).delete()
        carrier.secrets.update(ends_at=now + overlap)
        CarrierSecret.objects.create(carrier=carrier, sealed_secret=encryption.seal(clear))
    return clear


def has_unsent_secret(carrier: Carrier) -> bool:
    """Whether the newest secret was made minutes ago, and the carrier has not signed with it."""
    newest = carrier.secrets.filter(ends_at=None).first()
    return newest is not None and is_unsent(newest.created_at, newest.last_used_at)
