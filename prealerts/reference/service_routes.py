"""The routes without a password. They are not views of DRF, so the document's generator does not find them."""

from typing import Any

from companies.countries import SERVED
from prealerts.middleware import Liveness
from prealerts.reference.about import SERVICE
from prealerts.reference.request_body import XLSX
from prealerts.reference.shapes import object_schema
from shipments.manifests.mapped.house.house_layouts import LAYOUTS

COMPONENTS: dict[str, Any] = {"schemas": {Liveness.__name__: object_schema(Liveness, reference=dict)}}


def paths() -> dict[str, Any]:
    """Path -> path item of OpenAPI. The caller may change them."""
    alive = {
        "schema": {"$ref": f"#/components/schemas/{Liveness.__name__}"},
        "examples": {"Alive": {"summary": "Alive", "value": {"status": "ok"}}},
    }
    workbook = {"schema": {"type": "string", "format": "binary"}}
    return {
        "/health": _get(
            "health",
            "Is the process alive?",
            "Constant and unlimited.",
            {"200": {"description": "It is.", "content": {"application/json": alive}}},
        ),
        "/health/ready": _get(
            "ready",
            "Can it serve?",
            "For operations: whether this machine reaches its database and has space for uploads. Within "
            "a second, without the reason.",
            {"200": {"description": "It can."}, "503": {"description": "It cannot."}},
        ),
        **{
            f"/docs/templates/manifest-{country}.xlsx": _get(
                f"manifestTemplate{country}",
                f"The workbook for {SERVED[country].name}, to be filled in",
                "Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to bind its "
                "format to your company first.",
                {"200": {"description": "The workbook.", "content": {XLSX: workbook}}},
            )
            for country in LAYOUTS
        },
    }


def _get(operation_id: str, summary: str, description: str, responses: dict[str, Any]) -> dict[str, Any]:
    operation = {
        "operationId": operation_id,
        "summary": summary,
        "description": description,
        "tags": [SERVICE],
        "security": [{}],
        "responses": {**responses, "405": {"description": "Another method than GET; `Allow` lists them."}},
    }
    return {"get": operation}
