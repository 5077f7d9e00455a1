"""What a failure means and what to do about it, in the operator's language; and in two words, for lists.

Each page words it from what is stored: the code, the HTTP status and the sender's message.
"""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from base.admin.confirmed_action import Grouped
from webhooks import replays
from webhooks.models import Delivery, DeliveryAttempt, State, Subscription
from webhooks.verdicts import Failure, Phase

_BY_CODE = {
    Failure.DNS: gettext_lazy("The name in the URL does not resolve. Ask the client whether the URL is still correct."),
    Failure.ADDRESS_REFUSED: gettext_lazy(
        "The URL resolves to an address outside of the public internet, so nothing is sent to it. Ask the client for a "
        "public one."
    ),
    Failure.URL_REFUSED: gettext_lazy("Nothing can be sent to this URL. Ask the client for another one."),
    Failure.CONNECT: gettext_lazy(
        "Connection refused. Ask the client whether the endpoint is running and accepts our connections."
    ),
    Failure.TLS: gettext_lazy(
        "No secure connection could be made. Ask the client to check the endpoint's certificate and TLS settings."
    ),
    Failure.TIMEOUT: gettext_lazy("The endpoint did not respond within 10 seconds. Ask the client why it is slow."),
    Failure.DISCONNECTED: gettext_lazy(
        "The endpoint closed the connection. It may have received the event; the client can check the endpoint's log."
    ),
    Failure.PROTOCOL: gettext_lazy("The response is not HTTP. Ask the client whether the URL is still correct."),
    Failure.REDIRECT: gettext_lazy(
        "The endpoint redirects, and redirects are not followed. Ask the client for the final URL and enter it here."
    ),
    Failure.HTTP_STATUS: gettext_lazy("The endpoint rejected the event. Ask the client to check the endpoint's log."),
    Failure.SECRET_UNREADABLE: gettext_lazy(
        "The subscription's secret cannot be decrypted. An administrator must restore the old encryption key, "
        "or you can rotate the secret and give the client the new one."
    ),
    Failure.INTERNAL: gettext_lazy(
        "An error on our side. Report it to an administrator; the details are in the service's log."
    ),
    Failure.OUTCOME_UNKNOWN: gettext_lazy(
        "Sending was interrupted on our side. The client may have received the event; it is not sent again."
    ),
}

_SECRET, _SIGNATURE = gettext_lazy("secret refused"), gettext_lazy("signature refused")
_OF_WORDS: Mapping[tuple[Failure, str], tuple[Promise | None, Promise]] = {
    (Failure.TLS, "has expired"): (
        gettext_lazy("Certificate expired"),
        gettext_lazy("The endpoint's certificate has expired. Ask the client to renew it."),
    ),
    (Failure.TLS, "not yet valid"): (
        None, gettext_lazy("The endpoint's certificate is not valid yet. Ask the client to install a valid one."),
    ),
    (Failure.TLS, "mismatch"): (
        gettext_lazy("Certificate of another name"),
        gettext_lazy("The endpoint's certificate was issued for another name. Ask the client to install one for this "
                     "host."),
    ),
    (Failure.TLS, "self-signed"): (
        gettext_lazy("Certificate not trusted"),
        gettext_lazy("The endpoint's certificate is not from a trusted authority. Ask the client for a public "
                     "certificate."),
    ),
    (Failure.TLS, "unable to get"): (
        gettext_lazy("Certificate incomplete"),
        gettext_lazy("The endpoint does not send its full certificate chain, or its authority is not public. Ask the "
                     "client to install the intermediate certificates."),
    ),
    (Failure.TIMEOUT, Phase.RESOLVE): (
        None, gettext_lazy("The name servers for the URL did not respond in time. Ask the client to check them."),
    ),
    (Failure.TIMEOUT, Phase.CONNECT): (
        None, gettext_lazy("Connecting took more than 10 seconds. Ask the client whether the endpoint is running and "
                           "its firewall lets us in."),
    ),
    (Failure.TIMEOUT, Phase.ANSWER): (
        None, gettext_lazy("The endpoint accepted the connection but did not respond within 10 seconds. Ask the client "
                           "to respond before processing the event."),
    ),
}  # fmt: skip
"""Cause and advice, more specific than for the code, if the sender's message contains these words. The first match
counts."""

