"""The Python client as integrators get it: installed by pip, used by the example program."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.books import workbook_bytes
from tests.live.server import ROOT, Server

EXAMPLE = ROOT / "docs" / "examples" / "client.py"


@pytest.mark.slow
@pytest.mark.parametrize("source", ["checkout", "service"])
def test_the_example_sends_a_manifest_with_an_installed_client(service: Server, tmp_path: Path, source: str) -> None:
    place = tmp_path / "venv"
    venv.create(place)
    python = place / "bin" / "python"
    wanted = {
        "checkout": str(ROOT / "clients" / "python"),
        "service": f"{service.address}/docs/examples/prealerts-client.zip",
    }
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run([*pip, "install", "--quiet", wanted[source]], tmp_path)
    assert run([python, "-c", "import prealerts_client as c, pathlib as p; print(p.Path(c.__file__).parent)"], tmp_path)
    assert list(place.rglob("prealerts_client/py.typed"))
    word = service.company(f"PIP-{source.upper()}")["Authorization"].split()[1]
    book = tmp_path / "manifest.xlsx"
    book.write_bytes(workbook_bytes())
    said = run([python, EXAMPLE, service.address, book], tmp_path, PREALERTS_PASSWORD=word)
    assert [line.split()[0] for line in said.splitlines()[-2:]] == ["HAWB00001", "HAWB00002"]
    again = subprocess.run(
        [python, EXAMPLE, service.address, book],
        env={**os.environ, "PREALERTS_PASSWORD": word},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (again.returncode, "mawb_already_exists" in again.stderr, "Traceback" in again.stderr) == (1, True, False)


def run(command: list[str | Path], place: Path, **environment: str) -> str:
    finished = subprocess.run(
        command, cwd=place, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=1500
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_the_example_program_says_how_to_call_it() -> None:
    asked = subprocess.run(
        [sys.executable, EXAMPLE],
        env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python" / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert asked.returncode == 1
    assert "ADDRESS MANIFEST" in asked.stderr
