"""The documents say what the code does: examples are sent, tables compared, links followed, commands looked up."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands
from openpyxl import load_workbook

from companies.countries import SERVED
from companies.errors import DomainError
from prealerts.answers import ANSWERS
from prealerts.reference.about import API_VERSION
from shipments.models import LIST_WINDOW
from shipments.statuses import GuideStatus, Source
from shipments.wording.rendering import in_words
from tests.conftest import Caller
from tools import integration_page, sample_with_mistakes
from tools.notice_examples import EXAMPLES as EXAMPLES_OF_NOTICES
from webhooks.events import EventType

ROOT = Path(__file__).resolve().parent.parent
APPS = {"prealerts", "shipments", "webhooks", "companies"}
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
INTEGRATION = integration_page.PATH.read_text(encoding="utf-8")
PARTS = integration_page.parts(INTEGRATION)


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


class TestExamples:
    @pytest.mark.parametrize("country", SERVED)
    def test_each_json_example_is_created_without_a_remark(
        self, company_maker: Callable[..., Caller], country: str
    ) -> None:
        client = company_maker("ACME", allowed_countries=[country])
        response = client.post_json((integration_page.EXAMPLES / f"pre-alert-{country}.json").read_bytes())
        answer = response.json()
        assert response.status_code == 201, answer
        assert (answer["country"], answer["warnings"], answer["notices"]) == (country, [], [])

    @pytest.mark.django_db
    def test_the_sample_workbook_is_created_without_a_remark(self, acme: Caller) -> None:
        response = acme.upload((integration_page.EXAMPLES / "manifest-CL.xlsx").read_bytes())
        answer = response.json()
        assert response.status_code == 201, answer
        assert (answer["warnings"], answer["notices"], answer["rut_invalid_count"]) == ([], [], 0)

    @pytest.mark.django_db
    def test_the_sample_with_mistakes_is_answered_as_the_guide_shows(self, acme: Caller) -> None:
        response = acme.upload(sample_with_mistakes.PATH.read_bytes())
        assert response.status_code == 201
        shown = PARTS["example with mistakes"].removeprefix("```json\n").removesuffix("```\n")
        assert acme.get(f"/mawbs/{response.json()['mawb']}/findings").json() == json.loads(shown)

    def test_the_sample_with_mistakes_is_what_its_tool_writes(self) -> None:
        kept = load_workbook(sample_with_mistakes.PATH).worksheets[0]
        written = sample_with_mistakes.workbook().worksheets[0]
        assert list(kept.values) == list(written.values)

    @pytest.mark.parametrize("page", PAGES, ids=relative)
    def test_what_is_shown_as_json_is_json(self, page: Path) -> None:
        for block in re.findall(r"^```json\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            json.loads(block)


@cache
def manifest_code() -> list[ast.AST]:
    """Every node of the modules that read manifests."""
    files = (ROOT / "shipments" / "manifests").rglob("*.py")
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


def first_cells(part: str) -> set[str]:
    """The first values in backticks in the rows of a marked table of the integration guide."""
    return set(re.findall(r"^\| `([^`]+)` \|", PARTS[part], re.MULTILINE))


def assert_lists(part: str, said: set[str]) -> None:
    """A marked table has all that is said and nothing that no module says."""
    documented = first_cells(part)
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
        if derived.__module__ in {"companies.errors", "shipments.errors"}:
            yield derived
        yield from refusals(derived)


class TestTheIntegrationGuide:
    def test_shows_fields_examples_and_limits_as_the_code_has_them(self) -> None:
        written = integration_page.generated()
        shown = {name: PARTS.get(name) for name in written}
        assert shown == written, "run python -m tools.integration_page"

    def test_lists_every_error_with_its_status_and_no_other(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| (\d{3}) \|", PARTS["errors"] + PARTS["operators' errors"], re.MULTILINE)
        without_a_domain_error = {(405, "method_not_allowed"), (500, "internal_server_error")}
        assert {(int(status), code) for code, status in rows} == {*ANSWERS.values(), *without_a_domain_error}
        assert len(rows) == len({code for code, _status in rows})

    def test_has_every_refusal_because_each_has_its_answer(self) -> None:
        """Kinds that others derive from are never raised themselves."""
        kinds = set(refusals(DomainError))
        unanswered = {kind.__name__ for kind in kinds - ANSWERS.keys() if not kind.__subclasses__()}
        assert unanswered == set()

    def test_lists_every_status_with_its_code_and_kind_in_their_order(self) -> None:
        rows = re.findall(r"^\| (\d+) \| `(\w+)` \| ([a-z ]+) \|", PARTS["statuses"], re.MULTILINE)
        assert rows == [(str(status.code), status.value, status.kind.value) for status in GuideStatus]

    def test_names_every_source_of_an_event(self) -> None:
        (sentence,) = re.findall(r"`source` is ([^.]+)\.", INTEGRATION)
        assert re.findall(r"`(\w+)`", sentence) == [source.value for source in Source]

    def test_lists_every_type_of_webhook(self) -> None:
        assert first_cells("webhook types") - {"type"} == {kind.value for kind in EventType}

    def test_says_how_many_mawbs_the_list_has(self) -> None:
        assert f"The {LIST_WINDOW} newest MAWBs" in INTEGRATION

    def test_has_the_present_version_of_the_api_on_top_of_its_changelog(self) -> None:
        changelog = INTEGRATION.partition("## 14. Changelog of the API")[2]
        assert re.findall(r"^### (.+)$", changelog, re.MULTILINE)[0] == API_VERSION

    def test_lists_every_warning(self) -> None:
        assert_lists("warnings", said_by("warn", argument=1) | said_by_choice() | said_by("Limit"))

    def test_lists_every_notice(self) -> None:
        assert_lists("notices", said_by("notice", "Notice", argument=0))

    def test_shows_an_example_of_every_notice(self) -> None:
        assert EXAMPLES_OF_NOTICES.keys() == first_cells("notices")
        assert all(in_words(said.sentence, said.params) for said in EXAMPLES_OF_NOTICES.values())

    def test_lists_every_reason_to_refuse_a_row(self) -> None:
        assert_lists("row codes", said_by("refuse", "Finding", argument=1) | said_by("Field", "CountryRules"))


# --- what the pages point at ------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The anchors that headings get where Markdown is shown."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (page.parent / name).resolve() if name else page
        if not place.exists() or (anchor and anchor not in anchors(place)):
            lost.append(target)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_command_and_make_target_that_is_named_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"manage\.py ([a-z]\w+)", text)) - get_commands().keys() == set()
    assert set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", text, re.MULTILINE)) - set(targets) == set()


def test_the_readme_names_every_own_command() -> None:
    ours = {name for name, app in get_commands().items() if app in APPS}
    not_for_readers = {
        "first_run",
        "first_sandbox",
        "loaddata",
    }  # of make; Django's, with the audit log closed
    assert {name for name in ours - not_for_readers if f"`{name}`" not in README} == set()


def test_the_readme_describes_every_setting_that_is_read_and_no_other() -> None:
    read: set[str] = set()
    for file in ("prealerts/settings.py", "gunicorn.conf.py"):
        read |= set(
            re.findall(r'(?:env\.\w+|environ\.get)\(\s*"([A-Z0-9_]+)"', (ROOT / file).read_text(encoding="utf-8"))
        )
    rows = re.findall(r"^\| (`[^|]+`) \|", README, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`([A-Z0-9_]+)`", row)} == read
