"""schemathesis tries the live service with what the OpenAPI document allows and forbids, and finds nothing."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.books import workbook_bytes
from tests.examples import examples
from tests.live.server import Server

SWITCHED_OFF = {
    # A JSON schema cannot say which check digits hold, which airports exist, what a workbook must contain, or that an
    # arrival follows its departure. Values that are valid by the schema alone are rightly refused with a 400.
    "positive_data_acceptance",
}
EXECUTABLE = Path(sys.executable).with_name("schemathesis")


@pytest.mark.slow
def test_every_answer_to_anything_at_all_is_a_documented_one(service: Server, tmp_path: Any) -> None:
    client = service.company("SCHEMA", "CL,PE,AR")
    sent = requests.post(f"{service.api}/upload", files={"manifest_file": workbook_bytes()}, headers=client, timeout=30)
    assert sent.status_code == 201  # so that there is a MAWB to follow the links to
    finished = subprocess.run(
        [
            *(EXECUTABLE, "run", f"{service.address}/docs/openapi.json", "--no-color"),
            *("--header", f"Authorization: {client['Authorization']}"),
            *("--checks", "all", "--exclude-checks", ",".join(SWITCHED_OFF)),
            *("--seed", "20261121", "--max-examples", str(examples(12)), "--generation-database", "none"),
            *("--continue-on-failure", "--suppress-health-check", "all", "--request-timeout", "60"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert finished.returncode == 0, finished.stdout
    assert "Tested: 21" in finished.stdout, finished.stdout
    assert "returned only 401/403 responses" not in finished.stdout, finished.stdout
    assert '"status": 500' not in service.log()
