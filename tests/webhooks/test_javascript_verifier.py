"""The official JavaScript verifier takes our signatures."""

import json
import os
import subprocess
import time

import pytest

from tests.javascript.packages import PACKAGES, require_node
from webhooks import sender
from webhooks.subscriptions import new_signing_secret

_VERIFY = """
const { Webhook } = require("standardwebhooks");
const { secret, body, headers } = JSON.parse(require("fs").readFileSync(0, "utf8"));
new Webhook(secret).verify(body, headers);
"""


def complaint(given: object) -> str:
    """What the verifier throws; empty for a signature that it takes."""
    program = subprocess.run(
        [require_node(), "-e", _VERIFY],
        input=json.dumps(given),
        text=True,
        capture_output=True,
        env={**os.environ, "NODE_PATH": str(PACKAGES)},
        check=False,
    )
    return program.stderr


@pytest.mark.slow
def test_either_secret_of_a_rotation_verifies_and_no_other() -> None:
    old, new, other = (new_signing_secret() for _each in range(3))
    body = '{"id":"evt_1","data":{"reason":"Recepción"}}'
    headers = sender.headers("evt_1", int(time.time()), body.encode(), [new, old])
    assert [complaint({"secret": secret, "body": body, "headers": headers}) for secret in (old, new)] == ["", ""]
    assert "No matching signature found" in complaint({"secret": other, "body": body, "headers": headers})
    late = sender.headers("evt_1", int(time.time()) - 600, body.encode(), [new])
    assert "Message timestamp too old" in complaint({"secret": new, "body": body, "headers": late})
