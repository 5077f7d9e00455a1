"""Deliveries: how many a second, how soon, how fair beside endpoints that hang; by hand, and by Celery.

Needs the program redis-server. Dispatcher, database, endpoint and Celery share the machine: trust the ratios.
"""

import os
import subprocess
from collections.abc import Iterator

import django

from benchmarks.harness import Figure, run
from benchmarks.serving import database, use


def measure(url: str) -> Iterator[Figure]:
    """The figures of deliveries, on a scratch database."""
    with database(url) as (directory, database_url):
        redis = directory / "redis"
        use(database_url)
        os.environ["BENCH_BROKER_URL"] = f"redis+socket://{redis}"
        django.setup()
        from benchmarks import sending  # noqa: PLC0415  # Django must be set up

        command = ["redis-server", "--port", "0", "--unixsocket", str(redis), "--save", ""]
        with subprocess.Popen(command, cwd="/", stdout=subprocess.DEVNULL) as broker:
            try:
                sending.wait_until(redis.exists)
                with sending.endpoint(directory) as endpoint:
                    yield from sending.figures(endpoint)
            finally:
                broker.terminate()


if __name__ == "__main__":
    run("deliveries", measure)
