"""Error pages of the admin: not found, not allowed, not stored; each explains what to do next."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.test import Client
from django.urls import reverse

from shipments.models import Manifest, ManifestFile
from tests.companies.admin_pages import text_of
from tests.conftest import Caller
from tests.shipments.admin.pages import of_guide, of_manifest
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7\n%%EOF\n"
EVENTS = b"mawb,hawb,status\n045-12345675,H001,in_transit\n"


def download_of(manifest: Manifest) -> str:
    return reverse("admin:shipments_manifest_download", args=[manifest.pk, "manifest"])


def test_a_stored_file_that_is_missing_is_said_to_be_missing_and_not_to_be_downloaded(
    staff: Client, acme: Caller, rival: Caller
) -> None:
    for caller in (acme, rival):
        caller.upload()
    ours, theirs = (Manifest.objects.get(company=caller.company) for caller in (acme, rival))
    Path(default_storage.path(str(ManifestFile.objects.get(manifest=ours).file.name))).unlink()
    answer = staff.get(download_of(ours))
    assert answer.status_code == 404
    assert "The stored file is missing" in text_of(answer)
    assert "check_files" in text_of(answer)
    assert not LogEntry.objects.exists()
    assert b"".join(staff.get(download_of(theirs))).startswith(b"PK")
    assert LogEntry.objects.get().object_id == str(theirs.pk)


def test_a_disk_that_takes_no_file_is_reported_in_words_and_nothing_was_done(
    staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = shipped(acme.company, 1)
    codes = iter([errno.ENOSPC, errno.EROFS, errno.EACCES])

    def refuse(*_arguments: Any) -> str:
        code = next(codes)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(default_storage, "save", refuse)
    for _code in range(3):
        invoice = {"step": "run", "invoice_file": SimpleUploadedFile("a.pdf", PDF)}
        answer = staff.post(of_manifest(manifest, "attach_invoice"), invoice)
        assert answer.status_code == 503
        assert "The stored files cannot be reached" in text_of(answer)
    assert not manifest.files.exists()


def test_an_upload_that_the_disk_does_not_take_is_reported_in_words(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", refuse)
    answer = staff.post(reverse("import-events"), {"file": SimpleUploadedFile("scans.csv", EVENTS)})
    assert answer.status_code == 503
    assert "The stored files cannot be reached" in text_of(answer)


def test_another_fault_is_not_taken_for_one_of_the_storage(
    staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = shipped(acme.company, 1)

    def fail(*_arguments: Any) -> str:
        raise ConnectionResetError(errno.ECONNRESET, "reset")

    monkeypatch.setattr(default_storage, "save", fail)
    with pytest.raises(ConnectionResetError):
        staff.post(
            of_manifest(manifest, "attach_invoice"),
            {"step": "run", "invoice_file": SimpleUploadedFile("a.pdf", PDF)},
        )


@pytest.mark.parametrize(("language", "title"), [("en", "Page not found"), ("es", "Página no encontrada")])
def test_a_page_that_is_not_there_says_so_in_the_operators_language(staff: Client, language: str, title: str) -> None:
    for address in ("/admin/shipments/guide/99/advance/", "/nowhere/"):
        answer = staff.get(address, headers={"accept-language": language})
        assert answer.status_code == 404
        assert title in text_of(answer)
        assert reverse("admin:index") in text_of(answer)


def test_a_path_with_a_nul_is_not_found_before_anybody_is_asked_for(client: Client) -> None:
    answer = client.get("/admin/%00/")
    assert answer.status_code == 404


def test_a_role_without_the_right_learns_whom_to_ask(reader: Client, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    answer = reader.get(of_guide(guide, "advance"))
    assert answer.status_code == 403
    assert "ask an administrator" in text_of(answer)


def test_a_form_without_its_token_is_refused_with_the_way_out(staff: Client, acme: Caller) -> None:
    guide = shipped(acme.company, 1).guides.get()
    staff.handler.enforce_csrf_checks = True
    answer = staff.post(of_guide(guide, "advance"), {"step": "run", "status": "lost"})
    assert answer.status_code == 403
    assert "Go back, reload the page and try again." in text_of(answer)
    guide.refresh_from_db()
    assert guide.status == "registered"


def test_a_fault_is_reported_in_both_languages_with_the_number_to_look_for(
    staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a fault before the operator's permissions are read, so that nothing is known of the reader."""
    guide = shipped(acme.company, 1).guides.get()
    monkeypatch.setattr("shipments.admin.guides.GuideAdmin.get_object", lambda *_asked: 1 // 0)
    staff.raise_request_exception = False
    answer = staff.get(of_guide(guide), headers={"x-request-id": "look-for-this"})
    assert answer.status_code == 500
    for expected in ("look-for-this", "Algo falló de nuestro lado", "Something went wrong on our side"):
        assert expected in text_of(answer)


@pytest.mark.parametrize(
    ("name", "section", "title"),
    [
        ("auditlog_logentry", "Operators", "Configuration changes"),
        ("shipments_guide", "Shipments", "Guides"),
    ],
)
def test_a_list_is_headed_by_the_words_that_led_to_it(
    admin_client: Client, name: str, section: str, title: str
) -> None:
    page = text_of(admin_client.get(reverse(f"admin:{name}_changelist")))
    heading = page[page.index("<h1") : page.index("</h1>")]
    assert heading.index(section) < heading.index(title)
    for foreign in ("Log entries", "Audit log", "Administration"):
        assert foreign not in heading


def test_the_page_of_a_step_leads_back_to_what_it_is_about(staff: Client, acme: Caller) -> None:
    manifest = shipped(acme.company, 1, review_reasons=("rut_invalid_format",), retention_reason="Value.")
    guide = manifest.guides.get()
    for address, subject in (
        (of_guide(guide, "correct_consignee"), of_guide(guide)),
        (of_manifest(manifest, "advance_guides"), of_manifest(manifest)),
    ):
        page = text_of(staff.get(address))
        assert subject in page[page.index("<h1") : page.index("</h1>")]
