"""The report: figures in, verdicts out; failed parts and missed bounds are reported separately."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from benchmarks.harness import Curve, Figure, Measured
from benchmarks.report import Outcome, Run, markdown

GOOD = Figure("upload of 5,000 rows, times its floor", 2.1, ours="0.5 s", beside="floor 0.2 s | cold")
MISSED = Figure("peak memory of a worker, 8 workbooks of 50,000 rows at once, all wrong", 301, "MiB")
COMPARED = Figure("upload of 5,000 rows, the usual way's time by ours", 13.1)
CURVE = Curve("A, in seconds", "rows", {"ours": [(100, 0.1), (50_000, 5.0)], "floor": [(100, 0.05)]})


def outcome(*figures: Figure, load: float = 0.1) -> Outcome:
    return Outcome("uploads", load, 1.9, 90.0, Measured(list(figures), [CURVE]))


def run(*outcomes: Outcome) -> Run:
    return Run(datetime(2026, 11, 21, 18, 30, tzinfo=UTC), "commit 0123, Some Processor", outcomes)


FAILED = Outcome("moves", 1.7, 1.8, 2.0, None, "RuntimeError: no guides left")


def cells(page: str, first: str) -> list[str]:
    (line,) = (line for line in page.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in line.strip("|").replace("\\|", "/").split("|")]


def test_each_figure_is_beside_its_bound_with_the_verdict_in_words() -> None:
    page = markdown(run(outcome(GOOD, MISSED, COMPARED)))
    assert cells(page, GOOD.what)[1:] == ["2.1", "at most 2.3", "reached", "0.5 s", "floor 0.2 s / cold"]
    assert cells(page, MISSED.what)[1:] == ["301 MiB", "at most 300", "**NOT REACHED**", "", ""]
    assert cells(page, COMPARED.what)[1:] == ["13.1", "", "", "", ""]
    assert "1 of 2 bounds are reached." in page
    assert f"- Not reached: uploads: {MISSED.what}: 301 MiB, to reach: at most 300." in page
    assert "A, in seconds:" in page
    assert cells(page, "rows") == ["rows", "ours", "floor"]
    assert cells(page, "50,000") == ["50,000", "5", ""]


def test_a_part_that_failed_is_reported_with_its_reason_beside_the_others() -> None:
    page = markdown(run(outcome(GOOD), FAILED))
    assert "- Failed: moves." in page
    assert "**This part failed** and has no figures: RuntimeError: no guides left" in page
    assert cells(page, GOOD.what)[3] == "reached"


@pytest.mark.parametrize(
    ("outcomes", "is_short", "code"),
    [
        ([outcome(GOOD, COMPARED)], False, 0),
        ([outcome(GOOD, MISSED)], False, 1),
        ([outcome(GOOD, MISSED)], True, 0),
        ([outcome(GOOD), FAILED], True, 1),
    ],
    ids=["all well", "a bound missed", "missed in the short form", "a part failed"],
)
def test_the_exit_code(outcomes: list[Outcome], code: int, *, is_short: bool) -> None:
    assert replace(run(*outcomes), is_short=is_short).exit_code == code


@pytest.mark.parametrize(("load", "is_warned"), [(1.0, False), (1.01, True)])
def test_a_machine_that_was_busy_at_the_start_is_warned_of(load: float, *, is_warned: bool) -> None:
    assert ("Figures of a busy machine" in markdown(run(outcome(GOOD, load=load)))) is is_warned
