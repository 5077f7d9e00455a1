"""Imports of event files as rows: claimed once, listed, swept after a day, blanked with the personal data."""

import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import OperatorProfile
from shipments.admin.event_files import pages
from shipments.files.storage import unknown_files
from shipments.models import BulkMove, GuideEvent, Manifest
from shipments.tracking.event_files.file_moves import claimed
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller
from tests.shipments.admin.event_files.test_pages import GOOD, PAGE, UNKNOWN_GUIDE, preview, said
from tests.shipments.shipping import shipped

HISTORY = reverse("admin:shipments_bulkmove_changelist")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("manifest")]


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("change_guide", "view_guide")


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    return shipped(acme.company, 3, mawb="045-12345675")


def run(command: str, *arguments: str) -> str:
    output = io.StringIO()
    call_command(command, *arguments, stdout=output)
    return output.getvalue()


def test_of_two_who_looked_at_the_same_preview_one_runs_it(staff: Client) -> None:
    preview(staff, GOOD)
    first, second = BulkMove.objects.get(), BulkMove.objects.get()
    with claimed(first) as content:
        assert content is not None
        with claimed(second) as nothing:
            assert nothing is None
    first.refresh_from_db()
    assert first.state == "running"


def test_an_import_that_fails_waits_again(staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    address = preview(staff, GOOD)

    def fail(*_arguments: Any, **_named: Any) -> None:
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(pages, "import_events", fail)
        with pytest.raises(ConnectionResetError):
            staff.post(address)
    assert BulkMove.objects.get().state == "waiting"
    staff.post(address)
    assert said(staff, address) == [("2", "advanced")]


def test_the_page_lists_past_imports_with_who_and_what_came_of_them(staff: Client) -> None:
    staff.post(preview(staff, GOOD, UNKNOWN_GUIDE))
    preview(staff, GOOD)
    page: Any = staff.get(PAGE)
    waiting, done = page.context["imports"]
    assert (waiting.event_import.get_state_display(), waiting.tally) == ("Not confirmed yet", [])
    assert (done.event_import.actor, done.event_import.total) == ("olga", 2)
    assert [count for _badge, count in done.tally] == ["1", "1"]
    assert text_of(page).count("scans.csv") == 2


def listed(browser: Client) -> list[tuple[str, bool]]:
    """Who imported, and whether the list leads to the import's page."""
    page: Any = browser.get(PAGE)
    return [(each.event_import.actor, each.has_page) for each in page.context["imports"]]


def test_operators_of_a_country_see_their_own_imports_alone(staff: Client) -> None:
    preview(staff, GOOD)
    assert listed(operator("change_guide", username="oscar")) == [("olga", False)]
    chilean = operator("change_guide", username="carla")
    OperatorProfile.objects.filter(user=User.objects.get(username="carla")).update(countries=["CL"])
    assert listed(chilean) == []
    preview(chilean, GOOD)
    assert listed(chilean) == [("carla", True)]


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
        told = [(name, re.sub("<[^>]*>", "", cell).strip()) for name, cell in cells if name != "shown_uploaded"]
        assert told[:7] == [
            ("actor", "olga"), ("kind", "Import of events"), ("shown_name", "scans.csv"),
            ("shown_rows", "1"), ("shown_moved", ""),
            ("shown_refused", ""), ("shown_state", "Not confirmed yet"),
        ]  # fmt: skip
        assert told[7:] == [
            ("actor", "olga"), ("kind", "Import of events"), ("shown_name", "scans.csv"),
            ("shown_rows", "2"), ("shown_moved", "1"),
            ("shown_refused", "1"), ("shown_state", "Done"),
        ]  # fmt: skip
        page = text_of(staff.get(reverse("admin:shipments_bulkmove_change", args=[done.pk])))
        assert f'href="{address}"' in page
        assert HISTORY in text_of(staff.get(PAGE))

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
        assert chilean.get(page).status_code == 404
        shown = text_of(operator("change_guide", username="oscar").get(page))
        assert address not in shown
        assert "Only the operator who moved them sees the guides." in shown

    def test_needs_the_permission_to_import(self, staff: Client) -> None:
        staff.post(preview(staff, GOOD))
        reader = operator("view_guide", username="rita")
        page = reverse("admin:shipments_bulkmove_change", args=[BulkMove.objects.get().pk])
        assert [reader.get(address).status_code for address in (HISTORY, page)] == [403, 403]

    def test_stays_when_results_and_names_are_erased(self, staff: Client) -> None:
        staff.post(preview(staff, GOOD, UNKNOWN_GUIDE))
        with time_machine.travel(timezone.now() + timedelta(days=31)):
            run("sweep_files")
            run("anonymise", "--older-than", "30")
        text = text_of(staff.get(HISTORY))
        assert "scans.csv" not in text
        assert re.search(r'field-shown_moved"[^>]*>1<', text)

    def test_nobody_adds_changes_or_deletes_an_entry(self, admin_client: Client, staff: Client) -> None:
        staff.post(preview(staff, GOOD))
        key = BulkMove.objects.get().pk
        for name, arguments in (("add", []), ("change", [key]), ("delete", [key])):
            address = reverse(f"admin:shipments_bulkmove_{name}", args=arguments)
            assert admin_client.post(address, {"post": "yes", "actor": "x"}).status_code == 403
        assert BulkMove.objects.get().actor == "olga"


def test_after_a_day_files_that_nobody_ran_go_and_results_are_emptied(staff: Client, media: Path) -> None:
    waiting, done = preview(staff, GOOD), preview(staff, GOOD, UNKNOWN_GUIDE)
    staff.post(done)
    assert len(list((media / "waiting").iterdir())) == 1
    assert "imports" not in run("sweep_files")
    assert list(unknown_files(timezone.now() + timedelta(days=1))) == []
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        assert "Would empty 2 event imports." in run("sweep_files", "--dry-run")
        assert BulkMove.objects.count() == 2
        assert "Emptied 2 event imports." in run("sweep_files")
    assert list((media / "waiting").iterdir()) == []
    assert staff.get(waiting).status_code == 404
    kept = BulkMove.objects.get()
    assert (kept.lines, kept.tally) == ([], {"advanced": 1, "refused": 1})
    assert "are kept for one day" in text_of(staff.get(done))
    assert staff.get(f"{done}rows.csv").status_code == 404


def test_an_import_whose_process_ended_is_called_stopped_after_a_day(staff: Client, media: Path) -> None:
    address = preview(staff, GOOD)
    BulkMove.objects.update(state="running", started_at=timezone.now() - timedelta(hours=25))
    run("sweep_files")
    assert list((media / "waiting").iterdir()) == []
    assert "The import was stopped" in text_of(staff.get(address))
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


def test_an_operator_who_is_deleted_leaves_the_history(staff: Client) -> None:
    staff.post(preview(staff, GOOD))
    User.objects.get(username="olga").delete()
    assert BulkMove.objects.get().actor == "olga"
