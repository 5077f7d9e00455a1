"""`python -m benchmarks.web.dripping`: the time of an upload through nginx while another address drips 200 bodies.

Prints medians in milliseconds: with nobody else, beside 200 bodies without a password, beside 200 with a right one. A
figure depends on the machine, so no test asserts it; exits with 1 if one is more than twice the usual.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import tests.environment  # noqa: F401  # invented secrets, for the service below
from tests.live import server
from tests.proxy import nginx
from tests.proxy.dripping import Drips, dripping
from tests.proxy.uploads import upload

UPLOADS = 15
BODIES = 200


def median_milliseconds(proxy: nginx.Proxy, client: Mapping[str, str], first: int, others: Drips | None) -> float:
    """Of uploads from an address of their own, each of which must be a 201; `first`: number of the first MAWB."""
    taken = []
    for number in range(first, first + UPLOADS):
        if others:
            others.drip()
        began = time.perf_counter()
        status, answer = upload(proxy, client, "127.0.0.2", number)
        taken.append((time.perf_counter() - began) * 1000)
        assert status == 201, answer
    return statistics.median(taken)


def main() -> int:
    """Serve, measure, print."""
    with (
        tempfile.TemporaryDirectory() as name,
        server.served(Path(name), BEHIND_HTTPS="on") as service,
        nginx.running(Path(tempfile.mkdtemp(dir=name)), ["{}:{}".format(*service.host_and_port)]) as proxy,
    ):
        client, greedy = service.company("CLIENT"), service.company("GREEDY")
        median_milliseconds(proxy, client, 1000, None)  # warms up lazily loaded modules
        usual = median_milliseconds(proxy, client, 2000, None)
        sys.stdout.write(f"usual: {usual:.0f} ms" + "\n")
        worst = 0.0
        for start, (what, headers) in enumerate({"without a password": {}, "with a right one": greedy}.items(), 3):
            with dripping(proxy, BODIES, "127.0.0.3", headers) as others:
                found = median_milliseconds(proxy, client, start * 1000, others)
            sys.stdout.write(
                f"beside {BODIES} bodies {what}: {found:.0f} ms, {found / usual:.2f} times the usual" + "\n"
            )
            worst = max(worst, found / usual)
    return 1 if worst > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
