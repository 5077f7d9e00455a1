"""JSON schemas: of answers by their `TypedDict`s, of requests by their serializers, of manifests by field tables.

`{"$ref": kind}` refers to what has a name of its own, a type or a `Component`; `Components` collects these.
`base.http.json_types` defines what `Annotated` adds to a type. The field tables are those that the reader of JSON
manifests works with: what clients should send, not everything that it forgives. Where a schema cannot say a rule (a
check digit, an airport that exists, an arrival after its departure), the description does.
"""

from collections.abc import Iterable, Mapping
from inspect import cleandoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from django.core.validators import (
    MaxLengthValidator,
    MaxValueValidator,
    MinLengthValidator,
    MinValueValidator,
    RegexValidator,
)
from django.utils.text import capfirst
from rest_framework import serializers
from rest_framework.fields import empty

from base.http.json_types import Keywords
from shipments.manifests import flights
from shipments.manifests.field_kinds import Count, DecimalNumber, Document, Field, FieldKind, Items, Text, YesNo
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import MAX_GUIDES, TransportMode
from shipments.manifests.payload.body import MANIFEST_FIELDS, MAX_CLIENT_CODE_LENGTH
from shipments.manifests.payload.corrections import CORRECTABLE
from shipments.manifests.payload.guides import MARKETPLACE_KEYS
from shipments.manifests.payload.products import DERIVED_FIELDS, PRODUCT_FIELDS

Schema = dict[str, Any]
CURSOR: Final = "4nYj2mTBAGVg0uF7bSgVfM3s2Qk1Yc0aQ8n5rW6tXpE"
"""In examples: opaque, as those of answers are."""


class Component(NamedTuple):
    """A schema with a name. about: a sentence for where it is answered."""

    name: str
    schema: Schema
    about: str = ""


class Components:
    """The components of a document, by name."""

    def __init__(self) -> None:
        self._schemas: dict[str, Schema] = {}
        self._kinds: dict[str, object] = {}

    def sorted(self) -> dict[str, Schema]:
        return dict(sorted(self._schemas.items()))

    def collect(self, node: Any) -> Any:  # noqa: ANN401  # any part of a document
        """Return `node` with names in its references; what they lead to becomes a component."""
        if isinstance(node, list):
            return [self.collect(each) for each in node]
        if not isinstance(node, Mapping):
            return node
        kind = node.get("$ref", "")
        if isinstance(kind, str):
            return {name: self.collect(value) for name, value in node.items()}
        name, schema, _about = kind if isinstance(kind, Component) else _component(kind)
        if self._kinds.setdefault(name, kind) is not kind:
            raise ValueError(f"Two types would be the component {name}.")
        if name not in self._schemas:
            self._schemas[name] = {}  # it may lead to itself
            self._schemas[name] = self.collect(schema)
        return {**node, "$ref": f"#/components/schemas/{name}"}


def _component(kind: Any) -> Component:  # noqa: ANN401  # a TypedDict has no type to name
    """Return that of a `TypedDict`, `Guide` for `AnsweredGuide`, or of a serializer, whose unknown keys are refused."""
    described: Schema = {"type": "object", "description": cleandoc(kind.__doc__)}
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        described["properties"] = {name: _of_hint(hint) for name, hint in hints.items()}
        described["required"] = sorted(kind.__required_keys__)
        return Component(kind.__name__.removeprefix("Answered"), described)
    fields = kind().fields
    if fields:
        described["properties"] = {name: _of_field(field) for name, field in fields.items()}
    if required := sorted(name for name, field in fields.items() if field.required):
        described["required"] = required
    return Component(kind.__name__, {**described, "additionalProperties": False})


# --- types ------------------------------------------------------------------------------------------------------

_PLAIN: Mapping[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number", "format": "double"},
    bool: {"type": "boolean"},
    object: {},
}


