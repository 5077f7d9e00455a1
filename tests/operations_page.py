"""docs/operations.md and docs/scaling.md: their blocks, carried out unchanged."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.server import ROOT

PAGE = "\n".join((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("operations", "scaling"))
BLOCKS = dict(re.findall(r"^<!-- run: ([\w ]+) -->\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
IS_POSTGRESQL = os.environ["DATABASE_URL"].startswith("postgres")
only_postgresql = pytest.mark.skipif(not IS_POSTGRESQL, reason="what the page says here is PostgreSQL's own")


def shell(block: str, **environment: str) -> None:
    """Run a block of the pages unchanged."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    finished = subprocess.run(
        ["sh", "-c", BLOCKS[block]], cwd=ROOT, env={**os.environ, **environment, "PATH": path},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
