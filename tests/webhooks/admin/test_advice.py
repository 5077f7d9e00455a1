"""What operators read of a failure: every code has its sentence, in both languages, and says what to do."""

import pytest
from django.utils import translation

from webhooks.admin.advice import advice
from webhooks.models import Delivery, State
from webhooks.verdicts import Failure, Phase


def failed(error: Failure, reason: str = "", status: int | None = None) -> Delivery:
    return Delivery(state=State.FAILED, error=error, reason=reason, http_status=status)


@pytest.mark.parametrize("error", Failure)
def test_every_code_has_a_sentence_in_both_languages(error: Failure) -> None:
    with translation.override("en"):
        english = advice(failed(error))
    with translation.override("es"):
        spanish = advice(failed(error))
    assert english.endswith(".")
    assert spanish.endswith(".")
    assert english != spanish


@pytest.mark.parametrize(
    ("error", "reason", "status", "said"),
    [
        (Failure.TLS, "certificate has expired", None, "has expired. Ask the client to renew it."),
        (Failure.TLS, "certificate is not yet valid", None, "not valid yet"),
        (Failure.TLS, "Hostname mismatch, certificate is not valid for 'a.cl'.", None, "for another name"),
        (Failure.TLS, "IP address mismatch, certificate is not valid for '8.8.8.8'.", None, "for another name"),
        (Failure.TLS, "self-signed certificate in certificate chain", None, "not from a trusted authority"),
        (Failure.TLS, "unable to get local issuer certificate", None, "intermediate certificates"),
        (Failure.TLS, "TLSV1_ALERT_PROTOCOL_VERSION", None, "No secure connection"),
        (Failure.TIMEOUT, f"Timed out: {Phase.RESOLVE}.", None, "name servers"),
        (Failure.TIMEOUT, f"Timed out: {Phase.CONNECT}.", None, "firewall"),
        (Failure.TIMEOUT, f"Timed out: {Phase.ANSWER}.", None, "respond before"),
        (Failure.TIMEOUT, f"Timed out: {Phase.BODY}.", 200, "did not respond within 10 seconds"),
        (Failure.HTTP_STATUS, "401 Unauthorized", 401, "Rotate the secret"),
        (Failure.HTTP_STATUS, "403 Forbidden", 403, "Rotate the secret"),
        (Failure.HTTP_STATUS, "404 Not Found", 404, "this URL does not exist"),
        (Failure.HTTP_STATUS, "410 Gone", 410, "this URL does not exist"),
        (Failure.HTTP_STATUS, "422 ", 422, "does not understand"),
        (Failure.HTTP_STATUS, "429 Too Many Requests", 429, "how many events"),
        (Failure.HTTP_STATUS, "451 ", 451, "rejected the event"),
        (Failure.HTTP_STATUS, "502 has expired", 502, "has an error"),
    ],
)
def test_it_says_as_much_as_is_known(error: Failure, reason: str, status: int | None, said: str) -> None:
    assert said in advice(failed(error, reason, status))


def test_what_went_well_or_still_waits_needs_none() -> None:
    assert [advice(Delivery(state=state)) for state in (State.DELIVERED, State.PENDING, State.SENDING)] == [""] * 3
    assert "was disabled while it waited" in advice(Delivery(state=State.CANCELLED))


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (Failure.HTTP_STATUS, 401, "rejects our signature"),
        (Failure.HTTP_STATUS, 403, "rejects our signature"),
        (Failure.HTTP_STATUS, 410, "this URL does not exist"),
        (Failure.OUTCOME_UNKNOWN, None, "it is sent again"),
        (Failure.DNS, None, "does not resolve"),
    ],
)
def test_version_2_signs_and_is_sent_again(error: Failure, status: int | None, said: str) -> None:
    waiting = Delivery(state=State.WAITING, error=error, http_status=status, max_attempts=10)
    assert said in advice(waiting)
    assert "it is not sent again" not in advice(waiting)
