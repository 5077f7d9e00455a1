"""Workbooks nobody designed for us read right."""

import pytest

from shipments.manifests.manifest import ParsedManifest
from tests.shipments.manifests.made_sheets import MAWB, read
from tests.shipments.manifests.nasty_workbooks import NASTY, Nasty


def assert_reads_right(manifest: ParsedManifest, nasty: Nasty) -> None:
    """The guides are the intended ones, and every finding is useful."""
    assert manifest.mawb == MAWB
    assert [
        (
            guide.hawb,
            guide.consignee_name,
            guide.consignee_document,
            None if guide.weight_kg is None else str(guide.weight_kg),
            None if guide.fob_usd is None else str(guide.fob_usd),
        )
        for guide in manifest.guides
    ] == nasty.guides
    assert [(warning.row_index, warning.code) for warning in manifest.warnings] == list(nasty.warnings)
    codes = (notice.code for notice in manifest.notices)
    assert tuple(code for code in codes if code != "columns_kept") == nasty.notices


@pytest.mark.parametrize("name", NASTY)
def test_it_reads_right(name: str) -> None:
    assert_reads_right(read(*NASTY[name].sheets), NASTY[name])
