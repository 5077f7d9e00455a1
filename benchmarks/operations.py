"""Bulk moves of the operators' API, beside the same moves by `advance_each` in one process."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice
from typing import Any

import django
import requests

from benchmarks.harness import Figure, compared, in_turns, run, seconds, size
from benchmarks.reading import document
from benchmarks.serving import JSON, Service, post, service, use

MAWBS, IDS = 7, 200
ROUNDS = size(15, 1)
_MAKE_ACCESS = """
import json
from django.contrib.auth.models import Group
from companies.models.operators import make_access
access, secret = make_access("bench", Group.objects.get(name="Operations"), ["all"], days=1, actor="bench")
print(json.dumps({"client_id": access.client_id, "client_secret": secret}))
"""


def measure(url: str) -> Iterator[Figure]:
    """200 guides of 7 MAWBs, half of them by MAWB and HAWB, moved over HTTP and without."""
    with service(url) as server:
        client = {**server.server.company("BENCH", "PE"), "Content-Type": "application/json"}
        names: list[str] = []
        codes: list[str] = []
        for number in range(1, MAWBS + 1):
            mawb = f"045-{number:08d}"
            answer = json.loads(post(server, client, document(30, mawb), JSON))
            codes += [guide["tracking_code"] for guide in answer["guides"]]
            names += [f"{mawb}/{guide['hawb']}" for guide in answer["guides"]]
        ids = [code if number % 2 else name for number, (code, name) in enumerate(zip(codes, names, strict=True))]
        statuses = cycle(["in_transit", "customs_processing"])
        subjects = {
            "ours": partial(seconds, _over_http(server, ids[:IDS], statuses)),
            "floor": partial(seconds, _in_process(server, codes[:IDS], statuses)),
        }
        in_turns(subjects, 1)  # connections and caches of both
        found = in_turns(subjects, ROUNDS)
        yield compared(
            "200 ids over 7 MAWBs, times advance_each in one process", found["ours"], found["floor"], "advance_each"
        )  # fmt: skip


def _over_http(server: Service, ids: list[str], statuses: Iterator[str]) -> Any:  # noqa: ANN401  # a callable
    base = f"{server.server.address}/api/operators/v1"
    credentials = json.loads(server.server.manage("shell", "--no-imports", "-c", _MAKE_ACCESS))
    asked = {"grant_type": "client_credentials", **credentials}
    session = requests.Session()
    token = session.post(f"{base}/tokens", json=asked, timeout=60).json()["access_token"]
    session.headers["Authorization"] = f"Bearer {token}"

    def move() -> None:
        body = {"ids": ids, "status": next(statuses)}
        answer = session.post(f"{base}/guides/bulk-advance-status", json=body, timeout=60)
        assert answer.json()["counts"] == {"advanced": len(ids)}, answer.text[:500]

    return move


def _in_process(server: Service, codes: list[str], statuses: Iterator[str]) -> Any:  # noqa: ANN401  # as above
    use(server.database_url)
    django.setup()
    from shipments.models import Guide  # noqa: PLC0415  # Django must be set up
    from shipments.statuses import GuideStatus  # noqa: PLC0415  # as above
    from shipments.tracking.advancing import advance_each, moves_of  # noqa: PLC0415  # as above
    from shipments.tracking.moves import Outcome, ReportedEvent  # noqa: PLC0415  # as above

    guides = Guide.objects.filter(tracking_code__in=codes)

    def move() -> None:
        reported = ReportedEvent(GuideStatus(next(statuses)))
        results = advance_each(moves_of(guides, reported), actor="bench")
        assert {result.outcome for result in islice(results, None)} == {Outcome.ADVANCED}

    return move


if __name__ == "__main__":
    run("operations", measure)
