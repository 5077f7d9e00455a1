"""A file of events on disk."""

from pathlib import Path
from typing import Any

import pytest

from shipments.tracking.event_files.event_rows import BadRow, EventRow
from shipments.tracking.event_files.reading import read_event_file


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Write a file and read its rows."""

    def written(content: str | bytes, encoding: str = "utf-8") -> list[EventRow | BadRow]:
        path = tmp_path / "events"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return list(read_event_file(path).rows)

    return written
