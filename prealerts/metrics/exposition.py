"""`GET /metrics`: the counts of all workers, what waits in the database, and the free disk space.

On an address of its own, which no proxy forwards to and no client can reach. gunicorn listens there as well as on the
API's address, and its workers serve both; the address a request arrived on decides, never a header.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING

from django.db import DatabaseError, InterfaceError, connections
from django.utils import timezone
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from base.exposition import Build, host_and_port
from prealerts.health import upload_bytes_free
from shipments.carriers.processing import read_silence
from shipments.models.erasures import oldest_unfinished_at
from shipments.models.uploads import oldest_waiting_at
from webhooks.outbox import outbox_state

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


_Answer = tuple[
    tuple[int, int, datetime | None],
    datetime | None,
    datetime | None,
    tuple[Mapping[str, datetime | None], datetime | None],
]
DATABASE_SECONDS = 2.0
"""How long a scrape waits for the database, in seconds; after that, the rest is returned without it."""


def exposition(accept: str) -> tuple[bytes, str]:
    """Return the metrics in the format of the `accept` header, and their content type."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no hints
    registry.register(Build())
    registry.register(Waiting())
    registry.register(Disk())
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class Waiting(Collector):
    """The deliveries, uploads and erasures that wait: from the database, to be known when nothing takes them."""

    def collect(self) -> Iterator[Metric]:
        answer = _ask_within(DATABASE_SECONDS)
        yield GaugeMetricFamily(
            "prealerts_database_up", "Whether the database answered this scrape.", value=float(answer is not None)
        )
        if answer is None:
            return
        (pending, sending, oldest_at), job_at, erasure_at, carriers = answer
        depth = GaugeMetricFamily(
            "prealerts_webhook_outbox_deliveries", "Deliveries that wait or are being sent.", labels=["state"]
        )
        depth.add_metric(["pending"], pending)
        depth.add_metric(["sending"], sending)
        yield depth
        yield GaugeMetricFamily(
            "prealerts_webhook_outbox_oldest_seconds",
            "How long the oldest delivery has been waiting; 0 when none is.",
            value=_age(oldest_at),
        )
        yield GaugeMetricFamily(
            "prealerts_upload_jobs_oldest_seconds",
            "How long the oldest upload has been waiting for the worker; 0 when none is.",
            value=_age(job_at),
        )
        yield GaugeMetricFamily(
            "prealerts_erasures_oldest_seconds",
            "How long the oldest erasure of a person has been unfinished; 0 when none is.",
            value=_age(erasure_at),
        )
        yield from _of_carriers(*carriers)


def _of_carriers(last: Mapping[str, datetime | None], oldest_unmapped_at: datetime | None) -> Iterator[Metric]:
    silent = GaugeMetricFamily(
        "prealerts_carrier_last_receipt_seconds", "How long ago a carrier last sent something.", labels=["carrier"]
    )
    for slug, received_at in last.items():
        if received_at:
            silent.add_metric([slug], _age(received_at))
    yield silent
    yield GaugeMetricFamily(
        "prealerts_carrier_unmapped_oldest_seconds",
        "How long the oldest event with an unknown code has been waiting for its meaning; 0 when none is.",
        value=_age(oldest_unmapped_at),
    )


class Disk(Collector):
    """The free space for uploads; omitted if the disk cannot be read."""

    def collect(self) -> Iterator[Metric]:
        with suppress(OSError):
            yield GaugeMetricFamily(
                "prealerts_upload_free_bytes",
                "Free space on the disk for uploads, that of MEDIA_ROOT.",
                value=upload_bytes_free(),
            )


def _age(moment: datetime | None) -> float:
    return max(0.0, (timezone.now() - moment).total_seconds()) if moment else 0.0


def _ask_within(seconds: float) -> _Answer | None:
    """Query in a thread with its own connection: no driver's timeout covers connecting and querying together."""
    answers: list[_Answer] = []

    def ask() -> None:
        connection = connections.create_connection("default")
        try:
            jobs = oldest_waiting_at(connection, timezone.now())
            answers.append((outbox_state(connection), jobs, oldest_unfinished_at(connection), read_silence(connection)))
        except (DatabaseError, InterfaceError):
            pass  # reported as prealerts_database_up 0
        finally:
            connection.close()

    thread = threading.Thread(target=ask, daemon=True, name="metrics-waiting")
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else None


def beside(application: "WSGIApplication", bind: str) -> "WSGIApplication":
    """Wrap `application` to serve the metrics on `bind` (host:port). Raises `ValueError` if it is invalid."""
    host, port = host_and_port(bind)
    is_every_address = ip_address(host).is_unspecified

    def by_address(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        ours = environ["gunicorn.socket"].getsockname()  # our end of the connection; a path if it is not TCP
        if isinstance(ours, tuple) and ours[1] == port and (is_every_address or ours[0] == host):
            return _answer(environ, start_response)
        return application(environ, start_response)

    return by_address


def _answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    if environ.get("PATH_INFO") != "/metrics":
        return _plain(start_response, "404 Not Found", b"Only /metrics is here.\n")
    if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
        return _plain(start_response, "405 Method Not Allowed", b"Only GET.\n")
    body, content_type = exposition(environ.get("HTTP_ACCEPT", ""))
    headers = [("Content-Type", content_type), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")]
    start_response("200 OK", headers)
    return [body]


def _plain(start_response: "StartResponse", status: str, text: bytes) -> Iterable[bytes]:
    start_response(status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(text)))])
    return [text]
