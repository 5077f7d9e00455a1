"""The Python client takes the webhooks that we sign, and no others."""

import hmac
import json
import time
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest
from prealerts_client.webhooks import SignatureInvalid, verify, verify_v1
from standardwebhooks import Webhook

from webhooks import sender
from webhooks.subscriptions import new_signing_secret

NOW = 1_700_000_000
BODY = '{"id":"evt_1","type":"guide.delivered","data":{"reason":"Recepción"}}'.encode()


@pytest.fixture
def secret() -> str:
    return new_signing_secret()


def signed(*secrets: str, at: int | None = None, body: bytes = BODY) -> dict[str, str]:
    return dict(sender.headers("evt_1", int(time.time()) if at is None else at, body, list(secrets)))


class TestVersion2:
    def test_our_signature_is_taken_in_any_spelling_of_the_headers(self, secret: str) -> None:
        headers = signed(secret)
        assert verify(BODY, headers, secret) == json.loads(BODY)
        assert verify(BODY, {name.title(): value for name, value in headers.items()}, secret)["id"] == "evt_1"

    def test_so_is_what_the_standards_own_library_signs(self, secret: str) -> None:
        now = int(time.time())
        made = Webhook(secret).sign("evt_1", datetime.fromtimestamp(now, UTC), BODY.decode())
        headers = {"webhook-id": "evt_1", "webhook-timestamp": str(now), "webhook-signature": f"v2,other {made}"}
        assert verify(BODY, headers, secret)["id"] == "evt_1"

    def test_during_a_rotation_either_secret_is_enough_on_either_side(self, secret: str) -> None:
        other = new_signing_secret()
        assert verify(BODY, signed(secret, other), other)
        assert verify(BODY, signed(secret), [other, secret])

    @pytest.mark.parametrize(
        "change",
        [
            {"webhook-signature": ""},
            {"webhook-signature": "v1,"},
            {"webhook-signature": "v1,ñ"},
            {"webhook-id": "evt_2"},
            {"webhook-timestamp": "1700000001"},
            {"webhook-timestamp": ""},
            {"webhook-timestamp": "-1"},
            {"webhook-timestamp": "٣"},
            {"webhook-timestamp": "9" * 5000},
        ],
    )
    def test_an_altered_header_is_refused(self, secret: str, change: dict[str, str]) -> None:
        with pytest.raises(SignatureInvalid):
            verify(BODY, {**signed(secret, at=NOW), **change}, secret, now=NOW)

    def test_another_body_or_secret_is_refused(self, secret: str) -> None:
        for body, word in ((BODY + b" ", secret), (BODY, new_signing_secret())):
            with pytest.raises(SignatureInvalid):
                verify(body, signed(secret), word)
        with pytest.raises(SignatureInvalid):
            verify(BODY, {}, secret)

    @pytest.mark.parametrize(("age", "is_taken"), [(0, True), (300, True), (-300, True), (301, False), (-301, False)])
    def test_an_attempt_counts_for_five_minutes(self, secret: str, age: int, is_taken: bool) -> None:  # noqa: FBT001  # a case's own
        headers = signed(secret, at=NOW - age)
        if is_taken:
            assert verify(BODY, headers, secret, now=NOW)
        else:
            with pytest.raises(SignatureInvalid):
                verify(BODY, headers, secret, now=NOW)
            assert verify(BODY, headers, secret, now=NOW, tolerance_seconds=301)

    @pytest.mark.parametrize("length", [0, 1, 23, 65])
    def test_a_secret_that_anybody_may_guess_verifies_nothing_even_of_those_who_guess_it(self, length: int) -> None:
        known = f"whsec_{b64encode(bytes(length)).decode()}"
        message = f"evt_1.{NOW}.".encode() + BODY
        signature = b64encode(hmac.digest(bytes(length), message, "sha256")).decode()
        headers = {"webhook-id": "evt_1", "webhook-timestamp": str(NOW), "webhook-signature": f"v1,{signature}"}
        with pytest.raises(ValueError, match="version 2"):
            verify(BODY, headers, known, now=NOW)

    @pytest.mark.parametrize("other", ["", " ", "whsec_", "whsec_not base64!", "a-secret-of-version-1", None])
    def test_what_is_no_secret_of_version_2_is_an_error_of_the_receivers_also_beside_one(
        self, secret: str, other: Any
    ) -> None:
        for secrets in (other, [secret, other], [other, secret]):
            with pytest.raises(ValueError, match="secret"):
                verify(BODY, signed(secret), secrets)
        with pytest.raises(ValueError, match="empty"):
            verify(BODY, signed(secret), [])


class TestVersion1:
    def test_the_secret_itself_is_taken_and_no_other(self) -> None:
        headers = {"Authorization": "Bearer ñandú"}
        assert verify_v1(BODY, headers, ["old", "ñandú"])["id"] == "evt_1"
        wrong: list[Any] = [{}, {"authorization": "ñandú"}, {"authorization": "Bearer old"}]
        for each in wrong:
            with pytest.raises(SignatureInvalid):
                verify_v1(BODY, each, "ñandú")

    @pytest.mark.parametrize("secrets", ["", " \n", ["ñandú-de-la-pampa", ""], [], None])
    def test_an_empty_secret_verifies_nothing(self, secrets: Any) -> None:
        for authorization in ("Bearer ", "Bearer", "Bearer ñandú-de-la-pampa"):
            with pytest.raises(ValueError, match="empty"):
                verify_v1(BODY, {"authorization": authorization}, secrets)

    def test_a_short_one_is_warned_of_without_being_shown(self, caplog: pytest.LogCaptureFixture) -> None:
        for secret, warned in (("a-secret-of-16-c", False), ("15-characters-x", True)):
            caplog.clear()
            assert verify_v1(BODY, {"authorization": f"Bearer {secret}"}, secret)
            assert bool(caplog.records) is warned
            assert secret not in caplog.text

    def test_a_body_that_is_not_an_event_is_refused(self) -> None:
        for body in (b"", b"[]", b"\xff", b"[" * 200_000):
            with pytest.raises(SignatureInvalid):
                verify_v1(body, {"authorization": "Bearer x"}, "x")
