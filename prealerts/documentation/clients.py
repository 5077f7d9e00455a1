"""The clients that are downloads beside the samples, each as one archive with its version in its name."""

import hashlib
import io
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from prealerts.documentation.pages import ROOT

PYTHON = ROOT / "clients" / "python"


@dataclass(frozen=True, slots=True)
class Archive:
    """A client to download. name: of the file. lasting_name: one without a version, which leads to it."""

    language: str
    name: str
    lasting_name: str
    version: str
    media_type: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@cache
def archives() -> Mapping[str, Archive]:
    """Language -> the client, the same bytes each time."""
    return {each.language: each for each in (_python(),)}


def _python() -> Archive:
    """The sources, which pip builds and installs."""
    version: str = tomllib.loads((PYTHON / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    name = f"prealerts_client-{version}"
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(PYTHON, ("pyproject.toml", "README.md", "src/prealerts_client/*")):
            entry = zipfile.ZipInfo(f"{name}/{path.relative_to(PYTHON).as_posix()}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return Archive("python", f"{name}.zip", "prealerts-client.zip", version, "application/zip", written.getvalue())


def _files(root: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())
