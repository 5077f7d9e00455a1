"""The layout holds: imports run one way, without circles of modules or rings of folders; reading manifests is pure."""

import ast
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from faults.points import POINTS
from tests.selection import START_THE_SERVICE, is_in

ROOT = Path(__file__).resolve().parent.parent
APPS = ["prealerts", "shipments", "webhooks", "companies", "base"]  # each imports only those that come later
NOT_SHIPPED = {"tests", "tools", "faults", "benchmarks"}
NAMES_ANYTHING = {"prealerts"}  # settings and checks may name any app in a string
IMPORTERS = {"import_module", "__import__", "import_string", "find_spec"}
PURE = "shipments.manifests"
USED_BY_PURE = {
    "shipments.errors",
    "companies.errors",
    "companies.countries",
    "base.errors",
}  # held to be as pure as readers are
IMPURE_NAME = re.compile(r"(django|rest_framework|environ|auditlog|unfold)(\.\w+)*$")
STATUS_WRITERS = {"shipments/intake/ingest.py", "shipments/tracking/rows.py"}  # of ingest and of advance
WRITING_SQL = re.compile(r"\b(COPY|INSERT INTO|UPDATE) (?!webhooks_delivery)")  # which has a state of its own
LINES_IN_A_FUNCTION = 60
NOT_WRITTEN_HERE = {"migrations", "node_modules"}
OURS = [*APPS, "tests", "tools", "faults", "benchmarks", "clients/python/src"]
SAID_TWICE = re.compile(r"\b(\w+(?:\s+\w+)+)\s+\1\b", re.IGNORECASE)


def sources(app: str) -> list[Path]:
    return [path for path in (ROOT / app).rglob("*.py") if not NOT_WRITTEN_HERE & {*path.parts}]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules() -> Mapping[str, Path]:
    return {name_of(path): path for app in APPS for path in sources(app)}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, at its top, in a function, or by `import_module("...")`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in modules() else node.module or ""
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in IMPORTERS:
            yield from (str(each.value) for each in node.args if isinstance(each, ast.Constant))


def named(path: Path) -> Iterator[str]:
    """Our modules that a file names in a string, such as one for `import_string` or a setting of a library."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts = node.value.split(".")
            yield from (found for end in range(2, len(parts) + 1) if (found := ".".join(parts[:end])) in modules())


def strings(path: Path) -> Iterator[str]:
    return (str(node.value) for node in ast.walk(tree(path)) if isinstance(node, ast.Constant))


@cache
def graph() -> Mapping[str, set[str]]:
    return {name: {each for each in imported(path) if each in modules()} - {name} for name, path in modules().items()}


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """One circle of imports, its first module again at its end; empty when there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circle(graph()) == []


def test_a_circle_would_be_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) != []


def siblings(folder: str, arrows: Mapping[str, set[str]]) -> Mapping[str, set[str]]:
    """The imports among what is directly in `folder`: each of its modules, and each subfolder as one."""
    found: dict[str, set[str]] = defaultdict(set)
    inside, depth = f"{folder}.", folder.count(".") + 2
    for name, others in arrows.items():
        if name.startswith(inside):
            own = ".".join(name.split(".")[:depth])
            found[own] |= {".".join(each.split(".")[:depth]) for each in others if each.startswith(inside)} - {own}
    return found


def test_no_sibling_folders_import_each_other_directly_or_by_a_third() -> None:
    folders = {name for name, path in modules().items() if path.stem == "__init__"}
    assert {name: ring for name in folders if (ring := circle(siblings(name, graph())))} == {}


def test_a_ring_of_folders_would_be_found() -> None:
    arrows = {"app.a.one": {"app.b.two"}, "app.b.two": set(), "app.b.three": {"app.root"}, "app.root": {"app.a.four"}}
    assert circle(arrows) == []
    assert circle(siblings("app", arrows)) != []


@pytest.mark.parametrize("app", APPS)
def test_an_app_imports_only_apps_that_come_after_it(app: str) -> None:
    before = set(APPS[: APPS.index(app)])
    arrows = [
        (name_of(path), name)
        for path in sources(app)
        for name in (*imported(path), *(named(path) if app not in NAMES_ANYTHING else ()))
        if name.split(".")[0] in before
    ]
    assert arrows == []


