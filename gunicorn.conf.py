"""gunicorn's configuration, for `make run` and the container image.

Never expose it directly: a few slow connections can occupy every thread. Use a buffering proxy.
"""

import gc
import os
from typing import Any

from prealerts import logs
from prealerts.metrics import directory
from prealerts.settings import LOG_FORMAT, LOG_LEVEL, METRICS_BIND, env

bind = [env.str("BIND", default="127.0.0.1:8000")]
if METRICS_BIND:
    bind.append(METRICS_BIND)
    directory.prepare(METRICS_BIND)
workers = env.int("WEB_CONCURRENCY", default=os.cpu_count() or 1)
worker_class = "prealerts.serving.draining.DrainingWorker"  # threads
threads = 8  # an upload that waits for a parse slot occupies one; reads need another
timeout = 60
graceful_timeout = 40  # on SIGTERM: longer than reading and ingesting a manifest takes
keepalive = 5
# The master loads the application and workers are forked from it: a new one costs milliseconds instead of a second of
# processor time, and what is loaded is in memory once. A reload (SIGHUP) replaces workers, never code or settings.
preload_app = True
# Bounds what a leak could take.
max_requests = 50_000
max_requests_jitter = 5_000
# forwarded_allow_ips keeps its default: the proxy's headers are read by Django (the scheme) and by
# base/http/requests.py (a client's address), each with its own rule for trusting them.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112  # heartbeats off the disk
control_socket_disable = True
wsgi_app = "prealerts.wsgi:application"
accesslog = None  # the application writes its own log line, without paths and queries
logger_class = "prealerts.serving.draining.ErrorLog"
logconfig_dict = logs.logging_config(level=LOG_LEVEL, style=LOG_FORMAT)


# Loading the service creates objects by the hundred thousand, and so does a manifest: with Python's default threshold,
# collection took a tenth of a start and a quarter of the time of a JSON pre-alert.
gc.set_threshold(10_000, 20, 20)


def when_ready(_server: object) -> None:
    """Load lazily loaded data before the first worker is forked: the first client should not wait for it."""
    from django.urls import get_resolver  # noqa: PLC0415  # only once the application is loaded

    from shipments.manifests.destinations import airport_country  # noqa: PLC0415  # as above

    get_resolver().url_patterns  # noqa: B018  # reading it is what loads the routes
    airport_country("SCL")
    # Everything loaded so far is permanent, so the collector need not traverse it.
    gc.collect()
    gc.freeze()


def pre_fork(server: Any, worker: Any) -> None:  # noqa: ANN401  # gunicorn's, which has no types
    """Assign the worker a metrics slot; its successor continues the slot's counters."""
    worker.place = directory.free_place(other.place for other in server.WORKERS.values())


def post_fork(_server: object, worker: Any) -> None:  # noqa: ANN401  # as above
    if METRICS_BIND:
        directory.take_place(worker.place)


def on_exit(_server: object) -> None:
    """Clean up."""
    directory.remove()
