"""Commands stopped with Ctrl-C say in one line what was changed, and exit with 1."""

from pathlib import Path
from typing import Any

import pytest

from shipments.management import screen
from shipments.models import GuideEvent, Manifest
from shipments.tracking import advancing, batches
from tests.conftest import Caller
from tests.shipments.commands.running import codes, refused
from tests.shipments.shipping import assert_sound, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    return shipped(acme.company, mawb="045-12345675")


def interrupt(*_args: object, **_kwargs: object) -> Any:
    raise KeyboardInterrupt


def test_while_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shipments.management.commands.import_events.read_event_file", interrupt)
    assert refused("import_events", str(tmp_path / "scans.csv")) == ("", "Stopped; nothing was changed.")


def test_between_two_batches(manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advancing, "BATCH_GUIDES", 2)
    real, begun = batches.run_batch, []

    def second_is_interrupted(*args: Any, **kwargs: Any) -> Any:
        begun.append(1)
        return interrupt() if len(begun) == 2 else real(*args, **kwargs)

    monkeypatch.setattr(advancing, "run_batch", second_is_interrupted)
    _said, end = refused("advance_status", "--to", "in_transit", *codes(manifest))
    assert end.startswith("Stopped by KeyboardInterrupt after 2 of 3 (2 advanced).")
    assert_sound(manifest)
    assert manifest.guides_by_status == {"registered": 1, "in_transit": 2}


def test_while_it_shows_what_it_did(manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "show", interrupt)
    _said, end = refused("advance_status", "--to", "in_transit", *codes(manifest))
    assert end == "Stopped; completed changes are kept."
    assert GuideEvent.objects.filter(status="in_transit").count() == 3
