"""schemathesis tries the live service with what the OpenAPI document allows and forbids, and finds nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.books import workbook_bytes
from tests.examples import examples
from tests.live.server import Server

# A JSON schema cannot say which check digits hold, which airports exist, what a workbook must contain, or that an
# arrival follows its departure. Values that are valid by the schema alone are rightly refused with a 400. What is wrong
# with a request is the content of a successful validation, so there the schema's violations are a 200.
CONFIGURATION = """
continue-on-failure = true
request-timeout = 60
seed = 20261121
suppress-health-check = ["all"]
[generation]
database = "none"
[checks]
positive_data_acceptance.enabled = false
[[operations]]
include-path-regex = "/validate$"
checks.negative_data_rejection.enabled = false
"""
EXECUTABLE = Path(sys.executable).with_name("schemathesis")


@pytest.mark.slow
def test_every_answer_to_anything_at_all_is_a_documented_one(service: Server, tmp_path: Path) -> None:
    client = service.company("SCHEMA", "CL,PE,AR")
    sent = requests.post(f"{service.api}/upload", files={"manifest_file": workbook_bytes()}, headers=client, timeout=60)
    assert sent.status_code == 201  # so that there is a MAWB to follow the links to
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION, encoding="utf-8")
    document = f"{service.address}/docs/openapi.json"
    finished = subprocess.run(
        [
            *(EXECUTABLE, "run", document, "--no-color", "--header", f"Authorization: {client['Authorization']}"),
            *("--max-examples", str(examples(12))),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )
    assert finished.returncode == 0, finished.stdout
    paths = requests.get(document, timeout=60).json()["paths"]
    assert f"Tested: {sum(map(len, paths.values()))}\n" in finished.stdout, finished.stdout
    assert "returned only 401/403 responses" not in finished.stdout, finished.stdout
    assert '"status": 500' not in service.log()
