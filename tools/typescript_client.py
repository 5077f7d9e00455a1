"""Write the generated and compiled files of the TypeScript client: `python -m tools.typescript_client`.

It needs Node, and `npm ci` in clients/typescript.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import django

import tests.environment  # noqa: F401  # invented secrets, for the settings below

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")

PLACE = Path(__file__).parent.parent / "clients" / "typescript"
MADE = ("src/generated", "dist")
"""The folders that this writes, below the client's."""


def write(place: Path) -> None:
    """Generate and compile the client at `place`, which has its packages installed. Raises `CalledProcessError`."""
    from prealerts.reference.document import document  # noqa: PLC0415  # after Django is set up

    for name in MADE:
        shutil.rmtree(place / name, ignore_errors=True)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "openapi.json"
        path.write_text(json.dumps(document()), encoding="utf-8")
        for script in ("generate", "build"):
            environment = {**os.environ, "OPENAPI_DOCUMENT": str(path)}
            subprocess.run(["npm", "run", "--silent", script], cwd=place, env=environment, check=True, timeout=300)


if __name__ == "__main__":
    django.setup()
    write(PLACE)
