"""System calls made to fail, or to kill, from outside: strace."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from faults.environment.processes import soon
from faults.environment.tools import needed


@contextmanager
def injected(process: int, injection: str, directory: Path) -> Iterator[None]:
    """A running process under strace, which interferes as `injection` says (strace's inject=).

    Skips where strace is missing or may not attach. strace counts calls in each thread by itself.
    """
    strace = str(needed("strace"))
    call = injection.partition(":")[0]
    log = directory / "strace.log"
    with log.open("wb") as output:
        tracer = subprocess.Popen(
            [strace, "-f", "-p", str(process), "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={injection}"],
            stdout=output,
            stderr=output,
        )
    try:
        soon(lambda: tracer.poll() is not None or _is_traced(process), what="strace's attachment")
        if tracer.poll() is not None:
            pytest.skip(f"strace may not attach here: {log.read_text(encoding='utf-8', errors='replace')[:80]!r}")
        yield
    finally:
        # Not SIGTERM: a tracer whose process was killed with all its threads may wait for ever for one of them.
        tracer.kill()
        tracer.wait()


def _is_traced(process: int) -> bool:
    """Whether every thread of it has a tracer."""
    try:
        states = [(task / "status").read_text(encoding="utf-8") for task in Path(f"/proc/{process}/task").iterdir()]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(states) and all("TracerPid:\t0\n" not in state for state in states)
