"""`export_layouts`, `import_layouts`: what was said of layouts, for another company or installation."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from shipments.layouts.answering import answer_layout, confirm, describe_layout, told_body
from shipments.models import Layout
from tests.conftest import Caller, make_caller
from tests.shipments.commands.running import run
from tests.shipments.layouts.rows import make_layout

pytestmark = pytest.mark.django_db

SAID = {
    "answers": [
        {"heading": "N° seguimiento", "field": "hawb"},
        {"heading": "Valor#2", "field": "consignee_document_type", "values": {"CI": "RUT"}},
    ],
    "labels": [{"label": "Papel madre", "field": "mawb"}, {"field": "origin", "value": "MIA"}],
    "rows_without_hawb": "products",
}


@pytest.fixture
def file(acme: Caller, tmp_path: Path) -> Path:
    answer_layout(make_layout(acme.company), SAID, None)
    confirm(Layout.objects.get(), None)
    make_layout(acme.company, "PE")
    path = tmp_path / "layouts.json"
    path.write_text(run("export_layouts", "ACME"))
    return path


def test_what_was_said_goes_to_another_company_once(file: Path, rival: Caller) -> None:
    assert run("import_layouts", "RIVAL", str(file), "--dry-run").count(": new") == 2
    assert not Layout.objects.of(rival.company).exists()
    assert run("import_layouts", "RIVAL", str(file)).splitlines() == [
        "CL, 8 columns, confirmed: new", "PE, 8 columns: new", "2 layouts"
    ]  # fmt: skip
    ours, theirs = (Layout.objects.get(country="CL", company__client_code=code) for code in ("ACME", "RIVAL"))
    assert told_body(theirs) == told_body(ours)
    assert describe_layout(theirs)["columns"] == describe_layout(ours)["columns"]
    assert (theirs.confirmed_at is None, theirs.figures) == (False, {})
    assert run("import_layouts", "RIVAL", str(file)).count(": unchanged") == 2
    assert json.loads(run("export_layouts", "RIVAL")) == json.loads(file.read_text())


def test_a_layout_that_exists_is_answered_as_in_the_file_and_others_stay(file: Path, rival: Caller) -> None:
    make_layout(rival.company)
    other = make_layout(rival.company, "PE", columns={"Otra": {}})
    assert "CL, 8 columns, confirmed: changed" in run("import_layouts", "RIVAL", str(file))
    assert Layout.objects.of(rival.company).count() == 3
    assert Layout.objects.filter(pk=other.pk, confirmed_at=None).exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"prealerts_layouts": 2}, "export_layouts of this version did not print"),
        ({"layouts": {}}, "file: Expected array, got object"),
        ({"colour": 1}, "unknown field colour"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_words(file: Path, change: dict[str, Any], said: str) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(CommandError, match=said):
        run("import_layouts", "ACME", str(file))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"country": "UY"}, r"layouts\[0\].country"),
        ({"columns": [{"heading": "Peso"}]}, r"layouts\[0\].columns"),
        ({"answers": [{"heading": "Nada", "field": "hawb"}]}, r"layouts\[0\].answers\[0\].heading: The layout has no"),
        ({"labels": [{"field": "destination", "value": "LIM"}]}, r"layouts\[0\].labels\[0\].value"),
    ],
)
def test_one_layout_that_cannot_be_imported_keeps_all_from_it(
    file: Path, rival: Caller, change: dict[str, Any], said: str
) -> None:
    content = json.loads(file.read_text())
    content["layouts"][0] |= change
    file.write_text(json.dumps(content))
    with pytest.raises(CommandError, match=said):
        run("import_layouts", "RIVAL", str(file))
    assert not Layout.objects.of(rival.company).exists()


def test_a_country_that_is_closed_to_the_company_and_a_file_that_is_none_are_refused(
    file: Path, tmp_path: Path
) -> None:
    make_caller("LIMA", allowed_countries=["PE"])
    with pytest.raises(CommandError, match="may not ship to this country"):
        run("import_layouts", "LIMA", str(file))
    for content, said in ((None, "cannot be read"), ("{", "not JSON")):
        path = tmp_path / "nothing.json"
        if content is not None:
            path.write_text(content)
        with pytest.raises(CommandError, match=said):
            run("import_layouts", "ACME", str(path))
