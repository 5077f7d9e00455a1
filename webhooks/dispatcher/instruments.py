"""The dispatcher's metrics and their address. Only the dispatcher imports them; the web server sends no deliveries.

`exemplar`s name a delivery: they lead from a slow bucket to its log line and its row in the delivery log.
"""

from datetime import datetime
from ipaddress import ip_address

import structlog
from prometheus_client import Counter, Gauge, Histogram, start_http_server

from webhooks.verdicts import Verdict

_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600)

DELIVERIES = Counter(
    "prealerts_webhook_deliveries",
    "Deliveries finished, by outcome: delivered, cancelled, abandoned, or why it failed.",
    ["outcome"],
)
LATENCY_SECONDS = Histogram(
    "prealerts_webhook_latency_seconds",
    "Time from the event's row, written in the transaction of the change, to its POST.",
    buckets=_BUCKETS,
)
POST_SECONDS = Histogram(
    "prealerts_webhook_post_seconds", "Duration of POSTs, end to end, whatever the outcome.", buckets=_BUCKETS[:10]
)
IN_FLIGHT = Gauge("prealerts_dispatcher_held_deliveries", "Deliveries claimed but not finished by this dispatcher.")
HEARTBEAT = Gauge(
    "prealerts_dispatcher_heartbeat_timestamp_seconds",
    "When this dispatcher last looked for work successfully.",
)


def sent(verdict: Verdict, name: str, created_at: datetime, attempted_at: datetime) -> None:
    """Record a POST that was made or could not be made. name: the delivery's public id."""
    exemplar = {"delivery": name}
    DELIVERIES.labels(verdict.error.value if verdict.error else "delivered").inc(exemplar=exemplar)
    # The clocks of two machines may differ.
    LATENCY_SECONDS.observe(max(0.0, (attempted_at - created_at).total_seconds()), exemplar=exemplar)
    POST_SECONDS.observe(verdict.duration_ms / 1000, exemplar=exemplar)


log = structlog.get_logger(__name__)


def host_and_port(bind: str) -> tuple[str, int]:
    """Parse `127.0.0.1:9109` or `[::1]:9109`. Raises `ValueError`."""
    host, _, port = bind.rpartition(":")
    number = int(port)
    if not 0 < number < 2**16:
        raise ValueError("Not a valid port.")
    return str(ip_address(host.strip("[]"))), number


def expose(bind: str) -> None:
    """Serve at `bind`. If the port is in use, this is logged and deliveries continue."""
    host, port = host_and_port(bind)
    try:
        start_http_server(port, host)
    except OSError:
        log.exception("metrics_not_exposed", bind=bind)