@pytest.mark.parametrize("app", APPS)
def test_no_app_imports_what_is_not_shipped(app: str) -> None:
    arrows = [
        (path.name, name) for path in sources(app) for name in imported(path) if name.split(".")[0] in NOT_SHIPPED
    ]
    armed = [path.name for path in sources(app) if "PREALERTS_FAULT" in path.read_text(encoding="utf-8")]
    assert arrows == []
    assert armed == []


def test_reading_manifests_needs_no_database_no_request_and_no_settings() -> None:
    pure = {name for name in modules() if f"{name}.".startswith(f"{PURE}.")}
    arrows = [
        (name, each)
        for name in pure | USED_BY_PURE
        for path in [modules()[name]]
        for each in (*imported(path), *named(path), *strings(path))  # however the import is written
    ]
    beyond = [(name, each) for name, each in arrows if each in modules() and each not in pure | USED_BY_PURE]
    impure = [(name, each) for name, each in arrows if IMPURE_NAME.match(each)]
    assert beyond == []
    assert impure == []


def test_only_ingest_and_tracking_write_a_guides_status() -> None:
    writers = set()
    for path in (path for app in ("prealerts", "shipments") for path in sources(app)):  # the others have no guides
        for node in ast.walk(tree(path)):
            is_assigned = isinstance(node, ast.Attribute) and node.attr == "status" and isinstance(node.ctx, ast.Store)
            is_passed = (
                isinstance(node, ast.Call)
                and not ast.unparse(node.func).startswith("Manifest.")  # whose status follows from the counts
                and ast.unparse(node.func).endswith(("Guide", ".update", ".create", ".update_or_create"))
                and any(keyword.arg == "status" for keyword in node.keywords)
            )
            is_sql = isinstance(node, ast.Constant) and WRITING_SQL.search(str(node.value)) is not None
            if is_assigned or is_passed or is_sql:
                writers.add(path.relative_to(ROOT).as_posix())
    assert writers == STATUS_WRITERS, "a third writer, or the search no longer finds the two"


@pytest.mark.parametrize("folder", OURS)
def test_a_function_fits_on_a_screen(folder: str) -> None:
    longer = [
        f"{path.relative_to(ROOT)}: {node.name} has {lines}"
        for path in sources(folder)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > LINES_IN_A_FUNCTION
    ]
    assert longer == [], "which noun is missing?"


def test_every_folder_of_code_is_a_package() -> None:
    folders = {path.parent for app in APPS for path in sources(app)}
    assert [name_of(each) for each in folders if not (each / "__init__.py").exists()] == []


def test_every_callback_after_a_commit_may_fail() -> None:
    """One that is not robust turns a committed upload into a 500. So does one without a name, such as a partial: Django
    asks for it to log the failure.
    """
    fragile = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for app in APPS
        for path in sources(app)
        for call in ast.walk(tree(path))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "on_commit"
        if "robust=True" not in ast.unparse(call) or not isinstance(call.args[0], ast.Lambda | ast.Name)
    ]
    assert fragile == []


def test_the_fault_points_name_functions_of_the_product() -> None:
    """`make faults` takes minutes: a function that was renamed is noticed here."""
    places = {point: (pkgutil.resolve_name(place), name) for point, (place, name, _moment) in POINTS.items()}
    assert [point for point, (place, name) in places.items() if not callable(getattr(place, name, None))] == []


def test_the_target_of_live_tests_collects_all_of_them() -> None:
    found = re.search(r"^LIVE_PLACES := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    collected = {place.removeprefix("tests/") for place in found[1].split()}
    assert [place for place in START_THE_SERVICE if not is_in(collected, place)] == []


@pytest.mark.parametrize("folder", OURS)
def test_no_docstring_says_a_phrase_twice_in_a_row(folder: str) -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        f"{path.relative_to(ROOT)}: {twice.group()}"
        for path in sources(folder)
        for node in ast.walk(tree(path))
        if isinstance(node, documented) and (twice := SAID_TWICE.search(ast.get_docstring(node) or ""))
    ]
    assert found == []
