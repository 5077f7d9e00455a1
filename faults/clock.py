"""The clock of a running service, set from outside: libfaketime. What is measured by the monotonic clock stays true."""

import os
import re
import select
import subprocess
import time
from datetime import datetime
from pathlib import Path
from typing import SupportsIndex

from faults.tools import needed

_FILE = "FAKETIME_TIMESTAMP_FILE"


class Clock:
    """The time of all processes that were started with `environment`; they look at it anew each time they ask."""

    def __init__(self, directory: Path) -> None:
        """Skips without faketime."""
        told = subprocess.run(
            [str(needed("faketime")), "-m", "-f", "+0", "env"], capture_output=True, text=True, check=True
        ).stdout
        library = re.search(r"^LD_PRELOAD=(\S+)$", told, re.MULTILINE)
        assert library, "faketime does not tell its library"
        self._file = directory / "clock"
        self.environment = {
            "LD_PRELOAD": library[1],
            _FILE: str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",  # gunicorn looks at a worker's file to see whether it lives
        }

    def set(self, moment: datetime) -> None:
        """From now on it is `moment`, and time goes on from there. moment: aware."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{moment.timestamp() - time.time():+.0f}\n", encoding="ascii")
        new.rename(self._file)


def mend_sleep() -> None:
    """In a process whose clock is set: let time.sleep wait by select. libfaketime 0.9.10 reckons the faked time into
    the monotonic moment that Python's own sleep waits for, and the system refuses what comes out.
    """
    if _FILE in os.environ:
        time.sleep = _sleep


def _sleep(seconds: "float | SupportsIndex", /) -> None:
    select.select([], [], [], float(seconds))
