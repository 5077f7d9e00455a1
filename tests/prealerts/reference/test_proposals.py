"""What the reference proposes to who tries a call is taken: examples of paths and bodies, defaults of queries."""

import json
from typing import Any

import pytest

from tests.conftest import as_file, make_caller
from tests.live.server import ROOT
from tests.prealerts.reference import schema

pytestmark = pytest.mark.django_db

WORKBOOK = ROOT / "docs" / "examples" / "manifest-CL.xlsx"


def first_example(proposed: Any) -> Any:
    return proposed["example"] if "example" in proposed else next(iter(proposed["examples"].values()))["value"]


def test_each_call_answers_what_the_page_proposes() -> None:
    """Objects that do not exist are 404, and `GET guides` requires a filter."""
    caller, statuses = make_caller("TRIES"), {}
    for (method, path), operation in schema.operations().items():
        known = operation.get("parameters", [])
        address = path.format(**{each["name"]: first_example(each) for each in known if each["in"] == "path"})
        queries = (each for each in known if each["in"] == "query")
        query = {each["name"]: each["schema"]["default"] for each in queries if "default" in each["schema"]}
        content = operation.get("requestBody", {}).get("content", {})
        if "multipart/form-data" in content:
            form = {"manifest_file": as_file(WORKBOOK.read_bytes())}
            answer = caller.client.post(address, form, headers=caller.headers)
        else:
            body = json.dumps(first_example(content["application/json"])) if content else ""
            kind = "application/json" if content else ""
            answer = caller.client.generic(method, address, body, kind, headers=caller.headers, query_params=query)
        statuses[operation["operationId"]] = answer.status_code
    assert statuses.pop("guides") == 400
    assert set(statuses.values()) == {200, 201, 404}, statuses
    assert len(statuses) > 30
