"""Every generator takes the served document; what it makes compiles, and is run against a live service.

`make test-generators`, before a release. It needs Node, and openapi-generator-cli of PyPI with its jar
(`OPENAPI_GENERATOR`, the path of its Python). Java, Go, PHP and Ruby are skipped, with what is missing, where Debian's
default-jdk and libhttpmime-java, golang and golang-gopkg-validator.v2-dev, php-cli, php-mbstring and
php-guzzlehttp-guzzle, or ruby and ruby-typhoeus are not installed. One more, which CI runs, is in
`tests/live/test_generated_clients.py`.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.test import Client

from prealerts.reference.document import encode_operators_document
from tests.live.server import Server

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
PROGRAMS = Path(__file__).parent / "programs"
GO_PATH = "/usr/share/gocode"
GUZZLE = "/usr/share/php/GuzzleHttp/autoload.php"
JARS = "/usr/share/java/httpmime.jar:/usr/share/java/httpcore.jar"
GENERATED = 'package javax.annotation; public @interface Generated { String[] value(); String comments() default ""; }'


def run(command: Sequence[str | Path], place: Path, **environment: str) -> str:
    variables = os.environ | environment
    finished = subprocess.run(
        command, cwd=place, env=variables, capture_output=True, text=True, check=False, timeout=280
    )
    assert finished.returncode == 0, (finished.stdout + finished.stderr)[-4000:]
    return finished.stdout + finished.stderr


@pytest.fixture
def document(tmp_path: Path, settings: object) -> Path:
    """The document, beside it that of operators; a server of that name, for linters refuse the examples' own."""
    settings.ALLOWED_HOSTS = ["prealerts.test"]  # type: ignore[attr-defined]  # pytest-django's
    path = tmp_path / "openapi.json"
    for name, query in ((path, ""), (tmp_path / "without.json", "?webhooks=off")):
        name.write_bytes(Client().get(f"/docs/openapi.json{query}", headers={"Host": "prealerts.test"}).content)
    (tmp_path / "operators.json").write_bytes(encode_operators_document("http://prealerts.test"))
    return path


def openapi_generator(kind: str, place: Path, *options: str) -> Path:
    """What openapi-generator makes of the document without webhooks; of those it makes names that do not compile."""
    jar = generator_jar()
    run(["java", "-jar", jar, "generate", "-i", "without.json", "-g", kind, "-o", "made", *options], place)
    return place / "made"


def generator_jar() -> Path:
    where = "import openapi_generator_cli as it; print(it.__path__[0])"
    return Path(run([os.environ["OPENAPI_GENERATOR"], "-c", where], Path()).strip()) / "openapi-generator.jar"


WHAT_EACH_SAYS = [
    "created 1 1234567.89",
    "refused 409 mawb_already_exists",
    "secret whsec_",
    "webhook https://hooks.example.com/generated",
]
"""What each program of `programs/` prints: a manifest created, refused when it is repeated, a webhook read back."""


@pytest.fixture
def arguments(service: Server, companies: Iterator[dict[str, str]]) -> list[str]:
    """Of a program: the address of a running service, and the password of a company of its own."""
    return [service.address, next(companies)["Authorization"].split()[1]]


def program(name: str, place: Path) -> Path:
    return Path(shutil.copy(PROGRAMS / name, place))


def require(*needed: str) -> None:
    """Skip, naming what is missing: programs to be found on the path, and files that Debian's packages have."""
    missing = [each for each in needed if not (Path(each).exists() if "/" in each else shutil.which(each))]
    if missing:
        pytest.skip(f"missing: {', '.join(missing)}")


def test_openapi_generator_for_typescript(document: Path, arguments: list[str]) -> None:
    place = document.parent
    made = openapi_generator("typescript-fetch", place)
    run([*TSC, "index.ts"], made)
    built = ["--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "commonjs", "--outDir", "built"]
    run([NODE / "tsc", "--strict", *built, program("run.ts", place)], place)
    assert run(["node", "built/run.js", *arguments], place).splitlines() == WHAT_EACH_SAYS


def test_openapi_generator_for_python(document: Path, arguments: list[str]) -> None:
    """Under the settings of mypy that it makes; they include most of --strict."""
    made = openapi_generator("python", document.parent)
    python = os.environ["OPENAPI_GENERATOR"]
    run([python, "-m", "mypy", "openapi_client"], made)
    assert run([python, program("run.py", made), *arguments], made).splitlines() == WHAT_EACH_SAYS


def test_openapi_generator_for_java(document: Path, arguments: list[str]) -> None:
    require("javac", *JARS.split(":"))
    place = document.parent
    settings = "openApiNullable=false,hideGenerationTimestamp=true"
    openapi_generator("java", place, "--library", "native", "--additional-properties", settings)
    (place / "Generated.java").write_text(GENERATED, encoding="utf-8")
    sources = sorted((place / "made/src/main").rglob("*.java"))
    classes = f"{generator_jar()}:{JARS}"
    javac = ["javac", "-Xlint:all,-processing,-path", "-d", "classes", "-cp", classes]
    run([*javac, "Generated.java", *sources, program("Run.java", place)], place)
    assert run(["java", "-cp", f"classes:{classes}", "Run", *arguments], place).splitlines() == WHAT_EACH_SAYS


def test_openapi_generator_for_go(document: Path, arguments: list[str]) -> None:
    """With Debian's package of what it imports, so no module is downloaded."""
    require("go", f"{GO_PATH}/src/gopkg.in/validator.v2")
    place = document.parent
    made = openapi_generator("go", place)
    shutil.rmtree(made / "test")  # which imports a library for tests
    (place / "go/src/run").mkdir(parents=True)
    made.rename(place / "go/src/openapi")
    environment = {"GO111MODULE": "off", "GOPATH": f"{place / 'go'}:{GO_PATH}"}
    command: list[str | Path] = ["go", "run", program("run.go", place / "go/src/run"), *arguments]
    assert run(command, place, **environment).splitlines() == WHAT_EACH_SAYS


def test_openapi_generator_for_php(document: Path, arguments: list[str]) -> None:
    require("php", GUZZLE)
    openapi_generator("php", document.parent)
    command: list[str | Path] = ["php", program("run.php", document.parent), *arguments, GUZZLE]
    assert run(command, document.parent).splitlines() == WHAT_EACH_SAYS


def test_openapi_generator_for_ruby(document: Path, arguments: list[str]) -> None:
    require("ruby", "/usr/share/doc/ruby-typhoeus")
    made = openapi_generator("ruby", document.parent)
    command: list[str | Path] = ["ruby", "-I", made / "lib", program("run.rb", document.parent), *arguments]
    assert run(command, document.parent).splitlines() == WHAT_EACH_SAYS


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


@pytest.mark.parametrize("name", ["openapi.json", "operators.json"])
def test_redocly_has_nothing_to_say(document: Path, name: str) -> None:
    assert "Warning was generated" not in run([NODE / "redocly", "lint", name], document.parent)


@pytest.mark.parametrize("name", ["openapi.json", "operators.json"])
def test_spectral_has_nothing_to_say(document: Path, name: str) -> None:
    (document.parent / ".spectral.yaml").write_text("extends: spectral:oas\n", encoding="utf-8")
    run([NODE / "spectral", "lint", "--fail-severity", "hint", name], document.parent)
