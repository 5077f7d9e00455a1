"""fill_sequences beside a service that is read and written. `python -m benchmarks.filling` takes a million guides."""

from pathlib import Path

import pytest

from benchmarks.filling import fill_beside
from tests.live.server import served


@pytest.mark.slow
def test_twenty_thousand_guides_are_filled_in_while_clients_read_post_and_guides_move(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        filled = fill_beside(server, server.environment["DATABASE_URL"], 20_000)
        again = server.manage("fill_sequences")
        totals = server.manage("check_totals")
    assert filled.refused == []
    assert filled.left == (0, 0, 0)
    assert filled.said.startswith("Filled ")
    assert {"GET guide", "GET MAWB", "GET list", "POST", "advance_status of 100 guides"} == filled.waits.keys()
    assert "Nothing is missing." in again
    assert "All totals agree." in totals