_OF_STATUS: dict[int, tuple[Promise, Promise | None]] = {
    400: (gettext_lazy("event refused"),
          gettext_lazy("The endpoint does not understand the event. Show the client the body from the delivery's "
                       "page.")),
    401: (_SECRET, gettext_lazy("The endpoint rejects our secret. Rotate the secret and give the client the new one.")),
    404: (gettext_lazy("URL unknown"),
          gettext_lazy("The endpoint says that this URL does not exist. Ask the client whether it is still correct.")),
    405: (gettext_lazy("POST refused"),
          gettext_lazy("This URL does not accept events. Ask the client whether it is still correct.")),
    408: (gettext_lazy("timed out"), None),
    413: (gettext_lazy("event too large"),
          gettext_lazy("The event is too large for the endpoint. Ask the client to raise its limit.")),
    429: (gettext_lazy("too many events"),
          gettext_lazy("The endpoint limits how many events it accepts. Ask the client to raise its limit.")),
}  # fmt: skip
"""Status -> cause and advice; without advice, that of the code."""
_OF_STATUS |= {403: _OF_STATUS[401], 410: _OF_STATUS[404], 415: _OF_STATUS[400], 422: _OF_STATUS[400]}
_SIGNATURE_REFUSED = gettext_lazy(
    "The endpoint rejects our signature. Ask the client to check the secret and the clock of the endpoint, or "
    "rotate the secret."
)
_CUT_OFF = gettext_lazy(
    "Sending was interrupted on our side. The client may have received the event; it is sent again with the same "
    "id, with up to ten attempts in all."
)
_THEIR_ERROR = gettext_lazy("endpoint's error")
_THEIR_FAULT = gettext_lazy("The endpoint has an error or is not running. Ask the client to check its log.")


def advice(delivery: Delivery) -> str:
    """Return what happened to `delivery` and what to do, in the active language; empty if nothing is wrong."""
    if delivery.state == State.CANCELLED and delivery.reason:
        return _("Not sent: it waited when the backup was made from which this database was restored.")
    if delivery.state == State.CANCELLED:
        return _("Not sent: the subscription or the company was disabled while it waited.")
    if delivery.state == State.DEAD and not delivery.error:
        return _("Not sent: the subscription was disabled while it waited. It can be replayed.")
    if not delivery.error:
        return ""
    failure = Failure(delivery.error)
    if delivery.is_retried and failure is Failure.OUTCOME_UNKNOWN:
        return str(_CUT_OFF)
    if failure is Failure.HTTP_STATUS and delivery.http_status is not None:
        if delivery.is_retried and delivery.http_status in {401, 403}:
            return str(_SIGNATURE_REFUSED)
        _cause, of_status = _of_status(delivery.http_status)
        return str(of_status or _BY_CODE[failure])
    _cause, of_words = _of_words(delivery)
    return str(of_words or _BY_CODE[failure])


HOW_AGAIN = (
    gettext_lazy("They are sent now, at most 5 000 at once, with the same ids and bodies and up to ten attempts."),
    gettext_lazy(
        "An endpoint that still fails gets two at a time, until one succeeds. Current events are not delayed."
    ),
)


def say_sent_again(request: HttpRequest, rows: int, *, has_more: bool = False) -> None:
    """Say what came of sending deliveries again. rows: may be 0, after a second click."""
    if not rows:
        messages.info(request, _("Nothing can be sent again now: what is due already is sent by itself."))
        return
    text = ngettext("%(n)s delivery will be sent again.", "%(n)s deliveries will be sent again.", rows)
    messages.success(request, text % {"n": Grouped(rows)})
    if has_more:
        messages.warning(request, _("There are more: do the same again."))


def to_send_again_in_words(subscription: Subscription) -> tuple[str, ...]:
    """How many deliveries *Send again* would send, in two sentences; empty where there are none, or nothing is sent."""
    waiting, dead = (rows.count() for rows in replays.to_send_again(subscription))
    if not (waiting or dead) or not (subscription.signs and subscription.is_active):
        return ()
    return in_numbers(waiting, dead)


def in_numbers(waiting: int, dead: int) -> tuple[str, str]:
    of_waiting = ngettext("%s delivery waits for another attempt.", "%s deliveries wait for another attempt.", waiting)
    of_dead = ngettext("%s was given up in the last 30 days.", "%s were given up in the last 30 days.", dead)
    return of_waiting % Grouped(waiting), of_dead % Grouped(dead)


def _of_status(status: int) -> tuple[Promise | None, Promise | None]:
    return (_THEIR_ERROR, _THEIR_FAULT) if status >= 500 else _OF_STATUS.get(status, (None, None))


def _of_words(one: Delivery | DeliveryAttempt) -> tuple[Promise | None, Promise | None]:
    found = (said for (code, mark), said in _OF_WORDS.items() if code == one.error and mark in one.reason)
    return next(found, (None, None))


def cause_of(one: Delivery | DeliveryAttempt, *, signs: bool) -> str:
    """Return why `one` failed, such as "401 · secret refused", or the HTTP status of a success; empty without either.

    signs: whether the endpoint is of version 2, which checks a signature instead of a secret.
    """
    is_status = one.error == Failure.HTTP_STATUS and one.http_status is not None
    cause, _advice = _of_status(one.http_status or 0) if is_status else _of_words(one)
    if signs and cause is _SECRET:
        cause = _SIGNATURE
    return " · ".join(str(part) for part in (one.http_status, cause or one.get_error_display()) if part)
