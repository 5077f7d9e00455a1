"""Two companies of one service, and a record of all requests and responses."""

import itertools
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import requests

from faults.environment.running import Service
from faults.observation.tenants import Tenant
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
    listeners: client code -> live subscriptions, where it is not one.
    address: of the web server to use, if not the service's own. authority: the file of whom it trusts there.
    """

    service: Service
    tenant: Tenant
    rival: Tenant
    acknowledged: list[Acknowledged] = field(default_factory=list)
    answers: list[requests.Response] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    listeners: dict[str, int] = field(default_factory=dict)
    address: str = ""
    authority: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

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
        who = tenant or self.tenant
        files = {"manifest_file": form.pop("manifest_file", None) or book(mawb, rows)}
        with self._lock:
            self.sent[mawb] = rows
        answer = self._ask("POST", "/upload", who, timeout=timeout, key=key, files=files | form)
        if answer is not None and answer.status_code == 201:
            self.acknowledge(who, answer)
        return answer

    def post_json(self, body: Any, *, timeout: float = 60, key: str = "") -> requests.Response | None:
        """POST process-pre-alert-json, under an `Idempotency-Key` if there is one."""
        with self._lock:
            self.sent[body["mawb"]] = len(body["guides"])
        answer = self._ask("POST", "/process-pre-alert-json", self.tenant, timeout=timeout, key=key, json=body)
        if answer is not None and answer.status_code == 201:
            self.acknowledge(self.tenant, answer)
        return answer

    def get(self, path: str, *, tenant: Tenant | None = None, timeout: float = 60) -> requests.Response | None:
        """GET below the API's base."""
        return self._ask("GET", path, tenant or self.tenant, timeout=timeout)

    def acknowledge(self, who: Tenant, answer: requests.Response) -> None:
        """Record what a 201 acknowledged."""
        said = answer.json()
        codes = tuple(guide["tracking_code"] for guide in said["guides"])
        with self._lock:
            self.acknowledged.append(Acknowledged(who.code, said["mawb"], said["manifest_id"], codes))

    def _ask(
        self, method: str, path: str, who: Tenant, *, timeout: float, key: str = "", **content: Any
    ) -> requests.Response | None:
        try:
            answer = requests.request(
                method,
                (self.address or self.service.address) + BASE + path,
                headers=who.headers | ({"Idempotency-Key": key} if key else {}),
                timeout=timeout,
                verify=self.authority or True,
                **content,
            )
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
            return None
        with self._lock:
            self.answers.append(answer)
        return answer


def status(answer: requests.Response | None) -> int | None:
    """The status; None if the connection ended without one."""
    return None if answer is None else answer.status_code


def outcome(answer: requests.Response | None) -> tuple[int | None, str]:
    """Status and error code."""
    return (None, "") if answer is None else (answer.status_code, answer.json().get("error", ""))
