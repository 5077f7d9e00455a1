"""Which pages and sample files are served. Nothing else of the project is."""

import hashlib
import io
import json
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

from shipments.manifests.words.lexicon import TITLES, api_names, phrases


def header_words() -> str:
    parts = [Path(__file__).with_name("header-words.md").read_text(encoding="utf-8")]
    parts += [f"## {title}\n\n{_table(phrases(field))}" for field, title in TITLES.items()]
    names = "\n".join(f"- `{name}`: {TITLES[field]}" for name, field in api_names())
    return "\n".join([*parts, f"## Names of the API\n\n{names}\n"])


def _table(ranks: list[tuple[str, ...]]) -> str:
    if len(ranks) == 1:
        return f"{', '.join(ranks[0])}\n"
    rows = "\n".join(f"| {rank} | {', '.join(listed)} |" for rank, listed in enumerate(ranks, start=1))
    return f"| rank | words |\n|---|---|\n{rows}\n"


ROOT: Path = settings.BASE_DIR


@dataclass(frozen=True, slots=True)
class Page:
    """A page below `/docs/`.

    slug: its address there. source: the Markdown file that it shows, or the file that `made` makes Markdown from.
    title: in the navigation.
    """

    slug: str
    source: str
    title: str
    made: Callable[[], str] | None = None

    @property
    def path(self) -> Path:
        return ROOT / self.source

    def text(self) -> str:
        return self.made() if self.made else self.path.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Sample:
    """A file to download. description: one sentence. media_type: as it is sent."""

    name: str
    description: str
    media_type: str

    @property
    def path(self) -> Path:
        return ROOT / "docs" / "examples" / self.name


PAGES: Mapping[str, Page] = {
    page.slug: page
    for page in (
        Page("quickstart", "docs/quickstart.md", "Quick start"),
        Page("workbooks", "docs/workbooks.md", "Workbooks"),
        Page("json", "docs/json.md", "JSON"),
        Page("guides", "docs/guides.md", "Corrections"),
        Page("webhooks", "docs/webhooks.md", "Webhooks"),
        Page("reference", "docs/reference.md", "Rules and codes"),
        Page("sandbox", "docs/sandbox.md", "Sandbox"),
        Page("operators-api", "docs/operators-api.md", "Operators' API"),
        Page("header-words", "shipments/manifests/words/words.toml", "Header words", header_words),
        Page("changelog", "docs/changelog.md", "Changelog"),
    )
}
"""By slug, in the order of the navigation."""

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_JSON = "application/json"
_PYTHON = "text/x-python; charset=utf-8"

SAMPLES: Mapping[str, Sample] = {
    sample.name: sample
    for sample in (
        Sample("manifest-CL.xlsx", "A Chilean workbook that is accepted without a remark.", _XLSX),
        Sample("manifest-CL-mistakes.xlsx", "A workbook with most of the mistakes that manifests have.", _XLSX),
        Sample("pre-alert-CL.json", "A JSON manifest to Chile; its second guide has products.", _JSON),
        Sample("pre-alert-PE.json", "A JSON manifest to Peru, with the categories 1, 2 and 3.", _JSON),
        Sample("pre-alert-AR.json", "A JSON manifest to Argentina.", _JSON),
        Sample("client.py", "A program that sends a manifest and follows its guides, on the Python client.", _PYTHON),
        Sample("operators.py", "A token and calls of the operators' API, for the two programs below.", _PYTHON),
        Sample("scanner_day.py", "A scanner's day: a batch opened, scanned, closed; its differences.", _PYTHON),
        Sample("customs_broker.py", "A file of customs releases, tried as a whole and then reported.", _PYTHON),
        Sample("webhook_receiver.py", "A receiver of webhooks, for both versions; needs nothing but Python.", _PYTHON),
    )
}
"""By name: all files of `docs/examples`, and no others."""


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
