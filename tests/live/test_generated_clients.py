"""A client that a generator makes of the OpenAPI document knows every field and sends a manifest."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.payload.body import MANIFEST_FIELDS
from shipments.manifests.payload.products import PRODUCT_FIELDS
from tests.documents import guide, manifest
from tests.live.server import Server

PACKAGE = "generated_pre_alerts"


@pytest.fixture(scope="module")
def described(service: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document, as the service sends it."""
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    path.write_bytes(requests.get(f"{service.address}/docs/openapi.json", timeout=60).content)
    return path


@pytest.fixture(scope="module")
def generated(described: Path) -> Iterator[Path]:
    """The package that openapi-python-client makes, importable; a document it cannot read is a failure."""
    place = described.parent / PACKAGE
    tools = Path(sys.executable).parent  # it formats what it has made with ruff
    made = subprocess.run(
        [tools / "openapi-python-client", "generate", "--path", described, "--output-path", place, "--meta", "none"],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert made.stdout.count("WARNING") <= 1, made.stdout  # a workbook to download is nothing it has a type for
    sys.path.insert(0, str(place.parent))
    yield place
    sys.path.remove(str(place.parent))


def models() -> Any:
    return importlib.import_module(f"{PACKAGE}.models")


def client(service: Server, password: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.client").AuthenticatedClient(service.address, token=password)


@pytest.mark.parametrize(
    ("name", "fields"),
    [("JsonManifest", MANIFEST_FIELDS), ("JsonGuide", GUIDE_FIELDS), ("JsonProduct", PRODUCT_FIELDS)],
)
def test_each_model_has_every_field(generated: Path, name: str, fields: Any) -> None:
    attributes = {each.name for each in getattr(models(), name).__attrs_attrs__} - {"additional_properties"}
    assert attributes == {field.name for field in fields}, generated


def test_a_guide_without_its_hawb_is_a_type_error(generated: Path) -> None:
    whole = guide(1)
    assert models().JsonGuide(**whole).to_dict() == whole, generated
    del whole["hawb"]
    with pytest.raises(TypeError, match="hawb"):
        models().JsonGuide(**whole)


def test_it_sends_a_manifest_and_reads_it_back(generated: Path, service: Server) -> None:
    word = service.company("GENERATED", "CL,PE,AR")["Authorization"].split()[1]
    post = importlib.import_module(f"{PACKAGE}.api.pre_alerts.post_manifest")
    product = {"description": "Cadena", "quantity": 4, "unit_value": 18.75, "weight_kg": 1.2}
    body = manifest(guide(1), {**guide(2), "products": [product]})
    with client(service, word) as opened:
        created = post.sync(client=opened, body=models().JsonManifest.from_dict(body))
    assert isinstance(created, models().JsonResult), (created, generated)
    assert (created.country, created.totals.guides) == ("CL", 2)
    get = importlib.import_module(f"{PACKAGE}.api.tracking.get_guide")
    with client(service, word) as opened:
        read = get.sync(created.guides[1].tracking_code, client=opened)
    assert (read.status, read.weight_kg, read.fob_usd) == ("registered", 1.2, 75.0)


def test_a_refusal_is_a_model_too(generated: Path, service: Server) -> None:
    with client(service, "wrong") as opened:
        refused = importlib.import_module(f"{PACKAGE}.api.tracking.list_mawbs").sync(client=opened)
    assert (refused.success, refused.error) == (False, "invalid_api_key"), generated
