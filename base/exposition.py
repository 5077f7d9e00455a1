"""How the dispatcher and the worker are watched: /metrics, served by a thread on its own address, and a heartbeat."""

from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import structlog
from django.conf import settings
from prometheus_client import REGISTRY, Gauge, start_http_server
from prometheus_client.core import InfoMetricFamily, Metric
from prometheus_client.registry import Collector

log = structlog.get_logger(__name__)


def host_and_port(bind: str) -> tuple[str, int]:
    """Parse `127.0.0.1:9109` or `[::1]:9109`. Raises `ValueError`."""
    host, _, port = bind.rpartition(":")
    number = int(port)
    if not 0 < number < 2**16:
        raise ValueError("Not a valid port.")
    return str(ip_address(host.strip("[]"))), number


class Build(Collector):
    """`prealerts_build_info{version="1.0.0"}`. A collector: workers cannot share the library's own metric for this."""

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("prealerts_build", "The version that runs.", {"version": settings.VERSION})


def expose(bind: str) -> None:
    """Serve at `bind`. If the port is in use, this is logged and the work continues."""
    host, port = host_and_port(bind)
    REGISTRY.register(Build())
    try:
        start_http_server(port, host)
    except OSError:
        log.exception("metrics_not_exposed", bind=bind)


class Heartbeat:
    def __init__(self, file: str, gauge: Gauge) -> None:
        """gauge: set to the time of each beat. file: touched at each beat, created if missing; empty for none."""
        self._gauge = gauge
        self._file = Path(file) if file else None

    def beat(self) -> None:
        """Record that it just looked for work. A file that cannot be touched is logged once and ignored."""
        self._gauge.set_to_current_time()
        if self._file is None:
            return
        try:
            self._file.touch()
        except OSError:
            log.exception("heartbeat_not_written", file=str(self._file))
            self._file = None
