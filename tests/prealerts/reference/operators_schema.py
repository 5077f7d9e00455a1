"""Every answer that tests get from the operators' API is held against its document."""

import copy
import json
import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from base.http.json_types import KNOWN_WORDS
from prealerts.reference.operators import BASE, operators_document


@cache
def document() -> Any:
    """The document as JSON."""
    return json.loads(json.dumps(operators_document()))


@cache
def _closed() -> Any:
    """The schemas, with what may grow kept from growing: a new field or word has to be written down."""
    schemas = copy.deepcopy(document()["components"]["schemas"])
    for schema in schemas.values():
        if "oneOf" not in schema:
            schema["additionalProperties"] = False
        for field in schema.get("properties", {}).values():
            if KNOWN_WORDS in field:
                field["enum"] = field[KNOWN_WORDS]
    return schemas


def operation_of(method: str, path: str) -> Any:
    """The operation of a request; None for a route or a method that there is none of."""
    for template, item in sorted(document()["paths"].items(), key=lambda each: "{" in each[0]):
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)) + "/?", path):
            return item.get(method.lower())
    return None


def hold(answer: Any) -> Any:
    """Assert that an answer's status, body and code are the document's; gives it back."""
    request = answer.wsgi_request
    if not request.path.startswith(BASE) or request.resolver_match is None:
        return answer
    operation = operation_of(request.method, request.path)
    if operation is None:
        assert answer.status_code in {401, 405, 429}, f"{request.method} {request.path} is not documented"
        return answer
    where = f"{request.method} {request.path}: {answer.status_code}"
    assert str(answer.status_code) in operation["responses"], f"{where} is not documented"
    documented = operation["responses"][str(answer.status_code)]
    if "content" not in documented:
        assert answer.content == b"", where
        return answer
    if answer["Content-Type"].partition(";")[0] != "application/json":
        assert answer["Content-Type"].partition(";")[0] in documented["content"], where
        return answer
    media = documented["content"]["application/json"]
    body = answer.json()
    whole = {**media["schema"], "components": {"schemas": _closed()}}
    found = Draft202012Validator(whole, format_checker=FormatChecker()).iter_errors(body)
    assert [f"{error.json_path}: {error.message}" for error in found] == [], where
    if answer.status_code >= 400:
        assert body["error"] in media["examples"], f"{where} {body['error']} has no example"
    return answer
