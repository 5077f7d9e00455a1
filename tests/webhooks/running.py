"""Dispatchers for tests: in a thread, with a deadline of the test's own; or as the process that `manage.py` starts."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import uvloop

from webhooks.addresses import parse_networks
from webhooks.checks import tls_context
from webhooks.connector import Lookup
from webhooks.dispatcher.loop import Dispatcher
from webhooks.models import Delivery
from webhooks.sender import Sender

ROOT = Path(__file__).resolve().parent.parent.parent


def wait_until(condition: Callable[[], Any], seconds: float = 60, what: str = "it") -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"{what} did not happen within {seconds} s"
        time.sleep(0.02)


def states() -> dict[str, int]:
    """How many deliveries are in each state."""
    counted: dict[str, int] = {}
    for state in Delivery.objects.values_list("state", flat=True):
        counted[state] = counted.get(state, 0) + 1
    return counted


class InThread:
    """`with InThread(bundle) as dispatcher`: a dispatcher beside the test; leaving stops it in good order."""

    def __init__(
        self,
        bundle: str,
        *,
        deadline: float = 30.0,
        concurrency: int = 100,
        once: bool = False,
        lookup: Lookup | None = None,
    ) -> None:
        self._bundle = bundle
        self._lookup = lookup
        self._options: dict[str, Any] = {"concurrency": concurrency, "once": once}
        self._deadline = deadline
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        self.wait()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self.dispatcher.stop)

    def wait(self, seconds: float = 120) -> None:
        self._thread.join(seconds)
        assert not self._thread.is_alive(), "the dispatcher did not stop"
        if self.error:
            raise self.error

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(self._dispatch())
        except BaseException as error:  # noqa: BLE001  # told to the test
            self.error = error
        finally:
            self._ready.set()

    async def _dispatch(self) -> None:
        self._loop = asyncio.get_running_loop()
        allowed = parse_networks(["127.0.0.0/8"])
        context = tls_context(self._bundle)
        async with Sender(allowed=allowed, context=context, deadline=self._deadline, lookup=self._lookup) as sender:
            self.dispatcher = Dispatcher(sender, **self._options)
            self._ready.set()
            await self.dispatcher.run()


class Process:
    """`manage.py dispatch_webhooks` on the test's own database."""

    def __init__(self, environment: dict[str, str], arguments: Sequence[str] = ()) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "dispatch_webhooks", *arguments],
            cwd=ROOT,
            env=os.environ | environment,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        log = self.kill()
        if error is not None:
            sys.stderr.write(log)  # pytest shows it: why what was waited for did not happen

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> str:
        """SIGKILL: no farewell; returns what it logged until then and nobody has read."""
        self._process.kill()
        if self._process.stderr is None or self._process.stderr.closed:
            return ""
        _out, log = self._process.communicate()
        return log

    def terminate(self, seconds: float = 30) -> tuple[int, str]:
        """SIGTERM; returns the exit code and what it logged."""
        self._process.send_signal(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds: float = 60) -> tuple[int, str]:
        _out, log = self._process.communicate(timeout=seconds)
        return self._process.returncode, log
