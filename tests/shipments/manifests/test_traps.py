"""Misleading columns are never read in silence, nor lost; and ordinary layouts need few questions."""

import pytest

from shipments.errors import NoRowsParsed
from tests.shipments.manifests.made_sheets import MAWB_LABEL, read, sheet
from tests.shipments.manifests.traps import GUIDES, TRUE, Trap, silent_faults, some_traps

TRAPS = some_traps(240, seed=4)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_nothing_is_wrong_or_lost_in_silence(trap: Trap) -> None:
    try:
        manifest = read(sheet(MAWB_LABEL, trap.headings, *trap.rows))
    except NoRowsParsed:
        assert (trap.is_instead, trap.field) == (True, "hawb")
    else:
        assert silent_faults(trap, manifest) == []


@pytest.mark.parametrize("language", TRUE)
def test_a_table_without_traps_is_read_whole_and_without_a_question(language: str) -> None:
    for headings in TRUE[language]:
        manifest = read(
            sheet(MAWB_LABEL, [*headings.values()], *([guide[name] for name in headings] for guide in GUIDES))
        )
        assert (manifest.questions, manifest.kept, manifest.notices) == ((), (), ())
