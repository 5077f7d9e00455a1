"""The house holds: imports run downwards only, and a guide's status has its two writers and no third."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ["prealerts", "shipments", "webhooks", "companies"]  # from the roof down: each imports only what comes later
PURE = ROOT / "shipments" / "manifests"
STATUS_WRITERS = {"shipments/intake/guide_writing.py", "shipments/tracking/rows.py"}  # of ingest and of advance
WRITING_SQL = re.compile(r"\b(COPY|INSERT INTO|UPDATE) ")
DRAWERS = {"utils", "helpers", "services", "selectors", "common", "core", "misc"}


def sources(room: str) -> list[Path]:
    return [path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    above = set(ROOMS[: ROOMS.index(room)])
    arrows = [(path.name, name) for path in sources(room) for name in imported(path) if name.split(".")[0] in above]
    assert arrows == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_knows_the_tests_or_the_points_at_which_they_may_kill_it(room: str) -> None:
    arrows = [(path.name, name) for path in sources(room) for name in imported(path) if name.split(".")[0] == "tests"]
    armed = [path.name for path in sources(room) if "PREALERTS_FAULT" in path.read_text(encoding="utf-8")]
    assert arrows == []
    assert armed == []


def test_reading_manifests_knows_no_database_no_request_and_no_settings() -> None:
    impure = [(path.name, name) for path in PURE.rglob("*.py") for name in imported(path) if name.startswith("django")]
    assert impure == []


def test_only_ingest_and_tracking_write_a_guides_status() -> None:
    writers = set()
    for path in (path for room in ("prealerts", "shipments") for path in sources(room)):  # below, nobody knows a guide
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_assigned = isinstance(node, ast.Attribute) and node.attr == "status" and isinstance(node.ctx, ast.Store)
            is_passed = (
                isinstance(node, ast.Call)
                and ast.unparse(node.func).endswith(("Guide", ".update", ".create", ".update_or_create"))
                and any(keyword.arg == "status" for keyword in node.keywords)
            )
            is_sql = isinstance(node, ast.Constant) and WRITING_SQL.search(str(node.value)) is not None
            if is_assigned or is_passed or is_sql:
                writers.add(path.relative_to(ROOT).as_posix())
    assert writers <= STATUS_WRITERS
    assert "shipments/intake/guide_writing.py" in writers, "the search itself no longer finds the writer it must find"


def test_no_file_is_a_drawer() -> None:
    assert [path for room in ROOMS for path in sources(room) if {path.stem, path.parent.name} & DRAWERS] == []
