"""Bulk moves: every guide once, whoever dies in between; the tally, the lines and the hold are those of the pieces."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.work import HoldLostError, claim, hold
from companies.models import Company, OperatorProfile
from shipments.models import BulkMove, Guide, GuideEvent, Manifest, MoveKind
from shipments.statuses import GuideStatus
from shipments.tracking import bulk
from shipments.tracking.event_files.event_rows import BadRow
from shipments.tracking.moves import Move, ReportedEvent
from shipments.tracking.withdrawals import Withdrawal
from tests.country_scope.operators import operator_of
from tests.shipments.admin.pages import text_of
from tests.shipments.shipping import assert_sound, bring, shipped
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of two guides; three are too many to wait for."""
    monkeypatch.setattr(bulk, "BATCH_GUIDES", 2)
    monkeypatch.setattr(bulk, "AT_ONCE", 3)


@pytest.fixture
def olga() -> User:
    return User.objects.create_superuser("olga")


def begun(manifest: Manifest, olga: User) -> BulkMove:
    return bulk.begin(MoveKind.ADVANCE, manifest.guides.all(), ReportedEvent(GuideStatus.IN_TRANSIT), olga, manifest)


def work_to_the_end() -> None:
    while bulk.work():
        pass


def page_of(move: BulkMove) -> str:
    return reverse("admin:shipments_bulkmove_change", args=[move.pk])


