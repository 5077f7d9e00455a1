"""Undoing a bulk move: its exact guides, one by one, by who made it within a day; and what its preview warns of."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from companies.models import Company
from shipments.models import BulkMove, Guide, GuideEvent, Manifest
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent
from tests.companies.admin_pages import operator
from tests.shipments.admin.pages import GUIDES, listed, moved, of_guide, of_manifest, preview_of, text_of, told
from tests.shipments.admin.test_event_files import events, upload
from tests.shipments.shipping import assert_sound, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def manifest(ours: Company) -> Manifest:
    return shipped(ours, 3, mawb="045-12345675")


def statuses(manifest: Manifest) -> dict[str, int]:
    manifest.refresh_from_db()
    assert_sound(manifest)
    counts: dict[str, int] = manifest.guides_by_status
    return counts


def page_of(move: BulkMove) -> str:
    return f"/admin/shipments/bulkmove/{move.pk}/change/"


def undo(browser: Client, move: BulkMove) -> Any:
    """The page after the undo was previewed and confirmed; the answer if there is no preview."""
    answer = browser.post(page_of(move), {"step": "undo"}, follow=True)
    if answer.status_code != 200:
        return answer
    return browser.post(answer.redirect_chain[-1][0], {"step": "run"}, follow=True)


def test_takes_back_its_own_guides_alone(staff: Client, manifest: Manifest, theirs: Company) -> None:
    other = shipped(theirs, 2)
    first, *rest = manifest.guides.order_by("hawb")
    moved(staff, of_guide(first, "advance"), told("in_transit"))
    moved(staff, of_manifest(manifest, "advance_guides"), told("in_transit", which="registered"))
    moved(staff, of_manifest(other, "advance_guides"), told("in_transit", which="registered"))
    the_second = BulkMove.objects.order_by("created_at")[1]
    assert "Undo this move" in text_of(staff.get(page_of(the_second)))
    text_of(undo(staff, the_second))
    assert statuses(manifest) == {"registered": 2, "in_transit": 1}
    assert statuses(other) == {"in_transit": 2}
    taken = GuideEvent.objects.filter(withdrawn_by="olga")
    assert {event.guide_id for event in taken} == {guide.pk for guide in rest}
    page = text_of(staff.get(page_of(the_second)))
    assert "Undone by olga" in page
    assert undo(staff, the_second).status_code == 200, "it leads to the first one"
    assert BulkMove.objects.filter(undoes=the_second).count() == 1


def test_names_and_leaves_those_that_moved_on_or_that_others_report_too(staff: Client, manifest: Manifest) -> None:
    moved(staff, of_manifest(manifest, "advance_guides"), told("customs_processing"))
    first, second, third = manifest.guides.order_by("hawb")
    advance(Guide.objects.filter(pk=first.pk), ReportedEvent(GuideStatus.CUSTOMS_RELEASED), actor="carrier")
    advance(Guide.objects.filter(pk=first.pk), ReportedEvent(GuideStatus.CUSTOMS_PROCESSING), actor="carrier")
    again = ReportedEvent(GuideStatus.CUSTOMS_PROCESSING, Source.CUSTOMS, timezone.now() + timedelta(seconds=1))
    advance(Guide.objects.filter(pk=second.pk), again, actor="customs")
    page = text_of(undo(staff, BulkMove.objects.get()))
    assert statuses(manifest) == {"customs_processing": 2, "registered": 1}
    assert first.tracking_code in page
    assert "It has moved on since" in page
    assert "Others have reported &quot;In customs&quot; too" in page
    third.refresh_from_db()
    assert third.status == "registered"


def test_of_a_file_takes_back_every_event_of_the_file(staff: Client, manifest: Manifest) -> None:
    rows = [f"045-12345675,H001,{status}," for status in ("in_transit", "customs_processing", "customs_released")]
    hours = [f"2026-11-20T1{hour}:00:00Z," for hour in range(3)]
    page = upload(staff, events(*map("".join, zip(rows, hours, strict=True))))
    staff.post(page["Location"])
    assert statuses(manifest) == {"registered": 2, "customs_released": 1}
    undo(staff, BulkMove.objects.get())
    assert statuses(manifest) == {"registered": 3}


def test_is_for_who_made_it_within_a_day_and_for_administrators(staff: Client, manifest: Manifest) -> None:
    moved(staff, of_manifest(manifest, "advance_guides"), told("in_transit"))
    move = BulkMove.objects.get()
    colleague = operator("change_guide", "view_guide", username="oscar")
    assert "Undo this move" not in text_of(colleague.get(page_of(move)))
    assert undo(colleague, move).status_code == 403
    staff.post(page_of(move), {"step": "undo"})  # and not confirmed: another operator previews an undo of their own
    BulkMove.objects.update(finished_at=timezone.now() - timedelta(hours=25))
    assert "Undo this move" not in text_of(staff.get(page_of(move)))
    assert undo(staff, move).status_code == 403
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    text_of(undo(root, move))
    assert statuses(manifest) == {"registered": 3}


def test_ends_with_the_results_and_is_no_move_that_can_be_undone(staff: Client, manifest: Manifest) -> None:
    moved(staff, of_manifest(manifest, "advance_guides"), told("in_transit"))
    move = BulkMove.objects.get()
    undo(staff, move)
    back = BulkMove.objects.get(kind="undo")
    assert undo(staff, back).status_code == 403
    BulkMove.objects.update(finished_at=timezone.now() - timedelta(days=2))
    call_command("sweep_files")
    move.refresh_from_db()
    assert move.moved == []
    page = text_of(staff.get(page_of(move)))
    assert "Open these guides" not in page


def test_its_guides_open_as_a_list(staff: Client, manifest: Manifest) -> None:
    first, *rest = manifest.guides.order_by("hawb")
    preview = preview_of(staff, of_manifest(manifest, "advance_guides"), told("in_transit", except_for=first.hawb))
    move = BulkMove.objects.get()
    link = f"{GUIDES}?move={move.pk}"
    assert link in text_of(preview)
    assert {guide.pk for guide in listed(staff.get(link))} == {guide.pk for guide in rest}
    staff.post(page_of(move), {"step": "run"})
    assert {guide.pk for guide in listed(staff.get(link))} == {guide.pk for guide in rest}
    assert listed(operator("view_guide", username="rita").get(f"{GUIDES}?move=nonsense")) == []


@pytest.mark.parametrize(
    ("before", "status", "eta_in", "warned"),
    [
        ((), "out_for_delivery", None, ["from Registered to Out for delivery without customs"]),
        (("in_transit",), "delivered", None, ["from In transit to Delivered without customs"]),
        (("customs_released", "in_transit"), "delivered", None, []),
        (("out_for_delivery",), "delivered", None, []),
        ((), "customs_processing", 5, []),
        (("customs_released",), "out_for_delivery", 5, ["the flight arrives on"]),
        (("customs_released",), "out_for_delivery", -5, []),
    ],
)
def test_the_preview_warns(
    staff: Client, manifest: Manifest, before: tuple[str, ...], status: str, eta_in: int | None, warned: list[str]
) -> None:
    for each in before:
        advance(manifest.guides.all(), ReportedEvent(GuideStatus(each)), actor="carrier")
    Manifest.objects.update(eta=eta_in and datetime.now(UTC) + timedelta(days=eta_in))
    page = text_of(preview_of(staff, of_manifest(manifest, "advance_guides"), told(status)))
    for words in ("without customs", "the flight arrives on"):
        assert (words in page) == any(words in each for each in warned)
    for each in warned:
        assert f"3 guides: {each}" in page
        assert page.count(each) == 1, "what is so of every guide is not said in each line"
    assert "3" in text_of(staff.post(page_of(BulkMove.objects.get()), {"step": "run"}, follow=True))
    assert manifest.guides.filter(status=status).count() == 3


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-09-06 00:30", "this hour does not exist"),
        ("2026-04-04 23:30", "this hour occurs twice"),
        ("2026-04-04 22:30", ""),
        ("2026-04-04 23:30-03:00", ""),
    ],
)
def test_the_preview_warns_of_a_time_that_a_change_of_the_clock_leaves_open(
    staff: Client, manifest: Manifest, at: str, words: str
) -> None:
    """Of the form of a move, of a file, whose times are by the clock in Chile, and of a status that is taken back."""
    advance(manifest.guides.all(), ReportedEvent(GuideStatus("in_transit")), actor="carrier")
    form = text_of(preview_of(staff, of_manifest(manifest, "advance_guides"), told("on_hold", occurred_at=at)))
    sent = upload(staff, events(f"045-12345675,H001,on_hold,{at},", "045-12345675,H002,on_hold,2026-06-01 10:00,"))
    file = text_of(staff.get(sent["Location"]))
    entered = {"wrong": "in_transit", "status": "on_hold", "occurred_at": at, "zone": "America/Santiago"}
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    back = preview_of(root, of_guide(manifest.guides.earliest("hawb"), "take_back"), {**entered, "reason": "Mistyped"})
    for page, count in ((form, 3), (file, 1), (text_of(back), 1)):
        assert (f"{count} guide{'s' if count > 1 else ''}: {words}" in page) is bool(words)
        assert ("does not exist because" in page or "occurs twice" in page) is bool(words)


@pytest.mark.parametrize("is_own", [True, False], ids=["of the manifest", "of a list"])
def test_a_manifest_says_that_its_guides_are_being_moved(
    staff: Client, manifest: Manifest, theirs: Company, *, is_own: bool
) -> None:
    other = shipped(theirs, 2)
    preview_of(staff, of_manifest(manifest, "advance_guides"), told("in_transit"))
    BulkMove.objects.update(state="running", done=1, manifest=manifest if is_own else None)
    page = text_of(staff.get(of_manifest(manifest)))
    assert "olga is moving guides: 1 of 3" in page
    assert page_of(BulkMove.objects.get()) in page
    assert "is moving guides" not in text_of(staff.get(of_manifest(other)))
    BulkMove.objects.update(state="done")
    assert "is moving guides" not in text_of(staff.get(of_manifest(manifest)))
