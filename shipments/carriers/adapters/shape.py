"""Shared by the adapters: the shape of bodies, and how the seeds of codes are written."""

from typing import Any

from shipments.models import Action
from shipments.statuses import GuideStatus

Seed = tuple[Action, str]
"""What a code means when a carrier is made, and the status if it means one."""


def event_only(*codes: str) -> dict[str, Seed]:
    """Codes that operators see beside the timeline, and clients do not."""
    return dict.fromkeys(codes, (Action.EVENT_ONLY, ""))


def status(meaning: GuideStatus, *codes: str) -> dict[str, Seed]:
    return dict.fromkeys(codes, (Action.STATUS, meaning.value))


class Rejected(Exception):
    """A body that is not of the adapter's shape. code: as in the answer. path: where in the body; may be empty."""

    def __init__(self, message: str, path: str = "", code: str = "schema_mismatch") -> None:
        super().__init__(message)
        self.message, self.path, self.code = message, path, code


def an_object(value: object, path: str = "") -> dict[str, Any]:
    """Return the value. Raises `Rejected` unless it is a JSON object."""
    if not isinstance(value, dict):
        raise Rejected(f"{path or 'The body'} must be a JSON object.", path)
    return value


def a_list(value: object, path: str) -> list[Any]:
    """Return the value. Raises `Rejected` unless it is a list."""
    if not isinstance(value, list):
        raise Rejected(f"{path} must be a list.", path)
    return value
