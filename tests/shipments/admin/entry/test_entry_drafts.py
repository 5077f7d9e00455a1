"""A previewed manifest until it is confirmed: whose it is, and when it goes."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from companies.models import OperatorProfile
from shipments.intake import drafts
from shipments.intake.ingest import ingest
from shipments.models import Manifest, ManifestDraft, ManifestFile
from tests.books import workbook_bytes
from tests.companies.admin_pages import operator
from tests.conftest import Caller, as_file
from tests.shipments.admin.entry.entering import PDF, confirmed, previewed, stored_files

pytestmark = pytest.mark.django_db


def test_a_draft_is_the_operators_own(staff: Client, acme: Caller) -> None:
    address = previewed(staff, acme)
    colleague = operator("change_manifest", username="pedro")
    assert colleague.get(address).status_code == 404
    assert colleague.post(address).status_code == 404
    assert not Manifest.objects.exists()


def test_a_draft_for_a_client_that_left_the_operators_countries_is_not_found(staff: Client, acme: Caller) -> None:
    acme.company.allowed_countries = ["CL"]
    acme.company.save()
    draft_page = previewed(staff, acme)
    OperatorProfile.objects.filter(user=ManifestDraft.objects.get().operator).update(countries=["PE"])
    assert staff.get(draft_page).status_code == 404
    assert staff.post(draft_page).status_code == 404


def test_what_nobody_confirms_is_swept_after_a_day_with_its_files(staff: Client, acme: Caller, media: Path) -> None:
    previewed(staff, acme, invoice_file=as_file(PDF, "inv.pdf"))
    kept = confirmed(staff, previewed(staff, acme, workbook_bytes(mawb="123-12345675")))
    assert len(stored_files(media)) == 3
    call_command("sweep_files", stdout=StringIO())
    assert (ManifestDraft.objects.count(), len(stored_files(media))) == (2, 3)
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=False):
        output = StringIO()
        call_command("sweep_files", "--dry-run", stdout=output)
        assert "Would delete 2 drafts of manifests." in output.getvalue()
        assert ManifestDraft.objects.count() == 2
        call_command("sweep_files", stdout=StringIO())
    assert not ManifestDraft.objects.exists()
    (file,) = ManifestFile.objects.all()
    assert (file.manifest, default_storage.exists(str(file.file.name)), len(stored_files(media))) == (kept, True, 1)


def test_a_draft_that_was_swept_creates_nothing(staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    address, real = previewed(staff, acme), ingest

    def swept_meanwhile(*arguments: Any, **named: Any) -> Any:
        ManifestDraft.objects.all().delete()
        return real(*arguments, **named)

    monkeypatch.setattr(drafts, "ingest", swept_meanwhile)
    assert staff.post(address).status_code == 404
    assert not Manifest.objects.exists()
