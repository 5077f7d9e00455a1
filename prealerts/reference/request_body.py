"""What the API takes, from the tables that the reader of JSON manifests itself works with.

`kinds.py` turns each kind of value into a JSON schema. Where that cannot say a rule (a check digit, an airport that
exists, an arrival after its departure), the description does.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast, get_args

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers

from prealerts.reference.kinds import BLANK, Schema, nullable, schema_of, whole
from shipments.manifests import flights
from shipments.manifests.field_kinds import Field
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import MAX_GUIDES, TransportMode
from shipments.manifests.payload import MANIFEST_FIELDS, PRODUCT_FIELDS
from shipments.manifests.payload.body import MAX_CLIENT_CODE_LENGTH
from shipments.manifests.payload.corrections import CORRECTABLE
from shipments.manifests.payload.products import DERIVED_FIELDS

Reference = Callable[[type[serializers.Serializer[object]]], Schema]

_EXAMPLES: Mapping[str, object] = {
    **{field.name: field.example for field in GUIDE_FIELDS},
    "description": "Cadena de bicicleta",
    "quantity": 4,
    "unit_value": 18.75,
    "mawb": "045-70310122",
    "transport_mode": "air",
    "client_code": "ACME",
    "flight_number": "LA2369",
    "origin_airport": "MIA",
    "origin_country": "US",
    "destination_airport": "SCL",
    "destination_country": "PE",
    "scheduled_departure": "2026-12-14T21:30:00-05:00",
    "scheduled_arrival": "2026-12-15T06:45:00-03:00",
    "country": "CL",
}


def _property(field: Field) -> Schema:
    note = field.note.removeprefix("required; ")
    sentences = [text[:1].upper() + text[1:] + "." for text in (field.kind.describe(), note) if text]
    if field.name == "category":  # any value at all is ignored outside Peru
        return {"description": " ".join(sentences), "examples": [_EXAMPLES[field.name]]}
    schema = schema_of(field.kind, is_required=field.required or note != field.note)
    return schema | {"description": " ".join(sentences), "examples": [_EXAMPLES[field.name]]}


def _required(fields: Sequence[Field]) -> list[str]:
    return [field.name for field in fields if field.required or field.note.startswith("required; ")]


class _Described(serializers.Serializer[object]):
    """A serializer whose JSON schema follows from a field table."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:
        """Its JSON schema; `reference` names another serializer's component."""
        raise NotImplementedError


