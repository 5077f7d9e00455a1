"""A `TypedDict` of the code becomes a component of the document."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from base.http.json_types import Count, Keywords, Moment, known_words
from prealerts.reference.shapes import object_schema


class Box(TypedDict):
    """A part of a load."""

    weight_kg: float


class Load(TypedDict):
    """What a lorry carries.

    More than one line.
    """

    plate: Annotated[str, Keywords(maxLength=8), "As it is written."]
    is_sealed: Literal[True]
    boxes: Annotated[list[Box], "Heaviest first."]
    left_at: Annotated[Moment | None, "Null until it leaves."]
    by_size: dict[str, Count]
    colour: NotRequired[Annotated[str, known_words(["red", "blue"])]]


class Extended(Load):
    """A load with a driver."""

    driver: str


def reference(kind: Any) -> dict[str, object]:
    return {"$ref": kind.__name__}


def test_each_type_has_its_schema() -> None:
    assert object_schema(Load, reference) == {
        "type": "object",
        "description": "What a lorry carries.\n\nMore than one line.",
        "properties": {
            "plate": {"type": "string", "maxLength": 8, "description": "As it is written."},
            "is_sealed": {"type": "boolean", "description": "Always `true`."},
            "boxes": {"type": "array", "items": {"$ref": "Box"}, "description": "Heaviest first."},
            "left_at": {"type": ["string", "null"], "format": "date-time", "description": "Null until it leaves."},
            "by_size": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
            "colour": {"type": "string", "x-extensible-enum": ["red", "blue"]},
        },
        "required": ["boxes", "by_size", "is_sealed", "left_at", "plate"],
    }


def test_inherited_fields_come_first() -> None:
    assert list(object_schema(Extended, reference)["properties"])[-2:] == ["colour", "driver"]  # type: ignore[call-overload]  # a schema's values are objects


@pytest.mark.parametrize("hint", [int | str, set[str], Literal["a", "b"]])
def test_a_type_without_a_schema_is_refused_by_name(hint: Any) -> None:
    unknown: Any = TypedDict("unknown", {"field": hint})
    unknown.__doc__ = "A type."
    with pytest.raises(TypeError, match="has no JSON schema yet"):
        object_schema(unknown, reference)
