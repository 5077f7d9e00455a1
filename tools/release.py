"""Build what a release consists of into `dist/`, and print the commands that publish it. Nothing is pushed.

python -m tools.release 1.0.0 [--checks "check test"]

needs a clean tree, the version in pyproject.toml and docker/Dockerfile, its entry with today's date in CHANGELOG.md,
and a database of it under tests/upgrade (`python -m tools.released_databases`).
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import tests.environment  # noqa: F401  # the clients' archives are made by the service's own code, which has settings
from prealerts.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
CHECKS = "check test test-live test-browser test-slow"
_PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)")


def main() -> None:
    parser = ArgumentParser("python -m tools.release", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--checks", default=CHECKS, help=f"Targets of make that must pass (default: {CHECKS}).")
    options = parser.parse_args()
    if found := list(problems(options.version)):
        sys.exit("\n".join(["Not released:", *(f"  {each}" for each in found)]))
    subprocess.run(["make", *options.checks.split()], cwd=ROOT, check=True)
    place = ROOT / "dist" / options.version
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    build_image(place)
    write_clients(place)
    (place / "sbom.cdx.json").write_text(json.dumps(bill_of_materials(), indent=1) + "\n", encoding="utf-8")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(place.iterdir())]
    (place / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    sys.stdout.write(f"\n{place.relative_to(ROOT)}:\n{''.join(sums)}\nTo publish it:\n{publishing(place)}")


def problems(version: str) -> Iterator[str]:
    """Yield what is missing for a release of `version`."""
    if version != VERSION:
        yield f"pyproject.toml has {VERSION}."
    if f"ARG VERSION={version}\n" not in (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8"):
        yield f"docker/Dockerfile has no `ARG VERSION={version}`."
    if changed := git("status", "--porcelain"):
        yield f"The tree is not clean: {', '.join(changed.split()[1::2])}."
    if git("tag", "--list", f"v{version}"):
        yield f"The tag v{version} exists."
    heading = f"## {version} ({datetime.now(UTC):%Y-%m-%d})\n"
    if heading not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no heading `{heading.strip()}`."
    if "(in preparation)" in (ROOT / "docs" / "changelog.md").read_text(encoding="utf-8"):
        yield "docs/changelog.md has a version in preparation: give it its date."
    if not all((ROOT / "tests" / "upgrade" / f"{version}.{kind}").exists() for kind in ("dump", "sqlite3")):
        yield "tests/upgrade has no database of it: python -m tools.released_databases."
    if not engine():
        yield "Neither docker nor podman is installed."


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def engine() -> str | None:
    return shutil.which("docker") or shutil.which("podman")


def build_image(place: Path) -> None:
    name = f"prealerts:{VERSION}"
    told = ["--build-arg", f"VERSION={VERSION}", "--build-arg", f"REVISION={git('rev-parse', 'HEAD')}"]
    for words in (
        ["build", "--file", "docker/Dockerfile", "--tag", name, *told, "."],
        ["save", "--output", str(place / f"prealerts-{VERSION}-image.tar"), name],
    ):
        subprocess.run([str(engine()), *words], cwd=ROOT, check=True)


def write_clients(place: Path) -> None:
    """Write the wheel, the sources and the TypeScript package, as the service offers them."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "prealerts.settings"
    from prealerts.documentation.pages import archives  # noqa: PLC0415  # once the environment is written

    for archive in archives().values():
        (place / archive.name).write_bytes(archive.content)


def bill_of_materials() -> dict[str, object]:
    """Return the image's Python packages as CycloneDX 1.5.

    Of the lock file: pip-audit's own leaves out each package that its advisory service cannot be asked about.
    """
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = [(found[1], found[2]) for line in lines if (found := _PINNED.match(line))]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "pre-alerts", "version": VERSION}},
        "components": [
            {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name.lower()}@{version}"}
            for name, version in pinned
        ],
    }


def publishing(place: Path) -> str:
    image, folder = f"prealerts:{VERSION}", place.relative_to(ROOT)
    return "".join(
        f"  {line}\n"
        for line in (
            f"git tag --annotate v{VERSION} --message 'Pre-Alerts {VERSION}' && git push origin v{VERSION}",
            f"docker tag {image} REGISTRY/{image} && docker push REGISTRY/{image}",
            f"twine upload {folder}/*.whl",
            f"npm publish {folder}/*.tgz",
        )
    )


if __name__ == "__main__":
    main()
