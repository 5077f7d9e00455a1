"""What tests need of npm, in the versions of the lock file beside this; `make test-slow` installs it."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

PACKAGES = Path(__file__).parent / "node_modules"


def require_node() -> str:
    """Node's path. Skips without it or its packages; where REQUIRE_TOOLS is set, fails."""
    node = shutil.which("node")
    if node is None:
        _miss("Node is not installed")
    require_package("")
    return str(node)


def require_package(name: str) -> Path:
    """The folder of a package, for a test that reads its files without Node. Skips or fails like `require_node`."""
    if not (PACKAGES / name).is_dir():
        _miss("npm ci has not run in tests/javascript")
    return PACKAGES / name


def _miss(missing: str) -> NoReturn:
    if os.environ.get("REQUIRE_TOOLS"):
        pytest.fail(f"REQUIRE_TOOLS is set and {missing}.")
    pytest.skip(missing)
