"""The programs that the matrix needs besides Python, with their Debian packages.

`python3 -m faults.environment.tools` prints the packages that are missing here, for apt-get; it needs no virtual
environment.
"""

import os
import shutil
from pathlib import Path

PACKAGES = {
    "faketime": "faketime",
    "initdb": "postgresql",
    "iptables": "iptables",
    "mount": "mount",
    "nginx": "nginx-light",
    "pgbouncer": "pgbouncer",
    "strace": "strace",
}
"""Program -> package."""


def path_of(program: str) -> str | None:
    """Its path, for PostgreSQL's programs that of the newest version; None if it is not installed."""
    servers = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -int(path.parent.name))
    return shutil.which(program, path=":".join([*map(str, servers), os.environ["PATH"], "/usr/sbin", "/sbin"]))


def needed(program: str) -> str:
    """Its path. Without it the row is skipped, and failed where CI or REQUIRE_TOOLS is set: a run that proves nothing
    must not look green.
    """
    import pytest  # noqa: PLC0415  # the list of packages is asked for before anything is installed

    found = path_of(program)
    if found is None:
        words = f"{program} is not installed (Debian: {PACKAGES.get(program, 'postgresql')})"
        if os.environ.get("REQUIRE_TOOLS") or os.environ.get("CI") == "true":
            pytest.fail(words)
        pytest.skip(words)
    return found


if __name__ == "__main__":
    print(*sorted(package for program, package in PACKAGES.items() if path_of(program) is None))  # noqa: T201
