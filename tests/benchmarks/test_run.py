"""The run: parts as programs of their own, one that fails takes no other with it."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import __main__ as bench
from benchmarks import part
from benchmarks.figures import Figure, Measured
from benchmarks.machine import ROOT, Machine

GOOD = Figure("uploads", "3.1", "at most 4", is_reached=True)
MISSED = Figure("reads", "0.41", "at least 0.6", is_reached=False)

HANDS_OVER = """
import os, pathlib, sys
assert sys.argv[1] == "--figures"
pathlib.Path(sys.argv[2]).write_text({text!r})
print("short" if os.environ.get("BENCH_SHORT") else "in full")
"""

Program = Callable[[str, str], str]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Write a part's module; its name."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def written(name: str, text: str) -> str:
        (tmp_path / f"invented_{name}.py").write_text(text, encoding="utf-8")
        return f"invented_{name}"

    return written


def hands_over(measured: Measured) -> str:
    return HANDS_OVER.format(text=measured.to_json())


class TestAPart:
    def test_hands_its_figures_to_the_run(self, program: Program) -> None:
        found = bench.measured("uploads", program("good", hands_over(Measured((GOOD, MISSED)))), os.environ)
        assert found.measured == Measured((GOOD, MISSED))
        assert (found.part, found.failure) == ("uploads", "")
        assert found.load_at_start >= 0
        assert found.load_at_end >= 0

    @pytest.mark.parametrize(
        ("text", "failure"),
        [
            ("raise RuntimeError('no guides left')", "RuntimeError: no guides left"),
            ("raise SystemExit('Needs the program wrk.')", "Needs the program wrk."),
            ("import sys; sys.exit(3)", "it exited with 3 without output."),
            (HANDS_OVER.format(text='{"figures": [{'), "it exited with 0 without output."),
            (HANDS_OVER.format(text='{"figures": [{"what": "x"}], "curves": []}'), "it exited with 0 without output."),
            (HANDS_OVER.format(text="[]"), "it exited with 0 without output."),
        ],
        ids=["raises", "refuses", "ends", "half a file", "another file", "a list"],
    )
    def test_that_hands_over_nothing_has_failed_with_its_last_words(
        self, program: Program, text: str, failure: str
    ) -> None:
        found = bench.measured("moving", program("bad", text), os.environ)
        assert (found.measured, found.failure) == (None, failure)

    def test_names_no_place_of_the_machine_when_it_fails(self, program: Program) -> None:
        text = (
            "import os, sys, tempfile; sys.exit(f'{os.getcwd()}/x and {sys.executable} in {tempfile.gettempdir()}/y')"
        )
        found = bench.measured("moving", program("noisy", text), os.environ)
        assert found.failure == "./x and python in (scratch)/y"

    @pytest.mark.parametrize(("figures", "code"), [((GOOD,), 0), ((GOOD, MISSED), 1)])
    def test_alone_prints_its_table_and_ends_with_1_when_a_figure_is_missed(
        self,
        figures: tuple[Figure, ...],
        code: int,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("TEST_POSTGRES_URL", "postgres://nobody@127.0.0.1/none")
        asked = []

        def measure(url: str) -> Measured:
            asked.append(url)
            return Measured(figures)

        assert part.run(measure, ["--figures", str(tmp_path / "figures.json")]) == code
        assert asked == ["postgres://nobody@127.0.0.1/none"]
        assert Measured.from_json((tmp_path / "figures.json").read_text(encoding="utf-8")).figures == figures
        assert f"| {GOOD.what} " in capsys.readouterr().out

    def test_without_a_database_says_what_it_needs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TEST_POSTGRES_URL", raising=False)
        with pytest.raises(SystemExit, match="Needs TEST_POSTGRES_URL="):
            part.run(lambda _url: Measured(()), [])


class TestTheWholeRun:
    @pytest.fixture(autouse=True)
    def invented(self, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
        """Three parts, the second of which fails, on a machine that nobody looks at."""
        parts = {
            "uploads": program("uploads", hands_over(Measured((GOOD,)))),
            "moving": program("moving", "raise RuntimeError('no guides left')"),
            "reads": program("reads", hands_over(Measured((MISSED,)))),
        }
        monkeypatch.setattr(bench, "PARTS", parts)
        monkeypatch.setattr(bench, "migrated_database", str)
        monkeypatch.setattr(bench, "this_machine", lambda _url: Machine("Some", 2, 4, "Linux", "0123", ()))
        monkeypatch.setenv("TEST_POSTGRES_URL", "postgres://nobody@127.0.0.1/none")

    def test_goes_on_after_a_part_that_failed_and_ends_with_1(self, tmp_path: Path) -> None:
        assert bench.main(["--report", str(tmp_path / "page.md"), "--short"]) == 1
        page = (tmp_path / "page.md").read_text(encoding="utf-8")
        assert [line for line in page.splitlines() if line in {"## uploads", "## moving", "## reads"}] == [
            "## uploads", "## moving", "## reads",
        ]  # fmt: skip
        assert "RuntimeError: no guides left" in page
        assert f"| {GOOD.what} " in page
        assert f"| {MISSED.what} " in page

    def test_measures_the_parts_that_are_named_in_their_order_and_says_which_were_not(self, tmp_path: Path) -> None:
        assert bench.main(["--parts", "uploads", "--report", str(tmp_path / "page.md")]) == 0
        assert "Not measured in this run: moving, reads." in (tmp_path / "page.md").read_text(encoding="utf-8")
        assert bench.chosen_parts("reads,uploads") == ["uploads", "reads"]

    @pytest.mark.parametrize("text", ["", "uploads,nothing"])
    def test_refuses_a_part_that_is_not_there(self, text: str) -> None:
        with pytest.raises(argparse.ArgumentTypeError, match="choose from uploads, moving, reads"):
            bench.chosen_parts(text)

    @pytest.mark.parametrize(("arguments", "said"), [(["--short"], "short"), ([], "in full")])
    def test_reports_its_parts_whether_it_is_short(
        self,
        arguments: list[str],
        said: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("BENCH_SHORT", "left over")
        bench.main([*arguments, "--parts", "uploads", "--report", str(tmp_path / "page.md")])
        assert said in capfd.readouterr().out.splitlines()


def test_every_part_is_a_program_that_says_what_it_needs() -> None:
    for module in bench.PARTS.values():
        text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert "part.run(measure, " in text, module
