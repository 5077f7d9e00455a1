"""The dispatcher's /metrics, served by a thread on its own address."""

from ipaddress import ip_address

import structlog
from prometheus_client import start_http_server

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
