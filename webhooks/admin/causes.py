"""Why a delivery failed, in two words for lists. `advice.py` says what to do about it."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from webhooks.models import Delivery, DeliveryAttempt
from webhooks.verdicts import Failure

_SECRET, _SIGNATURE = _("secret refused"), _("signature refused")
_UNKNOWN_URL, _EVENT = _("URL unknown"), _("event refused")
_BY_STATUS: dict[int, Promise] = {
    400: _EVENT,
    401: _SECRET,
    403: _SECRET,
    404: _UNKNOWN_URL,
    405: _("POST refused"),
    408: _("timed out"),
    410: _UNKNOWN_URL,
    413: _("event too large"),
    415: _EVENT,
    422: _EVENT,
    429: _("too many events"),
}
_THEIR_ERROR = _("endpoint's error")
_BY_WORDS: tuple[tuple[Failure, str, Promise], ...] = (
    (Failure.TLS, "has expired", _("Certificate expired")),
    (Failure.TLS, "mismatch", _("Certificate of another name")),
    (Failure.TLS, "self-signed", _("Certificate not trusted")),
    (Failure.TLS, "unable to get", _("Certificate incomplete")),
)


def cause_of(one: Delivery | DeliveryAttempt, *, signs: bool) -> str:
    """Return why `one` failed, such as "401 · secret refused", or the HTTP status of a success; empty without either.

    signs: whether the endpoint is of version 2, which checks a signature instead of a secret.
    """
    if one.error != Failure.HTTP_STATUS or one.http_status is None:
        said = (words for code, mark, words in _BY_WORDS if code == one.error and mark in one.reason)
        parts = (one.http_status, next(said, one.get_error_display()))
    else:
        parts = (one.http_status, _of_status(one.http_status, signs=signs) or one.get_error_display())
    return " · ".join(str(part) for part in parts if part)


def _of_status(status: int, *, signs: bool) -> Promise | None:
    if status >= 500:
        return _THEIR_ERROR
    words = _BY_STATUS.get(status)
    return _SIGNATURE if signs and words is _SECRET else words
