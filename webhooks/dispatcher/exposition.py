"""The dispatcher's own /metrics, on an address of its own: a thread that answers Prometheus and nobody else."""

from ipaddress import ip_address

import structlog
from prometheus_client import start_http_server

log = structlog.get_logger(__name__)


def host_and_port(bind: str) -> tuple[str, int]:
    """`127.0.0.1:9109` or `[::1]:9109` taken apart. Raises `ValueError`."""
    host, _, port = bind.rpartition(":")
    number = int(port)
    if not 0 < number < 2**16:
        raise ValueError("No such port.")
    return str(ip_address(host.strip("[]"))), number


def expose(bind: str) -> None:
    """Answer at `bind`. A port that is taken is told in the log and stops no delivery."""
    host, port = host_and_port(bind)
    try:
        start_http_server(port, host)
    except OSError:
        log.exception("metrics_not_exposed", bind=bind)
