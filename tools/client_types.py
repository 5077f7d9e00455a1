"""Write the types of the Python client's answers from the OpenAPI document: `python -m tools.client_types`."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import django

import tests.environment  # noqa: F401  # invented secrets, for the settings below

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")

PATH = Path(__file__).parent.parent / "clients" / "python" / "src" / "prealerts_client" / "answers.py"

_HEAD = '''"""The types of the answers. `python -m tools.client_types` writes them from the OpenAPI document.

They are plain dicts: fields that are newer than this package are in them as well. What each field means is in the
reference, at `/docs/` on the service.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def generated() -> str:
    """The module."""
    from prealerts.reference.document import document  # noqa: PLC0415  # after Django is set up

    whole = document()
    schemas = whole["components"]["schemas"]
    used: dict[str, Any] = {}
    for item in whole["paths"].values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    _collect(response.get("content", {}), schemas, used)
    text = _HEAD + "".join(_class(name, schema) for name, schema in _in_order(used))
    run: list[str | Path] = [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", PATH, "-"]
    formatted = subprocess.run(run, input=text, capture_output=True, text=True, check=True)
    return formatted.stdout


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


def _class(name: str, schema: Mapping[str, Any]) -> str:
    if "oneOf" in schema:
        return f"\n\n{name}: TypeAlias = {_hint(schema)}\n"
    lines = [f"\n\nclass {name}(TypedDict):"]
    for field, described in schema["properties"].items():
        hint = _hint(described)
        lines.append(f"    {field}: {hint if field in schema['required'] else f'NotRequired[{hint}]'}")
    return "\n".join(lines) + "\n"


def _hint(schema: Mapping[str, Any]) -> str:
    """The type of a value. Raises `TypeError` for a schema that no answer has needed so far."""
    kinds = schema.get("type")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "oneOf" in schema:
        return " | ".join(_hint(each) for each in schema["oneOf"])
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if isinstance(kinds, list):
        return " | ".join(_hint({**schema, "type": kind}) for kind in kinds)
    if kinds == "array":
        return f"list[{_hint(schema['items'])}]"
    if kinds == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {_hint(values) if isinstance(values, Mapping) and values else 'Any'}]"
    if kinds is None:
        return "Any"
    if kinds in _PLAIN:
        return _PLAIN[kinds]
    raise TypeError(f"{schema} has no type yet.")


if __name__ == "__main__":
    django.setup()
    PATH.write_text(generated(), encoding="utf-8")
