"""The JSON schema of each kind of value that the reader of JSON manifests knows: what its `read` accepts."""

from functools import singledispatch

from shipments.manifests.field_kinds import Count, DecimalNumber, Document, FieldKind, Items, Text, YesNo
from shipments.manifests.payload.marketplace import MARKETPLACE_KEYS

Schema = dict[str, object]

BLANK = r"\s*"
_NUMBER = r"\s*-?[0-9]{1,40}(\.[0-9]{1,40})?\s*"


def whole(*patterns: str) -> str:
    """A pattern for a text that is one of these from end to end."""
    return f"^({'|'.join(patterns)})$"


@singledispatch
def schema_of(kind: FieldKind, *, is_required: bool) -> Schema:
    """The JSON values that a kind reads. is_required: whether null and blanks, which mean absent, are refused."""
    raise TypeError(f"{kind} ({is_required=}) is described nowhere.")


def _types(*names: str, is_required: bool) -> str | list[str]:
    return nullable(*names) if not is_required else names[0] if len(names) == 1 else list(names)


def nullable(*names: str) -> list[str]:
    """Types, and those of what counts as absent: null and blanks."""
    return list(dict.fromkeys((*names, "string", "null")))


@schema_of.register
def _(kind: Text, *, is_required: bool) -> Schema:
    names = ("string", "integer") if kind.takes_integers else ("string",)
    present = {"pattern": r"\S"} if is_required else {}
    return {"type": _types(*names, is_required=is_required), "maxLength": kind.max_length, **present}


@schema_of.register
def _(kind: DecimalNumber, *, is_required: bool) -> Schema:
    # Rounded first, then held against the bounds: half a step below the minimum is the minimum. Below zero is not.
    half = kind.step / 2
    return {
        "type": _types("number", "string", is_required=is_required),
        "minimum": float(kind.minimum - half if kind.minimum else kind.minimum),
        "exclusiveMaximum": float(kind.maximum + half),
        "pattern": whole(_NUMBER) if is_required else whole(_NUMBER, BLANK),
    }


@schema_of.register
def _(kind: Count, *, is_required: bool) -> Schema:
    return {
        "type": _types("integer", "string", is_required=is_required),
        "minimum": kind.minimum,
        "maximum": kind.maximum,
        "pattern": whole(_NUMBER) if is_required else whole(_NUMBER, BLANK),
    }


@schema_of.register
def _(_kind: YesNo, *, is_required: bool) -> Schema:
    return {"type": _types("boolean", is_required=is_required), "pattern": whole(BLANK)}


@schema_of.register
def _(kind: Items, *, is_required: bool) -> Schema:
    return {
        "type": _types("array", is_required=is_required),
        "maxItems": kind.maximum,
        "pattern": whole(BLANK),
    }


@schema_of.register
def _(_kind: Document, *, is_required: bool) -> Schema:
    # The identifiers have no type here: whose they are decides whether they must be texts or must be empty.
    note = "Only for a certain marketplace's client, who sends a non-blank string or a whole number with every guide."
    return {
        "type": _types("object", is_required=is_required),
        "pattern": whole(BLANK),
        "properties": {key: {"description": note} for key in MARKETPLACE_KEYS},
        "additionalProperties": True,
    }
