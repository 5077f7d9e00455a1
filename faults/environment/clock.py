"""Set the clock of a running service from outside with libfaketime. The monotonic clock is not affected."""

import os
import re
import select
import subprocess
import time
from datetime import datetime
from pathlib import Path
from typing import SupportsIndex

from faults.environment.tools import needed

_FILE = "FAKETIME_TIMESTAMP_FILE"


class Clock:
    """The time of all processes started with `environment`; they read it again on every call."""

    def __init__(self, directory: Path) -> None:
        """Skips without faketime."""
        output = subprocess.run(
            [str(needed("faketime")), "-m", "-f", "+0", "env"], capture_output=True, text=True, check=True
        ).stdout
        library = re.search(r"^LD_PRELOAD=(\S+)$", output, re.MULTILINE)
        assert library, "faketime does not name its library"
        self._file = directory / "clock"
        self.environment = {
            "LD_PRELOAD": library[1],
            _FILE: str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",  # gunicorn checks a worker's file to see whether it is alive
        }

    def set(self, moment: datetime) -> None:
        """Set the clock to `moment`, from which time continues. moment: aware."""
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
