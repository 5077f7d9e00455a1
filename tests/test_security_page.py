"""docs/security.md names files and tests that exist, and every requirement has both."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if re.match(r"\| V[0-9]", line)
]
REQUIREMENT = re.compile(r"V(?:1[0-7]|[1-9])\.[0-9]{1,2}\.[0-9]{1,2}")


@cache
def named_in(path: Path) -> frozenset[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_each_requirement_has_its_place_and_its_test(row: list[str]) -> None:
    numbers, asked, where, test = row
    assert all(REQUIREMENT.fullmatch(number.strip()) for number in numbers.split(","))
    assert asked
    places = re.findall(r"`([^`]+)`", where)
    assert places
    assert [place for place in places if not (ROOT / place).is_file()] == []
    for named in re.findall(r"`([^`]+)`", test) or [""]:
        file, _, name = named.partition("::")
        assert (ROOT / file).is_file(), named
        assert name in named_in(ROOT / file), named


def test_no_requirement_occurs_twice_and_there_are_enough_of_them() -> None:
    numbers = [number.strip() for row in ROWS for number in row[0].split(",")]
    assert len(numbers) == len(set(numbers))
    assert len(numbers) > 40
