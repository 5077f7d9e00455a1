"""What a refusal says, and that nothing was stored."""

from typing import Any

from shipments.models import Flight, Guide, GuideEvent, Manifest
from tests.prealerts.reference import schema


def error(response: Any) -> tuple[int, str]:
    body = response.json()
    assert body["success"] is False
    assert body["message"]
    return response.status_code, body["error"]


def answered(response: Any, status: int = 200) -> Any:
    """The body of an answer of this status, which is as documented."""
    assert response.status_code == status, response.content
    schema.assert_documented(response)
    return response.json()


def nothing_stored() -> bool:
    return not any(model.objects.exists() for model in (Manifest, Guide, GuideEvent, Flight))


def problems(response: Any) -> list[tuple[int, str, str]]:
    return [(row["row_index"], row["field"], row["error_code"]) for row in response.json()["invalid_rows"]]
