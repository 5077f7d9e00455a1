"""The clients that are downloads beside the samples, each as one archive with its version in its name."""

import hashlib
import io
import json
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from prealerts.documentation.pages import ROOT

PYTHON = ROOT / "clients" / "python"
TYPESCRIPT = ROOT / "clients" / "typescript"


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
    return {each.language: each for each in (_python(), _typescript())}


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


def _typescript() -> Archive:
    """What `npm pack` puts into a package: the compiled files are committed, so that no server needs Node."""
    package = json.loads((TYPESCRIPT / "package.json").read_text(encoding="utf-8"))
    version: str = package["version"]
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz", compresslevel=9) as archive:
        for path in _files(TYPESCRIPT, ("package.json", "README.md", "CHANGELOG.md", "dist/**/*")):
            entry = tarfile.TarInfo(f"package/{path.relative_to(TYPESCRIPT).as_posix()}")
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)
    name = f"prealerts-client-{version}.tgz"
    return Archive("typescript", name, "prealerts-client.tgz", version, "application/gzip", written.getvalue())


def _files(root: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())
