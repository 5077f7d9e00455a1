"""Canonical JSON documents for tests, good unless a test changes something."""

from typing import Any, cast

import pytest

from shipments.errors import ManifestValidationFailed
from shipments.manifests.manifest import ParsedManifest
from shipments.manifests.payload.body import read_manifest
from shipments.manifests.payload.fields import InvalidRow
from shipments.wording.stored import render_invalid_rows

DESTINATIONS = {"CL": "SCL", "PE": "LIM", "AR": "EZE"}
DOCUMENTS = {"CL": "12345678-5", "PE": "12345678", "AR": "20267565393"}

ABSENT = object()
"""The value of a key that is left out."""


def guide(country: str = "CL", /, **changes: object) -> dict[str, object]:
    """A guide that keeps a country's rules, with `changes`."""
    good: dict[str, object] = {
        "hawb": "HAWB-1",
        "consignee_name": "Maria Perez",
        "consignee_document": DOCUMENTS[country],
        "weight_kg": 1.5,
        "description_original": "Shoes",
        "fob_usd": 25,
    }
    return {key: value for key, value in {**good, **changes}.items() if value is not ABSENT}


def product(**changes: object) -> dict[str, object]:
    """A product of a guide, with `changes`."""
    good: dict[str, object] = {"description": "Shoes", "quantity": 2, "unit_value": "12.50", "weight_kg": "0.6"}
    return {key: value for key, value in {**good, **changes}.items() if value is not ABSENT}


def body(*guides: object, to: str = "CL", **changes: object) -> dict[str, object]:
    """A whole document, by air; with one good guide when none is given."""
    good: dict[str, object] = {
        "mawb": "123-12345675",
        "transport_mode": "air",
        "destination_airport": DESTINATIONS[to],
        "guides": list(guides) or [guide(to)],
    }
    return {key: value for key, value in {**good, **changes}.items() if value is not ABSENT}


def read(*guides: object, country: str = "CL", **changes: object) -> ParsedManifest:
    """The manifest that `body` gives."""
    return read_manifest(body(*guides, to=country, **changes), "air", country)


def invalid_rows(*guides: object, country: str = "CL") -> list[dict[str, Any]]:
    """What the gate says of these guides; they have to be refused."""
    with pytest.raises(ManifestValidationFailed) as refused:
        read(*guides, country=country)
    return [dict(row) for row in render_invalid_rows(cast("list[InvalidRow]", refused.value.extras["invalid_rows"]))]


def problems(*guides: object, country: str = "CL") -> list[tuple[int, str, str]]:
    """Row, field and code of everything the gate says of these guides."""
    return [(row["row_index"], row["field"], row["error_code"]) for row in invalid_rows(*guides, country=country)]
