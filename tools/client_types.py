"""Write the Python client's types from the OpenAPI document: `python -m tools.client_types`."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import django

import tests.environment  # noqa: F401  # invented secrets, for the settings below

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")

PACKAGE = Path(__file__).parent.parent / "clients" / "python" / "src" / "prealerts_client"

_HEAD = '''"""{about}

{kind}
What each field means is in the reference, at `/docs/` on the service. This module is written from the OpenAPI document.
"""

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict
'''
_ANSWERS = _HEAD.format(
    about="The types of the answers.",
    kind="They are plain dicts: fields that are newer than this package are in them as well.",
)
_MANIFESTS = _HEAD.format(
    about="The types of a canonical JSON manifest, of a correction and of answers on a layout, as they are sent.",
    kind="A key that is misspelt is an error of the type checker.",
)
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def generated() -> Mapping[str, str]:
    """Name of a module -> its text."""
    from prealerts.reference.document import document  # noqa: PLC0415  # after Django is set up

    whole = document()
    schemas = whole["components"]["schemas"]
    answers: dict[str, Any] = {}
    for item in whole["paths"].values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    _collect(response.get("content", {}), schemas, answers)
    manifests: dict[str, Any] = {}
    _collect({"$ref": "#/components/schemas/JsonManifest"}, schemas, manifests)
    _collect({"$ref": "#/components/schemas/LayoutAnswers"}, schemas, manifests)
    manifests["GuideCorrection"] = schemas["GuideCorrection"]
    return {
        "answers.py": _module(_ANSWERS, answers, is_open=True),
        "manifests.py": _module(_MANIFESTS, manifests, is_open=False),
    }


def _module(head: str, used: Mapping[str, Any], *, is_open: bool) -> str:
    """A formatted module. is_open: whether other values than those of an `enum` may come."""
    if not any("oneOf" in schema for schema in used.values()):
        head = head.replace(", TypeAlias", "")
    text = head + "".join(_class(name, schema, is_open=is_open) for name, schema in _in_order(used))
    run: list[str | Path] = [
        Path(sys.executable).with_name("ruff"),
        "format",
        "--stdin-filename",
        PACKAGE / "x.py",
        "-",
    ]
    return subprocess.run(run, input=text, capture_output=True, text=True, check=True).stdout


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if "$ref" in node:
            yield node["$ref"].rpartition("/")[2]
        for key, value in node.items():
            if key not in {"example", "examples"}:
                yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _collect(node: Any, schemas: Mapping[str, Any], used: dict[str, Any]) -> None:
    for name in _references(node):
        if name not in used and name in schemas:
            used[name] = schemas[name]
            _collect(schemas[name], schemas, used)


def _in_order(used: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """By name, each after those it refers to."""
    done: dict[str, Any] = {}

    def add(name: str) -> None:
        for other in sorted(set(_references(used[name])) & used.keys() - {name}):
            if other not in done:
                add(other)
        done[name] = used[name]

    for name in sorted(used):
        if name not in done:
            add(name)
    return list(done.items())


def _class(name: str, schema: Mapping[str, Any], *, is_open: bool) -> str:
    if "oneOf" in schema:
        return f"\n\n{name}: TypeAlias = {_hint(schema, is_open=is_open)}\n"
    lines = [f"\n\nclass {name}(TypedDict):"]
    for field, described in schema["properties"].items():
        hint = _hint(described, is_open=is_open)
        lines.append(f"    {field}: {hint if field in schema.get('required', ()) else f'NotRequired[{hint}]'}")
    return "\n".join(lines) + "\n"


def _hint(schema: Mapping[str, Any], *, is_open: bool) -> str:
    """The type of a value. Raises `TypeError` for a schema that nothing has needed so far."""
    kinds = schema.get("type")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if choices := schema.get("oneOf", schema.get("anyOf")):
        return " | ".join(_hint(each, is_open=is_open) for each in choices)
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema and not is_open:
        words = [each for each in schema["enum"] if each is not None]
        return f"Literal[{', '.join(map(repr, words))}]" + " | None" * (None in schema["enum"])
    if isinstance(kinds, list):
        return " | ".join(_hint({**schema, "type": kind}, is_open=is_open) for kind in kinds)
    if kinds == "array":
        return f"list[{_hint(schema['items'], is_open=is_open)}]"
    if kinds == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_hint(values, is_open=is_open) if isinstance(values, Mapping) and values else 'Any'}]"
    if kinds is None:
        return "Any"
    if kinds in _PLAIN:
        return _PLAIN[kinds]
    raise TypeError(f"{schema} has no type yet.")


if __name__ == "__main__":
    django.setup()
    for name, text in generated().items():
        (PACKAGE / name).write_text(text, encoding="utf-8")
