"""Fault points: named moments of the service at which a test may kill, delay, fail or hold a process.

The product has no line for them. A process of the tests calls `install`, which wraps the functions named below:
`armed.py` for the web server, `python -m faults.points COMMAND` for commands of manage.py. Production never imports
this module, so nothing there could be armed. A file defines what happens at a point, so that a running service can be
armed again and again: `arm` writes it, and the first process that reaches the point takes it away and obeys.
"""

import asyncio
import functools
import inspect
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django
from django.core.management import execute_from_command_line
from django.db import transaction

from tests.processes import soon

DIRECTORY_VARIABLE = "PREALERTS_FAULT_POINTS"
"""Where the file of each armed point lies. Unset: nothing is wrapped."""

POINTS = {
    "upload.after_body": ("shipments.intake.upload", "read_form", "after"),
    "upload.after_parse": ("shipments.intake.upload", "read_workbook", "after"),
    "upload.after_store": ("shipments.files.stored_files", "store", "after"),
    "upload.before_insert": ("shipments.intake.ingest", "write_manifest", "before"),
    "upload.before_commit": ("shipments.intake.ingest", "announce_ingest", "after"),
    "upload.after_commit": ("shipments.intake.upload", "ingest", "after"),
    "work.before_claim": ("shipments.intake.jobs", "_claim", "before"),
    "work.after_claim": ("shipments.intake.jobs", "_claim", "after"),
    "work.after_read": ("shipments.intake.drafts", "read_workbook", "after"),
    "work.before_commit": ("shipments.intake.jobs", "announce_accepted_upload", "after"),
    "work.after_commit": ("shipments.intake.drafts", "ingest", "after"),
    "work.bulk_claimed": ("shipments.tracking.bulk", "claim", "after"),
    "work.bulk_before_commit": ("shipments.tracking.bulk", "_progress", "after"),
    "work.bulk_after_commit": ("shipments.tracking.bulk", "_piece", "after"),
    "carrier.after_receipt": ("shipments.carriers.views", "store_receipt", "after"),
    "carrier.before_moves": ("shipments.carriers.processing", "settle", "before"),
    "carrier.before_end": ("shipments.carriers.processing", "_finish", "before"),
    "carrier.after_end": ("shipments.carriers.processing", "_finish", "after"),
    "json.after_commit": ("shipments.intake.posting", "ingest", "after"),
    "advance.after_commit": ("shipments.tracking.advancing", "_count", "before"),
    "dispatch.after_claim": ("webhooks.dispatcher.loop", "claim", "after"),
    "dispatch.after_send": ("webhooks.sender.Sender", "post", "after"),
    "dispatch.before_record": ("webhooks.dispatcher.loop", "record", "before"),
}
"""Point -> where the function is looked up by its caller, its name, and whether the point lies before or after it."""

BARRIER_SECONDS = 60


def install(*apps: str) -> None:
    """Wrap the functions of the points that belong to `apps` (the first words of their names)."""
    if not os.environ.get(DIRECTORY_VARIABLE):
        return
    for point, (place, name, moment) in POINTS.items():
        if point.partition(".")[0] in apps:
            owner = pkgutil.resolve_name(place)
            setattr(owner, name, _wrapped(getattr(owner, name), point, moment))


def _wrapped(function: Callable[..., Any], point: str, moment: str) -> Callable[..., Any]:
    """A coroutine's points are reached in a thread, so that the loop goes on."""

    @functools.wraps(function)
    async def in_time(*args: Any, **kwargs: Any) -> Any:
        if moment == "before":
            await asyncio.to_thread(reach, point)
        result = await function(*args, **kwargs)
        if moment == "after":
            await asyncio.to_thread(reach, point)
        return result

    @functools.wraps(function)
    def in_turn(*args: Any, **kwargs: Any) -> Any:
        if moment == "before":
            reach(point)
        result = function(*args, **kwargs)
        if moment == "after":
            reach(point)
        return result

    return in_time if inspect.iscoroutinefunction(function) else in_turn


def reach(point: str) -> None:
    """Do what the point is armed with, once; nothing when it is not armed."""
    directory = Path(os.environ[DIRECTORY_VARIABLE])
    taken = directory / f"{point}.taken"
    try:
        (directory / point).rename(taken)
    except FileNotFoundError:
        return
    action, _, detail = taken.read_text(encoding="utf-8").partition(":")
    match action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "sleep":
            time.sleep(float(detail))
        case "raise":
            raise RuntimeError(detail)
        case "callback":
            transaction.on_commit(lambda: _fail(detail), robust=True)
        case "barrier":
            soon((directory / f"{point}.go").exists, BARRIER_SECONDS, "the release")
        case _:
            raise ValueError(action)


def _fail(words: str) -> None:
    raise RuntimeError(words)


class Board:
    """The tests' side: arms the points of one service."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(exist_ok=True)

    def arm(self, point: str, action: str) -> None:
        """action: "kill", "sleep:SECONDS", "raise:WORDS"; "callback:WORDS", which raises once the transaction is
        committed; or "barrier", which holds until `release`.
        """
        assert point in POINTS, point
        self.clear()
        waiting = self.directory / f"{point}.new"
        waiting.write_text(action, encoding="utf-8")
        waiting.rename(self.directory / point)

    def wait_until_reached(self, point: str, seconds: float = 30) -> None:
        soon(lambda: self.was_reached(point), seconds, point)

    def was_reached(self, point: str) -> bool:
        return (self.directory / f"{point}.taken").exists()

    def release(self, point: str) -> None:
        (self.directory / f"{point}.go").touch()

    def clear(self) -> None:
        for path in self.directory.iterdir():
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    django.setup()
    install("advance", "dispatch", "work")
    execute_from_command_line(["manage.py", *sys.argv[1:]])
