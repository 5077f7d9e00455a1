"""Two companies of one service, a record of all requests and responses, and clients that keep sending requests."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import requests

from faults.environment.running import Service, Tenant
from tests.books import guide_row, workbook_bytes
from tests.live.server import BASE

_serials = itertools.count(1)


def new_mawb() -> str:
    """A MAWB not used by any other upload of this run."""
    return f"045-{next(_serials):08d}"


@lru_cache(maxsize=64)
def book(mawb: str, rows: int) -> bytes:
    """A valid workbook with the given number of guides."""
    return workbook_bytes([guide_row(number) for number in range(1, rows + 1)], mawb=mawb)


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A 201: what the service acknowledged."""

    code: str
    mawb: str
    manifest_id: str
    tracking_codes: tuple[str, ...]


@dataclass
class Witness:
    """Sends requests as `tenant`, sometimes as `rival`, and records them; `None` means no response.

    sent: MAWB -> guides in the workbook that was sent under it.
    subscriptions: of the tenant; its rival has one.
    address: of the web server to use, if not the service's own. authority: the file of whom it trusts there.
    """

    service: Service
    tenant: Tenant
    rival: Tenant
    acknowledged: list[Acknowledged] = field(default_factory=list)
    answers: list[requests.Response] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    subscriptions: int = 1
    address: str = ""
    authority: str = ""

    @property
    def codes(self) -> set[str]:
        return {self.tenant.code, self.rival.code}

    def upload(
        self,
        mawb: str = "",
        rows: int = 3,
        *,
        tenant: Tenant | None = None,
        timeout: float = 60,
        key: str = "",
        **form: Any,
    ) -> requests.Response | None:
        """POST upload of a good manifest (or `manifest_file` in `form`), under an `Idempotency-Key` if there is one."""
        mawb = mawb or new_mawb()
        files = {"manifest_file": form.pop("manifest_file", None) or book(mawb, rows)}
        self.sent[mawb] = rows
        return self._ask("POST", "/upload", tenant or self.tenant, timeout=timeout, key=key, files=files | form)

    def queue(self, mawb: str = "", rows: int = 3, *, tenant: Tenant | None = None, key: str = "") -> str:
        """The id of the job of an upload that does not wait, which must be a 202."""
        mawb = mawb or new_mawb()
        self.sent[mawb] = rows
        files, more = {"manifest_file": book(mawb, rows)}, {"Prefer": "respond-async"}
        answer = self._ask("POST", "/upload", tenant or self.tenant, timeout=60, key=key, more=more, files=files)
        assert answer is not None
        assert answer.status_code == 202, answer.text
        return str(answer.json()["job_id"])

    def ended(self, job: str, *, tenant: Tenant | None = None) -> Any:
        """The JSON of a job that has ended; None as long as it has not."""
        who = tenant or self.tenant
        answer = self._ask("GET", f"/jobs/{job}", who, timeout=60)
        assert answer is not None
        shown = answer.json()
        if shown["result"]:
            self._acknowledge(who, shown["result"])
        return shown if shown["finished_at"] else None

    def accepted(self, mawb: str = "", rows: int = 3, **options: Any) -> Any:
        """The JSON of an upload that must be a 201."""
        answer = self.upload(mawb, rows, **options)
        assert answer is not None
        assert answer.status_code == 201, answer.text
        return answer.json()

    def shown(self, path: str) -> Any:
        """The JSON below the API's base, which must be a 200."""
        answer = self.get(path)
        assert answer is not None
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post_json(self, body: Any, *, timeout: float = 60, key: str = "") -> requests.Response | None:
        """POST process-pre-alert-json, under an `Idempotency-Key` if there is one."""
        self.sent[body["mawb"]] = len(body["guides"])
        return self._ask("POST", "/process-pre-alert-json", self.tenant, timeout=timeout, key=key, json=body)

    def get(self, path: str, *, timeout: float = 60) -> requests.Response | None:
        """GET below the API's base."""
        return self._ask("GET", path, self.tenant, timeout=timeout)

    def subscribe(self, *urls: str, version: int = 1) -> None:
        """Further subscriptions of the tenant, to all events."""
        register = "register" if version == 1 else "register_signed"
        self.service.server.manage(
            "shell", "-v", "0", "-c",
            f"from companies.models import Company; from webhooks.subscriptions import {register}; "
            f"company = Company.objects.get(client_code={self.tenant.code!r}); "
            f"[{register}(company, url) for url in {urls!r}]",
        )  # fmt: skip
        self.subscriptions += len(urls)

    def _ask(
        self,
        method: str,
        path: str,
        who: Tenant,
        *,
        timeout: float,
        key: str = "",
        more: Mapping[str, str] | None = None,
        **content: Any,
    ) -> requests.Response | None:
        try:
            answer = requests.request(
                method,
                (self.address or self.service.address) + BASE + path,
                headers=who.headers | ({"Idempotency-Key": key} if key else {}) | dict(more or {}),
                timeout=timeout,
                verify=self.authority or True,
                **content,
            )
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
            return None
        self.answers.append(answer)
        if answer.status_code == 201:
            self._acknowledge(who, answer.json())
        return answer

    def _acknowledge(self, who: Tenant, said: Any) -> None:
        codes = tuple(guide["tracking_code"] for guide in said["guides"])
        self.acknowledged.append(Acknowledged(who.code, said["mawb"], said["manifest_id"], codes))


def status(answer: requests.Response | None) -> int | None:
    """The status; None if the connection ended without one."""
    return None if answer is None else answer.status_code


def outcome(answer: requests.Response | None) -> tuple[int | None, str]:
    """Status and error code."""
    return (None, "") if answer is None else (answer.status_code, answer.json().get("error", ""))


@dataclass
class Responses:
    """What the clients of `load` got: (time received, status or None for a broken connection, duration in seconds)."""

    heard: list[tuple[float, int | None, float]] = field(default_factory=list)

    def statuses(self, since: float = 0.0) -> Counter[int | None]:
        """Counts by status of the requests sent after `since` (monotonic)."""
        return Counter(each for at, each, took in self.heard if at - took >= since)

    def last_failure(self, since: float) -> float:
        """When the last request that failed was answered; `since` if none was after that."""
        return max((at for at, code, _took in self.heard if code not in {200, 201} and at > since), default=since)

    def is_calm(self, since: float, seconds: float = 2) -> bool:
        """Whether for so long after the last failure since then reads and uploads succeeded."""
        calm = self.last_failure(since) + seconds
        return {200, 201} <= {code for at, code, _took in self.heard if at > calm}


@contextmanager
def load(witness: Witness, *, readers: int = 3, uploaders: int = 1) -> Iterator[Responses]:
    """Clients read the list and upload new manifests until the block ends; `witness` records them."""
    responses, end = Responses(), threading.Event()

    def client(ask: Callable[[], requests.Response | None]) -> None:
        while not end.is_set():
            started = time.monotonic()
            heard = status(ask())
            now = time.monotonic()
            responses.heard.append((now, heard, now - started))
            if heard is None:
                time.sleep(0.02)  # a refused connection comes back at once

    asked: list[Callable[[], requests.Response | None]] = [lambda: witness.get("/mawbs")] * readers
    asked += [witness.upload] * uploaders
    with ThreadPoolExecutor(len(asked)) as pool:
        running: list[Future[None]] = [pool.submit(client, ask) for ask in asked]
        try:
            yield responses
        finally:
            end.set()
        for each in running:
            each.result()
