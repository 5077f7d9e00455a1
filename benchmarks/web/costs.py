"""What a read costs against the floor, by processor time of the workers; and what many do to the workers.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.web.costs; needs the program wrk.
"""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import requests

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE
from benchmarks.web.floor import floor
from benchmarks.web.processor import (
    Asked,
    Cost,
    Service,
    cost_with_wrk,
    median,
    median_ratio,
    said,
    serving,
    wrk,
)
from tests.books import guide_row, workbook_bytes
from tests.live.server import BASE, prepared

MIN_GUIDE, MIN_LIST = 0.7, 0.6
"""The floor's processor time by ours."""
MAX_LIST_OF_ONE = 1.3
"""Of the processor time of one guide."""
MOST_RESTARTS, MAX_GROWTH_MIB = 2, 30
LISTED = 50

Costs = Mapping[str, Sequence[Cost]]
"""Name of a request -> its cost in each round."""


def measure(url: str) -> Measured:
    """The figures, on a scratch database beside `url`."""
    with tempfile.TemporaryDirectory() as name, part.database(url, Path(name)) as database_url:
        directory = Path(name)
        server = prepared(directory, database_url, is_migrated=True)
        many, one = server.company("BENCHMANY"), server.company("BENCHONE")
        # A worker that is replaced would take its time with it.
        lasting = replace(server, environment={**server.environment, "GUNICORN_CMD_ARGS": "--max-requests=0"})
        with serving(lasting) as ours, floor(directory, database_url) as bare:
            code = _sent(ours, one, 1)
            _sent(ours, many, LISTED)
            asked = {
                "guide": Asked(ours, f"{BASE}/guides/{code}", one),
                "guide, floor": Asked(bare, f"/bare/guides/{code}", one),
                "list of one": Asked(ours, f"{BASE}/mawbs", one),
                "list of many": Asked(ours, f"{BASE}/mawbs", many),
                "list of many, floor": Asked(bare, "/bare/mawbs", many),
            }
            for each in ("guide", "list of many"):
                ours_said, bare_said = (_answer(asked[name]) for name in (each, f"{each}, floor"))
                assert ours_said == bare_said, "both must return the same"
            kept, opened = (_costs(asked, is_kept=is_kept) for is_kept in (True, False))
        with serving(server) as as_configured:
            lasted = _over_many(asked["guide"]._replace(service=as_configured))
        return Measured((*_against_floor(kept, opened), *_of_lists(kept), *lasted))


def _answer(asked: Asked) -> object:
    return requests.get(asked.url, headers=asked.headers, timeout=30).json()


def _sent(service: Service, client: dict[str, str], mawbs: int) -> str:
    """Upload MAWBs of one guide each; the tracking code of the last."""
    code = ""
    for number in range(mawbs):
        book = workbook_bytes([guide_row(1)], mawb=f"045-{number:08d}")
        sent = requests.post(f"{service.server.api}/upload", files={"manifest_file": book}, headers=client, timeout=60)
        code = sent.json()["guides"][0]["tracking_code"]
    return code


def _costs(asked: Mapping[str, Asked], *, is_kept: bool) -> Costs:
    """Of each in turns, so that what disturbs one disturbs the others."""
    rounds = [
        {name: cost_with_wrk(each, SCALE.wrk_seconds, is_kept=is_kept) for name, each in asked.items()}
        for _ in range(SCALE.wrk_rounds)
    ]
    costs = {name: [each[name] for each in rounds] for name in asked}
    medians = ", ".join(f"{name} {said(median(costs[name]))}" for name in asked)
    print(f"  {'kept connections' if is_kept else 'a connection each'}: {medians}", flush=True)
    return costs


def _against_floor(kept: Costs, opened: Costs) -> tuple[Figure, Figure, Figure]:
    name = "GET guide, the floor's processor time by ours"
    of_kept, of_opened = (median_ratio(costs["guide, floor"], costs["guide"]) for costs in (kept, opened))
    ours, bare = median(kept["guide"]), median(kept["guide, floor"])
    return (
        Figure(
            name,
            f"{of_kept.processor:.2f}",
            f"at least {MIN_GUIDE}",
            of_kept.processor >= MIN_GUIDE,
            ours=said(ours),
            floor=said(bare),
        ),
        Figure(
            f"{name}, a connection each",
            f"{of_opened.processor:.2f}",
            "",
            is_reached=True,
            ours=said(median(opened["guide"])),
            floor=said(median(opened["guide, floor"])),
        ),
        Figure(
            "GET guide, of the floor's requests/s; a connection each",
            f"{of_kept.clock:.2f}; {of_opened.clock:.2f}",
            "",
            is_reached=True,
            ours=f"{1 / ours.clock:.0f}/s; {1 / median(opened['guide']).clock:.0f}/s",
            floor=f"{1 / bare.clock:.0f}/s; {1 / median(opened['guide, floor']).clock:.0f}/s",
        ),
    )


def _of_lists(kept: Costs) -> tuple[Figure, Figure]:
    one = median_ratio(kept["list of one"], kept["guide"]).processor
    many = median_ratio(kept["list of many, floor"], kept["list of many"]).processor
    return (
        Figure(
            "GET mawbs with one MAWB, by the processor time of GET guide",
            f"{one:.2f}",
            f"at most {MAX_LIST_OF_ONE}",
            one <= MAX_LIST_OF_ONE,
            ours=said(median(kept["list of one"])),
        ),
        Figure(
            f"GET mawbs with {LISTED} MAWBs, the floor's processor time by ours",
            f"{many:.2f}",
            f"at least {MIN_LIST}",
            many >= MIN_LIST,
            ours=said(median(kept["list of many"])),
            floor=said(median(kept["list of many, floor"])),
        ),
    )


def _over_many(asked: Asked) -> tuple[Figure, Figure]:
    """Whether workers last: how often one was replaced, and how much their memory grew."""
    service = asked.service
    wrk(asked.url, asked.headers, 1)  # the first requests load modules and open connections
    boots, memory, answered = _boots(service), _memory_mib(service), 0
    while answered < SCALE.lasting_requests:
        answered += wrk(asked.url, asked.headers, SCALE.wrk_seconds)[0]
    restarts, growth = _boots(service) - boots, _memory_mib(service) - memory
    what = f"in {SCALE.lasting_requests:,} requests"
    return (
        Figure(f"restarts of workers {what}", str(restarts), f"at most {MOST_RESTARTS}", restarts <= MOST_RESTARTS),
        Figure(
            f"growth of a worker's memory {what}, MiB",
            f"{growth:.0f}",
            f"under {MAX_GROWTH_MIB}",
            growth < MAX_GROWTH_MIB,
        ),
    )


def _boots(service: Service) -> int:
    return service.server.log().count("Booting worker with pid")


def _memory_mib(service: Service) -> float:
    """The resident memory of the largest worker."""
    statuses = (Path(f"/proc/{worker}/status").read_text("ascii") for worker in service.workers)
    return max(int(status.partition("VmRSS:")[2].split()[0]) for status in statuses) / 1024


if __name__ == "__main__":
    sys.exit(part.run(measure, sys.argv[1:]))
