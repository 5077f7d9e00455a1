"""Companies that no other test knows, ten made at once: a process of manage.py for each would take a second a test."""

import json
import uuid
from collections.abc import Iterator

from tests.live.server import Server

_MADE_AT_ONCE = 10
_MAKE = """
import io
from django.core.management import call_command
for code in {codes}:
    said = io.StringIO()
    call_command("create_company", f"{{code}} SpA", "--client-code", code, "--countries", "CL", stdout=said)
    print("MADE" + said.getvalue().replace("\\n", " "))
"""


def newcomers(service: Server) -> Iterator[dict[str, str]]:
    """The headers that the integrator of one company after the other sends; there is always one more."""
    while True:
        codes = [f"N{uuid.uuid4().hex[:12].upper()}" for _ in range(_MADE_AT_ONCE)]
        said = service.manage("shell", "-c", _MAKE.format(codes=codes))
        for line in said.splitlines():
            if line.startswith("MADE"):
                yield {"Authorization": f"Bearer {json.loads(line.removeprefix('MADE'))['api_password']}"}
