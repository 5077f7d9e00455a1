"""What the API takes: what clients should send, not everything that the reader forgives.

The schemas are made from the tables that the reader of JSON manifests itself works with. Where they cannot say a rule
(a check digit, an airport that exists, an arrival after its departure), the description does.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import get_args

from django.utils.text import capfirst
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers

from base.http.bodies import RequestBody
from prealerts.reference.shapes import Schema
from shipments.manifests import flights
from shipments.manifests.field_kinds import Count, DecimalNumber, Document, Field, FieldKind, Items, Text, YesNo
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.manifest import MAX_GUIDES, TransportMode
from shipments.manifests.payload.body import MANIFEST_FIELDS, MAX_CLIENT_CODE_LENGTH
from shipments.manifests.payload.corrections import CORRECTABLE
from shipments.manifests.payload.guides import MARKETPLACE_KEYS
from shipments.manifests.payload.products import DERIVED_FIELDS, PRODUCT_FIELDS

Reference = Callable[[type[serializers.Serializer[object]]], Schema]

_EXAMPLES: Mapping[str, object] = {
    **{field.name: field.example for field in GUIDE_FIELDS},
    "description": "Cadena de bicicleta", "quantity": 4, "unit_value": 18.75, "mawb": "045-70310122",
    "transport_mode": "air", "client_code": "ACME", "flight_number": "LA2369", "origin_airport": "MIA",
    "origin_country": "US", "destination_airport": "SCL", "destination_country": "PE", "country": "CL",
    "scheduled_departure": "2026-12-14T21:30:00-05:00", "scheduled_arrival": "2026-12-15T06:45:00-03:00",
}  # fmt: skip


def _schema_of(kind: FieldKind) -> Schema:
    match kind:
        case Text():
            return {"type": "string", "maxLength": kind.max_length}
        case DecimalNumber():
            return {
                "type": "number",
                "format": "double",
                "minimum": float(kind.minimum),
                "maximum": float(kind.maximum),
            }
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


def _sentence(text: str) -> str:
    return f"{capfirst(text)}."


def _properties(fields: Iterable[Field], optional: Iterable[str] = ()) -> dict[str, object]:
    """The properties of a table's fields, and which are required. optional: further names that may be left out."""
    properties: dict[str, Schema] = {}
    required = []
    for field in fields:
        note = field.note.removeprefix("required; ")
        schema = _schema_of(field.kind)
        if (field.required or note != field.note) and field.name not in optional:
            required.append(field.name)
            schema |= {"minLength": 1, "pattern": r"\S"} if isinstance(field.kind, Text) else {}
        else:
            schema["type"] = [schema["type"], "null"]
        sentences = [_sentence(text) for text in (field.kind.describe(), note) if text]
        properties[field.name] = schema | {
            "description": " ".join(sentences).replace(", or an integer", ""),
            "examples": [_EXAMPLES[field.name]],
        }
    return {"type": "object", "properties": properties, "required": required}


class _Described(serializers.Serializer[object]):
    """A serializer whose JSON schema, `schema(reference)`, follows from a field table."""


