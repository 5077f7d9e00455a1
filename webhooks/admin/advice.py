"""What a failure means and what to do about it, in an operator's words and language.

Said anew for each page from what is stored: the code, the HTTP status and the sender's words, which stay.
"""

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webhooks.connector import Phase
from webhooks.models import Delivery, State
from webhooks.verdicts import Failure

_BY_CODE = {
    Failure.DNS: gettext_lazy(
        "The name in the URL leads to no address. Ask the client whether the URL is still right."
    ),
    Failure.ADDRESS_REFUSED: gettext_lazy(
        "The URL leads to an address that is not on the public internet; nothing is sent there. Ask the client for a "
        "public one."
    ),
    Failure.URL_REFUSED: gettext_lazy("Nothing can be sent to this URL. Ask the client for another one."),
    Failure.CONNECT: gettext_lazy(
        "Nobody takes connections at the endpoint's address. Ask the client whether it is running and lets us in."
    ),
    Failure.TLS: gettext_lazy(
        "No secure connection could be made. Ask the client to check the endpoint's certificate and TLS settings."
    ),
    Failure.TIMEOUT: gettext_lazy("The endpoint was not done within 10 seconds. Ask the client why it is so slow."),
    Failure.DISCONNECTED: gettext_lazy(
        "The endpoint broke the connection off. Whether it took the event is not known; the client's log tells."
    ),
    Failure.PROTOCOL: gettext_lazy("What answered does not speak HTTP. Ask the client whether the URL is still right."),
    Failure.REDIRECT: gettext_lazy(
        "The endpoint leads elsewhere, and we do not follow. Ask the client for the final URL and enter that one."
    ),
    Failure.HTTP_STATUS: gettext_lazy("The endpoint refused the event. The client's log tells why."),
    Failure.SECRET_UNREADABLE: gettext_lazy(
        "The subscription's secret cannot be read with our keys. Whoever runs the service has to put the old key back, "
        "or rotate the secret and give the client the new one."
    ),
    Failure.INTERNAL: gettext_lazy("The fault is ours. Tell whoever runs the service; the log has the place."),
    Failure.OUTCOME_UNKNOWN: gettext_lazy(
        "Sending was cut off on our side. Whether the client got the event is not known; it is not sent again."
    ),
}

_BY_WORDS: Sequence[tuple[Failure, str, Promise]] = (
    (Failure.TLS, "has expired", gettext_lazy("The endpoint's certificate has expired. Ask the client to renew it.")),
    (
        Failure.TLS,
        "not yet valid",
        gettext_lazy("The endpoint's certificate is not valid yet. Ask the client to install one that is."),
    ),
    (
        Failure.TLS,
        "mismatch",
        gettext_lazy("The endpoint's certificate is for another name. Ask the client for one that names this host."),
    ),
    (
        Failure.TLS,
        "self-signed",
        gettext_lazy(
            "The endpoint's certificate is signed by nobody we trust. Ask the client for one of a public authority."
        ),
    ),
    (
        Failure.TLS,
        "unable to get",
        gettext_lazy(
            "The endpoint does not show its whole chain of certificates, or its authority is not a public one. Ask the "
            "client to install the intermediate certificates."
        ),
    ),
    (
        Failure.TIMEOUT,
        Phase.RESOLVE,
        gettext_lazy("The name servers for the URL did not answer in time. Ask the client to look at them."),
    ),
    (
        Failure.TIMEOUT,
        Phase.CONNECT,
        gettext_lazy(
            "No connection was made within 10 seconds. Ask the client whether the endpoint is running and its firewall "
            "lets us in."
        ),
    ),
    (
        Failure.TIMEOUT,
        Phase.ANSWER,
        gettext_lazy(
            "The endpoint took the connection and did not answer within 10 seconds. Ask the client to answer first and "
            "work afterwards."
        ),
    ),
)
"""Where the sender's words hold these, more can be said than the code says. The first that fits."""

_BY_STATUS: dict[int, Promise] = {
    400: gettext_lazy(
        "The endpoint does not understand the event. Show the client the body, as the delivery's page has it."
    ),
    401: gettext_lazy("The endpoint does not take our secret. Agree on a new one with the client: rotate the secret."),
    404: gettext_lazy("There is nothing at this URL. Ask the client whether it is still right."),
    405: gettext_lazy("There is nothing at this URL that takes events. Ask the client whether it is still right."),
    413: gettext_lazy("The endpoint finds the event too large. Ask the client to raise its limit."),
    429: gettext_lazy("The endpoint takes no more events at this pace. Ask the client to raise its limit."),
}
_BY_STATUS |= {403: _BY_STATUS[401], 410: _BY_STATUS[404], 415: _BY_STATUS[400], 422: _BY_STATUS[400]}
_THEIR_FAULT = gettext_lazy("The endpoint has a fault or is not running. Ask the client to look at its log.")


def advice(delivery: Delivery) -> str:
    """What became of `delivery` and what an operator can do, in the language of the moment; empty where all is well."""
    if delivery.state == State.CANCELLED:
        return _("It was not sent: the subscription or the company was closed while it waited.")
    if delivery.state == State.DEAD and not delivery.error:
        return _("It was not sent: the subscription was disabled while it waited. It can be replayed.")
    if not delivery.error:
        return ""
    failure = Failure(delivery.error)
    if failure is Failure.HTTP_STATUS and delivery.http_status is not None:
        of_status = _THEIR_FAULT if delivery.http_status >= 500 else _BY_STATUS.get(delivery.http_status)
        return str(of_status or _BY_CODE[failure])
    said = (words for code, mark, words in _BY_WORDS if code is failure and mark in delivery.reason)
    return str(next(said, _BY_CODE[failure]))
