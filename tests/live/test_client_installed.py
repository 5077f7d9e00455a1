"""The Python client as integrators get it: installed by pip, used by the example program."""

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
import requests

from tests.books import workbook_bytes
from tests.live.server import ROOT, Server

EXAMPLE = ROOT / "docs" / "examples" / "client.py"


PROGRAM = """
import os
import sys
from pathlib import Path

from prealerts_client import Client, Conflict, JsonManifest, ValidationFailed
from prealerts_client.webhooks import SignatureInvalid, verify

manifest: JsonManifest = {
    "mawb": "045-70310133",
    "transport_mode": "air",
    "destination_airport": "SCL",
    "guides": [
        {
            "hawb": "AND2612150109",
            "consignee_name": "Antonia Fuentes Rojas",
            "consignee_document": "12.345.678-5",
            "weight_kg": 1.25,
            "description_original": "Zapatillas deportivas",
            "fob_usd": 59.90,
        }
    ],
}
with Client(sys.argv[1], os.environ["PREALERTS_PASSWORD"]) as client:
    book = Path(sys.argv[2]).read_bytes()
    created = client.upload_manifest(book, flight_number="LA2369")
    try:
        client.upload_manifest(book, idempotency_key="another")
    except Conflict as there:
        assert there.manifest_id == created["manifest_id"]
    client.post_manifest(manifest)
    try:
        client.post_manifest({**manifest, "guides": []})
    except ValidationFailed as refused:
        print(sorted(refused.details))
    changes = list(client.reconcile({}, since="2026-01-01T00:00:00Z"))
    print(sorted(change.mawb for change in changes), [mawb["updated_at"] for mawb in client.list_mawbs(country="CL")])
try:
    verify(b"{}", {}, "whsec_" + "A" * 32)
except SignatureInvalid:
    print("refused")
"""
TYPO = """
from prealerts_client import Client, JsonGuide

client = Client("https://prealerts.example.com", "pa_live_x")
client.upload_manifest("manifest.xlsx", fligth_number="LA2369")
client.list_mawbs(updated_sinse="2026-01-01T00:00:00Z")
guide: JsonGuide = {"hawb": "1", "consignee_name": "A", "consignee_document": "1", "wheight_kg": 1}
"""


def interpreter(version: str) -> Path:
    """A Python of this version: of the path, or one that pyenv built."""
    built = sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python"))
    found = shutil.which(f"python{version}", path="/usr/local/bin:/usr/bin") or (built and str(built[-1]))
    if not found:
        pytest.skip(f"there is no Python {version}")
    return Path(found)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    source = shutil.copytree(ROOT / "clients" / "python", place / "source")  # building leaves files beside the sources
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps"]
    run([*pip, "--quiet", "--wheel-dir", place, source], place)
    (built,) = place.glob("*.whl")
    with zipfile.ZipFile(built) as files:
        assert {"prealerts_client/CHANGELOG.md", "prealerts_client/py.typed"} <= set(files.namelist())
    return built


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.10", "3.13"])
def test_the_wheel_serves_a_strictly_typed_program(service: Server, wheel: Path, tmp_path: Path, version: str) -> None:
    run([interpreter(version), "-m", "venv", tmp_path / "venv"], tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run([python, "-m", "pip", "install", "--quiet", wheel, "mypy", "types-requests"], tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "typo.py").write_text(TYPO, encoding="utf-8")
    checked = subprocess.run(
        [python, "-m", "mypy", "--strict", "program.py", "typo.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "program.py" not in checked.stdout, checked.stdout
    assert re.findall(r"(?:fligth_number|updated_sinse|wheight_kg)", checked.stdout) == [
        "fligth_number", "updated_sinse", "wheight_kg"
    ], checked.stdout + checked.stderr  # fmt: skip
    book = tmp_path / "manifest.xlsx"
    book.write_bytes(workbook_bytes())
    word = service.company(f"PY{version.replace('.', '')}")["Authorization"].split()[1]
    said = run([python, "-W", "error", "program.py", service.address, book], tmp_path, PREALERTS_PASSWORD=word)
    assert said.splitlines()[0] == "['guides']"
    assert said.splitlines()[-1] == "refused"


@pytest.mark.slow
def test_the_example_sends_a_manifest_with_the_client_that_the_service_offers(service: Server, tmp_path: Path) -> None:
    place = tmp_path / "venv"
    venv.create(place)
    python = place / "bin" / "python"
    offered = requests.get(f"{service.address}/docs/examples/", timeout=60).text
    (command,) = re.findall(r"<code>pip install (\S+)</code>", offered)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run([*pip, "install", "--quiet", command], tmp_path)
    assert list(place.rglob("prealerts_client/py.typed"))
    word = service.company("PIP-SERVICE")["Authorization"].split()[1]
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


@pytest.mark.parametrize("name", ["client", "customs_broker", "last_mile", "scanner_day", "webhook_receiver"])
def test_an_example_program_says_how_to_call_it(name: str) -> None:
    program = EXAMPLE.with_stem(name)
    asked = subprocess.run(
        [sys.executable, program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python" / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert asked.returncode == 1
    assert f"python {program.name} " in asked.stderr
