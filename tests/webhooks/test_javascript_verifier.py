"""The official JavaScript verifier takes our signatures. Where Node or the package is missing it is left out."""

import json
import os
import shutil
import subprocess
import time

import pytest

from webhooks.dispatcher import signatures
from webhooks.subscriptions import new_signing_secret

NODE = shutil.which("node")
_VERIFY = """
const { Webhook } = require("standardwebhooks");
const { secret, body, headers } = JSON.parse(require("fs").readFileSync(0, "utf8"));
new Webhook(secret).verify(body, headers);
"""


def run(given: object) -> int:
    """0 for a signature that is taken. NODE_PATH says where the package is, as for every program of Node's."""
    assert NODE
    program = subprocess.run(
        [NODE, "-e", _VERIFY], input=json.dumps(given), text=True, capture_output=True, env=os.environ, check=False
    )
    return program.returncode


def has_the_package() -> bool:
    if NODE is None:
        return False
    looked = subprocess.run([NODE, "-e", 'require("standardwebhooks")'], capture_output=True, check=False)
    return looked.returncode == 0


@pytest.mark.skipif(not has_the_package(), reason="needs node and npm's standardwebhooks on NODE_PATH")
def test_either_secret_of_a_rotation_verifies_and_no_other() -> None:
    old, new, other = (new_signing_secret() for _each in range(3))
    body = '{"id":"evt_1","data":{"reason":"Recepción"}}'
    headers = signatures.headers("evt_1", int(time.time()), body.encode(), [new, old])
    assert [run({"secret": secret, "body": body, "headers": headers}) for secret in (old, new)] == [0, 0]
    assert run({"secret": other, "body": body, "headers": headers}) != 0
    late = signatures.headers("evt_1", int(time.time()) - 600, body.encode(), [new])
    assert run({"secret": new, "body": body, "headers": late}) != 0
