"""Which pages and sample files are served. Nothing else of the project is."""

import base64
import gzip
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
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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


CLIENTS = _("Clients")
LANGUAGES: Mapping[str, str] = {"en": "English", "es": "Español"}


@dataclass(frozen=True, slots=True)
class Page:
    """A page below `/docs/`, in English and perhaps in Spanish.

    slug: its address there, and the name of its file in `docs/` and `docs/es/`. title, spanish: in the navigation;
    without the second there is no Spanish. readers: for whom it is. made: makes the Markdown of a page without a file.
    """

    slug: str
    title: str
    spanish: str = ""
    readers: str | Promise = CLIENTS
    made: Callable[[], str] | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        return ("en", "es") if self.spanish else ("en",)

    def title_in(self, language: str) -> str:
        return self.spanish if language == "es" and self.spanish else self.title

    def path(self, language: str) -> Path:
        return ROOT / "docs" / ("es" if language == "es" else "") / f"{self.slug}.md"

    def text(self, language: str) -> str:
        return self.made() if self.made else self.path(language).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Chapter(Page):
    """A chapter of the operators' manual, below `/admin/help/`.

    Its text and its picture are named after it, in `docs/manual/en/` and `docs/manual/es/`. The text begins with the
    title, which the page has in its header, and a paragraph that says when the chapter is needed.
    """

    def path(self, language: str) -> Path:
        return ROOT / "docs" / "manual" / language / f"{self.slug}.md"

    def text(self, language: str) -> str:
        return self.path(language).read_text(encoding="utf-8").partition("\n")[2]

    def occasion(self, language: str) -> str:
        """Return when the chapter is needed: its first paragraph, in one line."""
        return " ".join(self.text(language).strip().partition("\n\n")[0].split())


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
        Page("quickstart", "Quick start", "Inicio rápido"),
        Page("workbooks", "Workbooks", "Planillas"),
        Page("json", "JSON", "JSON"),
        Page("guides", "Corrections", "Correcciones"),
        Page("webhooks", "Webhooks", "Webhooks"),
        Page("reference", "Rules and codes", "Reglas y códigos"),
        Page("sandbox", "Sandbox", "Sandbox"),
        Page("header-words", "Header words", made=header_words),
        Page("changelog", "Changelog"),
        Page("carriers", "Carriers", "Transportistas", readers=_("Carriers")),
        Page("layouts", "Layouts", "Diseños de planilla", readers=_("Operators")),
        Page("operators-api", "Operators' API", readers=_("Operators' programs")),
    )
}
"""By slug, in the order of the navigation."""

CHAPTERS: Mapping[str, Chapter] = {
    chapter.slug: chapter
    for chapter in (
        Chapter("morning", "The morning", "La mañana"),
        Chapter("new-client", "A new client", "Un cliente nuevo"),
        Chapter("strange-workbook", "A workbook that was not understood", "Una planilla que no se entendió"),
        Chapter("find-a-parcel", "Where is my parcel?", "¿Dónde está mi encomienda?"),
        Chapter("customs", "The customs broker's file", "El archivo del agente de aduanas"),
        Chapter("reviews", "Reviews", "Revisiones"),
        Chapter("moves", "Moving guides, and undoing it", "Mover guías y deshacerlo"),
        Chapter("receiving", "Receiving at the warehouse", "Recibir en bodega"),
        Chapter("exceptions", "Exceptions", "Excepciones"),
        Chapter("carrier-reports", "What carriers report", "Lo que informan los transportistas"),
        Chapter("stopped-webhooks", "Webhooks that stopped", "Webhooks que dejaron de llegar"),
        Chapter("personal-data", "A person asks for their data", "Una persona pide sus datos"),
        Chapter("month-end", "Month end", "Cierre de mes"),
        Chapter("colleagues", "A new colleague, and one who leaves", "Un colega que llega y uno que se va"),
        Chapter("leaked-password", "A leaked password", "Una contraseña filtrada"),
        Chapter("words", "Words of the trade", "Palabras del oficio"),
    )
}
"""By slug, in the order of the manual."""

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_JSON = "application/json"
_PYTHON = "text/x-python; charset=utf-8"
_TEXT = "text/plain; charset=utf-8"

