"""The OpenAPI document: generated, finished with what is the same everywhere, kept for the life of the process."""

import json
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from drf_spectacular.generators import SchemaGenerator

from companies.countries import SERVED
from prealerts.middleware import Liveness
from prealerts.reference import answer_headers, operations
from prealerts.reference.about import SERVICE, WEBHOOKS
from prealerts.reference.describe import CURSOR, JSON, examples
from prealerts.reference.request_body import XLSX
from prealerts.reference.shapes import object_schema
from shipments.manifests.house.house_layouts import LAYOUTS
from webhooks.events import V2_ONLY
from webhooks.sender import SIGNED_USER_AGENT, USER_AGENT

Document = dict[str, Any]
Endpoint = tuple[str, str, str, Callable[..., object]]
"""Path, its regular expression, method, view."""

_LIVENESS: Document = {"schemas": {Liveness.__name__: object_schema(Liveness, reference=dict)}}


def _service_paths() -> Document:
    """Path -> path item of OpenAPI. The caller may change them."""
    alive = {
        "schema": {"$ref": f"#/components/schemas/{Liveness.__name__}"},
        "examples": {"Alive": {"summary": "Alive", "value": {"status": "ok"}}},
    }
    workbook = {"schema": {"type": "string", "format": "binary"}}
    paths = {
        "/health": _get(
            "health", "Is the process alive?", "Constant and unlimited.",
            {"200": {"description": "It is.", "content": {JSON: alive}}},
        ),
    }  # fmt: skip
    for country in LAYOUTS:
        paths[f"/docs/templates/manifest-{country}.xlsx"] = _get(
            f"manifestTemplate{country}", f"The workbook for {SERVED[country].name}, to be filled in",
            "Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to open "
            "workbooks to your company first.",
            {"200": {"description": "The workbook.", "content": {XLSX: workbook}}},
        )  # fmt: skip
    return paths


def _get(operation: str, summary: str, description: str, responses: Document) -> Document:
    not_allowed = {"405": {"description": "Another method than GET; `Allow` lists them."}}
    about = {"operationId": operation, "summary": summary, "description": description, "tags": [SERVICE]}
    return {"get": {**about, "security": [{}], "responses": {**responses, **not_allowed}}}


def _sent(name: str, description: str = "", *, required: bool = False, **schema: object) -> Document:
    described = {"description": description} if description else {}
    return {"name": name, "in": "header", "schema": {"type": "string", **schema}, "required": required, **described}


_REQUEST_ID = _sent(
    "X-Request-Id", "Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced."
)
_LANGUAGE = _sent(
    "Accept-Language",
    "`es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are the "
    "same in both.",
)
_IF_NONE_MATCH = _sent(
    "If-None-Match", "The `ETag` of the answer that you keep, or several: `304` if nothing has changed since."
)
_ID = "^evt_[0-9a-f-]{36}$"
_SIGNATURE = "v1,[A-Za-z0-9+/]{43}="
_SIGNATURE_HEADERS = [
    _sent("webhook-id", "Version 2: the body's `id`, the same over all attempts and replays.", pattern=_ID),
    _sent(
        "webhook-timestamp", "Version 2: when this attempt was made, in seconds since 1970. Refuse what is old.",
        pattern="^[0-9]+$",
    ),
    _sent(
        "webhook-signature",
        "Version 2: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks 1.0). Two, with a blank "
        "between them, while one secret replaces another.",
        pattern=f"^{_SIGNATURE}( {_SIGNATURE})*$",
    ),
]  # fmt: skip
_DELIVERY_HEADERS = [
    _sent("X-Service-Delivery-Id", "Unique to the delivery; the same as the body's `id`.", required=True, pattern=_ID),
    _sent("X-Service-Event", "The same as the body's `type`.", required=True),
    _sent("User-Agent", required=True, enum=[USER_AGENT, SIGNED_USER_AGENT]),
]


def _link(operation: str, name: str, value: str) -> Document:
    return {"operationId": operation, "parameters": {name: f"$response.body#/{value}"}}


_LINKS: Mapping[tuple[str, str], Mapping[str, Document]] = {
    ("uploadManifest", "201"): {"Mawb": _link("getMawb", "mawb", "mawb")},
    ("postManifest", "201"): {"Mawb": _link("getMawb", "mawb", "mawb")},
    ("listMawbs", "200"): {"Newest": _link("getMawb", "mawb", "mawbs/0/mawb")},
    ("getMawb", "200"): {
        "FirstGuide": _link("getGuide", "tracking_code", "guides/0/tracking_code"),
        "Findings": _link("getFindings", "mawb", "mawb"),
    },
}
"""(operation, status) -> where its answer leads. drf-spectacular has no word for links."""


