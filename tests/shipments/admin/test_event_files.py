"""Importing events in the admin: what would happen is shown first, and done only when the operator says so."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from base.admin.activity import ActKind, act_in_words
from shipments.admin import bulk_moves, event_files
from shipments.errors import ParserBusy
from shipments.models import BulkMove, GuideEvent, Manifest
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, shipped, tell

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("manifest")]

PAGE = reverse("import-events")


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    return shipped(acme.company, 3, mawb="045-12345675")


def events(*rows: str, header: str = "mawb,hawb,status,occurred_at,reason") -> SimpleUploadedFile:
    return SimpleUploadedFile("scans.csv", "\n".join([header, *rows]).encode())


def upload(staff: Client, file: Any) -> Any:
    return staff.post(PAGE, {"file": file})


def preview(staff: Client, *rows: str) -> str:
    """Upload these rows; the address of their preview."""
    response = upload(staff, events(*rows))
    assert response.status_code == 302, text_of(response)
    return str(response["Location"])


def said(staff: Client, address: str) -> list[tuple[str, str]]:
    """Row number and outcome of all rows, by their numbers, out of the CSV."""
    content = b"".join(_streamed(staff.get(csv_of(address)))).decode("utf-8-sig")
    return sorted((line["Row"], line["Outcome"]) for line in csv.DictReader(io.StringIO(content)))


def _streamed(response: HttpResponseBase) -> Any:
    return response.streaming_content  # type: ignore[attr-defined]  # this one streams


def csv_of(address: str) -> str:
    """The address of the lines of the move at `address`, as CSV."""
    return address.replace("change/", "guides.csv")


GOOD = "045-12345675,H001,in_transit,2026-11-20T10:00:00Z,"
UNKNOWN_GUIDE = "045-12345675,H999,in_transit,2026-11-20T10:00:00Z,"
OTHER_CLOCK = "045-12345675,H002,in_transit,2026-03-05T10:00:00Z,"
BAD_STATUS = "045-12345675,H002,flying,2026-11-20T10:00:00Z,"


def test_the_preview_shows_each_row_and_writes_nothing(staff: Client) -> None:
    before = GuideEvent.objects.count()
    address = preview(staff, GOOD, UNKNOWN_GUIDE, BAD_STATUS)
    page = text_of(staff.get(address))
    for expected in ("scans.csv", "No guide has this MAWB and HAWB.", "is unknown; use one such as", "H001"):
        assert expected in page
    assert "Nothing has been changed yet." in page
    assert said(staff, address) == [("2", "would advance"), ("3", "refused"), ("4", "refused")]
    assert GuideEvent.objects.count() == before
    assert not LogEntry.objects.exists()


def test_the_preview_shows_each_time_as_it_was_understood(staff: Client) -> None:
    """By the destination's clock, and the day before the month: who looks can see whether that is so. The heading names
    the clock, unless there are several.
    """
    page = text_of(
        staff.get(preview(staff, "045-12345675,H001,in_transit,05/03/2026 10:00,", "045-12345675,H002,lost,,"))
    )
    assert re.search("New status, -03<.*5 Mar( 2026)? 10:00<", page, re.DOTALL)
    assert "now" in page
    page = text_of(staff.get(preview(staff, "045-12345675,H001,in_transit,05/03/2026 10:00,", OTHER_CLOCK)))
    assert re.search("New status<.*5 Mar( 2026)? 10:00 -03<", page, re.DOTALL)


def test_the_button_does_what_the_preview_showed(staff: Client, manifest: Manifest, rival: Caller) -> None:
    other = shipped(rival.company, 3)
    address = preview(staff, GOOD, UNKNOWN_GUIDE)
    response = staff.post(address)
    assert (response.status_code, response["Location"]) == (302, address)
    assert "What happened" in text_of(staff.get(address))
    assert said(staff, address) == [("2", "advanced"), ("3", "refused")]
    assert_sound(manifest)
    assert manifest.guides_by_status == {"registered": 2, "in_transit": 1}
    assert GuideEvent.objects.get(status="in_transit").actor == "olga"
    other.refresh_from_db()
    assert other.guides_by_status == {"registered": 3}
    of_the_import = LogEntry.objects.get(action_flag=ActKind.MOVED)
    assert (of_the_import.object_repr, of_the_import.user.get_username()) == ("–", "olga")
    assert of_the_import.object_id == str(BulkMove.objects.get().pk)
    assert "1 advanced, 1 refused" in act_in_words(of_the_import)


def test_what_is_done_is_judged_again_when_it_is_done(staff: Client, manifest: Manifest) -> None:
    address = preview(staff, GOOD)
    assert said(staff, address) == [("2", "would advance")]
    tell(manifest.guides.get(hawb="H001"), "lost")
    staff.post(address)
    assert said(staff, address) == [("2", "history only")]


def test_the_pages_are_for_those_who_may_change_guides() -> None:
    clerk = operator("view_guide", username="clerk")
    assert [clerk.get(PAGE).status_code, upload(clerk, events(GOOD)).status_code] == [403, 403]
    assert PAGE not in text_of(clerk.get(reverse("admin:index")))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "empty"),
        (b"a,b\n", "No header row was found"),
        (b"tracking_code,status\n", "There are no rows below the headings"),
        (b"PK\x03\x04 no zip", "damaged"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_is_not_kept(
    staff: Client, media: Path, content: bytes, problem: str
) -> None:
    response = upload(staff, SimpleUploadedFile("a.csv", content))
    assert response.status_code == 400
    assert problem in text_of(response)
    assert [path for path in media.rglob("*") if path.is_file()] == []


def test_no_file_is_asked_for_again(staff: Client) -> None:
    response = staff.post(PAGE)
    assert response.status_code == 400
    assert "Choose the file first." in text_of(response)


def test_a_busy_service_says_so_and_keeps_nothing(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(_path: Path) -> None:
        raise ParserBusy

    monkeypatch.setattr(event_files, "read_event_file", busy)
    response = upload(staff, events(GOOD))
    assert response.status_code == 400
    assert "Too many workbooks are being read at once; try again in a moment." in text_of(response)
    assert not BulkMove.objects.exists()


def test_a_long_file_shows_its_refused_rows_first(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_moves, "SHOWN_PLAIN", 1)
    page = text_of(staff.get(preview(staff, GOOD, "045-12345675,H002,lost,,", UNKNOWN_GUIDE)))
    assert "H999" in page
    assert page.index("H999") < page.index("H001")
    assert "and 1 more guide." in page


def test_the_csv_of_the_result_runs_no_formula(staff: Client) -> None:
    address = preview(staff, "=cmd(),H001,in_transit,,")
    content = b"".join(_streamed(staff.get(csv_of(address)))).decode("utf-8-sig")
    (line,) = csv.DictReader(io.StringIO(content))
    assert line["Tracking code"].startswith("'=")


def test_the_template_opens_and_an_empty_one_has_no_rows(staff: Client) -> None:
    template = staff.get(reverse("import-events-template"))
    assert load_workbook(io.BytesIO(template.content)).worksheets[0]["A1"].value == "Tracking code"
    response = upload(staff, SimpleUploadedFile("events.xlsx", template.content))
    assert "There are no rows below the headings" in text_of(response)
