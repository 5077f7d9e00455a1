"""The JSON schema of what the service sends, from the `TypedDict`s that type the code which makes it.

`base.http.json_types` defines what `Annotated` adds to a type.
"""

from abc import ABC
from collections.abc import Callable
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction

from base.http.json_types import Keywords

Schema = dict[str, object]
Reference = Callable[[Any], Schema]
"""From a `TypedDict` to the `$ref` of its component."""

_PLAIN: dict[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number", "format": "double"},
    bool: {"type": "boolean"},
    object: {},
}


class _TypedDict(ABC):  # noqa: B024  # it is only asked for its subclasses
    """Every `TypedDict` counts as a subclass; they share no base of their own."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return is_typeddict(other)


class _TypedDictExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # it registers itself
    """Makes a component of each `TypedDict`. drf-spectacular repeats it at each use, and reads no `Annotated`."""

    target_class = _TypedDict
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:  # noqa: ARG002  # as declared
        """`Guide` for `AnsweredGuide`, which differs from the model in its name."""
        return str(self.target.__name__.removeprefix("Answered"))

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        def reference(kind: Any) -> Schema:  # noqa: ANN401  # a TypedDict has no type to name
            return dict(auto_schema.resolve_serializer(kind, direction).ref)

        return object_schema(self.target, reference)


def object_schema(kind: Any, reference: Reference) -> Schema:  # noqa: ANN401  # a TypedDict has no type to name
    """The schema of a `TypedDict`; its docstring is the description."""
    return {
        "type": "object",
        "description": cleandoc(kind.__doc__),
        "properties": {
            name: _schema(hint, reference) for name, hint in get_type_hints(kind, include_extras=True).items()
        },
        "required": sorted(kind.__required_keys__),
    }


def _schema(hint: Any, reference: Reference) -> Schema:  # noqa: ANN401  # any type hint
    """The schema of one value. Raises `TypeError` for a hint that no answer has needed so far."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return reference(hint)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is NotRequired:
        return _schema(arguments[0], reference)
    if origin is Annotated:
        schema = _schema(arguments[0], reference)
        for note in arguments[1:]:
            schema |= note.keywords if isinstance(note, Keywords) else {"description": note}
        return schema
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], reference)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], reference)}
    if origin is Literal and len(arguments) == 1:
        constant = arguments[0]
        if isinstance(constant, bool):  # of a boolean `const`, generators make clients that refuse every answer
            return {"type": "boolean", "description": f"Always `{str(constant).lower()}`."}
        return {**_PLAIN[type(constant)], "const": constant}
    if origin in {Union, UnionType} and len(arguments) == 2 and arguments[1] is NoneType:
        schema = _schema(arguments[0], reference)
        return (
            {**schema, "type": [schema["type"], "null"]} if "type" in schema else {"oneOf": [schema, {"type": "null"}]}
        )
    raise TypeError(f"{hint} has no JSON schema yet.")
