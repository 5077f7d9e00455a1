"""Whose bodies we understand: pure functions from a body to events in the shape of our own envelope."""

from collections.abc import Mapping
from types import ModuleType

from shipments.carriers.adapters import aftership, canonical, easypost
from shipments.models import Adapter

ADAPTERS: Mapping[str, ModuleType] = {
    Adapter.CANONICAL.value: canonical,
    Adapter.AFTERSHIP.value: aftership,
    Adapter.EASYPOST.value: easypost,
}
"""Name -> its module: `events`, `SEEDS`, of those that can be asked `ADDRESS`, `PATH`, `build_query`, `read_answer`."""
