"""Shared by the adapters: the shape of bodies, and how the seeds of codes are written."""

from typing import Any, NamedTuple

from shipments.models import Action
from shipments.statuses import GuideStatus


class Seed(NamedTuple):
    """What a code means when a carrier is made."""

    action: Action
    status: GuideStatus | None = None


def event_only(*codes: str) -> dict[str, Seed]:
    """Codes that operators see beside the timeline, and clients do not."""
    return dict.fromkeys(codes, Seed(Action.EVENT_ONLY))


def status(meaning: GuideStatus, *codes: str) -> dict[str, Seed]:
    """Codes that mean a status."""
    return dict.fromkeys(codes, Seed(Action.STATUS, meaning))


class Mismatch(Exception):
    """A body is not of the adapter's shape: at `path`, which is empty for the body itself."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path, self.message = path, message


def an_object(value: object, path: str = "") -> dict[str, Any]:
    """Return the value. Raises `Mismatch` unless it is a JSON object."""
    if not isinstance(value, dict):
        raise Mismatch(path, f"{path or 'The body'} must be a JSON object.")
    return value


def a_list(value: object, path: str) -> list[Any]:
    """Return the value. Raises `Mismatch` unless it is a list."""
    if not isinstance(value, list):
        raise Mismatch(path, f"{path} must be a list.")
    return value
