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
VALIDATIONS = {
    # What is wrong with a request is the content of a successful validation, so the schema's violations are a 200.
    *SWITCHED_OFF,
    "negative_data_rejection",
}
EXECUTABLE = Path(sys.executable).with_name("schemathesis")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("choice", "switched_off", "phases"),
    [
        ("--exclude-path-regex", SWITCHED_OFF, "examples,coverage,fuzzing,stateful"),
        ("--include-path-regex", VALIDATIONS, "examples,coverage,fuzzing"),  # nothing to follow: nothing is created
    ],
)
def test_every_answer_to_anything_at_all_is_a_documented_one(
    service: Server, tmp_path: Any, choice: str, switched_off: set[str], phases: str
) -> None:
    client = service.company("SCHEMA" if choice == "--exclude-path-regex" else "VALIDATES", "CL,PE,AR")
    mawb = "045-12345675" if choice == "--exclude-path-regex" else "045-12345686"
    book = workbook_bytes(mawb=mawb)
    sent = requests.post(f"{service.api}/upload", files={"manifest_file": book}, headers=client, timeout=60)
    assert sent.status_code == 201  # so that there is a MAWB to follow the links to
    finished = subprocess.run(
        [
            *(EXECUTABLE, "run", f"{service.address}/docs/openapi.json", "--no-color"),
            *("--header", f"Authorization: {client['Authorization']}"),
            *("--checks", "all", "--exclude-checks", ",".join(sorted(switched_off))),
            *(choice, "/validate$", "--phases", phases),
            *("--seed", "20261121", "--max-examples", str(examples(12)), "--generation-database", "none"),
            *("--continue-on-failure", "--suppress-health-check", "all", "--request-timeout", "60"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )
    assert finished.returncode == 0, finished.stdout
    paths = requests.get(f"{service.address}/docs/openapi.json", timeout=60).json()["paths"]
    chosen = [item for path, item in paths.items() if path.endswith("/validate") == (choice == "--include-path-regex")]
    assert f"Tested: {sum(len(item) for item in chosen)}\n" in finished.stdout, finished.stdout
    assert "returned only 401/403 responses" not in finished.stdout, finished.stdout
    assert '"status": 500' not in service.log()
