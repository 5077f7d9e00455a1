"""The Python client has what the OpenAPI document has: a method for each operation, a type for each answer."""

import inspect
import re

from prealerts_client import Client
from prealerts_client.transport import BASE

from tests.prealerts.reference import schema
from tools import client_types


def method_of(operation_id: str) -> str:
    return re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", operation_id)


def of_v1() -> dict[str, dict[str, object]]:
    """Method's name -> operation."""
    return {
        method_of(each["operationId"]): each for (_, path), each in schema.operations().items() if path.startswith(BASE)
    }


def test_each_operation_of_v1_has_a_method_and_no_method_is_more_than_that() -> None:
    ours = {name for name, _ in inspect.getmembers(Client, inspect.isfunction) if not name.startswith("_")}
    assert of_v1().keys() == ours - {"annotate_workbook", "close", "reconcile", "wait", "watch"}


def test_each_parameter_of_a_query_is_taken() -> None:
    for name, operation in of_v1().items():
        method = inspect.signature(getattr(Client, name))
        takes = set(method.parameters)
        words = inspect.getdoc(getattr(Client, name)) or ""
        for parameter in operation.get("parameters", []):  # type: ignore[attr-defined]  # JSON
            if parameter["in"] == "query" and parameter["name"] != "cursor":
                known = parameter["name"] in takes or ("filters" in takes and f"`{parameter['name']}" in words)
                assert known, (name, parameter["name"])


def test_the_types_of_the_answers_are_the_documents() -> None:
    assert client_types.PATH.read_text(encoding="utf-8") == client_types.generated(), "run python -m tools.client_types"
