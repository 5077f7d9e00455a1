"""docs/carriers.md: its vectors are what the service accepts, its error is what the service answers."""

import json
import re
import subprocess
from datetime import timedelta

import pytest

from prealerts.documentation.pages import ROOT
from tests.shipments.carriers.sending import event, make_sender

pytestmark = pytest.mark.django_db

PAGE = (ROOT / "docs" / "carriers.md").read_text(encoding="utf-8")
SIGNED = re.findall(r'^```json\n(\{"events":\[.*)\n```$', PAGE, re.MULTILINE)[0].encode()
VECTORS = re.findall(r"^\| (`\w+`.*?) \| `([^`]+)` \| (`[\w-]+: .*) \|$", PAGE, re.MULTILINE)
SHELL = re.findall(r"^```sh\n(SECRET=.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[0]


@pytest.mark.parametrize(("scheme", "secret", "sent"), VECTORS)
def test_each_vector_is_accepted_for_its_body(
    scheme: str, secret: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("standardwebhooks.webhooks.timedelta", lambda **_tolerance: timedelta(days=36_500))
    encoding = "base64" if "base64" in scheme else "hex"
    name = scheme.split("`")[1]
    sender = make_sender(scheme=name, secret=secret, signature_encoding=encoding)
    headers = dict(each.split(": ") for each in re.findall(r"`([^`]+)`", sent))
    assert sender.post(SIGNED, **headers).status_code == 200
    assert sender.post(SIGNED + b" ", **headers).status_code == (200 if name == "header" else 401)


def test_there_is_a_vector_for_each_scheme_and_encoding() -> None:
    assert sorted(re.findall(r"`(\w+)`", " ".join(each[0] for each in VECTORS))) == [
        "header", "hmac", "hmac", "standard_webhooks"
    ]  # fmt: skip


def test_the_shell_makes_the_digest_of_the_vector() -> None:
    made = subprocess.run(["sh", "-euc", SHELL + "echo $DIGEST"], check=True, capture_output=True, text=True)
    assert f"`X-Signature: {made.stdout.strip()}`" in PAGE


def test_the_error_is_the_answers_own() -> None:
    (shown,) = re.findall(r"^```json\n(\[\n.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    timeless = event("DEP", hawb="H001") | {"occurred_at": "2026-11-22T09:10:00"}
    assert make_sender().send(event("DEP", hawb="H001"), timeless)["errors"] == json.loads(shown)