def _of_hint(hint: Any) -> Schema:  # noqa: ANN401  # any type hint
    """The schema of a type. Raises `TypeError` for a hint that no answer has needed so far."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return {"$ref": hint}
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is NotRequired:
        return _of_hint(arguments[0])
    if origin is Annotated:
        schema = _of_hint(arguments[0])
        for note in arguments[1:]:
            schema |= note.keywords if isinstance(note, Keywords) else {"description": note}
        return schema
    if origin is list:
        return {"type": "array", "items": _of_hint(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of_hint(arguments[1])}
    if origin is Literal and len(arguments) == 1:
        constant = arguments[0]
        if isinstance(constant, bool):  # of a boolean `const`, generators make clients that refuse every answer
            return {"type": "boolean", "description": f"Always `{str(constant).lower()}`."}
        return {**_PLAIN[type(constant)], "const": constant}
    if origin in {Union, UnionType} and len(arguments) == 2 and arguments[1] is NoneType:
        schema = _of_hint(arguments[0])
        return (
            {**schema, "type": [schema["type"], "null"]} if "type" in schema else {"oneOf": [schema, {"type": "null"}]}
        )
    raise TypeError(f"{hint} has no JSON schema yet.")


# --- serializers ------------------------------------------------------------------------------------------------

_FIELDS: Mapping[type[serializers.Field[Any, Any, Any, Any]], Schema] = {
    serializers.BooleanField: {"type": "boolean"},
    serializers.IntegerField: {"type": "integer"},
    serializers.UUIDField: {"type": "string", "format": "uuid"},
    serializers.DateTimeField: {"type": "string", "format": "date-time"},
    serializers.ChoiceField: {"enum": [], "type": "string"},
    serializers.CharField: {"type": "string"},
    serializers.DictField: {"type": "object"},
    serializers.ListField: {"type": "array"},
    serializers.ListSerializer: {"type": "array"},
}
_BOUNDS = {
    MaxLengthValidator: "maxLength",
    MinLengthValidator: "minLength",
    MaxValueValidator: "maximum",
    MinValueValidator: "minimum",
}


def _of_field(field: Any) -> Schema:  # noqa: ANN401  # DRF's fields have many types
    """The schema of a serializer's field. Raises `StopIteration` for a kind that no request has needed so far."""
    if isinstance(field, serializers.Serializer):
        return {"$ref": type(field)}
    schema = next(dict(each) for kind, each in _FIELDS.items() if isinstance(field, kind))
    is_list = schema["type"] == "array"
    if hasattr(field, "child"):
        schema["items" if is_list else "additionalProperties"] = _of_field(field.child)
    if "enum" in schema:
        schema["enum"] = [*field.choices, *([None] if field.allow_null else [])]
    if field.allow_null:
        schema["type"] = [schema["type"], "null"]
    if field.default is not empty and field.default is not None:
        schema["default"] = field.default
    if field.help_text:
        schema["description"] = str(field.help_text)
    for check in field.validators:
        if isinstance(check, RegexValidator):
            schema["pattern"] = check.regex.pattern.replace(r"\Z", "$")  # type: ignore[union-attr]  # it is compiled
        elif bound := _BOUNDS.get(type(check)):
            schema[bound.replace("Length", "Items") if is_list else bound] = check.limit_value
    return schema


def parameter(place: str, name: str, description: str = "", **schema: object) -> Schema:
    """Return a parameter of a request: a text, if `schema` does not say otherwise."""
    described = {"description": description} if description else {}
    return {"in": place, "name": name, "schema": {"type": "string", **schema}, **described}


def query_parameters(serializer: type[serializers.Serializer[Any]]) -> list[Schema]:
    """The parameters of a query. An empty text counts as no value."""
    parameters = []
    for name, field in serializer().fields.items():
        schema = _of_field(field)
        found = parameter("query", name, schema.pop("description", ""), **schema)
        if isinstance(field, serializers.CharField):
            found["schema"]["minLength"] = 1
        elif isinstance(field, serializers.ListField):
            found["explode"] = True
        if name == "cursor":
            found["example"] = CURSOR
        parameters.append(found)
    return parameters


# --- field tables -----------------------------------------------------------------------------------------------

_EXAMPLES: Mapping[str, object] = {
    **{field.name: field.example for field in GUIDE_FIELDS},
    "description": "Cadena de bicicleta", "quantity": 4, "unit_value": 18.75, "mawb": "045-70310122",
    "transport_mode": "air", "client_code": "ACME", "flight_number": "LA2369", "origin_airport": "MIA",
    "origin_country": "US", "destination_airport": "SCL", "destination_country": "PE", "country": "CL",
    "scheduled_departure": "2026-12-14T21:30:00-05:00", "scheduled_arrival": "2026-12-15T06:45:00-03:00",
}  # fmt: skip


def _of_kind(kind: FieldKind) -> Schema:
    match kind:
        case Text():
            return {"type": "string", "maxLength": kind.max_length}
        case DecimalNumber():
            bounds = {"minimum": float(kind.minimum), "maximum": float(kind.maximum)}
            return {"type": "number", "format": "double", **bounds}
        case Count():
            return {"type": "integer", "minimum": kind.minimum, "maximum": kind.maximum}
        case YesNo():
            return {"type": "boolean"}
        case Items():
            return {"type": "array", "maxItems": kind.maximum}
        case Document():
            note = "Only for a certain marketplace's client, who sends it with every guide."
            keys = {key: {"type": "string", "minLength": 1, "description": note} for key in MARKETPLACE_KEYS}
            return {"type": "object", "properties": keys, "additionalProperties": True}
    raise TypeError(f"{kind} is described nowhere.")


