"""`/docs/operators.json`: its routes are those that there are, its examples valid, and only operators see it."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from prealerts.reference.operators import BASE
from tests.companies.admin_pages import operator
from tests.companies.operators.tokens.speaking import program
from tests.prealerts.reference.operators_schema import document, operation_of

PAGE = "/docs/operators.json"


def routes(resolver: Any = None, prefix: str = "/") -> list[tuple[str, Any]]:
    """(path, view class) of the operators' API."""
    found: list[tuple[str, Any]] = []
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern).lstrip("^")
        if isinstance(entry, URLResolver):
            found += routes(entry, route)
        elif isinstance(entry, URLPattern) and route.startswith(BASE):
            found.append((re.sub(r"\(\?P<(\w+)>[^)]*\)", r"{\1}", route).removesuffix("/?$"), entry.callback))
    return found


def test_it_is_an_openapi_document_whose_routes_and_methods_are_those_that_are_served() -> None:
    OpenAPIV31SpecValidator(document()).validate()
    served = {
        (path, method)
        for path, view in routes()
        for method in ("get", "post", "patch", "delete", "put")
        if hasattr(view.view_class, method)
    }
    documented = {(path, method) for path, item in document()["paths"].items() for method in item}
    assert served == documented
    assert len(served) == 21


def test_its_examples_are_valid_and_its_operations_have_names() -> None:
    names = [operation["operationId"] for item in document()["paths"].values() for operation in item.values()]
    assert len(set(names)) == len(names)
    components = {"components": document()["components"]}
    seen = 0
    for item in document()["paths"].values():
        for operation in item.values():
            for holder in [operation.get("requestBody", {}), *operation["responses"].values()]:
                for media in holder.get("content", {}).values():
                    for example in media.get("examples", {}).values():
                        seen += 1
                        validator = Draft202012Validator({**media["schema"], **components})
                        assert list(validator.iter_errors(example["value"])) == []
    assert seen > 100


def test_a_route_that_is_not_there_is_not_in_it() -> None:
    assert operation_of("GET", f"{BASE}nowhere") is None
    assert operation_of("PUT", f"{BASE}me") is None


@pytest.mark.django_db
def test_only_operators_are_given_it(settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = False
    assert Client().get(PAGE).status_code == 404
    answer = operator().get(PAGE)
    assert answer.json()["servers"] == [{"url": "http://testserver"}]
    assert answer.json()["paths"].keys() == document()["paths"].keys()
    token = {"Authorization": f"Bearer {program().token}"}
    assert Client().get(PAGE, headers=token).json()["paths"].keys() == document()["paths"].keys()
    assert Client().get(PAGE, headers={"Authorization": "Bearer invented"}).status_code == 404
    settings.API_DOCS = False
    assert operator(username="rita").get(PAGE).status_code == 404
