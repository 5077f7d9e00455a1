"""The workbook of a manifest with its problems marked, for operators."""

from io import BytesIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from base.admin.activity import act_in_words
from shipments.intake import trial
from shipments.manifests.xlsx import parse_slots
from shipments.models import Manifest
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.country_scope.operators import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(admin_client: Client) -> Client:
    return admin_client


def test_the_workbook_can_be_downloaded_with_its_problems_marked(staff: Client, acme: Caller, rival: Caller) -> None:
    acme.upload(workbook_bytes([guide_row(1), guide_row(2, RUT="12345678-9")]))
    rival.upload()
    manifest = Manifest.objects.get(company=acme.company)
    url = reverse("admin:shipments_manifest_annotated", args=[manifest.pk])
    assert url in text_of(staff.get(reverse("admin:shipments_manifest_change", args=[manifest.pk])))
    response: Any = staff.get(url)
    problems, sheet = load_workbook(BytesIO(response.content)).worksheets
    assert [line[0].value for line in problems.iter_rows(min_row=2)] == [5]
    assert sheet["C5"].fill.fill_type == "solid"
    assert response["Content-Disposition"].startswith("attachment; ")
    assert "no-store" in response["Cache-Control"]
    entry = LogEntry.objects.filter(object_id=str(manifest.pk)).latest("pk")
    assert act_in_words(entry) == "Downloaded the annotated workbook."


def test_an_annotated_workbook_waits_for_a_place(staff: Client, acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.upload()
    monkeypatch.setattr(trial, "TRIAL_SECONDS", 0.01)
    monkeypatch.setattr(parse_slots, "usable_cores", lambda: 1)
    with parse_slots.parse_slot():
        url = reverse("admin:shipments_manifest_annotated", args=[Manifest.objects.get().pk])
        assert "try again in a moment" in text_of(staff.get(url, follow=True))
