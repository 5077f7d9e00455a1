"""The Python client takes the webhooks that we sign, and no others."""

import json
import time
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

    def test_a_secret_of_version_1_is_an_error_of_the_receivers(self, secret: str) -> None:
        with pytest.raises(ValueError, match="version 2"):
            verify(BODY, signed(secret), "whsec_not base64!")


class TestVersion1:
    def test_the_secret_itself_is_taken_and_no_other(self) -> None:
        headers = {"Authorization": "Bearer ñandú"}
        assert verify_v1(BODY, headers, ["old", "ñandú"])["id"] == "evt_1"
        wrong: list[Any] = [{}, {"authorization": "ñandú"}, {"authorization": "Bearer old"}]
        for each in wrong:
            with pytest.raises(SignatureInvalid):
                verify_v1(BODY, each, "ñandú")

    def test_a_body_that_is_not_an_event_is_refused(self) -> None:
        for body in (b"", b"[]", b"\xff"):
            with pytest.raises(SignatureInvalid):
                verify_v1(body, {"authorization": "Bearer x"}, "x")