@cache
def document() -> Document:
    """The document without its `servers`: the same for whoever asks. Not to be changed by the caller."""
    if settings.SANDBOX:
        operations.describe_sandbox()
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # so is the library
    made: Document = generator.get_schema(public=True)  # type: ignore[no-untyped-call]  # as above
    made["paths"] |= _service_paths()
    # It lists them before it comes to the webhooks.
    made["components"] |= generator.registry.build(_LIVENESS)
    return _finished(made)


def public_endpoints(endpoints: list[Endpoint]) -> list[Endpoint]:
    """The client API's among all routes (PREPROCESSING_HOOKS), in the spelling without the slash at the end."""
    return [
        (path.removesuffix("/"), pattern, method, view)
        for path, pattern, method, view in endpoints
        if path.startswith("/api/public/")
    ]


@lru_cache(maxsize=16)
def encoded(root: str, has_webhooks: bool = True) -> bytes:  # noqa: FBT001, FBT002  # a key of the cache
    """The document as it is served. root: the service's own address as the client wrote it, such as
    `https://prealerts.example.com`."""
    made = document() if has_webhooks else _without_webhooks(document())
    guide = {"description": "The quick start", "url": f"{root}/docs/quickstart/"}
    webhooks = {"description": "The guide for receivers", "url": f"{root}/docs/webhooks/"}
    tags = [{**tag, "externalDocs": webhooks} if tag["name"] == WEBHOOKS else tag for tag in made["tags"]]
    whole = {**made, "servers": [{"url": root}], "externalDocs": guide, "tags": tags}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()


def _finished(made: Document) -> Document:
    """Add what every operation has: headers, and for webhooks the secret."""
    components = made["components"]
    in_use = answer_headers.COMPONENTS.keys() - (set() if settings.SANDBOX else {"InSandbox"})
    components["headers"] = {name: each for name, each in answer_headers.COMPONENTS.items() if name in in_use}
    components["securitySchemes"]["WebhookSecret"] = {
        "type": "http",
        "scheme": "bearer",
        "description": "Version 1: the secret that you agreed on with the operators; compare it in constant time. "
        "Version 2 sends no secret: verify its signature.",
    }
    for route, item in made["paths"].items():
        for method, operation in item.items():
            if route.startswith("/api/"):
                operation["parameters"] = [*operation.get("parameters", []), _REQUEST_ID, _LANGUAGE]
                for parameter in operation["parameters"]:
                    finish_parameter(parameter)
            if operation["operationId"] in answer_headers.CONDITIONAL:
                operation["parameters"].append(_IF_NONE_MATCH)
                operation["responses"]["304"] = {"description": "Nothing has changed: the answer that you keep holds."}
            if method == "patch":
                operation["requestBody"]["required"] = True
            for body in operation.get("requestBody", {}).get("content", {}).values():
                body["examples"] = examples(operation["operationId"], "request")
            for status, response in operation["responses"].items():
                for media_type, body in response.get("content", {}).items():
                    is_ours = media_type == JSON
                    body.setdefault("examples", examples(operation["operationId"], status) if is_ours else {})
                if links := _LINKS.get((operation["operationId"], status)):
                    response["links"] = links
                response["headers"] = {
                    name: {"$ref": f"#/components/headers/{component}"}
                    for name, component in answer_headers.of(route, operation["operationId"], status).items()
                }
    for kind, item in made["webhooks"].items():
        is_signed_always = kind in V2_ONLY
        item["post"]["security"] = [{}] if is_signed_always else [{"WebhookSecret": []}, {}]
        signature = [{**header, "required": is_signed_always} for header in _SIGNATURE_HEADERS]
        item["post"]["parameters"] = [*_DELIVERY_HEADERS, *signature]
    return made


def finish_parameter(parameter: Document) -> None:
    """Say what drf-spectacular does not."""
    schema = parameter["schema"]
    if schema["type"] == "array":
        parameter["explode"] = True
    if "enum" in schema:
        schema.pop("minLength", None)  # generators that check both make code that does not load
    if parameter["name"] == "cursor":
        parameter["example"] = CURSOR


def _without_webhooks(made: Document) -> Document:
    """The paths, and the components that they lead to."""
    components = {**made["components"], "securitySchemes": {**made["components"]["securitySchemes"]}}
    del components["securitySchemes"]["WebhookSecret"]
    used: set[str] = set()
    waiting: list[object] = [made["paths"]]
    while waiting:
        text = json.dumps(waiting.pop())
        found = {name for name in components["schemas"] if f'"#/components/schemas/{name}"' in text} - used
        used |= found
        waiting += [components["schemas"][name] for name in found]
    components["schemas"] = {name: schema for name, schema in components["schemas"].items() if name in used}
    return {**{key: value for key, value in made.items() if key != "webhooks"}, "components": components}
