"""The layout holds: imports run one way and in no circle, reading manifests is pure, a status has its two writers."""

import ast
import pkgutil
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from faults.points import POINTS
from tests.selection import START_THE_SERVICE, is_in

ROOT = Path(__file__).resolve().parent.parent
APPS = ["prealerts", "shipments", "webhooks", "companies"]  # each imports only those that come later
NOT_SHIPPED = {"tests", "tools", "faults", "benchmarks"}
NAMES_ANYTHING = {"prealerts"}  # settings and checks may name any app in a string
IMPORTERS = {"import_module", "__import__", "import_string", "find_spec"}
PURE = "shipments.manifests"
USED_BY_PURE = {"shipments.errors", "companies.errors", "companies.countries"}  # held to be as pure as readers are
IMPURE = {"django", "rest_framework", "environ", "auditlog", "axes", "unfold"}
STATUS_WRITERS = {"shipments/intake/guide_writing.py", "shipments/tracking/rows.py"}  # of ingest and of advance
WRITING_SQL = re.compile(r"\b(COPY|INSERT INTO|UPDATE) ")
DRAWERS = {"utils", "helpers", "services", "selectors", "common", "core", "misc"}
MODULES_IN_A_FOLDER = 20
LINES_IN_A_FUNCTION, LINES_IN_A_FILE = 40, 300
LONGER_FILES = {"clients/python/src/prealerts_client/answers.py": "written from the OpenAPI document"}
NOT_WRITTEN_HERE = {"migrations", "node_modules"}
OURS = [*APPS, "tests", "tools", "faults", "benchmarks", "clients/python/src"]
SORTED = [*APPS, "faults", "benchmarks"]  # tests mirror the apps; `tests/` itself has few modules of its own
TEXTS = ("*.py", "*.md", "*.html", "*.yml", "Makefile")
NOT_OUR_WORDS = re.compile(
    r"""\b(?: desks? | roofs? | doors? | JournalAdmin | of\ ours | of\ its\ own\ accord | nobody\ (?:takes|knows)
    | is\ no\ more | (?:is|are|was|were|be|been|being)\ told(?!\ apart) | stands?\ (?:twice|once|beside|above|below
    |under|far|there|on|at|before|by) | knows?\ of )\b
    | (?<!there\ )\b(?:is|are|was)\ no\ (?!longer\b|more\b|use\b)[a-z]+""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that are not plain English here: "invalid", "not found", "reported", "without" and Django's own terms are."""
CLASSES_OF_DJANGO = {"Command", "Media", "Meta", "Migration"}
# Names that Django or the layout asks for, and folders in which a module is named after its model or its country
OF_DJANGO = {"__init__", "admin", "apps", "formats", "forms", "models", "urls", "views"}
BY_NOUN = {"admin", "commands", "models"}


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
    arrows = [(name, each) for name in pure | USED_BY_PURE for each in imported(modules()[name])]
    beyond = [(name, each) for name, each in arrows if each in modules() and each not in pure | USED_BY_PURE]
    impure = [(name, each) for name, each in arrows if each.split(".")[0] in IMPURE]
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


@pytest.mark.parametrize("app", APPS)
def test_no_two_modules_of_an_app_share_a_name(app: str) -> None:
    places = defaultdict(list)
    for path in sources(app):
        if path.stem not in OF_DJANGO and path.parent.name not in BY_NOUN:
            places[path.stem].append(name_of(path))
    assert [names for names in places.values() if len(names) > 1] == []


@pytest.mark.parametrize("app", APPS)
def test_no_two_classes_of_an_app_share_a_name(app: str) -> None:
    places = defaultdict(list)
    for path in sources(app):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and node.name not in CLASSES_OF_DJANGO:
                places[node.name].append(name_of(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


@pytest.mark.parametrize("app", SORTED)
def test_a_folder_stays_small_enough_to_look_through(app: str) -> None:
    counted = Counter(path.parent for path in sources(app) if path.stem != "__init__")
    assert {name_of(each): number for each, number in counted.items() if number > MODULES_IN_A_FOLDER} == {}


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


def test_a_file_is_no_longer_than_300_lines() -> None:
    counted = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for folder in OURS
        for path in sources(folder)
    }
    longer = {name for name, lines in counted.items() if lines > LINES_IN_A_FILE}
    assert longer == LONGER_FILES.keys(), "split by the noun that hides there, or take it off the list"


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


def test_no_file_is_a_drawer() -> None:
    assert [path for app in APPS for path in sources(app) if {path.stem, path.parent.name} & DRAWERS] == []


def test_the_words_are_plain_english() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *TEXTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split("\0")
    paths = [ROOT / name for name in listed if name and "/migrations/" not in name and name != "tests/test_house.py"]
    if not paths:
        pytest.skip("not a git checkout")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match.group()}"
        for path in paths
        if path.exists()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := NOT_OUR_WORDS.search(line))
    ]
    assert found == [], "reword these; see CONTRIBUTING.md"
