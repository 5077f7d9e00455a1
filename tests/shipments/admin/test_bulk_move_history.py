"""The history of bulk moves, here of event files: listed, swept after a day, blanked with the personal data."""

import io
import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import OperatorProfile
from shipments.models import BulkMove, GuideEvent, Manifest
from shipments.tracking import bulk
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller
from tests.shipments.admin.test_event_files import GOOD, PAGE, UNKNOWN_GUIDE, csv_of, preview, said
from tests.shipments.shipping import shipped

HISTORY = reverse("admin:shipments_bulkmove_changelist")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("manifest")]


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    return shipped(acme.company, 3, mawb="045-12345675")


def run(command: str, *arguments: str) -> str:
    output = io.StringIO()
    call_command(command, *arguments, stdout=output)
    return output.getvalue()


def test_an_import_that_fails_goes_on_once_its_hold_has_ended(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    address = preview(staff, GOOD)

    def fail(*_arguments: Any, **_named: Any) -> None:
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(bulk, "advance_each", fail)
        with pytest.raises(ConnectionResetError):
            staff.post(address)
    assert "Go on" in text_of(staff.get(address))
    with time_machine.travel(timezone.now() + bulk.HELD_FOR + timedelta(seconds=1)):
        staff.post(address)
        assert said(staff, address) == [("2", "advanced")]


def history(browser: Client, **query: str) -> list[BulkMove]:
    page: Any = browser.get(HISTORY, query)
    return list(page.context["cl"].result_list)


class TestTheHistory:
    def test_says_who_when_which_file_and_what_came_of_it(self, staff: Client) -> None:
        address = preview(staff, GOOD, UNKNOWN_GUIDE)
        staff.post(address)
        preview(staff, GOOD)
        waiting, done = history(staff)
        assert (waiting.state, done.state) == ("waiting", "done")
        page = text_of(staff.get(HISTORY))
        cells = re.findall(r'<t[dh] class="pa-cell field-(\w+)"[^>]*>(.*?)</t[dh]>', page, re.DOTALL)
        told = [(name, re.sub("<[^>]*>", "", cell).strip()) for name, cell in cells if name != "shown_begun"]
        assert told[:7] == [
            ("actor", "olga"), ("kind", "Import of events"), ("shown_name", "scans.csv"),
            ("shown_total", "1"), ("shown_moved", ""),
            ("shown_refused", ""), ("shown_state", "Not confirmed yet"),
        ]  # fmt: skip
        assert told[7:] == [
            ("actor", "olga"), ("kind", "Import of events"), ("shown_name", "scans.csv"),
            ("shown_total", "2"), ("shown_moved", "1"),
            ("shown_refused", "1"), ("shown_state", "Done"),
        ]  # fmt: skip
        assert f'href="{address}"' in page
        assert f"{HISTORY}?kind__exact=file" in text_of(staff.get(PAGE))

    def test_is_searched_by_file_and_operator_and_filtered_by_state(self, staff: Client) -> None:
        staff.post(preview(staff, GOOD))
        preview(staff, GOOD)
        assert len(history(staff, q="scans")) == len(history(staff, q="olga")) == 2
        assert history(staff, q="rosa") == []
        assert [one.state for one in history(staff, state__exact="done")] == ["done"]

    def test_is_an_operators_own_and_everybodys_for_those_who_see_every_country(self, staff: Client) -> None:
        address = preview(staff, GOOD)
        staff.post(address)
        (done,) = history(staff)
        page = reverse("admin:shipments_bulkmove_change", args=[done.pk])
        chilean = operator("change_guide", username="carla")
        OperatorProfile.objects.filter(user=User.objects.get(username="carla")).update(countries=["CL"])
        assert history(chilean) == []
        answers = chilean.get(page), chilean.post(page), chilean.get(csv_of(page))
        assert [answer.status_code for answer in answers] == [404] * 3
        colleague = operator("change_guide", "view_guide", username="oscar")
        assert "What happened" in text_of(colleague.get(page))
        assert colleague.post(page).status_code == 403
        reader = operator("view_guide", username="rita")
        assert [reader.get(each).status_code for each in (HISTORY, page)] == [403, 403]


def test_after_a_day_what_nobody_confirmed_goes_and_results_are_emptied(staff: Client) -> None:
    waiting, done = preview(staff, GOOD), preview(staff, GOOD, UNKNOWN_GUIDE)
    staff.post(done)
    assert "bulk moves" not in run("sweep_files")
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        assert "Would empty 2 bulk moves." in run("sweep_files", "--dry-run")
        assert BulkMove.objects.count() == 2
        assert "Emptied 2 bulk moves." in run("sweep_files")
    assert staff.get(waiting).status_code == 404
    kept = BulkMove.objects.get()
    assert (kept.lines, kept.tally) == ([], {"advanced": 1, "refused": 1})
    assert "are kept for one day" in text_of(staff.get(done))
    assert staff.get(csv_of(done)).status_code == 404


def test_an_import_whose_process_ended_is_called_stopped_after_a_day(staff: Client) -> None:
    address = preview(staff, GOOD)
    BulkMove.objects.update(state="running", started_at=timezone.now() - timedelta(hours=25))
    run("sweep_files")
    assert BulkMove.objects.get().guides == []
    assert "The move was stopped" in text_of(staff.get(address))
    assert staff.post(address).status_code == 302
    assert not GuideEvent.objects.filter(status="in_transit").exists()


def test_anonymise_blanks_the_names_of_old_files_and_their_results(staff: Client) -> None:
    staff.post(preview(staff, GOOD))
    with time_machine.travel(timezone.now() + timedelta(days=31)):
        assert "are blanked: 1." in run("anonymise", "--older-than", "30", "--dry-run")
        assert BulkMove.objects.get().original_name == "scans.csv"
        assert "are blanked: 1." in run("anonymise", "--older-than", "30")
        assert "are blanked" not in run("anonymise", "--older-than", "30")
    kept = BulkMove.objects.get()
    assert (kept.original_name, kept.lines, kept.tally) == ("", [], {"advanced": 1})
    assert re.search(r'field-shown_moved"[^>]*>1<', text_of(staff.get(HISTORY)))
