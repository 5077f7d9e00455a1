"""A manifest to move, and the same MAWB at another company."""

from collections.abc import Iterator

import pytest

from shipments.models import Manifest
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, shipped


@pytest.fixture(autouse=True)
def other(rival: Caller) -> Iterator[Manifest]:
    """The same MAWB at another company: no command may touch it."""
    manifest = shipped(rival.company, mawb="045-12345675")
    yield manifest
    assert_sound(manifest)
    assert manifest.guides_by_status == {"registered": 3}


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    return shipped(acme.company, mawb="045-12345675")
