"""The documents say what the code does: examples are sent, tables compared, links followed, commands looked up."""

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands

from base.errors import DomainError
from companies.countries import SERVED
from prealerts import settings
from prealerts.reference.document import document
from shipments.manifests.cells import LONGEST_CELL, MAX_COLUMNS
from shipments.manifests.field_kinds import Field
from shipments.manifests.findings import MAX_REPORTED
from shipments.manifests.guide_fields import GUIDE_FIELDS, MAX_PRODUCTS
from shipments.manifests.manifest import MAX_GUIDES
from shipments.manifests.payload.body import MANIFEST_FIELDS
from shipments.manifests.payload.products import PRODUCT_FIELDS
from shipments.models import LIST_WINDOW
from shipments.statuses import GuideStatus, Source
from shipments.v1 import queries
from tests.conftest import Caller
from tools import sample_with_mistakes
from tools.catalogue import answered_errors
from webhooks.events import EventType

ROOT = Path(__file__).resolve().parent.parent
APPS = {"prealerts", "shipments", "webhooks", "companies", "base"}
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "docs" / "examples"
WORKBOOKS, JSON, REFERENCE, CHANGELOG = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("workbooks", "json", "reference", "changelog")
)


def json_blocks(page: str) -> list[str]:
    return re.findall(r"^```json\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def table(page: str, heading: str) -> list[list[str]]:
    """The cells of each row of the table whose first column has this heading."""
    rows = page.partition(f"\n| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    assert rows, f"there is no table {heading}"
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


class TestExamples:
    @pytest.mark.parametrize("country", SERVED)
    def test_each_json_example_is_created_without_a_remark(
        self, company_maker: Callable[..., Caller], country: str
    ) -> None:
        client = company_maker("ACME", allowed_countries=[country])
        response = client.post_json((EXAMPLES / f"pre-alert-{country}.json").read_bytes())
        answer = response.json()
        assert response.status_code == 201, answer
        assert (answer["country"], answer["warnings"], answer["notices"]) == (country, [], [])

    @pytest.mark.django_db
    def test_the_sample_workbook_is_created_without_a_remark(self, acme: Caller) -> None:
        response = acme.upload((EXAMPLES / "manifest-CL.xlsx").read_bytes())
        answer = response.json()
        assert response.status_code == 201, answer
        assert (answer["warnings"], answer["notices"], answer["rut_invalid_count"]) == ([], [], 0)

    @pytest.mark.django_db
    def test_the_sample_with_mistakes_is_answered_as_the_page_shows(self, acme: Caller) -> None:
        response = acme.upload(sample_with_mistakes.PATH.read_bytes())
        assert response.status_code == 201
        (shown,) = (each for each in json_blocks(WORKBOOKS) if '"ambiguous_number"' in each)
        answered = response.json()
        for kind, findings in json.loads(shown).items():
            assert [each for each in findings if each not in answered[kind]] == []

    def test_what_is_shown_as_json_is_json(self) -> None:
        for page in PAGES:
            for block in json_blocks(page.read_text(encoding="utf-8")):
                json.loads(block)


@cache
def manifest_code() -> list[ast.AST]:
    """Every node of the modules that read manifests, take them in and know their layouts."""
    shipments = ROOT / "shipments"
    intake = [shipments / "intake" / f"{name}.py" for name in ("upload", "ingest", "workbook_reading")]
    files = [*(shipments / "manifests").rglob("*.py"), *intake, shipments / "layouts" / "reading.py"]
    return [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]


def as_documented(node: ast.AST | None) -> str:
    """A code as the documents write it: a literal, or `<field>_...` where it begins with a field's name; else ''."""
    match node:
        case ast.Constant(value=str(code)):
            return code
        case ast.JoinedStr(values=[ast.FormattedValue(), ast.Constant(value=str(ending))]):
            return f"<field>{ending}"
    return ""


def said_by(*functions: str, argument: int | None = None) -> set[str]:
    """The codes in calls of these functions: as `code` or `..._code`, and at a position among their arguments."""
    said: set[str] = set()
    for node in manifest_code():
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in functions:
            named = [keyword.value for keyword in node.keywords if (keyword.arg or "").endswith("code")]
            place = 3 if argument is not None and len(node.args) > 3 else argument  # Findings.warn names row and HAWB
            placed = [] if place is None else node.args[place : place + 1]
            said |= {as_documented(value) for value in (*named, *placed)}
    return said - {""}


def said_by_choice() -> set[str]:
    """The codes that are chosen before a call: `code = "one" if ... else "other"`."""
    chosen = [
        node.value
        for node in manifest_code()
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "code" and isinstance(node.value, ast.IfExp)
    ]
    return {as_documented(branch) for choice in chosen for branch in (choice.body, choice.orelse)} - {""}


def first_cells(page: str, heading: str) -> list[str]:
    """The codes in backticks in the first cells of a table; one cell may have several."""
    return [code for row in table(page, heading) for code in re.findall(r"`([^`]+)`", row[0])]


def assert_lists(documented: list[str], said: set[str]) -> None:
    """A table has all that is said and nothing that no module says."""
    assert said, "the search no longer finds the codes"
    written = {as_documented(node) for node in manifest_code()}
    assert {code for code in said if not any(_covers(row, code) for row in documented)} == set()
    assert {row for row in documented if not any(_covers(row, code) for code in written)} == set()


def _covers(row: str, code: str) -> bool:
    """Whether a row of a table is about a code; `<field>` in it matches the name of any field."""
    pattern = re.escape(row).replace(re.escape("<field>"), r"(?:<field>|[a-z_]+)")
    return re.fullmatch(pattern, code) is not None


def refusals(kind: type[DomainError]) -> Iterator[type[DomainError]]:
    """Every kind of refusal of the apps whose errors reach a client."""
    for derived in kind.__subclasses__():
        if derived.__module__ in {"base.errors", "companies.errors", "shipments.errors"}:
            yield derived
        yield from refusals(derived)


def fields(declared: Iterable[tuple[str, bool, str, str]]) -> list[list[str]]:
    """The rows that the page has for these fields: name, whether it is required, and what it takes."""
    return [
        [f"`{name}`", "yes" if is_required else "no", "; ".join(filter(None, (takes, note)))]
        for name, is_required, takes, note in declared
    ]


def of_a_guide(field: Field) -> tuple[str, bool, str, str]:
    # A field required by a country's rules, which choose the error code if it is missing, says so in its note.
    note = field.note.removeprefix("required; ")
    return field.name, field.required or note != field.note, field.kind.describe(), note


class TestTheGuides:
    def test_have_every_field_of_a_manifest(self) -> None:
        manifest, guide, product = (
            table(JSON.partition(f"\n## {title}\n")[2], "field") for title in ("The manifest", "A guide", "Products")
        )
        assert manifest == fields((each.name, each.required, each.takes, "") for each in MANIFEST_FIELDS)
        assert guide == fields(map(of_a_guide, GUIDE_FIELDS))
        assert product == fields(map(of_a_guide, PRODUCT_FIELDS))

    def test_have_the_limits(self) -> None:
        numbers = [int(row[1].replace(",", "")) for row in table(REFERENCE, "limit")]
        bounds = [settings.MAX_FILE_BYTES, settings.MAX_JSON_BYTES, MAX_GUIDES, MAX_REPORTED]
        bounds += [queries.LARGEST_PAGE, queries.LARGEST_PAGE_OF_GUIDES, MAX_COLUMNS, LONGEST_CELL, MAX_PRODUCTS]
        assert numbers == bounds

    def test_list_every_error_once_with_its_status_and_no_other(self) -> None:
        rows = [(int(row[1]), row[0].strip("`")) for row in table(REFERENCE, "`error`")]
        without_a_domain_error = {(400, "invalid_host"), (405, "method_not_allowed"), (500, "internal_server_error")}
        assert set(rows) == {*((kind.status, kind.code) for kind in answered_errors()), *without_a_domain_error}
        assert len(rows) == len(set(rows))

    def test_name_the_routes_of_every_error(self) -> None:
        letters = {"upload": "U", "process-pre-alert-json": "J", "webhooks": "W"}
        listed = {row[0].strip("`"): set(row[2].split()) for row in table(REFERENCE, "`error`")}
        for path, item in document()["paths"].items():
            if not path.startswith("/api/"):
                continue
            for method, operation in item.items():
                letter = letters.get(path.split("/")[5], "R" if method == "get" else "C")
                for refusal in refusals_of(operation):
                    assert letter in listed[refusal["error"]], (path, refusal["error"])

    def test_have_every_refusal_because_each_has_its_code(self) -> None:
        """Kinds that others derive from are never raised themselves."""
        kinds = set(refusals(DomainError))
        uncoded = {kind.__name__ for kind in kinds - {*answered_errors()} if not kind.__subclasses__()}
        assert uncoded == set()

    def test_list_every_status_with_its_code_and_kind_in_their_order(self) -> None:
        rows = [(code, name.strip("`"), kind) for code, name, kind, _ in table(REFERENCE, "`status_code`")]
        assert rows == [(str(status.code), status.value, status.kind.value) for status in GuideStatus]

    def test_name_every_source_of_an_event(self) -> None:
        (sentence,) = re.findall(r"`source` is ([^.;]+)[.;]", REFERENCE)
        assert re.findall(r"`(\w+)`", sentence) == [source.value for source in Source]

    def test_say_how_many_mawbs_the_list_has(self) -> None:
        assert f"The {LIST_WINDOW} newest MAWBs" in REFERENCE

    def test_have_the_present_version_of_the_api_on_top_of_the_changelog(self) -> None:
        assert re.findall(r"^## (\S+)", CHANGELOG, re.MULTILINE)[0] == settings.API_VERSION

    def test_list_every_warning(self) -> None:
        listed = first_cells(WORKBOOKS, "`error_code` of a warning")
        assert_lists(listed, said_by("warn", argument=1) | said_by_choice() | said_by("Limit"))

    def test_list_every_notice(self) -> None:
        assert_lists(first_cells(WORKBOOKS, "`code` of a notice"), said_by("notice", "Notice", argument=0))

    def test_list_every_reason_to_refuse_a_row(self) -> None:
        said = said_by("refuse", "Finding", argument=1) | said_by("Field", "CountryRules")
        assert_lists(first_cells(JSON, "`error_code` of a row"), said)

    def test_what_is_called_planned_or_reserved_is_not_there(self) -> None:
        """A code, a type of webhook or a route: what comes leaves these sentences."""
        there = {kind.code for kind in answered_errors()} | {kind.value for kind in EventType}
        there |= {path.split("/v1/")[-1] for path in document()["paths"]}
        coming = re.compile(r"\b([Pp]lanned|[Rr]eserved|not there yet|sent by nothing)\b")
        for page in PAGES:
            about = [each for each in page.read_text(encoding="utf-8").split("\n\n") if coming.search(each)]
            named = {name.split()[-1] for paragraph in about for name in re.findall(r"`([^`]+)`", paragraph)}
            assert named & there == set(), page


def refusals_of(operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The bodies of the refusals that the OpenAPI document shows for an operation."""
    for response in operation["responses"].values():
        for content in response.get("content", {}).values():
            for example in content.get("examples", {}).values():
                if isinstance(example["value"], Mapping) and example["value"].get("success") is False:
                    yield example["value"]


# --- what the pages point at ------------------------------------------------------------------------------------


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that headings get where Markdown is shown."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_relative_link_leads_somewhere() -> None:
    lost = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            place = (page.parent / name).resolve() if name else page
            if not place.exists() or (anchor and anchor not in anchors(place)):
                lost.append((relative(page), target))
    assert lost == []


def test_every_command_and_make_target_that_is_named_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"manage\.py ([a-z]\w+)", text)) - get_commands().keys() == set(), page
        assert set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", text, re.MULTILINE)) - targets == set(), page


def test_the_operators_page_names_every_own_command() -> None:
    ours = {name for name, app in get_commands().items() if app in APPS}
    not_for_readers = {
        "first_run",
        "first_sandbox",
        "loaddata",
    }  # of make; Django's, with the audit log closed
    assert {name for name in ours - not_for_readers if f"`{name}`" not in OPERATIONS} == set()


def test_every_setting_that_is_read_is_described_once_and_no_other() -> None:
    read: set[str] = set()
    for file in ("prealerts/settings.py", "gunicorn.conf.py"):
        read |= set(
            re.findall(r'(?:env\.\w+|environ\.get)\(\s*"([A-Z0-9_]+)"', (ROOT / file).read_text(encoding="utf-8"))
        )
    tables = [table(page, "variable") for page in (README, OPERATIONS)]
    described = [name for rows in tables for row in rows for name in re.findall(r"`([A-Z0-9_]+)`", row[0])]
    assert sorted(described) == sorted(read)
    assert len(tables[0]) == 10
    assert len(table(README, "folder")) <= 15
