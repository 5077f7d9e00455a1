"""What docker/Dockerfile and docker/compose.yaml say, read as data."""

import json
import re
import shlex
import sys
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
DOCKER = ROOT / "docker"


@cache
def dockerfile() -> list[tuple[str, str]]:
    """Its instructions, in order: (INSTRUCTION, the rest of it as one line)."""
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in lines) if word.strip()]


def said(instruction: str) -> list[str]:
    """The arguments of each `instruction` of the last stage, the one that is run."""
    start = max(number for number, (word, _) in enumerate(dockerfile()) if word == "FROM")
    return [rest for word, rest in dockerfile()[start:] if word == instruction]


def environment() -> dict[str, str]:
    """The image's ENV."""
    return dict(pair.split("=", 1) for line in said("ENV") for pair in shlex.split(line))


def command() -> list[str]:
    """The image's CMD."""
    (line,) = said("CMD")
    found: list[str] = json.loads(line)
    return found


def health_check() -> list[str]:
    """The image's HEALTHCHECK, as it is run."""
    (line,) = said("HEALTHCHECK")
    found: list[str] = json.loads(line.partition(" CMD ")[2])
    return found


def compilation(app: Path) -> list[str]:
    """The step that compiles the code, for a copy of it in `app`."""
    (line,) = (each for each in said("RUN") if "compileall" in each)
    return [sys.executable, *shlex.split(line.replace("/app", str(app)))[1:]]


def copied() -> list[str]:
    """What is copied from the repository into the last stage."""
    return [source for line in said("COPY") if "--from" not in line for source in shlex.split(line)[:-1]]


@cache
def compose() -> dict[str, Any]:
    """compose.yaml, its anchors resolved."""
    found: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
    return found


@cache
def scaled() -> dict[str, Any]:
    """compose.yaml with compose.scale.yaml on top, as compose merges them."""
    added: dict[str, Any] = yaml.safe_load((DOCKER / "compose.scale.yaml").read_text(encoding="utf-8"))
    merged: dict[str, Any] = _merged(compose(), added)
    return merged


def _merged(below: Any, above: Any) -> Any:  # any YAML
    """Mappings merge by key, lists are appended, anything else is replaced. No list here is one that compose would
    replace: a command, an entry point or a check that both files have.
    """
    if isinstance(below, dict) and isinstance(above, dict):
        return below | {key: _merged(below[key], value) if key in below else value for key, value in above.items()}
    if isinstance(below, list) and isinstance(above, list):
        return below + above
    return above


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = compose()["services"]
    return found
