"""The examples of the document, as `make examples` records them from answers: `prealerts/reference/examples.json`.

What differs from run to run (ids, codes, times, secrets, cursors) is replaced, so that recording again changes nothing.
"""

import json
import os
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from prealerts.reference.document import EXAMPLES, SHARED
from prealerts.reference.operations import CLIENTS
from prealerts.reference.refusals import EVERYWHERE, explain
from prealerts.reference.schemas import CURSOR
from webhooks.catalogue import JOB, SUBSCRIPTION

IS_ON = bool(os.environ.get("RECORD_EXAMPLES"))

_DELIVERY = "evt_ab181e27-c073-4611-aa57-081315d42970"
_FIXED = {
    "manifest_id": "ea7a7054-73b2-4998-9298-70c2463ead7a",
    "flight_id": "ddd2fb13-9323-4709-be8c-728daaf232b5",
    "job_id": JOB,
    "subscription": SUBSCRIPTION,
    "delivery_id": _DELIVERY,
    "request_id": "0f8fad5bd9cb469fa16570867728950e",
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
    "next_cursor": CURSOR,
}
_ID = {"sub_": SUBSCRIPTION, "evt_": _DELIVERY}
_CODES = ("DEMYRRZNNYPWRA", "DEMHGD7DBQVS3R", "DEMZ9K4T2M8QXC", "DEM5RW7B3JH6PN", "DEMQ2V8F4CX9TK")
_CODE = re.compile(r"\b(?:ACM|SWI|DEM)[0-9A-Z]{11}\b")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_FIRST = datetime(2026, 11, 21, 14, 54, 41, 856795, UTC)
_URL = re.compile(r"https://8\.8\.8\.8/hooks[\w/-]*")


def shown(body: Any) -> Any:
    """The body as an example."""
    text = json.dumps(_with_fixed_ids(body), ensure_ascii=False)
    codes = dict(zip(dict.fromkeys(_CODE.findall(text)), _CODES, strict=False))
    moments = {each: number for number, each in enumerate(sorted(set(_MOMENT.findall(text))))}
    text = _CODE.sub(lambda found: codes[found[0]], text)
    text = _MOMENT.sub(lambda found: f"{_FIRST + timedelta(minutes=moments[found[0]]):%Y-%m-%dT%H:%M:%S.%fZ}", text)
    return json.loads(_URL.sub("https://hooks.example.com/pre-alerts", text))


def _with_fixed_ids(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_fixed_ids(each) for each in node]
    if not isinstance(node, dict):
        return node
    fixed = {**_FIXED, "id": _ID.get(str(node.get("id"))[:4], _FIXED["manifest_id"])}
    return {
        name: fixed[name] if name in fixed and isinstance(value, str) else _with_fixed_ids(value)
        for name, value in node.items()
    }


def record(operation: str, status: str, name: str, body: Any) -> None:
    """Keep the body as an example of the operation, or of all that refuse so (`SHARED`)."""
    kept = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    in_general = None
    if operation != SHARED:
        (refused,) = (each.refused for each in CLIENTS if each.name == operation)
        in_the_errors_words = explain(refused, EVERYWHERE, {}).get(int(status), {}).get(name, {}).get("value")
        in_general = kept.get(SHARED, {}).get(status, {}).get(name, in_the_errors_words)
    of_status = kept.setdefault(operation, {}).setdefault(status, {})
    of_status[name] = body
    if body == in_general:
        del of_status[name]
    EXAMPLES.write_text(_formatted(kept), encoding="utf-8")


def _formatted(kept: dict[str, Any]) -> str:
    """One line an example."""
    operations = []
    for operation, places in sorted(kept.items()):
        filled = [
            f"  {json.dumps(place)}: {{\n"
            + ",\n".join(
                f"   {json.dumps(name)}: {json.dumps(body, ensure_ascii=False)}" for name, body in bodies.items()
            )
            + "\n  }"
            for place, bodies in sorted(places.items())
            if bodies
        ]
        if filled:
            operations.append(f" {json.dumps(operation)}: {{\n" + ",\n".join(filled) + "\n }")
    return "{\n" + ",\n".join(operations) + "\n}\n"
