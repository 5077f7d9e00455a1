"""Moving guides: a whole MAWB by one command, and single guides by many processes at once, on PostgreSQL.

TEST_POSTGRES_URL=postgres://user@host:5432/name python -m benchmarks.moving
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.scale import SCALE
from tests.live.server import ROOT

GUIDES_OF_ONE_MAWB = 5_000
MIN_GUIDES_PER_SECOND = 2_000
TIMES = SCALE.moves_of_mawb

MANIFESTS = SCALE.small_manifests
GUIDES_OF_EACH = 10
PROCESSES = SCALE.moving_processes
SECONDS = SCALE.moving_seconds
MIN_SINGLE_PER_SECOND = 300
MIN_RATIO_TO_FLOOR = 0.5
"""Our target: besides the statements there are the lookup through the ORM, the rules, and transaction handling."""

_STATUSES = ("customs_processing", "customs_released", "in_transit")


def measure(url: str) -> Measured:
    """The figures of moving guides, in a scratch database beside `url`."""
    with tempfile.TemporaryDirectory() as name, part.database(url, Path(name)) as database_url:
        return _measure(database_url)


def _measure(database_url: str) -> Measured:
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "TEST_DATABASE_URL": database_url,
        "LOG_LEVEL": "WARNING",
    }
    _python(environment, "-m", "benchmarks.moving", "--fill")
    return Measured((_one_mawb(environment), *_single_guides(environment)))


def _python(environment: dict[str, str], *arguments: str) -> str:
    finished = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    return finished.stdout


def _one_mawb(environment: dict[str, str]) -> Figure:
    """`advance_status` as an operator runs it, the interpreter's start included, and its work alone."""
    commands, starts = [], []
    for status in _STATUSES[:TIMES]:
        arguments = ["manage.py", "advance_status", "--to", status, "--company", "BENCH", "--mawb", "045-00000001"]
        started = time.perf_counter()
        said = _python(environment, *arguments)
        commands.append(time.perf_counter() - started)
        assert f"{GUIDES_OF_ONE_MAWB:,} advanced" in said, said
        started = time.perf_counter()
        _python(environment, *arguments, "--mawb", "045-00000002")  # a MAWB of one guide: what starting costs
        starts.append(time.perf_counter() - started)
    whole = GUIDES_OF_ONE_MAWB / min(commands)
    work = GUIDES_OF_ONE_MAWB / (min(commands) - min(starts))
    print(f"  one MAWB: {whole:,.0f} guides/s, without the start of the command {work:,.0f}", flush=True)
    return Figure(
        f"advance_status, {GUIDES_OF_ONE_MAWB:,} guides of one MAWB, the command's start included",
        f"{whole:,.0f} guides/s",
        f"at least {MIN_GUIDES_PER_SECOND:,}",
        whole >= MIN_GUIDES_PER_SECOND,
        ours=f"{work:,.0f} guides/s without the start",
    )


def _single_guides(environment: dict[str, str]) -> tuple[Figure, Figure]:
    """Each process moves guides one by one, every one its own transaction, over all the MAWBs; and the same
    statements by hand, the floor, before and after."""
    rounds = [_rate(environment, mode) for mode in ("--floor", "--move", "--floor")]
    rate, floor = rounds[1], (rounds[0] + rounds[2]) / 2
    ratio = rate / floor
    print(f"  single guides, {PROCESSES} processes: {rate:,.0f}/s, by hand {floor:,.0f}/s", flush=True)
    return (
        Figure(
            f"single advances, {PROCESSES} processes over {MANIFESTS:,} MAWBs",
            f"{rate:,.0f}/s",
            f"at least {MIN_SINGLE_PER_SECOND}",
            rate >= MIN_SINGLE_PER_SECOND,
        ),
        Figure(
            "single advances, of the same statements by hand",
            f"{ratio:.2f}",
            f"at least {MIN_RATIO_TO_FLOOR}",
            ratio >= MIN_RATIO_TO_FLOOR,
            ours=f"{rate:,.0f}/s",
            floor=f"{floor:,.0f}/s",
        ),
    )


