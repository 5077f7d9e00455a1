"""Opening a sandbox for a client of the live service, with its own workbook format."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from companies.models import Company
from shipments.models import Manifest, WorkbookFormat
from tests.conftest import Caller, make_caller
from tests.shipments.formats.layouts_of_clients import MAWB, bind, book, run

pytestmark = pytest.mark.django_db
IN_SANDBOX = override_settings(SANDBOX=True, ROOT_URLCONF="prealerts.sandbox_urls")


def opened(file: Path) -> tuple[dict[str, Any], str]:
    """The line on standard output (empty for an update), and what is said beside it."""
    beside = StringIO()
    with IN_SANDBOX:
        line = run("open_sandbox", str(file), stderr=beside)
    return (json.loads(line) if line else {}), beside.getvalue()


@pytest.fixture
def lima_file(tmp_path: Path, db: None) -> Path:  # noqa: ARG001  # the database must be there first
    """A Peruvian client with a format of its own, exported."""
    lima = make_caller("LIMA", allowed_countries=["PE"])
    Company.objects.filter(pk=lima.company.pk).update(contact_name="Rosa", contact_email="rosa@example.com")
    bind(lima)
    file = tmp_path / "lima.json"
    file.write_text(run("export_company", "lima"))
    Company.objects.filter(pk=lima.company.pk).update(client_code="ELSEWHERE")  # as if in another database
    WorkbookFormat.objects.all().update(company=make_caller("OTHER").company)
    return file


def test_a_clients_own_workbook_is_read_by_its_format(lima_file: Path) -> None:
    line, _beside = opened(lima_file)
    assert (line["client_code"], line["api_password"][:8]) == ("LIMA", "pa_test_")
    company = Company.objects.get(client_code="LIMA")
    with IN_SANDBOX:
        answered = Caller(company, line["api_password"]).upload(book())
    assert (answered.status_code, answered.json()["format"]["name"]) == (201, "ACME Perú")
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
    assert WorkbookFormat.objects.get(company=company).in_use is not None
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
        ('{"prealerts_company": 2}', "another version"),
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
