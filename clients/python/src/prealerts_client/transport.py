"""Requests and their answers: time limits, repeats, conditional GETs."""

import json
import logging
import random
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import requests

from prealerts_client.errors import ApiError, RateLimited, Unavailable, refusal

VERSION = "1.1.0"

log = logging.getLogger("prealerts_client")

BASE = "/api/public/pre-alerts/v1"
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds: the bound of the first wait, doubled for each further one, and its end."""
IN_PROGRESS_SECONDS = 60.0
"""How long to go on while an earlier attempt holds the key: a crash in the middle of it holds it for 45 seconds."""
CONNECT_SECONDS = 10.0
MOST_KEPT = 512
"""Answers that are kept with their ETags; the one that was not used for longest goes first."""

_LOST = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
    requests.exceptions.ContentDecodingError,
)
Answer = dict[str, Any]
Result = TypeVar("Result")
Content = Callable[[], Mapping[str, Any]]
"""Makes the arguments of one attempt that hold its body: files are opened anew for each."""


class _Later(Exception):
    """What may be otherwise in a moment. seconds: what the service asks to wait, at least. refused: its answer."""

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
    password: str = field(repr=False)
    attempts: int = 6
    read_seconds: float = 30.0
    write_seconds: float = 120.0
    language: str = "en"
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self._session = requests.Session()
        self._session.auth = self._authorize  # as a header of the session, an entry in ~/.netrc would replace it
        self._session.headers.update({"Accept-Language": self.language, "User-Agent": f"prealerts-client/{VERSION}"})
        self._kept: OrderedDict[str, tuple[str, bytes]] = OrderedDict()

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Answer:
        """The answer to a GET, repeated while that may help. query: None is left out, a list is repeated."""
        return self._repeated(lambda: self._once("GET", path, params=query))

    def poll(self, path: str) -> tuple[Answer, float]:
        """The answer to a GET, and in how many seconds the service wants to be asked again."""

        def once() -> tuple[Answer, float]:
            answer, response = self._answered("GET", path)
            return answer, _seconds(response.headers.get("Retry-After", ""))

        return self._repeated(once)

    def post_under_key(self, path: str, content: Content, key: str, prefer: str | None = None) -> Answer:
        """The answer to a POST under an Idempotency-Key, repeated while that may help. prefer: see RFC 7240."""
        headers = {"Idempotency-Key": key, "Prefer": prefer}  # None is left out
        try:
            return self._repeated(lambda: self._once("POST", path, headers=headers, **content()))
        except Unavailable as away:
            raise Unavailable(str(away), key) from away

    def post_again(self, path: str, content: Content) -> Answer:
        """The answer to a POST that stores nothing, repeated while that may help."""
        return self._repeated(lambda: self._once("POST", path, **content()))

    def post_for_file(self, path: str, content: Content, media_type: str) -> bytes:
        """The file that a POST which stores nothing is answered with, repeated while that may help."""

        def once() -> bytes:
            url, response = self._sent("POST", path, headers={"Accept": media_type}, **content())
            if response.status_code == 200 and response.headers.get("Content-Type") == media_type:
                return response.content
            refused = self._read("POST", url, response).get("refusal") or {}  # of a request that was not read
            raise refusal(refused.get("status", 0), refused, response.headers.get("X-Request-Id", ""))

        return self._repeated(once)

    def send_again(self, method: str, path: str, body: Mapping[str, Any]) -> Answer:
        """The answer to a request that may be repeated safely, repeated while that may help."""
        return self._repeated(lambda: self._once(method, path, json=body))

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """The answer to a request that is sent once: who repeats it blindly may do it twice."""
        try:
            return self._once(method, path, **({} if body is None else {"json": body}))
        except _Later as later:
            if later.refused is not None:
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
            if failures >= self.attempts:
                if isinstance(reason.refused, RateLimited):
                    raise reason.refused
                raise Unavailable(f"{failures} attempts, the last: {reason}") from reason
            bound = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** max(0, failures - 1))
            pause = reason.seconds + random.uniform(0, bound)  # noqa: S311  # jitter, no secret
            waited += pause if is_in_progress else 0.0
            log.info("Trying again in %.1f s: %s", pause, reason)
            self.sleep(pause)

    def _once(self, method: str, path: str, **content: Any) -> Answer:  # noqa: ANN401  # the arguments of requests
        return self._answered(method, path, **content)[0]

    def _answered(self, method: str, path: str, **content: Any) -> tuple[Answer, requests.Response]:  # noqa: ANN401  # as above
        """One attempt. Raises `ApiError` for a refusal, `_Later` for what is worth another attempt."""
        url, response = self._sent(method, path, **content)
        if response.status_code == 304 and url in self._kept:
            self._kept.move_to_end(url)
            return _object(self._kept[url][1]) or {}, response
        return self._read(method, url, response), response

    def _sent(self, method: str, path: str, **content: Any) -> tuple[str, requests.Response]:  # noqa: ANN401  # as above
        """The URL and the answer to one attempt. Raises `_Later` if there is none."""
        request = requests.Request(method, f"{self.address.rstrip('/')}{BASE}{path}", **content)
        prepared = self._session.prepare_request(request)
        url = str(prepared.url)
        if method == "GET" and url in self._kept:
            prepared.headers["If-None-Match"] = self._kept[url][0]
        seconds = self.read_seconds if method == "GET" else self.write_seconds
        settings = self._session.merge_environment_settings(url, {}, None, None, None)
        try:
            response = self._session.send(
                prepared, timeout=(CONNECT_SECONDS, seconds), allow_redirects=False, **settings
            )
        except _LOST as lost:
            raise _Later(f"{type(lost).__name__}: {lost}") from lost
        log.debug("%s %s: %d", method, path, response.status_code)
        return url, response

    def _read(self, method: str, url: str, response: requests.Response) -> Answer:
        status, body = response.status_code, _object(response.content)
        if 200 <= status < 300 and (body is not None or status == 204):
            if method == "GET" and (tag := response.headers.get("ETag")):
                self._keep(url, tag, response.content)
            return body or {}
        refused = refusal(status, body or {}, response.headers.get("X-Request-Id", ""))
        is_success = 200 <= status < 300  # without its body: it was cut off
        if is_success or status == 429 or status >= 500 or refused.code == "idempotency_in_progress":
            raise _Later(str(refused), _seconds(response.headers.get("Retry-After", "")), refused)
        raise refused

    def _keep(self, url: str, tag: str, body: bytes) -> None:
        self._kept[url] = (tag, body)
        self._kept.move_to_end(url)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self.password}"
        return request


def _object(content: bytes) -> Answer | None:
    """The JSON object of a body; None for anything else, such as a proxy's page."""
    try:
        body = json.loads(content)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _seconds(retry_after: str) -> float:
    """The seconds of a Retry-After header, which may also be a date (RFC 9110, 10.2.3); 0 for anything else."""
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds()) if moment.tzinfo else 0.0
