"""Loaded by `python -m tests.mutants`: maps which tests touch which line, or runs mutants instead of the suite.

Mutants are run in forks of one process, which has loaded the service and collected the tests. Each is met by the tests
that touch its lines, the most specific first, and not only until the first one fails: until it took QUICK seconds of
the processor and two files have noticed it, or PATIENT seconds.
"""

import json
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.mutations import ROOT, Mutant, possible, replace

PLACE = ROOT / "var/mutants"
MAP, RESULTS, LIST = PLACE / "map.json", PLACE / "results.jsonl", Path(__file__).with_name("list.txt")
IS_MAPPING = os.environ.get("MUTANTS") == "map"
QUICK, PATIENT = (
    float(os.environ.get(f"MUTANTS_{name}", seconds)) for name, seconds in (("QUICK", 8), ("PATIENT", 40))
)
HANGS = 60  # seconds: a mutant may turn a loop into an endless one
_passed: dict[str, bool] = {}
_coverage: Any = None


def listed() -> list[Mutant]:
    words = [line.split() for line in LIST.read_text(encoding="utf-8").splitlines()]
    return [Mutant(path, function, kind, int(nth)) for path, function, kind, nth in words]


def pytest_collection_finish() -> None:
    if IS_MAPPING:
        global _coverage  # noqa: PLW0603  # a plugin's state is its module's
        PLACE.mkdir(parents=True, exist_ok=True)
        own = {"data_file": str(PLACE / "coverage.sqlite3"), "config_file": False}
        sources = [str(ROOT / app) for app in ("base", "companies", "prealerts", "shipments", "webhooks")]
        _coverage = import_module("coverage").Coverage(source=sources, omit=["*/migrations/*"], **own)
        _coverage.erase()
        _coverage.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _coverage.switch_context(item.nodeid)
    yield
    _coverage.switch_context("")
    if len(_passed) % 200 == 0:
        add_to_map()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _passed[report.nodeid] = _passed.get(report.nodeid, True) and not report.failed


def pytest_sessionfinish() -> None:
    if IS_MAPPING:
        add_to_map()


def add_to_map() -> None:
    """Add what ran to what another run, of other tests, has found. What failed has no part in it."""
    _coverage.save()
    data = _coverage.get_data()
    known = json.loads(MAP.read_text()) if MAP.exists() else {"tests": {}, "lines": {}}
    for name in (name for name, passed in _passed.items() if passed):
        known["tests"].setdefault(name, len(known["tests"]))
    for file in data.measured_files():
        lines = known["lines"].setdefault(str(Path(file).relative_to(ROOT)), {})
        for line, contexts in data.contexts_by_lineno(file).items():
            touching = {known["tests"][name] for name in contexts if name in known["tests"]}
            lines[str(line)] = sorted(touching.union(lines.get(str(line), [])))
    MAP.write_text(json.dumps(known))


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run each mutant of the list that has no result yet."""
    if IS_MAPPING:
        return None
    known, by_name = json.loads(MAP.read_text()), {item.nodeid: item for item in session.items}
    names = list(known["tests"])
    breadth = Counter(test for lines in known["lines"].values() for tests in lines.values() for test in tests)
    first = next(item for item in session.items if "db" in getattr(item, "fixturenames", ()))
    runtestprotocol(
        first, log=False, nextitem=cast("pytest.Item", session)
    )  # makes the database that all forks begin with
    RESULTS.touch()
    done = {json.loads(line)["mutant"] for line in RESULTS.read_text().splitlines()}
    for mutant in listed():
        if str(mutant) in done or not (ROOT / mutant.path).exists():
            continue
        by_line, lines = known["lines"].get(mutant.path, {}), dict(possible(mutant.path)).get(mutant, range(0))
        touching = {test for line in lines for test in by_line.get(str(line), []) if names[test] in by_name}
        items = [by_name[names[test]] for test in sorted(touching, key=breadth.__getitem__)]
        if items:
            result = {"mutant": str(mutant), "folder": mutant.folder, "touching": len(items), **meet(mutant, items)}
            with RESULTS.open("a") as file:
                file.write(json.dumps(result) + "\n")
            print(len(result["failed"]), "of", result["ran"], mutant, file=sys.__stderr__)
    return True


def meet(mutant: Mutant, items: list[pytest.Item]) -> dict[str, Any]:
    """Run the tests against the mutant, in a fork. gone: the list is older than the code."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            run(mutant, items, writing)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        lines = [line.split(" ", 1) for line in told.read().splitlines()]
    _child, status = os.waitpid(child, 0)
    started, failed = ([name for word, name in lines if word == kind] for kind in ("ran", "failed"))
    if os.WIFSIGNALED(status):  # it hung, or broke the process
        failed += started[-1:]
    return {"ran": len(started), "failed": failed, "gone": not started}


def run(mutant: Mutant, items: list[pytest.Item], writing: int) -> None:
    scratch, session = PLACE / "scratch", items[0].session
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    session.config._tmp_path_factory._basetemp = scratch  # type: ignore[attr-defined]  # not where another fork wrote
    began, files = time.process_time(), set()
    for item in items if replace(mutant) else ():
        os.write(writing, f"ran {item.nodeid}\n".encode())
        signal.alarm(HANGS)
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=cast("pytest.Item", session))):
            os.write(writing, f"failed {item.nodeid}\n".encode())
            files.add(item.path)
        spent = time.process_time() - began  # of this fork: others may have the machine
        if spent > PATIENT or (spent > QUICK and len(files) > 1):
            return
