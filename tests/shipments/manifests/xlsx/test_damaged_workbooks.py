"""Damaged files: each gives rows or a plain refusal."""

import io
import random
import zipfile
from pathlib import Path

import pytest

from shipments.errors import WorkbookUnreadable
from shipments.manifests.xlsx.workbook_package import check_package
from tests.examples import examples
from tests.shipments.manifests import hostile
from tests.shipments.manifests.hostile import part
from tests.shipments.manifests.made_sheets import sheet
from tests.shipments.manifests.xlsx_files import rows_of, save

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")


@pytest.fixture
def good_workbook(xlsx: Path) -> bytes:
    people = [(f"H{number}", "Maria Perez", number / 4) for number in range(8)]
    save([sheet(["MAWB", "123-12345675"], ["HAWB", "Consignee", "Weight"], *people, merged=[(1, 0, 1, 1)])], xlsx)
    return xlsx.read_bytes()


def read_or_refuse(path: Path) -> bool:
    """Return whether the file had rows; anything but rows or a plain refusal is the test's failure."""
    try:
        rows_of(path)
    except WorkbookUnreadable as refused:
        message = refused.message
    else:
        return True
    assert message.startswith("The manifest")
    assert message.isprintable()
    return False


def test_a_file_with_bytes_changed_is_read_or_refused(xlsx: Path, good_workbook: bytes) -> None:
    outcomes = set()
    for mutant in hostile.mutants(good_workbook, count=examples(60), seed=20261120):
        xlsx.write_bytes(mutant)
        outcomes.add(read_or_refuse(xlsx))
    assert outcomes == {True, False}


def test_a_workbook_whose_parts_are_damaged_inside_a_sound_zip_is_read_or_refused(
    xlsx: Path, good_workbook: bytes
) -> None:
    chance = random.Random(20261121)  # noqa: S311 - the same mutants every time
    with zipfile.ZipFile(io.BytesIO(good_workbook)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    read_by = [name for name in parts if not name.startswith("docProps") and "theme" not in name]
    outcomes = set()
    for _ in range(examples(80)):
        hurt = chance.choice(read_by)
        (mutant,) = hostile.mutants(parts[hurt], count=1, seed=chance.getrandbits(32))
        hostile.pack(xlsx, [part(name, mutant if name == hurt else content) for name, content in parts.items()])
        outcomes.add(read_or_refuse(xlsx))
    assert outcomes == {True, False}


def test_a_damaged_zip_directory_never_raises_anything_else(xlsx: Path, good_workbook: bytes) -> None:
    content, directory = good_workbook, good_workbook.index(b"PK\x01\x02")
    messages = set()
    for mutant in hostile.mutants(content[directory:], count=examples(1_500), seed=20261122):
        xlsx.write_bytes(content[:directory] + mutant)
        try:
            check_package(xlsx)
        except WorkbookUnreadable as refused:
            messages.add(refused.message)
    assert len(messages) >= 3
