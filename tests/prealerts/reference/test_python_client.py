"""The Python client has what the OpenAPI document has: a method for each operation, a type for each answer."""

import inspect
import re
import tomllib
from typing import Any, get_args

from prealerts_client import Client
from prealerts_client.requests_sent import Flight, SubscriptionChanges
from prealerts_client.transport import BASE, VERSION

from tests.prealerts.reference import schema
from tools import client_types


def method_of(operation_id: str) -> str:
    return re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", operation_id)


def of_v1() -> dict[str, Any]:
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
        for group in ("filters", "flight", "changes"):
            if group in takes:
                takes |= set(get_args(method.parameters[group].annotation)[0].__annotations__)
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query" and parameter["name"] != "cursor":
                assert {parameter["name"], f"{parameter['name']}_"} & takes, (name, parameter["name"])


def test_each_field_of_the_upload_and_of_a_changed_webhook_is_taken() -> None:
    files = {"manifest_file", "invoice_file"}
    assert Flight.__annotations__.keys() == body_fields("upload_manifest") - files
    assert SubscriptionChanges.__annotations__.keys() == body_fields("change_subscription")


def body_fields(method: str) -> set[str]:
    """The fields of the body of a method's operation."""
    (content,) = of_v1()[method]["requestBody"]["content"].values()
    name = content["schema"]["$ref"].rpartition("/")[2]
    return set(schema.document()["components"]["schemas"][name]["properties"])


def test_the_version_is_one() -> None:
    with (client_types.PACKAGE.parents[1] / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["version"] == VERSION
    changelog = (client_types.PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", changelog, re.MULTILINE)[0] == VERSION


def test_the_types_are_the_documents() -> None:
    for name, text in client_types.generated().items():
        assert (client_types.PACKAGE / name).read_text(encoding="utf-8") == text, "run python -m tools.client_types"