class _FromTable(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """Makes drf-spectacular use the table."""

    target_class = _Described
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        def reference(serializer: type[serializers.Serializer[object]]) -> Schema:
            return dict(auto_schema.resolve_serializer(serializer, direction).ref)

        return self.target.schema(reference)  # type: ignore[no-any-return]  # the extension is untyped


class JsonProduct(_Described):
    """One line of a guide with several products."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:  # noqa: ARG003  # it refers to nothing
        properties = {field.name: _property(field) for field in PRODUCT_FIELDS}
        return {"type": "object", "properties": properties, "required": _required(PRODUCT_FIELDS)}


class JsonGuide(_Described):
    """One guide of a canonical JSON manifest."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:
        derived = {field.name: _property(field) for field in GUIDE_FIELDS if field.name in DERIVED_FIELDS}
        # Generators of clients read `properties` and `required` of an object, and little else.
        properties = {
            field.name: _type_alone(derived[field.name]) if field.name in derived else _property(field)
            for field in GUIDE_FIELDS
        }
        properties["products"]["items"] = reference(JsonProduct)
        a_product = {"type": "array", "minItems": 1, "items": reference(JsonProduct)}
        return {
            "type": "object",
            "description": "Text is trimmed; null and blanks count as absent. Unknown keys are ignored. With products, "
            "weight, values, description and HS code are the products', and the guide's own are ignored.",
            "properties": properties,
            "required": _required([field for field in GUIDE_FIELDS if field.name not in derived]),
            "if": {"properties": {"products": a_product}, "required": ["products"]},
            "else": {
                "properties": {name: _bounds_alone(schema) for name, schema in derived.items()},
                "required": _required([field for field in GUIDE_FIELDS if field.name in derived]),
            },
        }


class GuideCorrection(_Described):
    """What to correct of a guide: at least one field."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:
        properties = {field.name: _property(field) for field in CORRECTABLE}
        properties = {name: _type_alone(each) if "type" in each else each for name, each in properties.items()}
        properties["products"]["items"] = reference(JsonProduct)
        properties["client_code"] = {"type": ["string", "null"], "description": "Couriers only."}
        return {
            "type": "object",
            "description": "Text is trimmed; null and blanks empty an optional field. With products, weight, values, "
            "description and HS code follow from them and are not sent.",
            "properties": properties,
            "additionalProperties": False,
            "minProperties": 1,
        }


def _type_alone(schema: Schema) -> Schema:
    """A property without its bounds, and allowing what counts as absent: whether they hold depends on other keys."""
    names = schema["type"]
    kept = {key: value for key, value in schema.items() if key in {"description", "examples"}}
    return {"type": nullable(names) if isinstance(names, str) else nullable(*cast("list[str]", names)), **kept}


def _bounds_alone(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key not in {"description", "examples"}}


class JsonManifest(_Described):
    """A canonical JSON manifest."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:
        properties = {
            field.name: {
                **_manifest_value(field.name, reference),
                "description": field.takes[:1].upper() + field.takes[1:] + ".",
                **({"examples": [_EXAMPLES[field.name]]} if field.name in _EXAMPLES else {}),
            }
            for field in MANIFEST_FIELDS
        }
        airport = {"type": "string", "pattern": whole(_AIRPORT)}
        country = {"type": "string", "pattern": whole(_COUNTRY)}
        return {
            "type": "object",
            "description": "Unknown keys are ignored. null, an empty string and blanks count as absent.",
            "properties": properties,
            "required": [field.name for field in MANIFEST_FIELDS if field.required],
            "if": {"properties": {"transport_mode": {"const": "air"}}, "required": ["transport_mode"]},
            "then": {"properties": {"destination_airport": airport}, "required": ["destination_airport"]},
            "else": {"properties": {"destination_country": country}, "required": ["destination_country"]},
        }


_AIRPORT = r"\s*[A-Za-z]{3}\s*"
_COUNTRY = r"\s*[A-Za-z]{2}\s*"
_FLIGHT_VALUES: Mapping[str, str] = {
    "flight_number": r"[A-Za-z0-9 \-]*",
    "origin_airport": _AIRPORT,
    "origin_country": _COUNTRY,
    "destination_airport": _AIRPORT,
    "scheduled_departure": rf"\s*({flights.DATE_AND_TIME.pattern})\s*",
    "scheduled_arrival": rf"\s*({flights.DATE_AND_TIME.pattern})\s*",
}


def _manifest_value(name: str, reference: Reference) -> Schema:
    if name in _FLIGHT_VALUES:
        return {"type": ["string", "null"], "pattern": whole(_FLIGHT_VALUES[name], BLANK)}
    values: Mapping[str, Schema] = {
        "mawb": {
            "type": ["string", "integer"],
            "pattern": "^[^A-Za-z]+$",
            "minimum": 10**8,
            "maximum": 10**11 - 1,
        },
        "transport_mode": {"type": "string", "enum": list(get_args(TransportMode))},
        "client_code": {"type": ["string", "null"], "maxLength": MAX_CLIENT_CODE_LENGTH},
        "destination_country": {"type": ["string", "null"]},
        "country": {},
        "guides": {"type": "array", "minItems": 1, "maxItems": MAX_GUIDES, "items": reference(JsonGuide)},
    }
    return dict(values[name])


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class UploadForm(_Described):
    """The multipart form of an upload."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:  # noqa: ARG003  # it refers to nothing
        takes = {field.name: field.takes for field in MANIFEST_FIELDS}
        takes["destination_airport"] = takes["origin_airport"]  # the workbook's own destination serves as well
        files: Schema = {
            "manifest_file": _file(XLSX, "The manifest, an .xlsx of at most 20 MB. The MAWB is read from it."),
            "invoice_file": _file("application/pdf", "The customs invoice, a PDF of at most 20 MB; kept, not read."),
        }
        fields: Schema = {
            name: {
                "type": "string",
                "pattern": whole(pattern, BLANK),
                "description": takes[name][:1].upper() + takes[name][1:] + ".",
                "examples": [_EXAMPLES[name]],
            }
            for name, pattern in _FLIGHT_VALUES.items()
        }
        return {
            "type": "object",
            "description": "An empty value counts as absent. Unknown fields are ignored.",
            "properties": files | fields,
            "required": ["manifest_file"],
        }


def _file(media_type: str, description: str) -> Schema:
    return {"type": "string", "format": "binary", "contentMediaType": media_type, "description": description}
