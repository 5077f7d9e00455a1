"""Every generator takes the served document, and what it makes compiles: `make test-generators`, before a release.

It needs Node, a JDK with Debian's libhttpmime-java, and openapi-generator-cli of PyPI with its jar
(`OPENAPI_GENERATOR`, the path of its Python). Two more, which CI runs, are in
`tests/live/test_generated_clients.py`.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

pytestmark = pytest.mark.skipif("OPENAPI_GENERATOR" not in os.environ, reason="only by make test-generators")

NODE = Path(__file__).parent / "node_modules" / ".bin"
TSC: list[str | Path] = [
    NODE / "tsc",
    "--strict",
    "--noEmit",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
]
TSC += ["--lib", "es2022,dom,dom.iterable"]
JARS = "/usr/share/java/httpmime.jar:/usr/share/java/httpcore.jar"
GENERATED = 'package javax.annotation; public @interface Generated { String[] value(); String comments() default ""; }'


def run(command: Sequence[str | Path], place: Path) -> str:
    finished = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=280)
    assert finished.returncode == 0, (finished.stdout + finished.stderr)[-4000:]
    return finished.stdout + finished.stderr


@pytest.fixture
def document(tmp_path: Path, settings: object) -> Path:
    """The document; a server of that name, for linters refuse the examples' own."""
    settings.ALLOWED_HOSTS = ["prealerts.test"]  # type: ignore[attr-defined]  # pytest-django's
    path = tmp_path / "openapi.json"
    for name, query in ((path, ""), (tmp_path / "without.json", "?webhooks=off")):
        name.write_bytes(Client().get(f"/docs/openapi.json{query}", headers={"Host": "prealerts.test"}).content)
    return path


def openapi_generator(kind: str, place: Path, *options: str) -> Path:
    """What openapi-generator makes of the document without webhooks; of those it makes names that do not compile."""
    jar = generator_jar()
    run(["java", "-jar", jar, "generate", "-i", "without.json", "-g", kind, "-o", "made", *options], place)
    return place / "made"


def generator_jar() -> Path:
    where = "import openapi_generator_cli as it; print(it.__path__[0])"
    return Path(run([os.environ["OPENAPI_GENERATOR"], "-c", where], Path()).strip()) / "openapi-generator.jar"


def test_openapi_generator_for_typescript(document: Path) -> None:
    made = openapi_generator("typescript-fetch", document.parent)
    run([*TSC, "index.ts"], made)


def test_openapi_generator_for_python(document: Path) -> None:
    """Under the settings of mypy that it makes; they include most of --strict."""
    made = openapi_generator("python", document.parent)
    run([os.environ["OPENAPI_GENERATOR"], "-m", "mypy", "openapi_client"], made)


def test_openapi_generator_for_java(document: Path) -> None:
    place = document.parent
    settings = "openApiNullable=false,hideGenerationTimestamp=true"
    openapi_generator("java", place, "--library", "native", "--additional-properties", settings)
    (place / "Generated.java").write_text(GENERATED, encoding="utf-8")
    sources = sorted((place / "made/src/main").rglob("*.java"))
    javac = ["javac", "-Xlint:all,-processing,-path", "-d", "classes", "-cp", f"{generator_jar()}:{JARS}"]
    run([*javac, "Generated.java", *sources], place)


@pytest.mark.parametrize(
    ("command", "made"),
    [
        (["openapi-ts", "-i", "openapi.json", "-o", "hey", "-c", "@hey-api/client-fetch"], "hey/index.ts"),
        (["openapi-typescript", "openapi.json", "-o", "types.d.ts"], "types.d.ts"),
        (["orval", "--input", "openapi.json", "--output", "orval.ts", "--client", "fetch"], "orval.ts"),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_generators_for_typescript(document: Path, command: list[str], made: str) -> None:
    run([NODE / command[0], *command[1:]], document.parent)
    run([*TSC, "--skipLibCheck", "false", made], document.parent)


def test_redocly_has_nothing_to_say(document: Path) -> None:
    assert "Warning was generated" not in run([NODE / "redocly", "lint", "openapi.json"], document.parent)


def test_spectral_has_nothing_to_say(document: Path) -> None:
    (document.parent / ".spectral.yaml").write_text("extends: spectral:oas\n", encoding="utf-8")
    run([NODE / "spectral", "lint", "--fail-severity", "hint", "openapi.json"], document.parent)