SAMPLES: Mapping[str, Sample] = {
    sample.name: sample
    for sample in (
        Sample("manifest-CL.xlsx", "A Chilean workbook that is accepted without a remark.", _XLSX),
        Sample("manifest-CL-mistakes.xlsx", "A workbook with most of the mistakes that manifests have.", _XLSX),
        Sample("pre-alert-CL.json", "A JSON manifest to Chile; its second guide has products.", _JSON),
        Sample("pre-alert-PE.json", "A JSON manifest to Peru, with the categories 1, 2 and 3.", _JSON),
        Sample("pre-alert-AR.json", "A JSON manifest to Argentina.", _JSON),
        Sample("client.py", "A program that sends a manifest and follows its guides, on the Python client.", _PYTHON),
        Sample("prealerts.go", "Send, follow and verify webhooks in Go; needs nothing but Go.", _TEXT),
        Sample("Prealerts.java", "The same in Java, with jackson-databind.", _TEXT),
        Sample("prealerts.php", "The same in PHP, with its curl extension.", _TEXT),
        Sample("operators.py", "A token and calls of the operators' API, for the three programs below.", _PYTHON),
        Sample("scanner_day.py", "A scanner's day: a batch opened, scanned, closed; its differences.", _PYTHON),
        Sample("customs_broker.py", "A file of customs releases, tried as a whole and then reported.", _PYTHON),
        Sample(
            "last_mile.py",
            "A copy of the guides in SQLite that follows the feed, and a CSV for the last mile.",
            _PYTHON,
        ),
        Sample("webhook-vectors.json", "A signed webhook of each type, byte for byte, to test a receiver.", _JSON),
        Sample("webhook_receiver.py", "A receiver of webhooks, for both versions; needs nothing but Python.", _PYTHON),
    )
}
"""By name: all files of `docs/examples`, and no others."""


PYTHON = ROOT / "clients" / "python"
TYPESCRIPT = ROOT / "clients" / "typescript"


@dataclass(frozen=True, slots=True)
class Archive:
    """A client to download.

    key: among `archives()`. name: of the file. lasting_name: one without a version, which leads to it; empty for a
    wheel, whose name pip reads. content: not compressed, as another zlib would make other bytes of the same version.
    """

    key: str
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
    """Key -> the client, the same bytes in every process."""
    return {each.key: each for each in (*_python(), _typescript())}


def _python() -> tuple[Archive, Archive]:
    """The sources, which pip builds and installs, and a wheel (PEP 427), which it only unpacks."""
    project: dict[str, Any] = tomllib.loads((PYTHON / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version: str = project["version"]
    name, kind = f"prealerts_client-{version}", "application/zip"
    sources = _files(PYTHON, ("pyproject.toml", "README.md", "src/prealerts_client/*"))
    source = _zip({f"{name}/{path.relative_to(PYTHON).as_posix()}": path.read_bytes() for path in sources})
    modules = _files(PYTHON, ("src/prealerts_client/*",))
    members = {path.relative_to(PYTHON / "src").as_posix(): path.read_bytes() for path in modules}
    members[f"{name}.dist-info/METADATA"] = _metadata(project).encode()
    members[f"{name}.dist-info/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: prealerts\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = f"{name}.dist-info/RECORD"
    digests = {
        member: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        for member, content in members.items()
    }
    lines = [f"{member},sha256={digest},{len(members[member])}\n" for member, digest in digests.items()]
    wheel = _zip({**members, record: "".join([*lines, f"{record},,\n"]).encode()})
    return (
        Archive("python", f"{name}.zip", "prealerts-client.zip", version, kind, source),
        Archive("python-wheel", f"{name}-py3-none-any.whl", "", version, kind, wheel),
    )


def _metadata(project: Mapping[str, Any]) -> str:
    """The METADATA of a wheel (core metadata 2.4) as pyproject.toml has it."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        *(f"Project-URL: {name}, {address}" for name, address in project["urls"].items()),
        f"License-Expression: {project['license']}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {dependency}" for dependency in project["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join([*lines, "", (PYTHON / project["readme"]).read_text(encoding="utf-8")])


def _zip(members: Mapping[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return written.getvalue()


def _typescript() -> Archive:
    """What `npm pack` puts into a package: modules as they stand, so that no server needs Node."""
    package = json.loads((TYPESCRIPT / "package.json").read_text(encoding="utf-8"))
    version: str = package["version"]
    written = io.BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=written, mode="wb", compresslevel=0, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for path in _files(TYPESCRIPT, ("package.json", "README.md", "CHANGELOG.md", "*.js", "*.d.ts")):
            entry = tarfile.TarInfo(f"package/{path.relative_to(TYPESCRIPT).as_posix()}")
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)
    name = f"prealerts-client-{version}.tgz"
    return Archive("typescript", name, "prealerts-client.tgz", version, "application/gzip", written.getvalue())


def _files(root: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())
