"""What is kept of layouts and of refused workbooks: how many, how long, and of whom."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from shipments.layouts import reading, waiting
from shipments.models import Layout, ManifestDraft
from tests.api.changing import courier_of
from tests.api.test_jobs import job_of, queue, stored, work
from tests.conftest import BASE, Caller, as_file
from tests.shipments.layouts.telling import ANSWERS, HEADINGS, confirm, strange, tell

pytestmark = pytest.mark.django_db

OnCommit = Callable[..., AbstractContextManager[Any]]


@cache  # made again, its bytes would differ by the time inside
def workbook(number: int) -> bytes:
    return strange(headings=[f"{heading} {'abcdefgh'[number] * 3}" for heading in HEADINGS])


def refused(caller: Caller, number: int = 0) -> Layout:
    """Send a workbook of a strange layout that is refused, and return the layout. number: of the layout."""
    answer = caller.upload(workbook(number), destination_airport="SCL")
    assert answer.json()["error"] == "hawb_in_doubt"
    return Layout.objects.of(caller.company).latest("last_seen_at")


def test_of_the_layouts_nobody_answered_the_one_unseen_longest_goes(
    acme: Caller, rival: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_UNANSWERED", 2)
    of_rival, told = refused(rival), refused(acme)
    tell(told, {f"{next(iter(HEADINGS))} aaa": {"field": "hawb"}})
    seen_again, _unseen = refused(acme, 1), refused(acme, 2)
    assert refused(acme, 1) == seen_again
    ManifestDraft.objects.all().delete()
    newest = refused(acme, 3)
    assert set(Layout.objects.all()) == {of_rival, told, seen_again, newest}


def test_a_layout_whose_workbook_waits_is_kept_whatever_comes_after_it(
    acme: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_UNANSWERED", 1)
    layouts = [refused(acme, number) for number in range(4)]
    assert set(ManifestDraft.objects.values_list("layout", flat=True)) == {each.pk for each in layouts}


def test_of_the_workbooks_that_wait_the_oldest_goes_with_its_file_and_an_equal_one_waits_once(
    acme: Caller,
    rival: Caller,
    media: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: OnCommit,
) -> None:
    monkeypatch.setattr(waiting, "MOST_WAITING", 2)
    of_rival = refused(rival)
    with django_capture_on_commit_callbacks(execute=True):
        layouts = [refused(acme, number) for number in (0, 1, 1)]
        assert {each.layout for each in ManifestDraft.objects.filter(company=acme.company)} == {*layouts}
        layouts.append(refused(acme, 2))
    assert set(ManifestDraft.objects.values_list("layout", flat=True)) == {each.pk for each in (of_rival, *layouts[1:])}
    assert (ManifestDraft.objects.count(), len(stored(media))) == (3, 3)


def test_a_workbook_waits_for_seven_days_and_an_unconfirmed_layout_is_kept_for_ninety(
    acme: Caller, rival: Caller, media: Path, django_capture_on_commit_callbacks: OnCommit
) -> None:
    unconfirmed, confirmed = refused(acme), refused(rival)
    tell(unconfirmed, {f"{next(iter(HEADINGS))} aaa": {"field": "hawb"}})
    confirm(confirmed)
    found = {}
    for days in (6, 8, 89, 91):
        later = timezone.now() + timedelta(days=days)
        with time_machine.travel(later), django_capture_on_commit_callbacks(execute=True):
            call_command("sweep_files", stdout=StringIO())
        found[days] = (ManifestDraft.objects.count(), len(stored(media)), set(Layout.objects.all()))
    both = {unconfirmed, confirmed}
    assert found == {6: (2, 2, both), 8: (0, 0, both), 89: (0, 0, both), 91: (0, 0, {confirmed})}


def test_a_job_that_fails_for_its_hawb_has_its_layout_and_its_workbook_waits(acme: Caller, rival: Caller) -> None:
    queued = queue(acme, strange(), destination_airport="SCL")
    work()
    job = job_of(acme, queued)
    assert (job["status"], job["error"]["error"]) == ("failed", "hawb_in_doubt")
    assert job["error"]["questions"]
    (layout,) = acme.get("/layouts").json()["layouts"]
    assert layout["questions"][0]["field"] == "hawb"
    draft = ManifestDraft.objects.get()
    assert (draft.company, str(draft.layout_id), draft.operator) == (acme.company, layout["id"], None)
    assert rival.get("/layouts").json()["layouts"] == []
    tell(Layout.objects.get(), ANSWERS)
    queued = queue(acme, strange(), destination_airport="SCL")
    work()
    assert job_of(acme, queued)["status"] == "succeeded"


def test_a_couriers_upload_and_a_validation_keep_nothing(
    acme: Caller, company_maker: Callable[..., Caller], media: Path
) -> None:
    courier = courier_of(company_maker("SWIFT", kind="courier"), acme)
    form = {"destination_airport": "SCL"}
    assert courier.upload(strange(), client_code="ACME", **form).json()["error"] == "company_is_courier"
    sent = {"manifest_file": as_file(strange()), **form}
    checked = acme.client.post(f"{BASE}/upload/validate", sent, headers=acme.headers)
    assert (checked.status_code, checked.json()["refusal"]["error"]) == (200, "hawb_in_doubt")
    assert not Layout.objects.exists()
    assert not ManifestDraft.objects.exists()
    assert stored(media) == []
