"""The harness: turns, ratios, bounds, and what a part must hand over."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import harness
from benchmarks.bounds import BOUNDS, Bound, at_least, at_most
from benchmarks.harness import Curve, Figure, Measured, collected, in_turns, ratio


def test_subjects_take_turns_and_every_other_round_goes_the_other_way() -> None:
    order: list[str] = []

    def subject(name: str) -> int:
        order.append(name)
        return len(order)

    found = in_turns({"ours": lambda: subject("ours"), "floor": lambda: subject("floor")}, 3)
    assert order == ["ours", "floor", "floor", "ours", "ours", "floor"]
    assert found == {"ours": [1, 4, 5], "floor": [2, 3, 6]}


def test_a_ratio_is_the_median_of_the_rounds_and_not_of_the_fastest() -> None:
    assert ratio([2, 30, 4], [1, 10, 1]) == 3


@pytest.mark.parametrize(
    ("bound", "value", "holds"),
    [
        (at_least(0.55), 0.55, True),
        (at_least(0.55), 0.549, False),
        (at_most(300), 300.0, True),
        (at_most(300), 300.1, False),
    ],
)
def test_a_bound_holds_up_to_its_limit(bound: Bound, value: float, *, holds: bool) -> None:
    assert bound.holds(value) is holds


class TestAPart:
    @pytest.fixture(autouse=True)
    def invented(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TEST_POSTGRES_URL", "postgres://nobody@127.0.0.1/none")
        monkeypatch.setattr(harness, "BOUNDS", {"invented": {"held": at_most(2)}})

    def test_hands_over_what_it_yields_and_knows_what_it_misses(self) -> None:
        curve = Curve("A curve", "rows", {"ours": [(1, 2.0)]})
        figures = [Figure("held", 2.5, "s", ours="1 s", beside="2 s"), Figure("compared", 9)]
        measured = collected("invented", lambda _url: iter([*figures, curve]))
        assert measured == Measured(figures, [curve])
        assert measured.missed("invented") == figures[:1]

    def test_that_does_not_measure_one_of_its_bounds_has_failed(self) -> None:
        def measure(_url: str) -> Iterator[Figure]:
            yield Figure("held a little differently", 1)

        with pytest.raises(LookupError, match="not measured: held"):
            collected("invented", measure)

    def test_without_a_database_says_what_it_needs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TEST_POSTGRES_URL")
        with pytest.raises(SystemExit, match="Needs TEST_POSTGRES_URL="):
            collected("invented", lambda _url: iter([]))


def test_every_part_of_the_bounds_is_a_module() -> None:
    for part in BOUNDS:
        assert (Path(__file__).parents[2] / "benchmarks" / f"{part}.py").exists(), part
