"""What the client takes besides plain arguments: files, and groups of keyword arguments."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypedDict

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_PDF = "application/pdf"

File = str | PathLike[str] | bytes | BinaryIO
"""A path, the bytes themselves, or a file opened in binary mode, which is read from its position."""
Moment = datetime | str
"""A datetime with an offset, or ISO 8601."""


class Flight(TypedDict, total=False):
    """The fields of an upload's form beside the files. They have precedence over the workbook's."""

    flight_number: str
    origin_airport: str
    origin_country: str
    destination_airport: str
    scheduled_departure: Moment
    scheduled_arrival: Moment


class MawbFilters(TypedDict, total=False):
    """What a list of MAWBs is filtered by."""

    country: str
    hawb: str
    created_from: Moment
    created_to: Moment
    eta_from: Moment
    eta_to: Moment
    updated_since: Moment


class DeliveryFilters(TypedDict, total=False):
    """What the log of deliveries is filtered by. from_: the parameter `from`, a word of Python's."""

    subscription: str
    state: str
    type: str
    subject: str
    from_: Moment
    to: Moment


class SubscriptionChanges(TypedDict, total=False):
    """What may be changed of a webhook; what is left out stays. None as event_types or countries: all."""

    url: str
    event_types: list[str] | None
    countries: list[str] | None
    description: str
    is_active: bool


def upload_form(manifest: File, invoice: File | None, flight: Mapping[str, Any]) -> Callable[[], dict[str, Any]]:
    """Make the form of an upload, a new one for each attempt; the files are read once."""
    files = {"manifest_file": _part(manifest, "manifest.xlsx", XLSX)}
    if invoice is not None:
        files["invoice_file"] = _part(invoice, "invoice.pdf", _PDF)
    fields = {name: as_text(value) for name, value in flight.items()}
    return lambda: {"files": files, "data": fields}


def as_text(value: object) -> object:
    """A moment as ISO 8601; anything else as it is."""
    return value.isoformat() if isinstance(value, datetime) else value


def several(values: str | Iterable[str]) -> list[str]:
    """One or several values as a list."""
    return [values] if isinstance(values, str) else list(values)


def _part(file: File, name: str, kind: str) -> tuple[str, bytes, str]:
    if isinstance(file, bytes):
        return name, file, kind
    if isinstance(file, (str, PathLike)):
        path = Path(file)
        return path.name, path.read_bytes(), kind
    return name, file.read(), kind