def _of_table(fields: Iterable[Field], optional: Iterable[str] = ()) -> Schema:
    """The schema of an object with a table's fields. optional: names of required ones that may be left out."""
    properties: dict[str, Schema] = {}
    required = []
    for field in fields:
        note = field.note.removeprefix("required; ")
        schema = _of_kind(field.kind)
        if (field.required or note != field.note) and field.name not in optional:
            required.append(field.name)
            schema |= {"minLength": 1, "pattern": r"\S"} if isinstance(field.kind, Text) else {}
        else:
            schema["type"] = [schema["type"], "null"]
        sentences = [f"{capfirst(text)}." for text in (field.kind.describe(), note) if text]
        described = {"description": " ".join(sentences).replace(", or an integer", "")}
        properties[field.name] = {**schema, **described, "examples": [_EXAMPLES[field.name]]}
        if field.name == "products":
            properties[field.name]["items"] = {"$ref": JSON_PRODUCT}
    return {"type": "object", "properties": properties, "required": required}


JSON_PRODUCT = Component("JsonProduct", _of_table(PRODUCT_FIELDS))
_derived = [f"`{field.name}`" for field in GUIDE_FIELDS if field.required and field.name in DERIVED_FIELDS]
_JSON_GUIDE = Component("JsonGuide", {
    **_of_table(GUIDE_FIELDS, optional=DERIVED_FIELDS),
    "description": f"Without products, {', '.join(_derived)} are required. With products, weight, values, description "
    "and HS code are the products', and the guide's own are ignored. Unknown keys are ignored, with a notice.",
})  # fmt: skip
_correctable = _of_table(CORRECTABLE, optional=[field.name for field in CORRECTABLE])["properties"]
GUIDE_CORRECTION = Component("GuideCorrection", {
    "type": "object",
    "properties": {**_correctable, "client_code": {"type": ["string", "null"], "description": "Couriers only."}},
    "description": "null empties an optional field. With products, weight, values, description and HS code follow from "
    "them and are not sent.",
    "additionalProperties": False,
    "minProperties": 1,
})  # fmt: skip

_AIRPORT, _COUNTRY = "^[A-Za-z]{3}$", "^[A-Za-z]{2}$"
_FLIGHT_VALUES: Mapping[str, str] = {
    "flight_number": r"^[A-Za-z0-9 \-]+$",
    "origin_airport": _AIRPORT,
    "origin_country": _COUNTRY,
    "destination_airport": _AIRPORT,
    "scheduled_departure": f"^({flights.DATE_AND_TIME.pattern})$",
    "scheduled_arrival": f"^({flights.DATE_AND_TIME.pattern})$",
}
_MANIFEST_VALUES: Mapping[str, Schema] = {
    **{name: {"type": ["string", "null"], "pattern": pattern} for name, pattern in _FLIGHT_VALUES.items()},
    "mawb": {"type": "string", "pattern": "^[0-9]{3}[- ]?[0-9]{8}$"},
    "transport_mode": {"type": "string", "enum": list(get_args(TransportMode))},
    "client_code": {"type": ["string", "null"], "maxLength": MAX_CLIENT_CODE_LENGTH},
    "destination_country": {"type": ["string", "null"], "pattern": _COUNTRY},
    "country": {"type": ["string", "null"]},
    "guides": {"type": "array", "minItems": 1, "maxItems": MAX_GUIDES, "items": {"$ref": _JSON_GUIDE}},
}
_takes = {field.name: f"{capfirst(field.takes)}." for field in MANIFEST_FIELDS}
JSON_MANIFEST = Component("JsonManifest", {
    "type": "object",
    # Not as `anyOf`: openapi-generator then makes a Python model that reads and writes nothing.
    "description": "By air `destination_airport` is required, on the ground `destination_country`. Unknown keys are "
    "ignored, with a notice.",
    "properties": {
        name: {
            **_MANIFEST_VALUES[name], "description": takes,
            **({"examples": [_EXAMPLES[name]]} if name in _EXAMPLES else {}),
        }
        for name, takes in _takes.items()
    },
    "required": [field.name for field in MANIFEST_FIELDS if field.required],
})  # fmt: skip

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
UPLOAD_FORM = Component("UploadForm", {
    "type": "object",
    "description": "Unknown fields are ignored.",
    "properties": {
        "manifest_file": {
            "type": "string", "format": "binary", "contentMediaType": XLSX,
            "description": "The manifest, an .xlsx of at most 20 MB. The MAWB is read from it.",
        },
        "invoice_file": {
            "type": "string", "format": "binary", "contentMediaType": "application/pdf",
            "description": "The customs invoice, a PDF of at most 20 MB; kept, not read.",
        },
        # Without examples: the page to try calls would send them, and they would win over the workbook.
        **{
            # The workbook's own destination serves as well.
            name: {"type": "string", "pattern": pattern,
                   "description": _takes[name.replace("destination_airport", "origin_airport")]}
            for name, pattern in _FLIGHT_VALUES.items()
        },
    },
    "required": ["manifest_file"],
})  # fmt: skip