class _FromTable(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """Makes drf-spectacular use the table. `reference` names another serializer's component."""

    target_class = _Described
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        def reference(serializer: type[serializers.Serializer[object]]) -> Schema:
            return dict(auto_schema.resolve_serializer(serializer, direction).ref)

        return self.target.schema(reference)  # type: ignore[no-any-return]  # the extension is untyped


class _Closed(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # as above
    """Says of a body whose unknown keys are refused that it has none."""

    target_class = RequestBody
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        # As the library's own documentation has it.
        schema: Schema = auto_schema._map_serializer(  # type: ignore[no-untyped-call]  # noqa: SLF001
            self.target, direction, bypass_extensions=True
        )
        return schema | {"additionalProperties": False}


class JsonProduct(_Described):
    """One line of a guide with several products."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:  # noqa: ARG003  # it refers to nothing
        return _properties(PRODUCT_FIELDS)


class JsonGuide(_Described):
    """One guide of a canonical JSON manifest."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:
        schema = _properties(GUIDE_FIELDS, optional=DERIVED_FIELDS)
        schema["properties"]["products"]["items"] = reference(JsonProduct)  # type: ignore[index]  # it is a mapping
        derived = [f"`{field.name}`" for field in GUIDE_FIELDS if field.required and field.name in DERIVED_FIELDS]
        return schema | {
            "description": f"Without products, {', '.join(derived)} are required. With products, weight, values, "
            "description and HS code are the products', and the guide's own are ignored. Unknown keys are ignored, "
            "with a notice.",
        }


class GuideCorrection(_Described):
    """What to correct of a guide: at least one field."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:
        schema = _properties(CORRECTABLE, optional=[field.name for field in CORRECTABLE])
        schema["properties"]["products"]["items"] = reference(JsonProduct)  # type: ignore[index]  # as above
        schema["properties"]["client_code"] = {"type": ["string", "null"], "description": "Couriers only."}  # type: ignore[index]  # as above
        del schema["required"]
        return schema | {
            "description": "null empties an optional field. With products, weight, values, description and HS code "
            "follow from them and are not sent.",
            "additionalProperties": False,
            "minProperties": 1,
        }


_AIRPORT, _COUNTRY = "^[A-Za-z]{3}$", "^[A-Za-z]{2}$"
_FLIGHT_VALUES: Mapping[str, str] = {
    "flight_number": r"^[A-Za-z0-9 \-]+$",
    "origin_airport": _AIRPORT,
    "origin_country": _COUNTRY,
    "destination_airport": _AIRPORT,
    "scheduled_departure": f"^({flights.DATE_AND_TIME.pattern})$",
    "scheduled_arrival": f"^({flights.DATE_AND_TIME.pattern})$",
}


class JsonManifest(_Described):
    """A canonical JSON manifest."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:
        values: Mapping[str, Schema] = {
            **{name: {"type": ["string", "null"], "pattern": pattern} for name, pattern in _FLIGHT_VALUES.items()},
            "mawb": {"type": "string", "pattern": "^[0-9]{3}[- ]?[0-9]{8}$"},
            "transport_mode": {"type": "string", "enum": list(get_args(TransportMode))},
            "client_code": {"type": ["string", "null"], "maxLength": MAX_CLIENT_CODE_LENGTH},
            "destination_country": {"type": ["string", "null"], "pattern": _COUNTRY},
            "country": {"type": ["string", "null"]},
            "guides": {"type": "array", "minItems": 1, "maxItems": MAX_GUIDES, "items": reference(JsonGuide)},
        }
        properties = {
            field.name: {
                **values[field.name],
                "description": _sentence(field.takes),
                **({"examples": [_EXAMPLES[field.name]]} if field.name in _EXAMPLES else {}),
            }
            for field in MANIFEST_FIELDS
        }
        return {
            "type": "object",
            # Not as `anyOf`: openapi-generator then makes a Python model that reads and writes nothing.
            "description": "By air `destination_airport` is required, on the ground `destination_country`. Unknown "
            "keys are ignored, with a notice.",
            "properties": properties,
            "required": [field.name for field in MANIFEST_FIELDS if field.required],
        }


XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class UploadForm(_Described):
    """The multipart form of an upload."""

    @classmethod
    def schema(cls, reference: Reference) -> Schema:  # noqa: ARG003  # it refers to nothing
        takes = {field.name: _sentence(field.takes) for field in MANIFEST_FIELDS}
        takes["destination_airport"] = takes["origin_airport"]  # the workbook's own destination serves as well
        files: Schema = {
            "manifest_file": _file(XLSX, "The manifest, an .xlsx of at most 20 MB. The MAWB is read from it."),
            "invoice_file": _file("application/pdf", "The customs invoice, a PDF of at most 20 MB; kept, not read."),
        }
        # Without examples: the page to try calls would send them, and they would win over the workbook.
        fields: Schema = {
            name: {"type": "string", "pattern": pattern, "description": takes[name]}
            for name, pattern in _FLIGHT_VALUES.items()
        }
        return {
            "type": "object",
            "description": "Unknown fields are ignored.",
            "properties": files | fields,
            "required": ["manifest_file"],
        }


def _file(media_type: str, description: str) -> Schema:
    return {"type": "string", "format": "binary", "contentMediaType": media_type, "description": description}
