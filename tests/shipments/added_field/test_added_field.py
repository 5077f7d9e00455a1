"""The recipe "A guide field" of CONTRIBUTING, followed in a copy of the project: nothing else is needed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.slow  # a copy of the project, migrated and tested

COPIED = ("base", "companies", "locale", "prealerts", "shipments", "tests", "tools", "webhooks")

RECIPE = {
    "shipments/manifests/guide_fields.py": (
        '    _of_consignee("consignee_region",',
        """    GuideField(
        "consignee_district", Text(64),
        label="district", example="Barrio Italia",
        personal="consignee", in_workbook="text", export="parties", is_answered=True, operator_until="end",
    ),
""",
    ),
    "shipments/manifests/manifest.py": ("    consignee_region: str", '    consignee_district: str = ""\n'),
    "shipments/models/guides.py": (
        "    consignee_region =",
        """    consignee_district = models.CharField(_("district"), max_length=64, blank=True, db_default="")
""",
    ),
    "shipments/manifests/words/words.toml": (
        "[fields.consignee_region]",
        '[fields.consignee_district]\ntitle = "Consignee: district"\nwords = ["junta vecinal, district name"]\n\n',
    ),
    "shipments/manifests/house/house_layouts.py": (
        '    "consignee_postal_code",',
        '    "consignee_district",\n',
    ),
}
"""File -> (the text that follows the new lines, the new lines)."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with one field more, as the recipe says, and the migration that it needs."""
    root = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("node_modules"))
    for name in ("pyproject.toml", "manage.py"):
        shutil.copy(ROOT / name, root)
    for name, (anchor, lines) in RECIPE.items():
        path = root / name
        text = path.read_text(encoding="utf-8")
        assert text.count(anchor) == 1, f"{name}: the recipe's place is not found once"
        path.write_text(text.replace(anchor, lines + anchor), encoding="utf-8")
    run(root, "tools.deployment", "makemigrations", "shipments", "--name", "district")
    return root


def run(root: Path, *command: str) -> str:
    """`python -m ...` in the copy, beside the run of these tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    if url := environment.get("TEST_DATABASE_URL"):
        environment["TEST_DATABASE_URL"] = f"{url}_{os.environ.get('PYTEST_XDIST_WORKER', '')}copy"
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def test_an_added_field_is_read_answered_exported_corrected_and_erased(copy: Path) -> None:
    offered = "tests/test_countries.py::test_each_field_that_a_column_can_serve_is_offered"
    gentle = "tests/upgrade/test_migrations.py::test_a_new_migration_lets_the_version_before_it_serve_on"
    tests = ["tests/shipments/added_field/follow.py", "tests/shipments/test_guide_fields.py", offered, gentle]
    said = run(copy, "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *tests, "-k", "not stays_as_programs")
    assert "passed" in said


@pytest.mark.parametrize("name", [name for name in RECIPE if name != "shipments/manifests/guide_fields.py"])
def test_a_step_that_is_left_out_is_noticed(copy: Path, name: str) -> None:
    lines = RECIPE[name][1]
    path = copy / name
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(lines, ""), encoding="utf-8")
    try:
        with pytest.raises(AssertionError, match="district"):
            run(copy, "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "tests/shipments/test_guide_fields.py")
    finally:
        path.write_text(whole, encoding="utf-8")
