"""Canonical JSON manifests, for tests that need one rather than test how one is read."""

from typing import Any

CONSIGNEE = {"CL": "12345678-5", "PE": "45678912", "AR": "20-12345678-6"}
AIRPORT = {"CL": "SCL", "PE": "LIM", "AR": "EZE"}


def guide(number: int = 1, country: str = "CL", **changes: Any) -> dict[str, Any]:
    """One good guide for `country`, numbered so that guides differ."""
    row: dict[str, Any] = {
        "hawb": f"HAWB{number:05d}",
        "consignee_name": f"Persona {number}",
        "consignee_document": CONSIGNEE[country],
        "description_original": "Zapatillas",
        "weight_kg": 1.5,
        "fob_usd": 100.25,
    }
    return row | changes


def manifest(*guides: dict[str, Any], country: str = "CL", **changes: Any) -> Any:
    """A good manifest to `country` by air; a value of None takes the key out."""
    body: dict[str, Any] = {
        "mawb": "045-12345675",
        "transport_mode": "air",
        "destination_airport": AIRPORT[country],
        "guides": list(guides) or [guide(1, country), guide(2, country)],
    }
    return {key: value for key, value in (body | changes).items() if value is not None}
