"""One method for each operation of the API, named as its operationId."""

import base64
import logging
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, cast, overload
from urllib.parse import quote

import requests
from typing_extensions import Self, Unpack

from prealerts_client import answers
from prealerts_client.answers import Layout
from prealerts_client.errors import ApiError, RateLimited, Unavailable, refusal
from prealerts_client.following import Change, Known, follow, parse_moment
from prealerts_client.manifests import ColumnAnswer, GuideCorrection, JsonManifest, LabelAnswer
from prealerts_client.requests_sent import (
    XLSX,
    DeliveryFilters,
    File,
    Flight,
    MawbFilters,
    Moment,
    SubscriptionChanges,
    as_text,
    several,
    upload_form,
)
from prealerts_client.transport import LastResponse, Transport

log = logging.getLogger("prealerts_client")


class Client:
    """A client of the API for one company. Make one for each thread.

    address: such as `https://prealerts.example.com`. password: spaces around it are removed; ValueError if it is
    empty or not printable ASCII. No attribute shows it, and a client cannot be pickled. attempts: how often a request
    is tried before `Unavailable`. read_seconds, write_seconds: how long to wait for an answer to a GET, and to
    another request. language: `en` or `es`, of the messages of warnings, notices and rows. sleep: the function that
    waits between attempts. proxies, verify: as in requests, by default from the environment. session: your own session
    of requests, with adapters or proxies; the client does not change or close it.

    Every method raises `ApiError` for an error of the service, `Unavailable` if there is no valid answer, and
    ValueError for an argument that cannot be sent. A file that cannot be read raises its own OSError.
    """

    def __init__(  # noqa: PLR0913  # settings by name, each with a default
        self,
        address: str,
        password: str,
        *,
        attempts: int = 6,
        read_seconds: float = 30.0,
        write_seconds: float = 120.0,
        language: str = "en",
        sleep: Callable[[float], None] = time.sleep,
        proxies: Mapping[str, str] | None = None,
        verify: bool | str | None = None,
        session: requests.Session | None = None,
    ) -> None:
        self._transport = Transport(
            address, password, attempts, read_seconds, write_seconds, language, sleep, proxies, verify, session
        )

    def __repr__(self) -> str:
        return f"Client({self._transport.address!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    @property
    def last_response(self) -> LastResponse | None:
        """Status, reason, headers and URL of the last answer, whatever it was; None before the first."""
        return self._transport.last_response

    def me(self) -> answers.Me:
        """Your company: the countries and workbooks open to it, its tracking prefix, its rate limit."""
        return cast("answers.Me", self._transport.get("/me"))

    # --- pre-alerts ---------------------------------------------------------------------------------------------

    @overload
    def upload_manifest(
        self,
        manifest: File,
        invoice: File | None = None,
        *,
        wait: Literal[True] = True,
        idempotency_key: str | None = None,
        **flight: Unpack[Flight],
    ) -> answers.UploadResult: ...

    @overload
    def upload_manifest(
        self,
        manifest: File,
        invoice: File | None = None,
        *,
        wait: Literal[False],
        idempotency_key: str | None = None,
        **flight: Unpack[Flight],
    ) -> answers.JobQueued | answers.UploadResult: ...

    def upload_manifest(
        self,
        manifest: File,
        invoice: File | None = None,
        *,
        wait: bool = True,
        idempotency_key: str | None = None,
        **flight: Unpack[Flight],
    ) -> answers.JobQueued | answers.UploadResult:
        """Send a workbook, with or without its invoice. It may be sent several times; the manifest is created once.

        manifest, invoice: paths, bytes, or files opened in binary mode. wait: False returns as soon as the files are
        stored; give what it returns to `wait`. It is the result itself if an attempt that waited succeeded under this
        key. flight: fields of the form, such as `flight_number` and `scheduled_arrival`. idempotency_key: of an earlier
        attempt that raised `Unavailable`; a new one by default.
        """
        key, prefer = idempotency_key or str(uuid.uuid4()), None if wait else "respond-async"
        sent = self._transport.post_under_key("/upload", upload_form(manifest, invoice, flight), key, prefer)
        return cast("answers.JobQueued | answers.UploadResult", sent)

    def post_manifest(self, manifest: JsonManifest, *, idempotency_key: str | None = None) -> answers.JsonResult:
        """Send a canonical JSON manifest; as `upload_manifest`."""
        key = idempotency_key or str(uuid.uuid4())
        sent = self._transport.post_under_key("/process-pre-alert-json", lambda: {"json": manifest}, key)
        return cast("answers.JsonResult", sent)

    def get_job(self, job: str) -> answers.Job:
        """One upload job: its status, and its result or error when it has ended. Raises `NotFound`."""
        return cast("answers.Job", self._transport.get(f"/jobs/{_part(job)}"))

    def wait(
        self, job: answers.JobQueued | answers.UploadResult | str, *, seconds: float = 600.0
    ) -> answers.UploadResult:
        """Wait for an upload job to end, asking as often as the service says, and return what the upload created.

        job: what `upload_manifest(..., wait=False)` returned, or the id of a job. seconds: how long to wait.

        Raises what `upload_manifest` would have raised; `Unavailable` if the job has not ended by then (wait for it
        again); `NotFound` for an unknown job.
        """
        known: Any = {"job_id": job} if isinstance(job, str) else job
        if "job_id" not in known:
            return cast("answers.UploadResult", known)
        waited = 0.0
        while True:
            answer, pause = self._transport.poll(f"/jobs/{_part(known['job_id'])}")
            if answer["result"]:
                return cast("answers.UploadResult", answer["result"])
            if error := answer["error"]:
                raise _refused_job(error)
            if waited >= seconds:
                raise Unavailable(f"The job {known['job_id']} is still {answer['status']} after {seconds:g} seconds.")
            pause = pause or 1.0
            self._transport.sleep(pause)
            waited += pause

    def validate_workbook(
        self, manifest: File, invoice: File | None = None, **flight: Unpack[Flight]
    ) -> answers.Validation:
        """Try a workbook: what `upload_manifest` would return, and all problems. Nothing is stored."""
        answer = self._transport.post_again("/upload/validate", upload_form(manifest, invoice, flight))
        return cast("answers.Validation", answer)

    def annotate_workbook(self, manifest: File, **flight: Unpack[Flight]) -> bytes:
        """Try a workbook: a copy of it, an .xlsx, with each problem at its cell. Nothing is stored."""
        return self._transport.post_for_file("/upload/validate", upload_form(manifest, None, flight), XLSX)

    def validate_manifest(self, manifest: JsonManifest) -> answers.Validation:
        """Try a canonical JSON manifest; as `validate_workbook`."""
        answer = self._transport.post_again("/process-pre-alert-json/validate", lambda: {"json": manifest})
        return cast("answers.Validation", answer)

    def list_layouts(self, *, country: str | None = None, limit: int = 100) -> Iterator[answers.Layout]:
        """The layouts of your workbooks, newest first, page after page as they are taken. limit: of a page."""
        query = {"country": country, "limit": limit}
        return cast("Iterator[answers.Layout]", self._pages("/layouts", "layouts", query))

    def answer_layout(
        self,
        layout: str,
        *,
        answers: Iterable[ColumnAnswer | answers.ToldColumn] = (),
        labels: Iterable[LabelAnswer | answers.ToldLabel] = (),
        rows_without_hawb: str | None = None,
    ) -> Layout:
        """Say what columns of a layout are, from the next workbook on. It replaces what was said before.

        layout: its id. The others: as the layout has them, and more.

        Raises `ValidationFailed`, whose details name the answer; `Conflict` once the courier has confirmed the layout.
        """
        said = {"answers": [*answers], "labels": [*labels], "rows_without_hawb": rows_without_hawb}
        return cast("Layout", self._transport.send_again("PUT", f"/layouts/{_part(layout)}/answers", said))

    # --- tracking -----------------------------------------------------------------------------------------------

    def list_mawbs(
        self,
        *,
        status: str | Iterable[str] = (),
        limit: int = 100,
        **filters: Unpack[MawbFilters],
    ) -> Iterator[answers.MawbSummary]:
        """MAWBs, newest first: all of them, page after page as they are taken.

        status: one or several. limit: of a page. filters: moments are text or a datetime with an offset.
        """
        query = {"status": several(status), "limit": limit, **filters}
        return cast("Iterator[answers.MawbSummary]", self._pages("/mawbs", "mawbs", query))

    def get_mawb(self, number: str) -> answers.MawbDetail:
        """One MAWB with its guides, in any spelling of its number. Raises `NotFound`."""
        return cast("answers.MawbDetail", self._transport.get(f"/mawbs/{_part(number)}"))

    def list_guides(
        self, number: str, *, status: str | Iterable[str] = (), limit: int = 500
    ) -> Iterator[answers.GuideSummary]:
        """The guides of one MAWB, page after page as they are taken: for those of many thousands.

        status: one or several. limit: of a page, at most 500. Raises `NotFound` when the first guide is taken.
        """
        query = {"status": several(status), "limit": limit}
        found = self._pages(f"/mawbs/{_part(number)}/guides", "guides", query)
        return cast("Iterator[answers.GuideSummary]", found)

    def get_findings(self, number: str) -> answers.Findings:
        """The warnings and notices of a MAWB, and what was understood of it. Raises `NotFound`."""
        return cast("answers.Findings", self._transport.get(f"/mawbs/{_part(number)}/findings"))

    def get_guide(self, tracking_code: str) -> answers.Guide:
        """One guide with its timeline. Raises `NotFound`."""
        return cast("answers.Guide", self._transport.get(f"/guides/{_part(tracking_code)}"))

    def guides(
        self,
        *,
        hawb: str | Iterable[str] = (),
        tracking_code: str | Iterable[str] = (),
        mawb: str | None = None,
        status: str | Iterable[str] = (),
        country: str | None = None,
        updated_since: Moment | None = None,
        limit: int = 100,
    ) -> Iterator[answers.ChangedGuide]:
        """Guides of any MAWBs, the oldest change first: all of them, page after page as they are taken.

        One of `hawb`, `tracking_code` (each one or up to 100), `mawb` and `updated_since` is needed. limit: of a page.
        """
        query = {
            "hawb": several(hawb),
            "tracking_code": several(tracking_code),
            "mawb": mawb,
            "status": several(status),
            "country": country,
            "updated_since": updated_since,
            "limit": limit,
        }
        return cast("Iterator[answers.ChangedGuide]", self._pages("/guides", "guides", query))

    def correct(self, tracking_code: str, **fields: Unpack[GuideCorrection]) -> answers.CorrectionResult:
        """Correct fields of a guide, by their names in the JSON manifest; None empties one. A courier gives
        `client_code`, too.

        Raises `ApiError`, `guide_under_way` when it is too late for a field: nothing is changed then.
        """
        corrected = self._transport.send_again("PATCH", f"/guides/{_part(tracking_code)}", fields)
        return cast("answers.CorrectionResult", corrected)

    def cancel(self, tracking_code: str, reason: str, **courier: str) -> answers.CancellationResult:
        """Cancel a guide that customs does not have. courier: its `client_code`."""
        body = {"reason": reason, **courier}
        cancelled = self._transport.send_again("POST", f"/guides/{_part(tracking_code)}/cancel", body)
        return cast("answers.CancellationResult", cancelled)

    def void(self, number: str, reason: str, *, manifest_id: str | None = None, **courier: str) -> answers.Voided:
        """Void a MAWB none of whose guides is under way, so that it can be sent again. manifest_id: only this one.

        Without it, a repetition may void what was sent again meanwhile. courier: its `client_code`.
        """
        body = {"reason": reason, **({"manifest_id": manifest_id} if manifest_id else {}), **courier}
        voided = self._transport.send_again("POST", f"/mawbs/{_part(number)}/void", body)
        return cast("answers.Voided", voided)

    def reconcile(self, known: Known, since: datetime | str | None = None) -> Iterator[Change]:
        """Compare `known` with the service, update it, and yield the differences.

        since: when `known` was complete. The client reads all guides that changed after that time, less two minutes, a
        hundred in a request. A voided MAWB is in no list, so it also reads one guide of each MAWB in `known` that has
        guides under way and none among the changes. Without `since` it reads the 50 newest MAWBs, and each MAWB in
        `known` that has guides under way.

        Do it at least once a shift, with webhooks too. Raises `ValueError` if `since` has no offset.
        """
        yield from follow(self, known, None if since is None else parse_moment(since))

    def watch(
        self, known: Known, every_seconds: float = 180.0, since: datetime | str | None = None
    ) -> Iterator[Change]:
        """Reconcile again and again, with a pause between. If a round fails because the service is not available, or
        because of the rate limit, the next round reads what it missed.

        since: of the first round, as in `reconcile`. The others continue from the newest change that they have seen,
        by the service's clock.
        """
        seen = None if since is None else parse_moment(since)
        while True:
            try:
                seen = yield from follow(self, known, seen)
            except (Unavailable, RateLimited) as failed:
                log.info("This round failed: %s", failed)
            self._transport.sleep(every_seconds)

    # --- webhooks -----------------------------------------------------------------------------------------------

    def list_event_types(self) -> answers.EventTypeList:
        """The types of webhooks, each with its meaning and an example."""
        return cast("answers.EventTypeList", self._transport.get("/webhooks/event-types"))

    def list_subscriptions(self, *, limit: int = 100) -> Iterator[answers.SubscriptionItem]:
        """Your webhooks, newest first, all pages."""
        found = self._pages("/webhooks/subscriptions", "subscriptions", {"limit": limit})
        return cast("Iterator[answers.SubscriptionItem]", found)

    def create_subscription(
        self,
        url: str,
        *,
        event_types: list[str] | None = None,
        countries: list[str] | None = None,
        description: str = "",
        secret: str | None = None,
    ) -> answers.SubscriptionCreated:
        """Make a webhook of version 2. None as event_types or countries: all.

        secret: `whsec_` and 24 to 64 bytes in base64. One that you keep first is known also when the answer is lost;
        by default a new one, which is in the answer this once.
        """
        filters = {"event_types": event_types, "countries": countries, "description": description}
        body = {"url": url, **filters, "secret": _new_secret() if secret is None else secret}
        return cast("answers.SubscriptionCreated", self._transport.send("POST", "/webhooks/subscriptions", body))

    def get_subscription(self, subscription: str) -> answers.SubscriptionItem:
        """One webhook, by its id `sub_...`. Raises `NotFound`."""
        return cast("answers.SubscriptionItem", self._transport.get(_subscription(subscription)))

    def change_subscription(
        self, subscription: str, **changes: Unpack[SubscriptionChanges]
    ) -> answers.SubscriptionChanged:
        """Change a webhook; what is left out stays."""
        changed = self._transport.send("PATCH", _subscription(subscription), changes)
        return cast("answers.SubscriptionChanged", changed)

    def delete_subscription(self, subscription: str) -> None:
        """Delete a webhook; what waits for it is not sent."""
        self._transport.send("DELETE", _subscription(subscription))

    def rotate_secret(
        self, subscription: str, *, overlap_hours: int = 24, secret: str | None = None
    ) -> answers.SubscriptionSecret:
        """A new secret, as of `create_subscription`; the one before signs as well for `overlap_hours`, 0 to 72."""
        body = {"overlap_hours": overlap_hours, "secret": _new_secret() if secret is None else secret}
        rotated = self._transport.send("POST", f"{_subscription(subscription)}/rotate-secret", body)
        return cast("answers.SubscriptionSecret", rotated)

    def send_test(self, subscription: str, type: str = "webhook.test") -> answers.TestSent:  # noqa: A002  # the API's
        """Send the example of a type of event."""
        sent = self._transport.send("POST", f"{_subscription(subscription)}/test", {"type": type})
        return cast("answers.TestSent", sent)

    def replay_range(
        self,
        subscription: str,
        since: Moment,
        until: Moment,
        *,
        states: Iterable[str] = ("dead",),
        event_types: list[str] | None = None,
    ) -> answers.ReplayedRange:
        """Send again what was made from `since` until before `until`; ask again while `has_more`."""
        moments = {"since": as_text(since), "until": as_text(until)}
        body = {**moments, "states": list(states), "event_types": event_types}
        replayed = self._transport.send("POST", f"{_subscription(subscription)}/replay", body)
        return cast("answers.ReplayedRange", replayed)

    def list_deliveries(
        self,
        *,
        limit: int = 100,
        **filters: Unpack[DeliveryFilters],
    ) -> Iterator[answers.DeliveryItem]:
        """The log of deliveries, newest first, all pages."""
        query = {name.rstrip("_"): value for name, value in filters.items()}
        found = self._pages("/webhooks/deliveries", "deliveries", {"limit": limit, **query})
        return cast("Iterator[answers.DeliveryItem]", found)

    def get_delivery(self, delivery: str) -> answers.DeliveryDetail:
        """One delivery, such as `evt_...`, with its body and its attempts. Raises `NotFound`."""
        return cast("answers.DeliveryDetail", self._transport.get(f"/webhooks/deliveries/{_part(delivery)}"))

    def replay_delivery(self, delivery: str) -> answers.ReplayedDelivery:
        """Send a delivery again, under the same id."""
        replayed = self._transport.send("POST", f"/webhooks/deliveries/{_part(delivery)}/replay")
        return cast("answers.ReplayedDelivery", replayed)

    def _pages(self, path: str, noun: str, query: Mapping[str, Any]) -> Iterator[Any]:
        """The members of a list, page after page."""
        asked = {name: as_text(value) for name, value in query.items()}
        cursor: str | None = None
        while True:
            page = self._transport.get(path, {**asked, "cursor": cursor}, noun)
            yield from page[noun]
            cursor = page.get("next_cursor")
            if cursor is None:
                return


def _refused_job(error: Mapping[str, Any]) -> ApiError | Unavailable:
    """What the upload of a failed job would have raised."""
    body = {name: value for name, value in error.items() if name != "http_status"}
    refused = refusal(error["http_status"], body, str(body.get("request_id", "")))
    return Unavailable(str(refused)) if refused.status >= 500 else refused


def _part(value: object) -> str:
    """A part of a path. Raises ValueError for one that would name another address."""
    if not isinstance(value, str) or value.strip() in {"", ".", ".."}:
        raise ValueError(f"{value!r} is empty, or names no part of an address.")
    return quote(value, safe="")


def _new_secret() -> str:
    return f"whsec_{base64.b64encode(os.urandom(32)).decode()}"


def _subscription(identifier: str) -> str:
    return f"/webhooks/subscriptions/{_part(identifier)}"
