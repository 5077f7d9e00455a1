"""Operators' unconfirmed drafts that name a person. Their files are searched whole: hidden sheets are read too."""

import html
import re
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from shipments.carriers.forgetting import body_text, texts_in
from shipments.files.storage import file_store
from shipments.files.stored_files import delete_stored
from shipments.models import ManifestDraft
from shipments.privacy.mentions import companies_of
from shipments.privacy.terms import Terms

_TAG = re.compile("<[^<>]*>")
_BETWEEN_CELLS = " | "
"""So that the numbers of two cells are not read as one."""


def drafts_naming(terms: Terms, country: str, until: datetime) -> Iterator[ManifestDraft]:
    """Yield the drafts begun until a time that name the person and may be of the country; empty: of any."""
    manifests = ManifestDraft.objects.unconfirmed().filter(created_at__lte=until)
    if country:
        manifests = manifests.filter(company__in=companies_of(country))
    for draft in manifests.select_related("company", "operator").order_by("created_at"):
        contents = (draft.received, draft.flight, *_file_texts(draft))
        if any(terms.identify(text) for content in contents for text in texts_in(content)):
            yield draft


def end(draft: ManifestDraft) -> Mapping[str, str] | None:
    """End a draft and delete its files. Returns what operators are told of it; None if it was confirmed meanwhile."""
    told = {
        "company": draft.company.client_code,
        "operator": draft.operator.get_username() if draft.operator else "",
        "uploaded_at": draft.created_at.isoformat(timespec="seconds"),
    }
    emptied: dict[str, Any] = {"received": {}, "flight": {}, "manifest_file": "", "invoice_file": ""}
    waiting = ManifestDraft.objects.unconfirmed().filter(pk=draft.pk)
    if not waiting.update(ended_at=timezone.now(), **emptied):
        return None
    delete_stored(_file_names(draft))
    return told


def _file_names(draft: ManifestDraft) -> list[str]:
    return [name for name in (draft.manifest_file.name, draft.invoice_file.name) if name]


def _file_texts(draft: ManifestDraft) -> Iterator[str]:
    for name in _file_names(draft):
        try:
            with file_store().local_copy(name) as path:
                yield file_text(path)
        except FileNotFoundError:
            continue


def file_text(path: Path) -> str:
    """Return the text of a workbook, whose package was checked when it arrived, or of any other file."""
    if not zipfile.is_zipfile(path):
        return body_text(path.read_bytes())
    with zipfile.ZipFile(path) as package:
        parts = [package.read(part) for part in package.infolist() if part.filename.endswith(".xml")]
    return _BETWEEN_CELLS.join(
        html.unescape(_TAG.sub(_BETWEEN_CELLS, part.decode("utf-8", "replace"))) for part in parts
    )
