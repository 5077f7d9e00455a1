"""A client of the Pre-Alerts API, to copy: one file, Python 3.10 or later, `pip install requests`.

    client = PreAlerts("https://prealerts.example.com", os.environ["PREALERTS_PASSWORD"])
    sent = client.upload("manifest.xlsx", mawb="045-48216350")        # or client.post_json(manifest)
    print(client.guide(sent.tracking_codes["AND2612150001"])["status"])
    for change in client.watch(known):                                # polls, and keeps `known` up to date
        print(change.tracking_code, change.status)

It sets time limits, repeats what failed for a moment, backs off with jitter, and never sends a manifest again before
GET has told that it did not arrive. Fields, statuses and error codes that it does not know pass through it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests

Answer = dict[str, Any]
Known = MutableMapping[str, dict[str, int]]
"""What you know already: MAWB -> tracking code -> status_code."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0  # seconds: the bound of the first wait, doubled each time, and its end
DELIVERED, ENDS_BADLY = 6, 91  # by status_code; from 91 on the way has ended badly. Nothing follows either


class ApiError(Exception):
    """The service refused. Branch on `code`; treat one that you do not know by its `status`.

    body: the whole answer, with `details`, `invalid_rows`, `manifest_id` and whatever else belongs to the code.
    """

    def __init__(self, response: requests.Response, body: Answer) -> None:
        self.status, self.body, self.code = response.status_code, body, str(body.get("error", ""))
        self.request_id = response.headers.get("X-Request-Id", "")
        super().__init__(f"{self.status} {self.code}: {body.get('message', '')} (request {self.request_id})")


class Unavailable(Exception):
    """No answer that counts, however often it was tried. A manifest on its way may have arrived: ask again later."""


class _Later(Exception):
    """What may be otherwise in a moment; `seconds`: what the service asks to wait, at least."""

    def __init__(self, reason: str, seconds: float = 0.0) -> None:
        self.seconds = seconds
        super().__init__(reason)


@dataclass(frozen=True)
class Sent:
    """A manifest that the service has.

    tracking_codes: HAWB -> tracking code; empty when a courier's answer was lost, for only its client can ask.
    answer: what the service said, warnings and notices too; after a lost answer, what GET said of the MAWB.
    """

    manifest_id: str
    mawb: str
    tracking_codes: dict[str, str]
    answer: Answer


@dataclass(frozen=True)
class Change:
    """A guide that is no longer where you knew it. status_code: None when its manifest is gone (voided)."""

    mawb: str
    tracking_code: str
    status: str
    status_code: int | None


