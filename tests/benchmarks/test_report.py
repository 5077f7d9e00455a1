"""The report: figures in, Markdown out; failed parts and missed figures are reported separately."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.figures import Curve, Figure, Measured, Series
from benchmarks.machine import Machine
from benchmarks.report import Outcome, Run, markdown, write

MACHINE = Machine(
    cpu="Some Processor 3000",
    cores=2,
    memory_gib=23.6,
    system="Linux 6.1",
    commit="0123456789ab",
    versions=(("Python", "3.11.4"), ("PostgreSQL", "16.2"), ("Django", "5.2.1")),
)
GOOD = Figure("upload of 5,000 rows, times the floor", "3.1", "at most 4", True, ours="0.50 s", floor="0.16 s")  # noqa: FBT003
MISSED = Figure("GET guide, of a bare view's requests/s", "0.41", "at least 0.6", is_reached=False)
COMPARED = Figure("JSON, the usual way's time by ours", "7.2", "", is_reached=True, ours="1.4 s", usual="10.1 s")
CURVE = Curve("uploads", "An upload", "rows", "seconds", (Series("ours", ((100, 0.1), (50_000, 5.0))),))


def outcome(*figures: Figure, part: str = "requests", load: float = 0.1, curves: tuple[Curve, ...] = ()) -> Outcome:
    return Outcome(part, load, 1.9, 90.0, Measured(figures, curves))


def failed(part: str = "moving") -> Outcome:
    return Outcome(part, 1.7, 1.8, 2.0, None, "RuntimeError: no guides left | to move")


def run(*outcomes: Outcome) -> Run:
    return Run(datetime(2026, 11, 21, 18, 30, tzinfo=UTC), MACHINE, outcomes)


def cells(page: str, first: str) -> list[str]:
    """The row of a table that begins with `first`."""
    (line,) = (line for line in page.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in line.strip("|").split(" | ")]


class TestFigures:
    def test_each_is_beside_what_it_is_compared_with_its_bound_and_the_verdict_in_words(self) -> None:
        page = markdown(run(outcome(GOOD, MISSED, COMPARED)), "benchmarks")
        assert cells(page, GOOD.what) == [GOOD.what, "0.50 s", "0.16 s", "", "3.1", "at most 4", "reached"]
        assert cells(page, MISSED.what) == [MISSED.what, "", "", "", "0.41", "at least 0.6", "NOT REACHED"]
        assert cells(page, COMPARED.what) == [COMPARED.what, "1.4 s", "", "10.1 s", "7.2", "", "for comparison"]

    def test_a_missed_one_is_named_on_top_and_what_only_compares_is_not_a_bound(self) -> None:
        summary = markdown(run(outcome(GOOD, MISSED, COMPARED)), "benchmarks").partition("## Machine")[0]
        assert "1 of 2 bounds are reached." in summary
        assert f"- Not reached: {MISSED.what}: 0.41, to reach: at least 0.6." in summary
        assert GOOD.what not in summary

    def test_nothing_is_called_missed_when_all_are_reached(self) -> None:
        page = markdown(run(outcome(GOOD)), "benchmarks")
        assert "1 of 1 bounds are reached." in page
        assert "NOT REACHED" not in page
        assert "Not reached" not in page

    def test_text_that_would_break_a_table_does_not(self) -> None:
        page = markdown(run(outcome(replace(GOOD, ours="a | b\nc"))), "benchmarks")
        assert "a \\| b c" in page


class TestWhereAndWhen:
    def test_machine_versions_commit_date_and_loads_are_reported(self) -> None:
        page = markdown(run(outcome(GOOD)), "benchmarks")
        for what, which in (
            ("processor", "Some Processor 3000, 2 cores"), ("memory", "24 GiB"), ("commit", "0123456789ab"),
            ("date", "2026-11-21 18:30 UTC"), ("PostgreSQL", "16.2"), ("Django", "5.2.1"),
        ):  # fmt: skip
            assert cells(page, what) == [what, which]
        assert cells(page, "requests") == ["requests", "1.5 min", "0.10", "1.90"]

    @pytest.mark.parametrize(("load", "is_warned"), [(0.2, False), (1.0, False), (1.01, True), (8.5, True)])
    def test_a_machine_that_was_busy_at_the_start_is_warned_of_before_any_figure(
        self, load: float, *, is_warned: bool
    ) -> None:
        page = markdown(run(outcome(GOOD, load=load)), "benchmarks")
        assert (f"Figures of a busy machine.** The load average was {load:.2f}" in page) is is_warned
        if is_warned:
            assert page.index("busy machine") < page.index("bounds are reached")

    def test_the_load_of_the_run_itself_is_not_a_busy_machine(self) -> None:
        page = markdown(run(outcome(GOOD), outcome(MISSED, part="lists", load=2.0)), "benchmarks")
        assert "busy machine" not in page

    def test_says_the_short_form_and_what_was_left_out(self) -> None:
        page = markdown(replace(run(outcome(GOOD)), is_short=True, left_out=("moving", "lists")), "benchmarks")
        assert "**The short form**" in page
        assert "- Not measured in this run: moving, lists." in page
        assert "short form**" not in markdown(run(outcome(GOOD)), "benchmarks")

    def test_says_how_to_run_it(self) -> None:
        assert "TEST_POSTGRES_URL=postgres://user@host:5432/name make bench" in markdown(run(), "benchmarks")


class TestAPartThatFails:
    def test_is_reported_with_its_reason_beside_the_figures_of_the_others(self) -> None:
        page = markdown(run(outcome(GOOD), failed()), "benchmarks")
        assert "- Failed: the part moving." in page
        assert "## moving\n\n**This part failed** and has no figures: RuntimeError: no guides left \\| to move" in page
        assert cells(page, GOOD.what)[-1] == "reached"

    @pytest.mark.parametrize(
        ("outcomes", "is_short", "code"),
        [
            ([outcome(GOOD, COMPARED)], False, 0),
            ([outcome(GOOD, MISSED)], False, 1),
            ([outcome(GOOD, MISSED)], True, 0),
            ([outcome(GOOD), failed()], False, 1),
            ([outcome(GOOD), failed()], True, 1),
        ],
        ids=["all well", "a figure missed", "missed in the short form", "a part failed", "failed in the short form"],
    )
    def test_decides_the_exit_code_and_a_missed_figure_does_in_full(
        self, outcomes: list[Outcome], code: int, *, is_short: bool
    ) -> None:
        assert replace(run(*outcomes), is_short=is_short).exit_code == code


class TestFiles:
    def test_the_page_shows_plots_that_are_written_beside_it(self, tmp_path: Path) -> None:
        write(run(outcome(GOOD, curves=(CURVE,))), tmp_path / "benchmarks.md")
        page = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
        (shown,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
        assert shown == "benchmarks/uploads.svg"
        assert (tmp_path / shown).read_text(encoding="utf-8").startswith("<svg")

    def test_plots_of_an_earlier_run_go_and_other_files_stay(self, tmp_path: Path) -> None:
        page = tmp_path / "benchmarks.md"
        write(run(outcome(GOOD, curves=(CURVE,))), page)
        (tmp_path / "benchmarks" / "mine.svg").touch()
        write(run(failed("requests")), page)
        assert [path.name for path in (tmp_path / "benchmarks").iterdir()] == ["mine.svg"]

    def test_the_section_of_a_longer_run_is_repeated_as_it_is(self, tmp_path: Path) -> None:
        page = tmp_path / "benchmarks.md"
        write(run(outcome(GOOD)), page)
        before = page.read_text()
        (tmp_path / "benchmarks" / "growth.md").write_text("## 10,000,000 guides\n\n| job |\n")
        write(run(outcome(GOOD)), page)
        assert page.read_text() == before.replace("## How to run", "## 10,000,000 guides\n\n| job |\n\n## How to run")

    def test_what_a_part_hands_over_arrives_as_it_was(self) -> None:
        measured = Measured((GOOD, MISSED, COMPARED), (CURVE,))
        assert Measured.from_json(measured.to_json()) == measured
