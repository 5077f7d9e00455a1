"""One method for each operation of the API, named as its operationId."""

import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import quote

from prealerts_client import answers
from prealerts_client.errors import NotFound, Unavailable
from prealerts_client.following import OVERLAP, Change, Known, brought_up_to_date, has_ended
from prealerts_client.transport import Transport
from prealerts_client.upload_form import XLSX, upload_form

_RECENT = 50


class Client:
    """One company's way to the service; one of it for each thread.

    address: such as `https://prealerts.example.com`. attempts: how often a request is tried before `Unavailable`.
    read_seconds, write_seconds: the longest silence before an answer to a GET and to another request. language: `en`
    or `es`, of the messages of warnings, notices and rows. sleep: what waits between attempts.

    Every method raises `ApiError` for a refusal and `Unavailable` without an answer that counts.
    """

    def __init__(
        self,
        address: str,
        password: str,
        *,
        attempts: int = 6,
        read_seconds: float = 30.0,
        write_seconds: float = 120.0,
        language: str = "en",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transport = Transport(address, password, attempts, read_seconds, write_seconds, language, sleep)

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

    # --- pre-alerts ---------------------------------------------------------------------------------------------

    def upload_manifest(
        self,
        manifest: str | Path,
        invoice: str | Path | None = None,
        *,
        idempotency_key: str | None = None,
        **flight: str,
    ) -> answers.UploadResult:
        """Send a workbook, perhaps with its invoice. The manifest is created once, however often it has to be sent.

        flight: fields of the form, such as `flight_number` and `scheduled_arrival`. idempotency_key: of an earlier
        attempt that raised `Unavailable`; a new one by default.
        """
        key = idempotency_key or str(uuid.uuid4())
        sent = self._transport.post_under_key("/upload", upload_form(manifest, invoice, flight), key)
        return cast("answers.UploadResult", sent)

    def post_manifest(self, manifest: Mapping[str, Any], *, idempotency_key: str | None = None) -> answers.JsonResult:
        """Send a canonical JSON manifest; as `upload_manifest`."""
        key = idempotency_key or str(uuid.uuid4())
        sent = self._transport.post_under_key("/process-pre-alert-json", lambda: {"json": manifest}, key)
        return cast("answers.JsonResult", sent)

    def get_job(self, job: str) -> answers.Job:
        """One upload job: its status, and its result or refusal once it has ended. Raises `NotFound`."""
        return cast("answers.Job", self._transport.get(f"/jobs/{_part(job)}"))

    def validate_workbook(
        self, manifest: str | Path, invoice: str | Path | None = None, **flight: str
    ) -> answers.Validation:
        """Try a workbook: what `upload_manifest` would be answered, and all that is to be mended. Nothing is stored."""
        answer = self._transport.post_again("/upload/validate", upload_form(manifest, invoice, flight))
        return cast("answers.Validation", answer)

    def annotate_workbook(self, manifest: str | Path, **flight: str) -> bytes:
        """Try a workbook: a copy of it, an .xlsx, with each problem at its cell. Nothing is stored."""
        return self._transport.post_for_file("/upload/validate", upload_form(manifest, None, flight), XLSX)

    def validate_manifest(self, manifest: Mapping[str, Any]) -> answers.Validation:
        """Try a canonical JSON manifest; as `validate_workbook`."""
        answer = self._transport.post_again("/process-pre-alert-json/validate", lambda: {"json": manifest})
        return cast("answers.Validation", answer)

    # --- tracking -----------------------------------------------------------------------------------------------

    def list_mawbs(
        self,
        *,
        status: str | Iterable[str] = (),
        limit: int = 100,
        **filters: str | datetime | None,
    ) -> Iterator[answers.MawbSummary]:
        """MAWBs, newest first: all of them, page after page as they are taken.

        status: one or several. limit: of a page. filters: `country`, `hawb`, `created_from`, `created_to`, `eta_from`,
        `eta_to`, `updated_since`; moments as text or as datetime with an offset.
        """
        query = {"status": [status] if isinstance(status, str) else list(status), "limit": limit, **filters}
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
        query = {"status": [status] if isinstance(status, str) else list(status), "limit": limit}
        found = self._pages(f"/mawbs/{_part(number)}/guides", "guides", query)
        return cast("Iterator[answers.GuideSummary]", found)

    def get_findings(self, number: str) -> answers.Findings:
        """The warnings and notices of a MAWB, and what was understood of it. Raises `NotFound`."""
        return cast("answers.Findings", self._transport.get(f"/mawbs/{_part(number)}/findings"))

    def get_guide(self, tracking_code: str) -> answers.Guide:
        """One guide with its timeline. Raises `NotFound`."""
        return cast("answers.Guide", self._transport.get(f"/guides/{_part(tracking_code)}"))

    def reconcile(self, known: Known, since: datetime | str | None = None) -> Iterator[Change]:
        """Compare `known` with the record, bring it up to date, and yield what was otherwise.

        since: when `known` was complete. All MAWBs that changed from two minutes before then on are read, page after
        page. Without it, only the 50 newest MAWBs are. Each MAWB in `known` with a guide still on its way is read as
        well: one that was voided is in no list.

        Do it once a shift at least, also when webhooks report each change. Raises `ValueError` if `since` is text
        without an offset.
        """
        yield from self._round(known, _moment(since) if isinstance(since, str) else since)

    def watch(
        self, known: Known, every_seconds: float = 180.0, since: datetime | str | None = None
    ) -> Iterator[Change]:
        """Reconcile for ever, with a pause between; a round without the service is made up by the next.

        since: of the first round, as in `reconcile`. The others continue from the newest change that they have seen,
        by the service's clock.
        """
        seen = _moment(since) if isinstance(since, str) else since
        while True:
            with suppress(Unavailable):
                seen = yield from self._round(known, seen)
            self._transport.sleep(every_seconds)

    def _round(self, known: Known, since: datetime | None) -> Generator[Change, None, datetime | None]:
        """Reconcile once; return when the newest change was made that is in `known` now."""
        found = self.list_mawbs(updated_since=since - OVERLAP) if since else self.list_mawbs(limit=_RECENT)
        listed = list(found if since else islice(found, _RECENT))
        for number in dict.fromkeys([*(mawb["mawb"] for mawb in listed), *known]):
            if has_ended(known.get(number, {})):
                continue
            detail: answers.MawbDetail | None = None
            with suppress(NotFound):
                detail = self.get_mawb(number)
            yield from brought_up_to_date(known, number, detail)
        return max((_moment(mawb["updated_at"]) for mawb in listed), default=since)

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
    ) -> answers.SubscriptionCreated:
        """Make a webhook of version 2; `secret` is in the answer, this once. None: everything."""
        body = {"url": url, "event_types": event_types, "countries": countries, "description": description}
        return cast("answers.SubscriptionCreated", self._transport.send("POST", "/webhooks/subscriptions", body))

    def get_subscription(self, subscription: str) -> answers.SubscriptionItem:
        """One webhook, by its id `sub_...`. Raises `NotFound`."""
        return cast("answers.SubscriptionItem", self._transport.get(_subscription(subscription)))

    def change_subscription(self, subscription: str, **changes: object) -> answers.SubscriptionChanged:
        """Change `url`, `event_types`, `countries`, `description` or `is_active`; what is left out stays."""
        changed = self._transport.send("PATCH", _subscription(subscription), changes)
        return cast("answers.SubscriptionChanged", changed)

    def delete_subscription(self, subscription: str) -> None:
        """Delete a webhook; what waits for it is not sent."""
        self._transport.send("DELETE", _subscription(subscription))

    def rotate_secret(self, subscription: str, *, overlap_hours: int = 24) -> answers.SubscriptionSecret:
        """A new secret; the one before signs as well for `overlap_hours`, 0 to 72."""
        body = {"overlap_hours": overlap_hours}
        rotated = self._transport.send("POST", f"{_subscription(subscription)}/rotate-secret", body)
        return cast("answers.SubscriptionSecret", rotated)

    def send_test(self, subscription: str, type: str = "webhook.test") -> answers.TestSent:  # noqa: A002  # the API's
        """Send the example of a type of event."""
        sent = self._transport.send("POST", f"{_subscription(subscription)}/test", {"type": type})
        return cast("answers.TestSent", sent)

    def replay_range(
        self,
        subscription: str,
        since: datetime | str,
        until: datetime | str,
        *,
        states: Iterable[str] = ("dead",),
        event_types: list[str] | None = None,
    ) -> answers.ReplayedRange:
        """Send again what was made from `since` until before `until`; ask again while `has_more`."""
        moments = {"since": _text(since), "until": _text(until)}
        body = {**moments, "states": list(states), "event_types": event_types}
        replayed = self._transport.send("POST", f"{_subscription(subscription)}/replay", body)
        return cast("answers.ReplayedRange", replayed)

    def list_deliveries(
        self,
        *,
        limit: int = 100,
        **filters: str | datetime | None,
    ) -> Iterator[answers.DeliveryItem]:
        """The log of deliveries, newest first, all pages.

        filters: `subscription`, `state`, `type`, `subject`, `from_` and `to`.
        """
        if "from_" in filters:  # a word of Python's
            filters["from"] = filters.pop("from_")
        found = self._pages("/webhooks/deliveries", "deliveries", {"limit": limit, **filters})
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
        asked = {name: _text(value) for name, value in query.items()}
        cursor: str | None = None
        while True:
            page = self._transport.get(path, {**asked, "cursor": cursor})
            yield from page[noun]
            cursor = page.get("next_cursor")
            if cursor is None:
                return


def _part(value: str) -> str:
    """A part of a path."""
    return quote(value, safe="")


def _subscription(identifier: str) -> str:
    return f"/webhooks/subscriptions/{_part(identifier)}"


def _text(value: object) -> object:
    """A moment as ISO 8601; anything else as it is."""
    return value.isoformat() if isinstance(value, datetime) else value


def _moment(text: str) -> datetime:
    """A moment of an answer. Raises `ValueError` for text without an offset, which names no moment."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset from UTC")
    return moment
