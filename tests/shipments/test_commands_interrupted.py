"""A move stopped with Ctrl-C says in one line that what was changed is kept, and exits with 1."""

from typing import Any

import pytest

from shipments.models import Manifest
from shipments.tracking import advancing
from tests.conftest import Caller
from tests.shipments.commands.running import codes, refused
from tests.shipments.shipping import assert_sound, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    return shipped(acme.company, mawb="045-12345675")


def interrupt(*_args: object, **_kwargs: object) -> Any:
    raise KeyboardInterrupt


def test_between_two_batches(manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advancing, "BATCH_GUIDES", 2)
    real, begun = advancing.run_batch, []

    def second_is_interrupted(*args: Any, **kwargs: Any) -> Any:
        begun.append(1)
        return interrupt() if len(begun) == 2 else real(*args, **kwargs)

    monkeypatch.setattr(advancing, "run_batch", second_is_interrupted)
    _said, end = refused("advance_status", "--to", "in_transit", *codes(manifest))
    assert end.startswith("Stopped by KeyboardInterrupt. Completed changes are kept")
    assert_sound(manifest)
    assert manifest.guides_by_status == {"registered": 1, "in_transit": 2}