def browser_of(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def state_of(move: BulkMove) -> tuple[str, int, dict[str, int]]:
    move.refresh_from_db()
    return (move.state, move.done, move.tally)


def test_few_guides_are_moved_at_once(olga: User, ours: Company) -> None:
    move = begun(manifest := shipped(ours, 3), olga)
    assert state_of(move) == ("waiting", 3, {"advanced": 3})
    assert not GuideEvent.objects.filter(status="in_transit").exists()
    assert bulk.confirm(move)
    assert not bulk.confirm(move), "a second click confirms nothing"
    bulk.go_on(move)
    assert state_of(move) == ("done", 3, {"advanced": 3})
    assert move.guides == []
    assert_sound(manifest)
    assert not bulk.work()


def test_many_are_previewed_and_moved_by_the_worker_in_pieces(olga: User, ours: Company, theirs: Company) -> None:
    register(ours, "https://203.0.114.5/hook")
    manifest, others = shipped(ours, 5), shipped(theirs, 1)
    bring(manifest.guides.earliest("pk"), "lost")
    Delivery.objects.all().delete()
    move = begun(manifest, olga)
    assert state_of(move)[:2] == ("previewing", 2)
    assert not bulk.confirm(move), "the preview is not finished"
    work_to_the_end()
    assert state_of(move) == ("waiting", 5, {"refused": 1, "advanced": 4})
    assert move.notices == {"guide.status_changed": 4}
    bulk.confirm(move)
    bulk.go_on(move)
    assert state_of(move) == ("queued", 0, {}), "too many to wait for"
    assert bulk.work()
    assert state_of(move)[:2] == ("running", 2)
    work_to_the_end()
    assert state_of(move) == ("done", 5, {"refused": 1, "advanced": 4})
    assert [bulk.MoveLine(*line).outcome for line in move.lines][:2] == ["refused", "advanced"]
    assert Delivery.objects.count() == 4
    others.refresh_from_db()
    assert others.guides_by_status == {"registered": 1}
    assert_sound(manifest)


def test_each_guide_is_moved_once_though_workers_die_in_their_pieces(
    olga: User, ours: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = begun(manifest := shipped(ours, 7), olga)
    work_to_the_end()
    bulk.confirm(move)
    held, dying = bulk._progress, iter([True, False, True, False, False, False])

    def progress(*args: Any) -> dict[str, Any]:
        if next(dying, False):
            raise KeyboardInterrupt  # as if killed: nothing is put back
        return held(*args)

    monkeypatch.setattr(bulk, "_progress", progress)
    now = timezone.now()
    for turn in range(8):
        with time_machine.travel(now + turn * (bulk.HELD_FOR + timedelta(seconds=1)), tick=True):
            try:
                bulk.work()
            except KeyboardInterrupt:
                assert not bulk.work(), "the piece is held until its hold expires"
    assert state_of(move) == ("done", 7, {"advanced": 7})
    events = Counter(GuideEvent.objects.filter(status="in_transit").values_list("guide", flat=True))
    assert set(events.values()) == {1}
    assert len(events) == 7
    assert_sound(manifest)


def test_the_page_says_that_no_worker_takes_it(olga: User, ours: Company) -> None:
    browser, address = browser_of(olga), page_of(begun(shipped(ours, 5), olga))
    assert "2 of 5" in text_of(browser.get(address))
    assert "worker has probably stopped" not in text_of(browser.get(address))
    with time_machine.travel(timezone.now() + timedelta(seconds=11)):
        assert "worker has probably stopped" in text_of(browser.get(address))
    assert bulk.work()
    assert "4 of 5, about" in " ".join(text_of(browser.get(address)).replace("</strong>", "").split())
    assert "worker has probably stopped" not in text_of(browser.get(address))
    with time_machine.travel(timezone.now() + timedelta(seconds=11)):
        assert "worker has probably stopped" in text_of(browser.get(address)), "it stopped between two pieces"
    assert claim(BulkMove.objects.claimable(), bulk.HELD_FOR) is not None
    with time_machine.travel(timezone.now() + bulk.HELD_FOR + timedelta(seconds=11)):
        assert "worker has probably stopped" in text_of(browser.get(address)), "it died in a piece"
        busy = begun(shipped(ours, 5), olga)
        BulkMove.objects.filter(pk=busy.pk).update(held_until=timezone.now() + bulk.HELD_FOR)
        assert "worker has probably stopped" not in text_of(browser.get(address)), "it has another move to do first"


def test_its_operator_stops_it_between_two_pieces_or_in_one(olga: User, ours: Company) -> None:
    move = begun(manifest := shipped(ours, 6), olga)
    work_to_the_end()
    page, colleague, address = browser_of(olga), browser_of(User.objects.create_superuser("pia")), page_of(move)
    page.post(address, {"step": "run"})
    assert bulk.work()
    assert colleague.post(address, {"step": "stop"}).status_code == 403
    held = BulkMove.objects.get(pk=move.pk)
    assert hold(held, BulkMove.objects.claimable(), bulk.HELD_FOR)  # a worker begins its next piece
    assert 'value="stop"' in page.get(address).content.decode()
    for _click in range(2):
        page.post(address, {"step": "stop"})
    with pytest.raises(HoldLostError):
        bulk._piece(held)  # and ends it too late
    assert not bulk.work()
    assert state_of(move) == ("stopped", 2, {"advanced": 2})
    assert manifest.guides.filter(status="in_transit").count() == 2
    shown = text_of(page.get(address))
    assert "It ended before the last guide" in shown
    assert 'value="stop"' not in shown
    assert text_of(page.get(reverse("admin:admin_logentry_changelist"))).count("Stopped after 2 of 6 guides.") == 1


def test_an_operator_whose_countries_were_narrowed_since_cannot_confirm_it(ours: Company) -> None:
    browser = operator_of("CL", "PE")
    move = begun(shipped(ours, 2), camila := User.objects.get(username="camila"))
    address = page_of(move)
    assert browser.get(address).status_code == 200
    OperatorProfile.objects.filter(user=camila).update(countries=["PE"])
    assert browser.get(address).status_code == browser.post(address, {"step": "run"}).status_code == 404
    assert state_of(move)[0] == "waiting"


def test_a_process_that_lost_its_hold_moves_nothing(olga: User, ours: Company) -> None:
    move = begun(shipped(ours, 5), olga)
    work_to_the_end()
    bulk.confirm(move)
    mine = claim(BulkMove.objects.claimable(), bulk.HELD_FOR)
    assert mine is not None
    with time_machine.travel(timezone.now() + bulk.HELD_FOR + timedelta(seconds=1)):
        assert bulk.work()
    with pytest.raises(HoldLostError):
        bulk._piece(mine)
    assert GuideEvent.objects.filter(status="in_transit").count() == 2
    assert state_of(move)[1] == 2


def test_a_piece_that_always_breaks_stops_the_move(
    olga: User, ours: Company, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    move = begun(shipped(ours, 5), olga)
    work_to_the_end()
    bulk.confirm(move)
    monkeypatch.setattr(bulk, "_moves", lambda *_arguments: 1 / 0)
    turns = 0
    while bulk.work():
        turns += 1
    assert turns == bulk.MOST_ATTEMPTS
    assert state_of(move)[:2] == ("stopped", 0)
    assert "bulk_move_broken" in caplog.text


def test_a_status_is_taken_back_in_pieces(olga: User, ours: Company) -> None:
    manifest = shipped(ours, 5)
    for guide in manifest.guides.all():
        bring(guide, "in_transit", "delivered")
    what = Withdrawal(GuideStatus.DELIVERED, reason="Wrong")
    move = bulk.begin(MoveKind.TAKE_BACK, manifest.guides.all(), what, olga)
    work_to_the_end()
    assert bulk.confirm(move)
    work_to_the_end()
    assert state_of(move) == ("done", 5, {"taken_back": 5})
    manifest.refresh_from_db()
    assert manifest.guides_by_status == {"in_transit": 5}


def test_a_file_is_moved_in_pieces_that_have_all_rows_of_a_guide(olga: User, ours: Company, theirs: Company) -> None:
    manifest, others = shipped(ours, 3), shipped(theirs, 1)
    first, second, third = manifest.guides.order_by("pk")
    rows: list[Move | BadRow] = [
        file_row(2, first, "delivered", 12),
        file_row(3, second, "lost", 12),
        BadRow(4, "045-12345675 H999", "No guide has this MAWB and HAWB."),
        file_row(5, first, "out_for_delivery", 9),
        file_row(6, third, "in_transit", 9),
        file_row(7, first, "in_transit", 8),
        file_row(8, second, "delivered", 13),
    ]
    move = bulk.begin_import(rows, "scans.csv", olga)
    work_to_the_end()
    assert state_of(move) == ("waiting", 7, {"advanced": 5, "refused": 2})
    third.delete()
    assert bulk.confirm(move)
    work_to_the_end()
    assert state_of(move) == ("done", 7, {"advanced": 4, "refused": 2})
    lines = [bulk.MoveLine(*line) for line in move.lines]
    assert [(line.row, line.outcome[:3]) for line in lines] == [
        (4, "ref"), (8, "ref"), (2, "adv"), (3, "adv"), (5, "adv"), (7, "adv"),
    ]  # fmt: skip
    assert lines[0][1:3] == (None, "045-12345675 H999")
    statuses = list(first.events.order_by("occurred_at").values_list("status", flat=True))
    assert statuses[:3] == ["in_transit", "out_for_delivery", "delivered"]
    others.refresh_from_db()
    assert others.guides_by_status == {"registered": 1}


@pytest.mark.parametrize(
    ("guides", "done", "piece"),
    [("ab", 0, "ab"), ("abc", 0, "ab"), ("abc", 2, "c"), ("abb", 0, "abb"), ("aab", 0, "aa"), ("abbbc", 0, "abbb"),
     ("abbcc", 3, "cc"), ("aaa", 0, "aaa")],
)  # fmt: skip
def test_a_piece_of_a_file_ends_between_two_guides(guides: str, done: int, piece: str) -> None:
    rows = [[row, guide] for row, guide in enumerate(guides)]
    part = bulk._part(BulkMove(kind=MoveKind.FILE, guides=rows, total=len(rows), done=done))
    assert "".join(guide for _row, guide in part) == piece


def test_a_piece_of_guides_has_no_more_than_its_number() -> None:
    parts = [bulk._part(BulkMove(kind=MoveKind.ADVANCE, guides=[1, 2, 3], total=3, done=done)) for done in (0, 2)]
    assert parts == [[1, 2], [3]]


def file_row(number: int, guide: Guide, status: str, hour: int) -> Move:
    at = datetime(2026, 3, 2, hour, tzinfo=UTC)
    reported = ReportedEvent(GuideStatus(status), occurred_at=at)
    return Move(guide.pk, guide.manifest_id, reported, row=number)


def test_of_many_guides_those_that_need_attention_are_kept_before_others(
    olga: User, ours: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "KEPT_LINES", 1)
    monkeypatch.setattr(bulk, "MOST_LINES", 3)
    manifest = shipped(ours, 6)
    for guide in manifest.guides.order_by("-pk")[:4]:
        bring(guide, "lost")
    move = begun(manifest, olga)
    work_to_the_end()
    assert state_of(move) == ("waiting", 6, {"advanced": 2, "refused": 4})
    assert [bulk.MoveLine(*line).outcome for line in move.lines] == ["refused"] * 3
    assert "3 of them are not in the CSV either." in text_of(browser_of(olga).get(page_of(move)))
