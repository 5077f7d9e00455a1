"""Requests and their answers: time limits, repeats, conditional GETs."""

import json
import logging
import random
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests

from prealerts_client.errors import ApiError, RateLimited, Unavailable, refusal, seconds_of

VERSION = "1.2.3"

log = logging.getLogger("prealerts_client")

BASE = "/api/public/pre-alerts/v1"
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds: the bound of the first wait, doubled for each further one, and its end, also that of a `Retry-After`."""
IN_PROGRESS_SECONDS = 60.0
"""How long to go on while an earlier attempt holds the key: a crash in the middle of it holds it for 45 seconds."""
CONNECT_SECONDS = 10.0
MOST_KEPT = 512
"""Answers that are kept with their ETags; the one that was not used for longest goes first."""

Answer = dict[str, Any]
Result = TypeVar("Result")
Content = Callable[[], Mapping[str, Any]]
"""Makes the arguments of one attempt that hold its body: files are opened again for each."""


@dataclass(frozen=True)
class LastResponse:
    """What an answer had beside its body. headers: by name in any case. url: with its query."""

    status: int
    reason: str
    headers: Mapping[str, str]
    url: str


class _Later(Exception):
    """A failure that may pass. seconds: how long the service asks to wait. refused: its answer."""

    def __init__(self, reason: str, seconds: float = 0.0, refused: ApiError | None = None) -> None:
        self.seconds, self.refused = seconds, refused
        super().__init__(reason)

    @property
    def is_in_progress(self) -> bool:
        """Whether another attempt with the same key is at work, or died at it."""
        return self.refused is not None and self.refused.code == "idempotency_in_progress"


@dataclass
class Transport:
    """One company's way to the service. The arguments are those of `Client`."""

    address: str
    password: InitVar[str]
    attempts: int = 6
    read_seconds: float = 30.0
    write_seconds: float = 120.0
    language: str = "en"
    sleep: Callable[[float], None] = time.sleep
    proxies: Mapping[str, str] | None = None
    verify: bool | str | None = None
    session: InitVar[requests.Session | None] = None
    last_response: LastResponse | None = field(default=None, init=False)

    def __post_init__(self, password: str, session: requests.Session | None) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"{self.address!r} is not an address such as https://prealerts.example.com.")
        if isinstance(self.verify, str) and not Path(self.verify).exists():
            raise ValueError(f"There is no file of certificates {self.verify!r}.")
        self._authorize = _bearer(password)  # as a header, an entry in ~/.netrc would replace it
        self._session = session or requests.Session()
        self._is_session_ours = session is None
        self._headers = {"Accept-Language": self.language, "User-Agent": f"prealerts-client/{VERSION}"}
        self._kept: OrderedDict[str, tuple[str, bytes]] = OrderedDict()

    def __reduce__(self) -> str:
        raise TypeError("A client has a password, which is not pickled or copied: make one where it is used.")

    def close(self) -> None:
        """Close the connections, unless the session is the caller's."""
        if self._is_session_ours:
            self._session.close()

    def get(self, path: str, query: Mapping[str, Any] | None = None, member: str = "") -> Answer:
        """The answer to a GET, repeated while that may help.

        query: None is left out, a list is repeated. member: what the answer has, or it is not the service's.
        """
        return self._repeated(lambda: self._answered("GET", path, member, params=query)[0])

    def poll(self, path: str) -> tuple[Answer, float]:
        """The answer to a GET, and in how many seconds the service wants to be asked again."""

        def once() -> tuple[Answer, float]:
            answer, response = self._answered("GET", path, "status")
            return answer, min(LONGEST_WAIT, seconds_of(response.headers.get("Retry-After", "")))

        return self._repeated(once)

    def post_under_key(self, path: str, content: Content, key: str, prefer: str | None = None) -> Answer:
        """The answer to a POST under an Idempotency-Key, repeated while that may help. prefer: see RFC 7240."""
        headers = {"Idempotency-Key": key, "Prefer": prefer}  # None is left out
        try:
            return self._repeated(lambda: self._once("POST", path, headers=headers, **content()))
        except Unavailable as away:
            raise Unavailable(str(away), key, away.retry_after_seconds) from away

    def post_again(self, path: str, content: Content) -> Answer:
        """The answer to a POST that stores nothing, repeated while that may help."""
        return self._repeated(lambda: self._once("POST", path, **content()))

    def post_for_file(self, path: str, content: Content, media_type: str) -> bytes:
        """The file that a POST which stores nothing is answered with, repeated while that may help."""

        def once() -> bytes:
            url, response = self._sent("POST", path, headers={"Accept": media_type}, **content())
            if response.status_code == 200 and response.headers.get("Content-Type") == media_type:
                return response.content
            refused = self._read("POST", url, response, "refusal")["refusal"] or {}  # of a request that was not read
            request_id = response.headers.get("X-Request-Id", "")
            raise refusal(refused.get("status", 0), refused, request_id, reason="no workbook", headers=response.headers)

        return self._repeated(once)

    def send_again(self, method: str, path: str, body: Mapping[str, Any]) -> Answer:
        """The answer to a request that may be repeated safely, repeated while that may help."""
        return self._repeated(lambda: self._once(method, path, json=body))

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """The answer to a request that is sent once: who repeats it blindly may do it twice."""
        try:
            return self._once(method, path, **({} if body is None else {"json": body}))
        except _Later as later:
            if later.refused is not None and later.refused.status >= 300:  # else it was cut off
                raise later.refused from None
            raise Unavailable(str(later)) from later

    def _repeated(self, once: Callable[[], Result]) -> Result:
        """What `once` returns, tried as often as `attempts` says, and for a minute while another attempt is at work."""
        failures, waited = 0, 0.0
        while True:
            try:
                return once()
            except _Later as later:
                reason = later
            is_in_progress = reason.is_in_progress and waited < IN_PROGRESS_SECONDS
            failures += not is_in_progress
            if failures >= self.attempts or reason.seconds > LONGEST_WAIT:
                if isinstance(reason.refused, RateLimited):
                    raise reason.refused
                raise Unavailable(
                    f"{max(1, failures)} attempts, the last: {reason}", retry_after_seconds=reason.seconds
                ) from reason
            bound = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** max(0, failures - 1))
            pause = reason.seconds + random.uniform(0, bound)  # noqa: S311  # jitter, no secret
            waited += pause if is_in_progress else 0.0
            log.info("Trying again in %.1f s: %s", pause, reason)
            self.sleep(pause)

    def _once(self, method: str, path: str, **content: Any) -> Answer:  # noqa: ANN401  # the arguments of requests
        return self._answered(method, path, **content)[0]

    def _answered(
        self,
        method: str,
        path: str,
        member: str = "",
        **content: Any,  # noqa: ANN401  # as above
    ) -> tuple[Answer, requests.Response]:
        """One attempt. Raises `ApiError` for an error that stays, `_Later` for one that may pass."""
        url, response = self._sent(method, path, **content)
        if response.status_code == 304 and url in self._kept:
            self._kept.move_to_end(url)
            return _object(self._kept[url][1]) or {}, response
        return self._read(method, url, response, member), response

    def _sent(self, method: str, path: str, **content: Any) -> tuple[str, requests.Response]:  # noqa: ANN401  # as above
        """The URL and the answer to one attempt. Raises `_Later` if there is none."""
        prepared = self._prepared(method, path, **content)
        url = str(prepared.url)
        if method == "GET" and url in self._kept:
            prepared.headers["If-None-Match"] = self._kept[url][0]
        seconds = self.read_seconds if method == "GET" else self.write_seconds
        proxies = dict(self.proxies or {})
        settings = self._session.merge_environment_settings(url, proxies, None, self.verify, None)
        try:
            response = self._session.send(
                prepared, timeout=(CONNECT_SECONDS, seconds), allow_redirects=False, **settings
            )
        except (OSError, ValueError) as lost:  # what requests raises is one of them
            reason = f"{type(lost).__name__}: {lost}"
            later = ValueError(reason) if isinstance(lost, ValueError) else _Later(reason)
        else:
            log.debug("%s %s: %d", method, path, response.status_code)
            self.last_response = LastResponse(response.status_code, response.reason or "", response.headers, url)
            return url, response
        raise later  # outside, without what was caught: the password is in the variables of its frames

    def _prepared(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str | None] | None = None,
        **content: Any,  # noqa: ANN401  # as above
    ) -> requests.PreparedRequest:
        """The request with its headers. Raises ValueError for what cannot be sent, such as a manifest with a set."""
        address = f"{self.address.rstrip('/')}{BASE}{path}"
        sent = {**self._headers, **(headers or {})}
        try:
            request = requests.Request(method, address, headers=sent, auth=self._authorize, **content)
            return self._session.prepare_request(request)
        except (requests.RequestException, TypeError) as mistaken:
            reason = str(mistaken)
        raise ValueError(f"This cannot be sent: {reason}")

    def _read(self, method: str, url: str, response: requests.Response, member: str = "") -> Answer:
        status, body = response.status_code, _object(response.content)
        is_expected = status == 204 if body is None else member in {"", *body}
        if 200 <= status < 300 and is_expected:
            if method == "GET" and (tag := response.headers.get("ETag")):
                self._keep(url, tag, response.content)
            return body or {}
        is_success = 200 <= status < 300  # without its body: it was cut off, or is another's
        reason = "without the JSON object that was expected" if is_success else response.reason or ""
        request_id = response.headers.get("X-Request-Id", "")
        refused = refusal(status, body or {}, request_id, reason=reason, headers=response.headers)
        if is_success or status in {408, 429} or status >= 500 or refused.code == "idempotency_in_progress":
            raise _Later(str(refused), refused.retry_after_seconds, refused)
        raise refused

    def _keep(self, url: str, tag: str, body: bytes) -> None:
        self._kept[url] = (tag, body)
        self._kept.move_to_end(url)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


def _bearer(password: object) -> Callable[[requests.PreparedRequest], requests.PreparedRequest]:
    """Return what sends the password with a request. Nothing else has it, so that no attribute shows it."""
    stripped = password.strip() if isinstance(password, str) else ""  # os.environ.get may return None
    if not (stripped and stripped.isascii() and stripped.isprintable()):
        raise ValueError("The API password is empty, or has a character that is not printable ASCII.")

    def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {stripped}"
        return request

    return authorize


def _object(content: bytes) -> Answer | None:
    """The JSON object of a body; None for anything else, such as a proxy's page."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None
