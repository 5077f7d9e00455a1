"""Both OpenAPI documents, of the clients' API and of the operators', made of their operations once in a process."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import Any, Final, NamedTuple

from django.conf import settings

from base.errors import DomainError
from companies import passwords
from companies.countries import SERVED, SERVED_NAMES
from prealerts.middleware import Liveness
from prealerts.reference import operations, refusals
from prealerts.reference.events import EVENTS
from prealerts.reference.operations import BINARY, JSON, WEBHOOKS, Body, Operation
from prealerts.reference.schemas import XLSX, Component, Components, parameter, query_parameters
from shipments.manifests.house.house_layouts import LAYOUTS
from webhooks.catalogue import JOB, SUBSCRIPTION
from webhooks.events import SUBSCRIPTION_ID_PATTERN

Document = dict[str, Any]

EXAMPLES = Path(__file__).with_name("examples.json")
"""Operation -> `request` or status -> name -> body. `make examples` records the answers; the requests are by hand."""
SHARED: Final = "*"
"""In place of an operation: refusals that all have in common."""


class _Api(NamedTuple):
    """What the operations of an API have in common. kinds: see `refusals.KINDS`. extras: see `refusals.explain`."""

    root: str
    texts: str
    security: str
    path_parameters: Mapping[str, Document]
    kinds: refusals.Kinds
    everywhere: Sequence[tuple[int, str, str, str]]
    extras: Mapping[type[DomainError], Mapping[str, Any]] = {}


def _in_path(description: str, *examples: str, **schema: object) -> Document:
    spellings = {
        f"Spelling{number}": {"value": each, "summary": f"spelling {number}"} for number, each in enumerate(examples, 1)
    }
    return {"schema": {"type": "string", **schema}, "description": description, "required": True, "examples": spellings}


_CLIENTS = _Api(
    "/api/public/pre-alerts/v1/", "operations.md", "ApiPassword", {
        "mawb": _in_path("The number, with a hyphen, a space or nothing between its three and eight digits.",
                         "045-70310122", "04570310122", minLength=1),
        "tracking_code": _in_path("As the answer to the upload gave it; capitals do not matter.", "DEMHGD7DBQVS3R",
                                  minLength=1),
        "job": _in_path("The `job_id`.", JOB),
        "layout": {"schema": {"type": "string"}, "required": True, "examples": {
            "Spelling1": {"value": "ea7a7054-73b2-4998-9298-70c2463ead7a", "summary": "spelling 1"}}},
        "subscription_id": _in_path("The `id` of a webhook.", SUBSCRIPTION, pattern=SUBSCRIPTION_ID_PATTERN),
        "delivery_id": _in_path("The `id` of a delivery.", "evt_ab181e27-c073-4611-aa57-081315d42970",
                                pattern="^evt_[0-9a-f-]{36}$"),
    }, refusals.KINDS, refusals.EVERYWHERE,
)  # fmt: skip
_OPERATORS = _Api(
    "/api/operators/v1/", "operators.md", "OperatorToken",
    {
        name: {"schema": {"type": "string", "pattern": "^[^/]+$"}, "required": True}
        for name in ("mawb", "id", "tracking_code", "batch")
    },
    dict.fromkeys(refusals.KINDS, (refusals.OperatorError, "")), refusals.EVERYWHERE_TO_OPERATORS,
    refusals.EXTRAS_TO_OPERATORS,
)  # fmt: skip


@cache
def _texts(file: str) -> Mapping[str, tuple[str, str]]:
    """Operation -> its summary, and its description with a line for each paragraph. file: beside this one."""
    sections = Path(__file__).with_name(file).read_text(encoding="utf-8").removeprefix("## ").split("\n## ")
    found = {}
    for section in sections:
        name, summary, text = re.split(r": |\n", section, maxsplit=2)
        paragraphs = [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
        found[name] = summary, "\n\n".join(paragraphs).replace("{countries}", SERVED_NAMES)
    return found


@cache
def _load_examples() -> Mapping[str, Mapping[str, Mapping[str, object]]]:
    return dict(json.loads(EXAMPLES.read_text(encoding="utf-8")))


def _examples(operation: str, place: str) -> Document:
    """Return the examples of a body, by name. place: `request` or a status."""
    found = _load_examples().get(operation, {}).get(place, {})
    return {name: {"summary": name, "value": value} for name, value in found.items()}


def _content(body: Body) -> Document:
    return dict(body) if isinstance(body, Mapping) else {JSON: {"schema": {"$ref": body}}}


def _success(body: Body) -> str:
    """Return the sentence of a success: that of the type of its JSON."""
    kind = body[JSON]["schema"]["$ref"] if isinstance(body, Mapping) else body
    if isinstance(kind, Component):
        return kind.about
    return refusals.first_sentences(kind) if kind else "Done."


def _describe(api: _Api, operation: Operation) -> Document:
    """Return an operation as OpenAPI has it, with types in its references."""
    summary, description = _texts(api.texts)[operation.name]
    success = ""
    if api is _OPERATORS:  # whose texts begin with the sentence of the success
        success, _blank, description = description.partition("\n\n")
    described: Document = {"operationId": operation.name, "description": description or summary, "summary": summary}
    names = [name for _text, name, *_ in Formatter().parse(operation.path) if name]
    parameters = [{"in": "path", "name": name, **api.path_parameters[name]} for name in names]
    for each in operation.parameters:
        parameters += [each] if isinstance(each, dict) else query_parameters(each)
    if parameters:
        described["parameters"] = parameters
    described["tags"] = [operation.tag]
    if request := operation.request:
        examples = _examples(operation.name, "request")
        content = _content(request)
        described["requestBody"] = {
            "content": {kind: {**body, "examples": examples} if examples else body for kind, body in content.items()}
        }
        fields = request().fields.values() if isinstance(request, type) else None  # type: ignore[attr-defined]  # a serializer's
        if fields is None or operation.method == "patch" or any(field.required for field in fields):
            described["requestBody"]["required"] = True
    responses: Document = {}
    for status, body in operation.answers.items():
        answered = {"content": _content(body)} if body else {}
        responses[str(status)] = {**answered, "description": success or _success(body)}
    kinds = refusals.KINDS_OF_WEBHOOKS if operation.tag == WEBHOOKS else api.kinds
    for status, codes in refusals.explain(operation.refused, api.everywhere, api.extras).items():
        kind, sentence = kinds[status]
        lines = [f"- `{code}`: {each['summary']}" for code, each in codes.items()]
        responses[str(status)] = {
            "content": {JSON: {"schema": {"$ref": kind}, "examples": codes}},
            "description": "\n".join([sentence, "", *lines] if sentence else lines),
        }
    return {**described, "security": [{api.security: []}], "responses": responses}


def _describe_all(api: _Api, listed: Iterable[Operation]) -> Document:
    """Return the paths of an API."""
    paths: Document = {}
    for operation in listed:
        paths.setdefault(f"{api.root}{operation.path}", {})[operation.method] = _describe(api, operation)
    return paths


def _about(title: str, version: str, description: str, tags: Mapping[str, str]) -> Document:
    contact = settings.API_DOCS_CONTACT
    where = {"url" if "://" in contact else "email": contact} if contact else {}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": version,
            "x-service-version": settings.VERSION,
            "description": description.strip(),
            "contact": {"name": "The operators of this service", **where},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "tags": [{"name": name, "description": sentence} for name, sentence in tags.items()],
    }


# --- of operators' programs -------------------------------------------------------------------------------------

_DESCRIPTION = """
For programs that do operators' work. `POST tokens`, then `Authorization: Bearer <access_token>`. What a token may do is
asked at each request. 10 requests a second, 100 at once. No CORS, no cookies. Both spellings of each route answer, with
and without a slash at the end. See the page *Operators' API*.
"""


@cache
def operators_document() -> Document:
    """The document without its `servers`. Not to be changed by the caller."""
    components = Components()
    paths = components.collect(_describe_all(_OPERATORS, operations.OPERATORS))
    tokens = f"{_OPERATORS.root}tokens"
    paths[tokens]["post"]["security"] = []
    flows = {"clientCredentials": {"tokenUrl": tokens, "scopes": {}}}
    security = {"type": "oauth2", "description": "A token of `POST tokens`, as a Bearer token.", "flows": flows}
    return {
        **_about("Operators' API", "1.0", _DESCRIPTION, operations.TAGS_OF_OPERATORS),
        "paths": paths,
        "components": {"schemas": components.sorted(), "securitySchemes": {_OPERATORS.security: security}},
    }


@lru_cache(maxsize=16)
def encode_operators_document(root: str) -> bytes:
    return json.dumps(
        {**operators_document(), "servers": [{"url": root}]}, ensure_ascii=False, separators=(",", ":")
    ).encode()


# --- of clients -------------------------------------------------------------------------------------------------


def _header(
    description: str = "", *, is_always: bool = True, kind: str = "string", **schema: object
) -> Mapping[str, object]:
    """Return a header as OpenAPI has it. is_always: whether every answer of the status has it."""
    said = {"description": description} if description else {}
    return {**said, "schema": {"type": kind, **schema}, "required": is_always}


_HEADERS: Mapping[str, Mapping[str, object]] = {
    "RequestId": _header(
        "The request's id, also in our log; your own `X-Request-Id` where you sent a sane one.",
        pattern="^[A-Za-z0-9._:-]{1,64}$",
    ),
    "AllowOrigin": _header("Any origin may ask; credentials of browsers are not used.", const="*"),
    "Language": _header("Of the messages.", enum=["en", "es"]),
    "VaryLanguage": _header(
        "The messages depend on the language that was asked for.", pattern=r"\bAccept-Language\b"
    ),
    "NoStore": _header("Nothing of the API may be kept by caches.", const="no-store"),
    "Authenticate": _header(const="Bearer"),
    "Allow": _header("The methods of the route."),
    "RetryAfter": _header("Seconds to wait, at least.", kind="integer", minimum=1),
    "RetryAfterInProgress": _header(
        "With `idempotency_in_progress`: seconds to wait, at least.", is_always=False, kind="integer", minimum=1
    ),
    "RateLimit": _header(
        "If your company has a rate limit: the requests left, and the seconds until all are there again "
        "(draft-ietf-httpapi-ratelimit-headers-10).",
        is_always=False, pattern='^"company";r=[0-9]+;t=[0-9]+$',
    ),
    "RateLimitPolicy": _header(
        "If your company has a rate limit: requests (`q`) in a window of seconds (`w`).",
        is_always=False, pattern='^"company";q=[0-9]+;w=10$',
    ),
    "PasswordExpires": _header(
        "If the password that was used ends after a rotation: when. Change to the new one before then.",
        is_always=False, format="date-time",
    ),
    "InSandbox": _header("This is a sandbox.", const="true"),
    "Tag": _header(
        "Of this answer. Send it as `If-None-Match` to learn that nothing has changed: `304`.",
        pattern='^"[0-9a-f]+"$',
    ),
    "PreferenceApplied": _header(const="respond-async"),
    "JobLocation": _header("Where to ask for the job.", format="uri"),
    "RetryAfterUnfinished": _header(
        "While the job is unfinished: seconds to wait, at least.", is_always=False, kind="integer", minimum=1
    ),
    "Replayed": _header(
        "The answer repeats that of an earlier request with the same `Idempotency-Key`.",
        is_always=False, const="true",
    ),
}  # fmt: skip
"""Name of the component -> the header."""
_CONDITIONAL = {"listMawbs", "getMawb", "listGuides", "getFindings", "getGuide", "getJob", "me", "guides"}
"""The operations whose answers have an ETag."""
_HEADERS_OF_STATUS: Mapping[str, Mapping[str, str]] = {
    "401": {"WWW-Authenticate": "Authenticate"},
    "405": {"Allow": "Allow"},
    "429": {"Retry-After": "RetryAfter"},
    "503": {"Retry-After": "RetryAfter"},
}
_OF_COMPANY = {"RateLimit": "RateLimit", "RateLimit-Policy": "RateLimitPolicy", "X-Password-Expires": "PasswordExpires"}
_REPLAYED, _IN_PROGRESS = {"Idempotent-Replayed": "Replayed"}, {"Retry-After": "RetryAfterInProgress"}
_QUEUED = {"Preference-Applied": "PreferenceApplied", "Retry-After": "RetryAfter", "Location": "JobLocation"}
_UNFINISHED = {"Retry-After": "RetryAfterUnfinished"}
_HEADERS_OF_ANSWER: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("uploadManifest", "201"): _REPLAYED,
    ("uploadManifest", "202"): _REPLAYED | _QUEUED,
    ("uploadManifest", "409"): _IN_PROGRESS,
    ("postManifest", "201"): _REPLAYED,
    ("postManifest", "409"): _IN_PROGRESS,
    ("getJob", "200"): _UNFINISHED,
    ("getJob", "304"): _UNFINISHED,
}


def _headers_of(route: str, operation: str, status: str) -> Document:
    """Return the headers of the answers of `operation` with this status."""
    headers = {"X-Request-Id": "RequestId"}
    if route.startswith(("/api/", "/health")):
        headers["Access-Control-Allow-Origin"] = "AllowOrigin"
    if route.startswith("/api/"):
        headers |= {"Cache-Control": "NoStore", "Content-Language": "Language", "Vary": "VaryLanguage"}
        headers |= _HEADERS_OF_STATUS.get(status, {})
        headers |= {} if status == "401" else _OF_COMPANY
        headers |= {"X-Sandbox": "InSandbox"} if settings.SANDBOX else {}
    headers |= _HEADERS_OF_ANSWER.get((operation, status), {})
    if operation in _CONDITIONAL and status in {"200", "304"}:
        headers["ETag"] = "Tag"
    return {name: {"$ref": f"#/components/headers/{component}"} for name, component in headers.items()}


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
"""(operation, status) -> where its answer leads."""
_SENT = (
    parameter(
        "header",
        "X-Request-Id",
        "Your own id for the request: 1 to 64 letters, digits, `.`, `_`, `:`, `-`. Another one is replaced.",
    ),
    parameter(
        "header",
        "Accept-Language",
        "`es`: the messages in Spanish, but for a few that quote a workbook. Any other language: in English. Codes are "
        "the same in both.",
    ),
)
_IF_NONE_MATCH = parameter(
    "header", "If-None-Match", "The `ETag` of the answer that you keep, or several: `304` if nothing has changed since."
)


def _complete(route: str, operation: Document) -> None:
    """Add what every operation of clients has: headers, and the examples that tests have recorded."""
    name, responses = operation["operationId"], operation["responses"]
    if route.startswith("/api/"):
        sent = [*_SENT, _IF_NONE_MATCH] if name in _CONDITIONAL else _SENT
        operation["parameters"] = [*operation.get("parameters", []), *({**each, "required": False} for each in sent)]
    if name in _CONDITIONAL:
        responses["304"] = {"description": "Nothing has changed: the answer that you keep holds."}
    for body in operation.get("requestBody", {}).get("content", {}).values():
        body.setdefault("examples", {})
    for status, response in responses.items():
        recorded = {
            **_load_examples().get(SHARED, {}).get(status, {}),
            **_load_examples().get(name, {}).get(status, {}),
        }
        for media_type, body in response.get("content", {}).items():
            if status < "400":
                body.setdefault("examples", _examples(name, status) if media_type == JSON else {})
                continue
            body["examples"] = {
                code: {"summary": code, "description": each["summary"], "value": recorded.get(code, each["value"])}
                for code, each in body["examples"].items()
            }
        if links := _LINKS.get((name, status)):
            response["links"] = links
        response["headers"] = _headers_of(route, name, status)


def _service_paths() -> Document:
    """Return the paths without a password, which are no views of Django REST framework."""
    examples = {"Alive": {"summary": "Alive", "value": {"status": "ok"}}}
    alive: Document = {JSON: {"schema": {"$ref": Liveness}, "examples": examples}}
    described = {"/health": ("health", "Is the process alive?", "Constant and unlimited.", "It is.", alive)}
    for country in LAYOUTS:
        described[f"/docs/templates/manifest-{country}.xlsx"] = (
            f"manifestTemplate{country}",
            f"The workbook for {SERVED[country].name}, to be filled in",
            (
                "Uploaded as it is, it gives no warning and no notice. Except for Chile, your operator has to open "
                "workbooks to your company first."
            ),
            "The workbook.",
            {XLSX: BINARY},
        )
    return {
        path: {
            "get": {
                "operationId": name, "summary": summary, "description": description, "tags": [operations.SERVICE],
                "security": [{}],
                "responses": {
                    "200": {"description": success, "content": content},
                    "405": {"description": "Another method than GET; `Allow` lists them."},
                },
            }
        }
        for path, (name, summary, description, success, content) in described.items()
    }  # fmt: skip


@cache
def document(*, has_webhooks: bool = True) -> Document:
    """The document without its `servers`: the same for whoever asks. Not to be changed by the caller."""
    sandbox = operations.in_sandbox() if settings.SANDBOX else ()
    components = Components()
    paths = components.collect(_describe_all(_CLIENTS, [*sandbox, *operations.CLIENTS]) | _service_paths())
    for route, item in paths.items():
        for operation in item.values():
            _complete(route, operation)
    of_company = (
        f"The company's API password, `Authorization: Bearer {passwords.prefix()}...`. It identifies the company that "
        "is calling. It belongs on servers, never in a browser or an app."
    )
    of_webhooks = (
        "Version 1: the secret that you agreed on with the operators; compare it in constant time. Version 2 sends no "
        "secret: verify its signature."
    )
    described = {"ApiPassword": of_company} | ({"WebhookSecret": of_webhooks} if has_webhooks else {})
    security = {
        name: {"type": "http", "scheme": "bearer", "description": sentence} for name, sentence in described.items()
    }
    headers = {name: each for name, each in _HEADERS.items() if sandbox or name != "InSandbox"}
    sent = {"webhooks": components.collect(EVENTS)} if has_webhooks else {}
    return {
        **_about(
            "Pre-Alerts API (sandbox)" if sandbox else "Pre-Alerts API",
            settings.API_VERSION,
            Path(__file__).with_name("about.md").read_text(encoding="utf-8"),
            operations.TAGS | (operations.SANDBOX_TAG if sandbox else {}),
        ),
        "paths": paths,
        "components": {"schemas": components.sorted(), "securitySchemes": security, "headers": headers},
        **sent,
    }


@lru_cache(maxsize=16)
def encode_document(root: str, has_webhooks: bool = True) -> bytes:  # noqa: FBT001, FBT002  # a key of the cache
    """The document as it is served. root: the service's own address as the client wrote it, such as
    `https://prealerts.example.com`."""
    made = document(has_webhooks=has_webhooks)
    guide = {"description": "The quick start", "url": f"{root}/docs/quickstart/"}
    receivers = {"description": "The guide for receivers", "url": f"{root}/docs/webhooks/"}
    tags = [{**tag, "externalDocs": receivers} if tag["name"] == WEBHOOKS else tag for tag in made["tags"]]
    whole = {**made, "servers": [{"url": root}], "externalDocs": guide, "tags": tags}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
