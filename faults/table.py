"""The results of the matrix as a table: on the terminal, and in docs/faults.md on request."""

import os
import platform
import re
import sqlite3
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from faults.matrix import BACKENDS, FAULTS

ONLY_FULL, WITH_THE_SUITE = "only in the full form", "run with the suite"
"""Why the short form leaves a test out."""
IN_PART = "passed in part"
"""All that ran has passed, but some cases lack something they need: the remarks say what."""

_LABELS = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "": "no database"}
_GENERATED = re.compile(r"(<!-- begin: last run -->\n).*?(<!-- end: last run -->)", re.DOTALL)


@dataclass
class _Row:
    """One fault on one backend: outcomes of its cases, why some were left out, what was noted, and how long it took."""

    outcomes: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0

    @property
    def verdict(self) -> str:
        if "failed" in self.outcomes:
            return "failed"
        if "passed" in self.outcomes:
            return IN_PART if set(self.reasons) - {ONLY_FULL, WITH_THE_SUITE} else "passed"
        return WITH_THE_SUITE if set(self.reasons) == {WITH_THE_SUITE} else "skipped"

    @property
    def remarks(self) -> str:
        reasons = [reason for reason in self.reasons if reason != self.verdict]
        return "; ".join(dict.fromkeys([*self.notes, *reasons]))


class MatrixTable:
    """A pytest plugin that collects the reports of marked tests and prints the table at the end."""

    def __init__(self, *, is_short: bool, page: Path | None) -> None:
        self._is_short = is_short
        self._page = page
        self._started = time.monotonic()
        self._rows: defaultdict[tuple[int, str], _Row] = defaultdict(_Row)
        sources = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py"))
        self._built = {int(number) for number in re.findall(r"mark\.fault\((\d+)", sources)}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        properties = dict(report.user_properties)
        if "fault" not in properties:
            return
        row = self._rows[int(str(properties["fault"])), str(properties["backend"])]
        row.seconds += report.duration
        if report.when == "call" or report.outcome != "passed":
            row.outcomes.append(report.outcome)
        if report.skipped and isinstance(report.longrepr, tuple):
            row.reasons.append(str(report.longrepr[2]).removeprefix("Skipped: "))
        if report.failed:
            row.reasons.append(_first_words(report))
        if report.when == "teardown":
            row.notes += [str(value) for name, value in report.user_properties if name == "note"]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        console = Console(file=terminalreporter._tw._file, width=160)
        table = Table("No.", "fault", "backend", "result", "s", "remarks", title="The fault matrix", show_lines=False)
        colours = {
            "passed": "green",
            IN_PART: "yellow",
            "failed": "bold red",
            "skipped": "yellow",
            WITH_THE_SUITE: "cyan",
            "not asked for": "dim",
            "not built": "bold",
        }
        for number, title, backend, verdict, seconds, remarks in self._lines():
            table.add_row(str(number), title, backend, f"[{colours[verdict]}]{verdict}[/]", seconds, remarks)
        console.print(table)
        console.print(self._summary())
        if self._page:
            text = self._page.read_text(encoding="utf-8")
            output = self._markdown()
            self._page.write_text(_GENERATED.sub(lambda marks: marks[1] + output + marks[2], text), encoding="utf-8")

    def _lines(self) -> list[tuple[int, str, str, str, str, str]]:
        lines = []
        for number, fault in FAULTS.items():
            ran = [backend for backend in (*BACKENDS, "") if (number, backend) in self._rows]
            if not ran:
                lines.append(
                    (number, fault.title, "", "not asked for" if number in self._built else "not built", "", "")
                )
            for backend in ran:
                row = self._rows[number, backend]
                is_weak = fault.weak_spot and row.verdict.startswith("passed")
                weak = [f"known weak spot: {fault.weak_spot}"] if is_weak else []
                remarks = "; ".join([*weak, row.remarks] if row.remarks else weak)
                lines.append((number, fault.title, _LABELS[backend], row.verdict, f"{row.seconds:.0f}", remarks))
        return lines

    def _summary(self) -> str:
        counted: defaultdict[str, int] = defaultdict(int)
        for line in self._lines():
            counted[line[3]] += 1
        output = ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
        form = "short" if self._is_short else "full"
        minutes = (time.monotonic() - self._started) / 60
        return f"{output}; the {form} form, {minutes:.1f} minutes"

    def _where(self, now: datetime) -> str:
        about = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        return f"{now:%Y-%m-%d}, {about}, SQLite {sqlite3.sqlite_version}: {self._summary()}."

    def _markdown(self) -> str:
        now = datetime.now(UTC)
        lines = [
            self._where(now),
            "",
            "| | fault | backend | result | s | remarks |",
            "|---|---|---|---|---|---|",
        ]
        lines += [f"| {' | '.join(str(cell).replace('|', '/') for cell in line)} |" for line in self._lines()]
        return "\n".join(lines) + "\n"


def _first_words(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(getattr(crash, "message", "failed")).splitlines()[0][:160]
