"""The recipe "A fourth country" of CONTRIBUTING.md, followed in a copy of the project."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow  # a copy of the project, migrated and tested

LISTS = ROOT / "tests" / "test_countries.py"
NOT_COPIED = shutil.ignore_patterns(
    ".*", "media", "static_root", "var", "node_modules", "*.sqlite3", "docker", "faults", "benchmarks"
)
RULES = '''"""Uruguay: documents."""

import re

from shipments.manifests.countries.rules import CountryRules, DocumentKind
from shipments.manifests.documents import digits_check

CI = DocumentKind(
    name="CI", check=digits_check("dni_digits", 7, 8), shape=re.compile(r"[0-9]{7,8}"), source="DNIC"
)

RULES = CountryRules(country="UY", documents=(CI,))
'''


def put_before(path: Path, mark: str, text: str) -> None:
    """Insert `text` before the first place where `mark`, a regular expression, matches."""
    source = path.read_text(encoding="utf-8")
    found = re.search(mark, source, re.MULTILINE)
    assert found, f"{path.name}: {mark}"
    path.write_text(source[: found.start()] + text + source[found.start() :], encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project with Uruguay, step by step as the recipe has it."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
    put_before(
        copy / "companies" / "countries.py",
        r"^    \)\n}$",
        '        Country("UY", _("Uruguay"), "Montevideo", ZoneInfo("America/Montevideo")),\n',
    )
    manifests = copy / "shipments" / "manifests"
    (manifests / "countries" / "uruguay.py").write_text(RULES, encoding="utf-8")
    registry = manifests / "countries" / "__init__.py"
    put_before(registry, r"^COUNTRIES = ", "from shipments.manifests.countries import uruguay\n\n")
    put_before(registry, r"\)}$", ", uruguay.RULES")
    put_before(manifests / "places.toml", r'^PE = """$', 'UY = "MONTEVIDEO"\n')
    documents = copy / "tests" / "documents.py"
    put_before(documents, r"(?<=^CONSIGNEE = {)", '"UY": "1234567", ')
    put_before(documents, r"(?<=^AIRPORT = {)", '"UY": "MVD", ')
    return copy


def test_a_fourth_country_is_in_every_list(copy: Path) -> None:
    tests = ["tests/test_countries.py", "-k", "UY or migration or lists", "-rp"]
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *tests]
    finished = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=1500, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    passed = set(re.findall(r"^PASSED .*::test_(\w+)\[.*\bUY\b.*\]", finished.stdout, re.MULTILINE))
    written = set(re.findall(r"^def test_(\w+)\(.*\bcountry\b", LISTS.read_text(encoding="utf-8"), re.MULTILINE))
    assert passed == written != set()
