"""Write the types of the TypeScript client from the OpenAPI document: `python -m tools.typescript_client`.

It needs Node, and `npm ci` in clients/typescript.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import django

import tests.environment  # noqa: F401  # invented secrets, for the settings below

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")

PLACE = Path(__file__).parent.parent / "clients" / "typescript"
SCHEMA = "schema.d.ts"


def write(path: Path) -> None:
    """Write what `SCHEMA` should hold to `path`. Raises `CalledProcessError`."""
    with tempfile.TemporaryDirectory() as directory:
        document = Path(directory) / "openapi.json"
        document.write_text(json.dumps(_successes()), encoding="utf-8")
        program = PLACE / "node_modules" / ".bin" / "openapi-typescript"
        subprocess.run([program, document, "--output", path], check=True, capture_output=True, timeout=300)


def _successes() -> dict[str, Any]:
    """The document without what the client throws as errors, and without headers: two thirds of the types."""
    from prealerts.reference.document import document  # noqa: PLC0415  # after Django is set up

    described: dict[str, Any] = json.loads(json.dumps(document()))
    for path in described["paths"].values():
        for operation in path.values():
            responses = operation["responses"]
            operation["responses"] = {
                status: {name: part for name, part in response.items() if name != "headers"}
                for status, response in responses.items()
                if status.startswith("2")
            }
    described["components"].pop("headers", None)
    described["components"].pop("responses", None)
    return described


if __name__ == "__main__":
    django.setup()
    write(PLACE / SCHEMA)
