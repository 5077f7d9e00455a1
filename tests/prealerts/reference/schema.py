"""The OpenAPI document as tests hold answers against it: strictly, where clients are asked to be tolerant."""

import copy
import json
import re
from functools import cache
from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator, FormatChecker

from base.http.json_types import KNOWN_WORDS
from prealerts.reference.document import SHARED, operators_document as document_of_operators
from tests.prealerts.reference import recording

OPERATORS = "/api/operators/v1/"


@cache
def document() -> Any:
    """The document as the service sends it."""
    response = Client().get("/docs/openapi.json")
    assert response.status_code == 200
    return json.loads(response.content)


def operations() -> dict[tuple[str, str], Any]:
    """(method, path) -> operation."""
    return {
        (method.upper(), path): operation
        for path, item in document()["paths"].items()
        for method, operation in item.items()
    }


@cache
def operators_document() -> Any:
    """The operators' document as JSON."""
    return json.loads(json.dumps(document_of_operators()))


@cache
def _closed(*, of_operators: bool) -> Any:
    """A document's schemas, with what may grow kept from growing: a new field or word has to be written down."""
    whole = operators_document() if of_operators else document()
    schemas = copy.deepcopy(whole["components"]["schemas"])
    for schema in schemas.values():
        if "oneOf" not in schema:
            schema["additionalProperties"] = False
        for field in schema.get("properties", {}).values():
            if KNOWN_WORDS in field:
                field["enum"] = field[KNOWN_WORDS]
    return schemas


def problems(value: object, schema: Any, *, is_tolerant: bool = False, of_operators: bool = False) -> list[str]:
    """What of `value` the schema does not allow. is_tolerant: as a client sees it, not as we must write it down."""
    schemas = document()["components"]["schemas"] if is_tolerant else _closed(of_operators=of_operators)
    whole = {**schema, "components": {"schemas": schemas}}
    validator = Draft202012Validator(whole, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def response_of(method: str, path: str, status: int) -> tuple[str, Any]:
    """The operation, and what the document says of an answer; the path as it was asked."""
    for (known, template), operation in operations().items():
        pattern = "/?".join([re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), ""])
        if known == method and re.fullmatch(pattern, path):
            assert str(status) in operation["responses"], f"{method} {template} does not document {status}"
            return operation["operationId"], operation["responses"][str(status)]
    raise AssertionError(f"{method} {path} is not documented")


def assert_documented(response: Any, method: str = "", *, example: str = "", is_shared: bool = False) -> None:
    """Status, headers and body of an answer of Django's test client are the document's; errors are among its examples,
    extras and all. method: the operation's, where it was asked with another one. example: the name of the example that
    this very answer is. is_shared: with every operation."""
    request = response.wsgi_request
    operation, documented = response_of(method or request.method, request.path, response.status_code)
    for name, header in documented["headers"].items():
        component = document()["components"]["headers"][header["$ref"].rpartition("/")[2]]
        if name not in response.headers:
            assert not component["required"], f"no {name}"
            continue
        value: object = response.headers[name]
        if component["schema"]["type"] == "integer":
            value = int(str(value))
        assert problems(value, component["schema"]) == []
    if "content" not in documented:
        assert response.content == b""
        return
    media_type = response.headers["Content-Type"].partition(";")[0]
    content = documented["content"][media_type]
    if media_type != "application/json":
        return
    body = response.json()
    assert problems(body, content["schema"]) == []
    if example:
        shown = recording.shown(body)
        if recording.IS_ON:
            recording.record(SHARED if is_shared else operation, str(response.status_code), example, shown)
        else:
            assert content["examples"][example]["value"] == shown, "run make examples"
    elif response.status_code >= 400:
        known = content["examples"][body["error"]]["value"]
        assert body.keys() - {"details"} == known.keys() - {"details"}


def hold(answer: Any) -> Any:
    """Assert that an answer of the operators' API is as its document says; return it."""
    request = answer.wsgi_request
    if not request.path.startswith(OPERATORS) or request.resolver_match is None:
        return answer
    where = f"{request.method} {request.path}: {answer.status_code}"
    paths = sorted(operators_document()["paths"].items(), key=lambda each: "{" in each[0])
    items = (item for path, item in paths if re.fullmatch(re.sub(r"{\w+}", "[^/]+", path) + "/?", request.path))
    operation = next(items, {}).get(request.method.lower())
    if operation is None:
        assert answer.status_code in {401, 405, 429}, f"{where} is not documented"
        return answer
    assert str(answer.status_code) in operation["responses"], f"{where} is not documented"
    documented = operation["responses"][str(answer.status_code)]
    if "content" not in documented:
        assert answer.content == b"", where
        return answer
    media_type = answer["Content-Type"].partition(";")[0]
    if media_type != "application/json":
        assert media_type in documented["content"], where
        return answer
    media, body = documented["content"]["application/json"], answer.json()
    assert problems(body, media["schema"], of_operators=True) == [], where
    if answer.status_code >= 400:
        assert body["error"] in media["examples"], f"{where} {body['error']} has no example"
    return answer