@dataclass
class PreAlerts:
    """One company's way to the service; one of it for each thread.

    address: such as https://prealerts.example.com. attempts: how often a request is tried before `Unavailable`.
    read_seconds, write_seconds: the longest silence before an answer to a GET and to a POST.
    """

    address: str
    password: str = field(repr=False)
    attempts: int = 6
    read_seconds: float = 30.0
    write_seconds: float = 120.0
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self._session = requests.Session()
        self._session.auth = self._authorize  # as a header of the session, an entry in ~/.netrc would replace it

    def upload(self, manifest: str | Path, mawb: str, invoice: str | Path | None = None, **flight: str) -> Sent:
        """Send a workbook. mawb: the number that stands in it. flight: fields of the form, such as flight_number.

        Raises `ApiError` for a refusal and `Unavailable` when nobody could tell what became of it.
        """

        def post() -> Answer:
            with ExitStack() as files:  # opened anew for each attempt: the last one has read them
                form = {
                    name: (Path(path).name, files.enter_context(Path(path).open("rb")))
                    for name, path in {"manifest_file": manifest, "invoice_file": invoice}.items()
                    if path
                }
                return self._once("POST", "/upload", files=form, data=flight)

        return self._send(post, mawb, can_ask=True)

    def post_json(self, manifest: Mapping[str, Any]) -> Sent:
        """Send a canonical JSON manifest; raises as `upload` does."""
        return self._send(
            lambda: self._once("POST", "/process-pre-alert-json", json=manifest),
            str(manifest["mawb"]),
            can_ask=not manifest.get("client_code"),  # what a courier posts, only its client can read
        )

    def mawbs(self) -> list[Answer]:
        """The 50 newest MAWBs, newest first."""
        return list((self._get("/mawbs") or {})["mawbs"])

    def mawb(self, number: str) -> Answer | None:
        """One MAWB with its guides; None when it is not among yours."""
        return self._get(f"/mawbs/{quote(number, safe='')}")

    def guide(self, tracking_code: str) -> Answer | None:
        """One guide with its timeline; None when it is not among yours."""
        return self._get(f"/guides/{quote(tracking_code, safe='')}")

    def reconcile(self, known: Known) -> Iterator[Change]:
        """Hold what you know against the record, bring `known` up to date, and tell what was otherwise.

        Asks for the newest MAWBs and for every one you know with a guide still on its way. Do it once a shift at
        least, also when webhooks tell you of each change: a missed webhook is not sent again.
        """
        for number in dict.fromkeys([*(item["mawb"] for item in self.mawbs()), *known]):
            codes = known.get(number, {})
            if codes and all(code == DELIVERED or code >= ENDS_BADLY for code in codes.values()):
                continue
            found = self.mawb(number)
            now = {guide["tracking_code"]: guide for guide in found["guides"]} if found else {}
            changes = [
                Change(number, code, guide["status"], guide["status_code"])
                for code, guide in now.items()
                if codes.get(code) != guide["status_code"]
            ] + [Change(number, code, "", None) for code in codes.keys() - now.keys()]
            if found:
                known[number] = {code: guide["status_code"] for code, guide in now.items()}
            else:
                known.pop(number, None)
            yield from changes

    def watch(self, known: Known, every_seconds: float = 180.0) -> Iterator[Change]:
        """Reconcile for ever, with a pause between; a round that finds the service away is made up by the next."""
        while True:
            with suppress(Unavailable):
                yield from self.reconcile(known)
            self.sleep(every_seconds)

    def _send(self, post: Callable[[], Answer], mawb: str, *, can_ask: bool) -> Sent:
        """POST until it is known what became of the manifest.

        A 409 to the first attempt is a refusal: the MAWB was there. What is found after an attempt without an answer
        is taken for this manifest; compare its HAWBs where several of your systems send.
        """
        reason: _Later | None = None
        for attempt in range(self.attempts):
            try:
                return _sent(post())
            except ApiError as refusal:
                if attempt == 0 or refusal.code != "mawb_already_exists":
                    raise
                found = self.mawb(mawb) if can_ask else None
                return _sent(found or {"mawb": mawb, **refusal.body})
            except _Later as later:
                reason = later
                self._wait(attempt, later)
            if can_ask and (found := self.mawb(mawb)):
                return _sent(found)
        raise Unavailable(f"{mawb}: {reason}") from reason

    def _get(self, path: str) -> Answer | None:
        """The answer, tried again as long as that helps; None for what is not there."""
        reason: _Later | None = None
        for attempt in range(self.attempts):
            try:
                return self._once("GET", path)
            except ApiError as refusal:
                if refusal.code == "not_found":
                    return None
                raise
            except _Later as later:
                reason = later
                self._wait(attempt, later)
        raise Unavailable(f"{path}: {reason}") from reason

    def _once(self, method: str, path: str, **content: Any) -> Answer:
        """One attempt: the answer, `ApiError` for a refusal, `_Later` for what is worth another attempt."""
        seconds = self.read_seconds if method == "GET" else self.write_seconds
        url = f"{self.address.rstrip('/')}/api/public/pre-alerts/v1{path}"
        try:
            response = self._session.request(method, url, timeout=(10.0, seconds), allow_redirects=False, **content)
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as lost:
            raise _Later(f"{type(lost).__name__}: {lost}") from lost
        body = _object(response)
        refusal = ApiError(response, body)
        is_success = 200 <= refusal.status < 300
        if is_success and body:
            return body
        if refusal.status == 429 or refusal.status >= 500 or is_success:  # a success without its body was cut off
            wait = response.headers.get("Retry-After", "")
            raise _Later(str(refusal), float(wait) if wait.isdecimal() else 0.0)
        raise refusal

    def _wait(self, attempt: int, later: _Later) -> None:
        """Exponential backoff with full jitter, on top of what the service asks for."""
        bound = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
        self.sleep(later.seconds + random.uniform(0, bound))

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self.password}"
        return request


def _sent(answer: Answer) -> Sent:
    codes = {guide["hawb"]: guide["tracking_code"] for guide in answer.get("guides", [])}
    return Sent(str(answer["manifest_id"]), str(answer["mawb"]), codes, answer)


def _object(response: requests.Response) -> Answer:
    """The JSON object of an answer; empty for anything else, such as a proxy's page."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
