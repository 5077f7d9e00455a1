"""Opening a sandbox for a client of the live service, as it is set up there."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from companies.models import Company
from shipments.layouts.answering import answer_layout
from shipments.models import Layout, LayoutAnswer, Manifest
from tests.books import MAWB, workbook_bytes
from tests.conftest import Caller, make_caller
from tests.shipments.layouts.rows import make_layout

pytestmark = pytest.mark.django_db
IN_SANDBOX = override_settings(SANDBOX=True, ROOT_URLCONF="prealerts.sandbox_urls")


def run(*arguments: str, **options: Any) -> str:
    """What a command prints."""
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


def opened(file: Path) -> tuple[dict[str, Any], str]:
    """The line on standard output (empty for an update), and what is said beside it."""
    beside = StringIO()
    with IN_SANDBOX:
        line = run("open_sandbox", str(file), stderr=beside)
    return (json.loads(line) if line else {}), beside.getvalue()


@pytest.fixture
def lima_file(tmp_path: Path, db: None) -> Path:  # noqa: ARG001  # the database must be there first
    """A Peruvian client whose workbooks are read, exported."""
    lima = make_caller("LIMA", allowed_countries=["PE"], read_by_headings=["PE"])
    Company.objects.filter(pk=lima.company.pk).update(contact_name="Rosa", contact_email="rosa@example.com")
    answer_layout(make_layout(lima.company, "PE"), {"answers": [{"heading": "Pedido", "field": "hawb"}]}, None)
    file = tmp_path / "lima.json"
    file.write_text(run("export_company", "lima"))
    Layout.objects.all().delete()
    Company.objects.filter(pk=lima.company.pk).update(client_code="ELSEWHERE")  # as if in another database
    return file


def test_a_clients_workbook_is_read_as_in_the_live_service(lima_file: Path) -> None:
    line, _beside = opened(lima_file)
    assert (line["client_code"], line["api_password"][:8]) == ("LIMA", "pa_test_")
    company = Company.objects.get(client_code="LIMA")
    with IN_SANDBOX:
        answered = Caller(company, line["api_password"]).upload(workbook_bytes(labels={"Destino": "LIM"}))
    assert (answered.status_code, answered.json()["country"]) == (201, "PE")
    assert {each["tracking_code"][:3] for each in answered.json()["guides"]} == {"TST"}
    assert Manifest.objects.get().mawb == MAWB


def test_the_file_names_no_person_and_no_secret(lima_file: Path) -> None:
    content = lima_file.read_text()
    assert "Rosa" not in content
    assert "rosa@" not in content
    assert "pa_live" not in content


def test_an_update_leaves_the_password_and_the_others(lima_file: Path) -> None:
    opened(lima_file)
    before = Company.objects.get(client_code="LIMA").api_password_digest
    rival = make_caller("RIVAL")
    changed = json.loads(lima_file.read_text()) | {"name": "Lima SAC", "countries": ["PE", "CL"]}
    lima_file.write_text(json.dumps(changed))
    line, beside = opened(lima_file)
    company = Company.objects.get(client_code="LIMA")
    assert (line, company.name, company.api_password_digest) == ({}, "Lima SAC", before)
    assert "its password is as before" in beside
    assert company.read_by_headings == ["PE"]
    assert LayoutAnswer.objects.get(layout__company=company).field == "hawb"
    rival.company.refresh_from_db()
    assert rival.company.name == "Rival Ltda."


def test_a_couriers_missing_clients_are_named(tmp_path: Path, acme: Caller, rival: Caller) -> None:
    courier = make_caller("FLY", kind="courier")
    courier.company.posts_for.set([acme.company, rival.company])
    file = tmp_path / "fly.json"
    file.write_text(run("export_company", "FLY"))
    courier.company.delete()
    acme.company.delete()
    _line, beside = opened(file)
    assert "ACME" in beside
    assert "RIVAL" not in beside
    assert [*Company.objects.get(client_code="FLY").posts_for.all()] == [rival.company]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "not one that export_company printed"),
        ("{", "not JSON"),
        ('{"prealerts_company": 1}', "another version of the program: it has 1, and this one reads 2"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, db: None, content: str, words: str) -> None:  # noqa: ARG001  # as above
    file = tmp_path / "other.json"
    file.write_text(content)
    with pytest.raises(CommandError, match=words):
        opened(file)
    assert Company.objects.count() == 0


def test_a_live_service_opens_nothing(lima_file: Path) -> None:
    with pytest.raises(CommandError, match="live service"):
        call_command("open_sandbox", str(lima_file))
    assert not Company.objects.filter(client_code="LIMA").exists()
