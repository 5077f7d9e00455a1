"""Operators write notes on guides and manifests; clients never see them, and anonymising erases them."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from shipments.models import LONGEST_NOTE, Guide, Manifest, Note
from shipments.privacy.anonymise import anonymise_older
from tests.shipments.admin.pages import logged, of_guide, of_manifest, text_of
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

TEXT = "Paula called:\nthe parcel is for her sister."


def note(browser: Client, subject: Guide | Manifest, text: str = TEXT) -> Any:
    kind = "guide" if isinstance(subject, Guide) else "manifest"
    address = reverse(f"admin:shipments_{kind}_add_note", args=[subject.pk])
    return browser.post(address, {"step": "run", "text": text}, follow=True)


def test_a_note_is_shown_with_who_wrote_it_where_it_was_written(staff: Client, ours: Company, theirs: Company) -> None:
    manifest, other = shipped(ours, 2), shipped(theirs, 1)
    first, second = manifest.guides.order_by("pk")
    note(staff, first)
    note(staff, manifest, "Two pallets.")
    written = Note.objects.get(guide=first)
    assert (written.text, written.written_by) == (TEXT, "olga")
    assert "for her sister" in text_of(staff.get(of_guide(first)))
    assert "Two pallets." in text_of(staff.get(of_manifest(manifest)))
    assert "for her sister" not in text_of(staff.get(of_manifest(manifest)))
    for page in (of_guide(second), of_guide(other.guides.get()), of_manifest(other)):
        assert "for her sister" not in text_of(staff.get(page))
    assert "Added a note." in logged(first)
    assert not any("sister" in each for each in logged(first))


def test_an_invalid_note_is_refused(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1)
    for text in ("   ", "x" * (LONGEST_NOTE + 1), "a\0b"):
        assert note(staff, manifest, text).status_code == 200
    assert not Note.objects.exists()


def test_anonymising_erases_the_texts_and_keeps_who_and_when(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1)
    guide = manifest.guides.get()
    note(staff, guide)
    note(staff, manifest)
    Manifest.objects.update(created_at="2020-01-01T00:00:00Z")
    kept = shipped(ours, 1)
    note(staff, kept)
    anonymise_older(timezone.now().replace(year=2021))
    assert list(manifest.notes.values_list("text", "written_by")) == [("", "olga")] * 2
    assert kept.notes.get().text == TEXT
    assert "no notes are kept" in text_of(note(staff, guide))
    assert "no notes are kept" in text_of(note(staff, manifest))
    assert manifest.notes.count() == 2


def test_a_persons_record_has_the_notes(staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = shipped(ours, 1, consignee_document_type="RUT", consignee_document="12345678-5").guides.get()
    note(staff, guide)
    output = StringIO()
    monkeypatch.setattr("sys.stdin", StringIO("12345678-5\n"))
    call_command("personal_data", document="-", country="CL", stdout=output)
    assert "for her sister" in output.getvalue()
