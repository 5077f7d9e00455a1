"""The matching of columns and fields has the best total of all."""

from collections.abc import Mapping
from itertools import product

from hypothesis import given, settings, strategies as st

from shipments.manifests.sheets.matching import best_total
from tests.examples import examples

scores = st.dictionaries(
    st.sampled_from("abcd"), st.dictionaries(st.integers(0, 4), st.integers(-20, 100), max_size=5), max_size=4
)


def tried(each: Mapping[str, Mapping[int, int]]) -> int:
    """The best total, by trying every choice."""
    choices = product(*([None, *columns] for columns in each.values()))
    return max(
        sum(each[name][column] for name, column in zip(each, choice, strict=True) if column is not None)
        for choice in choices
        if len(used := [column for column in choice if column is not None]) == len({*used})
    )


@settings(max_examples=examples(200), deadline=None)
@given(scores)
def test_no_other_choice_is_better(each: dict[str, dict[int, int]]) -> None:
    chosen = best_total(each)
    assert len({*chosen.values()}) == len(chosen)
    assert sum(each[name][column] for name, column in chosen.items()) == tried(each)
