"""A scanner in the tests: batches opened, codes scanned."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from shipments.models import Guide, Manifest
from tests.companies.operators.tokens.speaking import Program

AT = "2026-11-22T09:10:00Z"


def opened(program: Program, *manifests: Manifest, **fields: Any) -> str:
    """Open a batch for the manifests, and return its id."""
    sent = {"facility": "SCL-01", "country": "CL", "mawbs": [each.mawb for each in manifests], **fields}
    answer = program.post("/inbound-batches", sent)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def scan(code: str, **fields: Any) -> dict[str, Any]:
    return {"scan_id": str(uuid4()), "code": code, "scanned_at": AT, **fields}


def scanned(program: Program, batch: str, scans: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    answer = program.post(f"/inbound-batches/{batch}/scans", {"scans": [*scans]})
    assert answer.status_code == 200, answer.content
    results: list[dict[str, Any]] = answer.json()["results"]
    assert [result["scan_id"] for result in results] == [each["scan_id"] for each in scans]
    return results


def outcomes(results: Sequence[dict[str, Any]]) -> list[str]:
    return [result["outcome"] for result in results]


def codes_of(manifest: Manifest) -> list[str]:
    return [guide.tracking_code for guide in Guide.objects.filter(manifest=manifest).order_by("id")]


def batch_of(program: Program, batch: str) -> dict[str, Any]:
    answer = program.get(f"/inbound-batches/{batch}")
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body