def _rate(environment: dict[str, str], mode: str) -> float:
    """Guides a second that all processes move together."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.moving", mode, str(number)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("go\n")
        worker.stdin.flush()
    return sum(int(worker.communicate()[0]) for worker in workers) / SECONDS


# --- what runs in the processes, with Django set up --------------------------------------------------------------


def _set_up() -> None:
    import django  # noqa: PLC0415  # only the processes with a database need it

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    django.setup()


def _fill() -> None:
    """One company with a MAWB of many guides, one of a single guide, and many of a few."""
    _set_up()
    from companies.models import Company  # noqa: PLC0415  # Django must be set up
    from shipments.intake.ingest import Posting, ingest  # noqa: PLC0415  # as above
    from shipments.manifests.manifest import FlightFields, GuideRow, ParsedManifest  # noqa: PLC0415  # as above
    from shipments.models import Channel  # noqa: PLC0415  # as above

    company = Company.objects.create(name="Bench", client_code="BENCH", allowed_countries=["CL"], tracking_prefix="BEN")
    sizes = [GUIDES_OF_ONE_MAWB, 1, *[GUIDES_OF_EACH] * MANIFESTS]
    for number, size in enumerate(sizes, start=1):
        rows = tuple(GuideRow(row, f"H{row:05d}", consignee_name="Nombre Apellido") for row in range(size))
        parsed = ParsedManifest(f"045-{number:08d}", "CL", FlightFields(), rows)
        ingest(parsed, Posting(owner=company, posted_by=company, channel=Channel.JSON))


def _move(number: int) -> None:
    """Move guides one by one for `SECONDS`; print how many were moved. Process `number` takes every n-th guide."""
    _set_up()
    from shipments.models import Guide  # noqa: PLC0415  # Django must be set up
    from shipments.statuses import GuideStatus  # noqa: PLC0415  # as above
    from shipments.tracking.advancing import advance  # noqa: PLC0415  # as above
    from shipments.tracking.moves import Outcome, ReportedEvent  # noqa: PLC0415  # as above

    small = Guide.objects.filter(manifest__total_guides=GUIDES_OF_EACH).order_by("hawb", "id")
    codes = list(small.values_list("tracking_code", flat=True))[number::PROCESSES]

    def move(code: str, status: str) -> bool:
        (result,) = advance(Guide.objects.filter(tracking_code=code), ReportedEvent(GuideStatus(status)), actor="bench")
        return result.outcome is Outcome.ADVANCED

    _for_a_while([(code, status) for status in _STATUSES for code in codes], move)


BY_CODE = "SELECT id, manifest_id FROM shipments_guide WHERE tracking_code = %s"
READ = """
    SELECT id, company_id, mawb, country, guides_by_status, version, changed_at, created_at FROM shipments_manifest
    WHERE id IN (%(manifest)s) ORDER BY id FOR NO KEY UPDATE;
    SELECT g.id, g.hawb, g.tracking_code, g.status, g.retention_required, g.anonymised_at, g.sequence, g.updated_at,
        g.created_at, e.status, e.occurred_at, e.withdrawn_at IS NOT NULL,
        CASE WHEN e.status = 'registered' AND e.source = 'pre_alert' THEN NOT EXISTS (
            SELECT 1 FROM shipments_guideevent earlier WHERE earlier.guide_id = e.guide_id AND earlier.id < e.id
        ) ELSE FALSE END
    FROM shipments_guide g LEFT JOIN shipments_guideevent e ON e.guide_id = g.id AND e.occurred_at >= now()
    WHERE g.id IN (%(guide)s) ORDER BY g.id FOR NO KEY UPDATE OF g
"""
WRITE = """
    INSERT INTO shipments_guideevent
        (guide_id, status, occurred_at, recorded_at, source, internal_note, client_note, actor, sequence)
    VALUES (%(guide)s, %(status)s, now(), now(), 'operator', '', '', 'bench', %(sequence)s + 1) RETURNING id;
    UPDATE shipments_guide SET status = %(status)s, sequence = sequence + 1, updated_at = now(), customs_since = (
        SELECT min(stay.occurred_at) FROM shipments_guideevent stay
        WHERE stay.guide_id = shipments_guide.id AND stay.withdrawn_at IS NULL AND stay.status LIKE 'customs_%%'
            AND NOT EXISTS (
                SELECT 1 FROM shipments_guideevent later
                WHERE later.guide_id = stay.guide_id AND later.withdrawn_at IS NULL
                    AND later.status NOT LIKE 'customs_%%'
                    AND (later.occurred_at, later.id) > (stay.occurred_at, stay.id)
            )
    ) WHERE id = %(guide)s;
    UPDATE shipments_manifest SET guides_by_status = %(counts)s, status = %(status)s, version = version + 1,
        changed_at = now() WHERE id = %(manifest)s
"""
LISTENERS = """
    SELECT s.id, s.version, s.event_types, s.countries FROM webhooks_subscription s
    JOIN companies_company c ON c.id = s.company_id
    WHERE s.company_id = %s AND s.is_active AND c.is_active ORDER BY s.id FOR KEY SHARE OF s
"""


def _floor(number: int) -> None:
    """The same round trips by hand, without the rules: the time of driver and database."""
    url = os.environ["DATABASE_URL"]
    with psycopg.connect(url, cursor_factory=psycopg.ClientCursor) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT tracking_code FROM shipments_guide WHERE hawb < 'H00010' ORDER BY hawb, id")
        codes = [code for (code,) in cursor.fetchall()][number::PROCESSES]
        connection.commit()

        def move(code: str, status: str) -> bool:
            connection.autocommit = True
            ((guide, manifest),) = cursor.execute(BY_CODE, [code]).fetchall()
            connection.autocommit = False
            cursor.execute(READ, {"guide": guide, "manifest": manifest})
            ((_id, company, _mawb, _country, counted, *_versions),) = cursor.fetchall()
            cursor.nextset()
            sequence = cursor.fetchall()[0][6]
            moved = {"guide": guide, "manifest": manifest, "status": status, "sequence": sequence}
            cursor.execute(WRITE, {**moved, "counts": json.dumps(counted)})
            cursor.execute(LISTENERS, [company]).fetchall()
            connection.commit()
            return True

        _for_a_while([(code, "on_hold") for code in codes] * 3, move)


def _for_a_while(moves: Sequence[tuple[str, str]], move: Callable[[str, str], bool]) -> None:
    """Move guides for `SECONDS` from the parent's signal; print the number of moves."""
    print("ready", flush=True)
    sys.stdin.readline()
    done, stop_at = 0, time.perf_counter() + SECONDS
    for code, status in moves:
        done += move(code, status)
        if time.perf_counter() >= stop_at:
            break
    else:
        raise RuntimeError("no guides left to move: fill in more")
    print(done)


def main(arguments: Sequence[str]) -> int:
    """Run both measurements, or the work of one of their processes; 1 if a target is missed."""
    match list(arguments):
        case ["--fill"]:
            _fill()
        case ["--move", number]:
            _move(int(number))
        case ["--floor", number]:
            _floor(int(number))
        case _:
            return part.run(measure, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
