"""The regular expressions of the service, where they stand and how they are called; found in its source."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from tests.test_house import modules, tree

Pattern = re.Pattern[str] | re.Pattern[bytes]
METHODS = {"search", "match", "fullmatch", "findall", "finditer", "split", "sub"}
MAKERS = {"re.compile": "", "RegexValidator": "search", **{f"re.{method}": method for method in METHODS}}


@cache
def uses() -> Mapping[str, set[tuple[str, Pattern | None]]]:
    """The name at the top of a module that a pattern belongs to -> how it is called, and what with.

    The pattern is None where it is not written in one piece, and the method empty where it is called elsewhere.
    """
    found: dict[str, set[tuple[str, Pattern | None]]] = defaultdict(set)
    called: dict[str, set[str]] = defaultdict(set)
    for module, path in modules().items():
        imported = dict(_imported(tree(path)))
        for name, node in _nodes(tree(path)):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                value = ast.unparse(node.value).partition("[")[0]
                called[imported.get(value, f"{module}.{value}")].add(node.attr)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in MAKERS:
                found[f"{module}.{name}"] |= set(_made(module, name, node))
    return {
        name: {(each, pattern) for method, pattern in made for each in ([method] if method else called[name] or [""])}
        for name, made in found.items()
    }


def _imported(module: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _nodes(module: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for statement in module.body:
        targets = [*getattr(statement, "targets", ()), getattr(statement, "target", None)]
        names = [getattr(statement, "name", "")] + [ast.unparse(target) for target in targets if target]
        for node in ast.walk(statement):
            yield next(filter(None, names), ""), node


def _made(module: str, name: str, call: ast.Call) -> Iterator[tuple[str, Pattern | None]]:
    """The patterns that a call makes: of a name those that the module has under it, once it is imported."""
    method = MAKERS[ast.unparse(call.func)]
    value = getattr(import_module(module), name, None) if not method else None
    held = list(_held(value))
    if held:
        yield from ((method, pattern) for pattern in held)
    elif isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str | bytes):
        flags = re.IGNORECASE if "IGNORECASE" in ast.unparse(call) else 0
        yield method, re.compile(call.args[0].value, flags)
    else:
        yield method, None


def _held(value: object) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        yield from (each for one in value.values() for each in _held(one))
    elif isinstance(value, list | tuple):
        yield from (each for one in value for each in _held(one))
