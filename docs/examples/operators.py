"""What the programs for the operators' API have in common: a token, and calls over a network that fails.

A call is sent again while the network or the service is away, as every call of this API may be. It needs nothing but
Python.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

_PASSING = {429, 502, 503, 504}
_ATTEMPTS = 8


class Refused(Exception):
    """The service refused the call. answer: its body; `error` is the code."""

    def __init__(self, status: int, answer: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {answer.get('error')}: {answer.get('message')} {answer.get('details', '')}".strip())
        self.status, self.answer = status, answer


class Operators:
    """The API for one access.

    address: of the service, such as https://prealerts.example.com. sleep: waits between attempts, in seconds.
    """

    def __init__(
        self, address: str, client_id: str, client_secret: str, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._base = f"{address}/api/operators/v1/"
        self._credentials = {"client_id": client_id, "client_secret": client_secret}
        self._sleep, self._token = sleep, ""

    def call(self, method: str, path: str, body: object = None) -> Any:  # any JSON
        """Return the answer. Gets a token first, and another one when it has ended. Raises `Refused`, `OSError`."""
        for is_last in (False, True):
            self._token = self._token or self._new_token()
            try:
                return self._sent(method, path, body)
            except Refused as refused:
                if is_last or refused.answer.get("error") != "invalid_token":
                    raise
                self._token = ""
        raise AssertionError("the second attempt returns or raises")

    def _new_token(self) -> str:
        asked = {"grant_type": "client_credentials", **self._credentials}
        return str(self._sent("POST", "tokens", asked)["access_token"])

    def _sent(self, method: str, path: str, body: object) -> Any:  # as above
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(1, _ATTEMPTS + 1):
            pause = 0.5 * 2**attempt
            request = urllib.request.Request(self._base + path, data, headers, method=method)  # noqa: S310  # as it was given
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # as above
                    return json.load(answer)
            except urllib.error.HTTPError as refused:
                if refused.code not in _PASSING or attempt == _ATTEMPTS:
                    raise Refused(refused.code, _body_of(refused)) from None
                pause = max(pause, float(refused.headers.get("Retry-After") or 0))
            except (OSError, ValueError):  # the network, or an answer that was cut off
                if attempt == _ATTEMPTS:
                    raise
            self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")


def _body_of(refused: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        body = json.load(refused)
    except ValueError:
        body = {}
    return body if isinstance(body, dict) else {}
