"""Requests that change what was sent: corrections, cancellations, voiding."""

import json
from typing import Any

from companies.models import Company
from shipments.models import Guide
from tests.conftest import BASE, Caller
from tests.documents import guide, manifest


def patch(caller: Caller, code: str, body: Any, **extra: Any) -> Any:
    return _send(caller, "PATCH", f"/guides/{code}", body, **extra)


def cancel(caller: Caller, code: str, body: Any = None) -> Any:
    return _send(caller, "POST", f"/guides/{code}/cancel", {"reason": "withdrawn"} if body is None else body)


def void(caller: Caller, mawb: str, **body: Any) -> Any:
    return _send(caller, "POST", f"/mawbs/{mawb}/void", {"reason": "sent twice"} | body)


def put_answers(caller: Caller, layout: object, body: Any) -> Any:
    """layout: its id."""
    return _send(caller, "PUT", f"/layouts/{layout}/answers", body)


def _send(caller: Caller, method: str, path: str, body: Any, **extra: Any) -> Any:
    content = body if isinstance(body, bytes | str) else json.dumps(body)
    content_type = extra.pop("content_type", "application/json")
    return caller.client.generic(method, BASE + path, content, content_type, headers=caller.headers, **extra)


def sent(caller: Caller, *rows: dict[str, Any], country: str = "CL", **changes: Any) -> list[Guide]:
    """The guides of a JSON manifest; one good guide by default."""
    answer = caller.post_json(manifest(*(rows or (guide(1, country),)), country=country, **changes))
    assert answer.status_code == 201, answer.json()
    codes = [each["tracking_code"] for each in answer.json()["guides"]]
    found = Guide.objects.in_bulk(codes, field_name="tracking_code")
    return [found[code] for code in codes]


def courier_of(courier: Caller, *clients: Caller) -> Caller:
    courier.company.posts_for.set(Company.objects.filter(pk__in=[each.company.pk for each in clients]))
    return courier
