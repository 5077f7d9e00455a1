"""The folders of `shipments/manifests` are layers: each imports only those before it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

MANIFESTS = Path(__file__).parents[3] / "shipments" / "manifests"
PREFIX = "shipments.manifests"
LAYERS = ("", "words", "countries", "xlsx", "payload", "sheets", "house")
"""Bottom up; the first is the modules of the folder itself."""


def imported(path: Path) -> Iterator[str]:
    """The layers that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{PREFIX}."):
            parts = f"{node.module}.{node.names[0].name}".removeprefix(f"{PREFIX}.").split(".")
            yield parts[0] if parts[0] in LAYERS else ""


@pytest.mark.parametrize("layer", LAYERS)
def test_a_folder_imports_only_those_below_it(layer: str) -> None:
    modules = (MANIFESTS / layer).glob("**/*.py" if layer else "*.py")
    below = LAYERS[: LAYERS.index(layer) + 1]
    found = {(path.relative_to(MANIFESTS).as_posix(), to) for path in modules for to in imported(path)}
    assert {(path, to) for path, to in found if to not in below} == set()


def test_every_folder_is_a_layer() -> None:
    assert {path.name for path in MANIFESTS.iterdir() if (path / "__init__.py").exists()} == {*LAYERS} - {""}
