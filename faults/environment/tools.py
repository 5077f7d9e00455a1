"""The programs that the matrix needs besides Python, with their Debian packages.

`python3 -m faults.environment.tools` prints the packages that are missing here, for apt-get; it needs no virtual
environment.
"""

import os
import shutil
from pathlib import Path

PACKAGES = {
    "faketime": "faketime",
    "git": "git",
    "initdb": "postgresql",
    "iptables": "iptables",
    "mount": "mount",
    "nginx": "nginx-light",
    "pgbouncer": "pgbouncer",
    "strace": "strace",
}
"""Program -> package."""

_SERVER_PROGRAMS = Path("/usr/lib/postgresql")


def path_of(program: str) -> Path | None:
    """Its path, for PostgreSQL that of the newest version; None if it is not installed."""
    if program == "initdb":
        found = sorted(_SERVER_PROGRAMS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        if found:
            return found[-1]
    anywhere = shutil.which(program, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    return Path(anywhere) if anywhere else None


def needed(program: str) -> Path:
    """Its path. Without it the row is skipped, and failed where CI or REQUIRE_TOOLS is set: a run that proves nothing
    must not look green.
    """
    import pytest  # noqa: PLC0415  # the list of packages is asked for before anything is installed

    found = path_of(program)
    if found is None:
        words = f"{program} is not installed (Debian: {PACKAGES[program]})"
        if os.environ.get("REQUIRE_TOOLS") or os.environ.get("CI") == "true":
            pytest.fail(words)
        pytest.skip(words)
    return found


def missing_packages() -> list[str]:
    """Names of the packages whose program is missing."""
    return sorted(package for program, package in PACKAGES.items() if path_of(program) is None)


if __name__ == "__main__":
    print(*missing_packages())  # noqa: T201  # what it is for
