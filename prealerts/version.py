"""The version of the service, as pyproject.toml has it. Needs neither Django nor settings."""

import tomllib
from pathlib import Path

_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"

VERSION: str = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"]
"""Three numbers, such as `1.0.0`. That of the API is `API_VERSION` in the settings."""
