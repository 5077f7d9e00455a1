"""Chores are done by the clock, once, by whichever worker is there; what fails is said and tried again."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest

from base.work import claim
from shipments.models import Chore, Manifest
from shipments.work import chores
from shipments.work.chores import LEASE, TASKS, Chores, Task, tasks
from tests.conftest import Caller
from tests.country_scope.operators import operator_of, text_of

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 4, 15, tzinfo=UTC)
LIST = "admin:shipments_chore_changelist"


@pytest.fixture(autouse=True)
def _on(settings: Any) -> None:
    settings.CHORES = True


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


def broken(title: str = "A chore") -> Task:
    def fail() -> str:
        raise ZeroDivisionError

    return Task(title, timedelta(days=1), fail)  # type: ignore[arg-type]  # a translation is a str


def metrics(worker: Chores) -> list[str]:
    registry = CollectorRegistry()
    registry.register(worker)
    return generate_latest(registry).decode().splitlines()


def test_each_is_done_soon_after_the_worker_starts_and_then_each_hour_day_or_week(
    clock: time_machine.Traveller,
) -> None:
    call_command("work", "--once")
    assert set(Chore.objects.filter(succeeded_at=NOON, failures=0).values_list("name", flat=True)) == set(TASKS)
    assert "RETENTION_DAYS_PERSONAL_DATA is off" in Chore.objects.get(name="erase_by_retention").outcome
    for every in (timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)):
        mine = Chore.objects.filter(name__in=[name for name, task in TASKS.items() if task.every == every])
        clock.move_to(NOON + every - timedelta(seconds=1))
        call_command("work", "--once")
        assert {row.succeeded_at for row in mine.all()} == {NOON}
        clock.move_to(NOON + every)
        call_command("work", "--once")
        assert {row.succeeded_at for row in mine.all()} == {NOON + every}


def test_the_file_that_says_that_the_worker_lives_is_touched(tmp_path: Path, settings: Any) -> None:
    settings.WORKER_HEARTBEAT_FILE = str(tmp_path / "beat")
    call_command("work", "--once")
    assert (tmp_path / "beat").exists()


def test_what_a_command_does_is_done(acme: Caller, clock: time_machine.Traveller, settings: Any) -> None:
    settings.RETENTION_DAYS_PERSONAL_DATA = settings.RETENTION_DAYS_FILES = 30
    acme.upload()
    clock.shift(timedelta(days=31))
    call_command("work", "--once")
    (manifest,) = Manifest.objects.all()
    assert {guide.consignee_name for guide in manifest.guides.all()} == {""}
    assert "Anonymised" in Chore.objects.get(name="erase_by_retention").outcome


def test_cron_does_the_commands_where_it_is_told_to(settings: Any) -> None:
    settings.CHORES = False
    call_command("work", "--once")
    assert set(Chore.objects.values_list("name", flat=True)) == {
        "expire_carrier_events", "prune_idempotency_keys", "prune_upload_jobs", "prune_rate_limits",
    }  # fmt: skip


def test_one_that_fails_says_why_and_is_tried_again_within_the_hour(
    monkeypatch: pytest.MonkeyPatch, clock: time_machine.Traveller
) -> None:
    monkeypatch.setattr(chores, "TASKS", {"broken": broken(), "fine": broken()._replace(run=lambda: "Fine.")})
    worker = Chores()
    while worker.finish_due():
        pass
    failed, fine = Chore.objects.order_by("name")
    assert (failed.outcome, failed.failures, failed.succeeded_at) == ("ZeroDivisionError", 1, None)
    assert (fine.outcome, fine.failures, fine.succeeded_at) == ("Fine.", 0, NOON)
    assert failed.due_at == NOON + timedelta(hours=1)
    clock.shift(timedelta(hours=1))
    assert worker.finish_due()
    worker.finish_due()
    assert [line for line in metrics(worker) if not line.startswith("#")] == [
        'prealerts_chore_last_success_timestamp_seconds{chore="fine"} 1.7726364e+09',
        'prealerts_chore_failed_total{chore="broken"} 2.0',
        'prealerts_chore_failed_total{chore="fine"} 0.0',
    ]


def test_totals_that_differ_are_a_failure_with_their_manifest(acme: Caller) -> None:
    acme.upload()
    Manifest.objects.update(total_guides=7)
    call_command("work", "--once")
    row = Chore.objects.get(name="check_totals")
    assert (row.failures, row.succeeded_at) == (1, None)
    assert "stored 7" in row.outcome


def test_two_workers_never_do_one_at_once_and_one_takes_over_from_a_killed_one(
    monkeypatch: pytest.MonkeyPatch, clock: time_machine.Traveller
) -> None:
    monkeypatch.setattr(chores, "TASKS", {"fine": broken()._replace(run=lambda: "")})
    Chore.objects.create(name="fine")
    killed = claim(Chore.objects.due(timezone.now()), LEASE)
    assert killed is not None
    assert not Chores().finish_due()
    clock.shift(LEASE)
    assert Chores().finish_due()
    assert Chore.objects.get().succeeded_at == NOON + LEASE
    assert timedelta(minutes=2) >= LEASE, "the longest that nobody does it"


@pytest.mark.django_db(transaction=True)
def test_no_upload_waits_for_one_and_its_lease_is_extended(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    slow = broken()._replace(run=lambda: str(may_end.wait(30)))
    monkeypatch.setattr(chores, "TASKS", {"slow": slow})
    worker = Chores()
    assert not worker.begin_next()
    Chore.objects.update(held_until=timezone.now())
    assert not worker.begin_next()
    assert Chore.objects.get().held_until > timezone.now()  # type: ignore[operator]  # it is held
    may_end.set()
    for thread in threading.enumerate():
        if thread.name == "slow":
            thread.join(30)
    assert (Chore.objects.get().outcome, Chore.objects.get().held_until) == ("True", None)


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_stops_leaves_what_it_has_in_hand_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    monkeypatch.setattr(chores, "TASKS", {"slow": broken()._replace(run=lambda: str(may_end.wait(30)))})
    worker = Chores()
    worker.begin_next()
    worker.leave()
    assert Chore.objects.get().held_until is None
    may_end.set()
    for thread in threading.enumerate():
        if thread.name == "slow":
            thread.join(30)
    assert Chore.objects.get().succeeded_at is None, "its hold was given up"


class TestOperators:
    @pytest.fixture(autouse=True)
    def _overdue(self, clock: time_machine.Traveller) -> None:
        call_command("work", "--once")
        clock.shift(timedelta(days=2, hours=2))
        Chore.objects.filter(name="check_totals").update(failures=1, outcome="1 total differs.")
        Chore.objects.exclude(name__in=["check_totals", "erase_by_retention"]).update(succeeded_at=timezone.now())

    def test_see_on_the_start_page_what_is_overdue(self) -> None:
        page = text_of(operator_of().get(reverse("admin:index")))
        assert "Erase what is past its retention" in page
        assert "is the worker running?" in page
        assert "1 total differs." in page
        assert "Check the newest files" not in page

    def test_of_one_country_see_neither_it_nor_the_list(self) -> None:
        chilean = operator_of("CL")
        assert "Erase what is past its retention" not in text_of(chilean.get(reverse("admin:index")))
        assert chilean.get(reverse(LIST)).status_code == 403

    def test_see_when_each_was_done(self) -> None:
        page = unescape(text_of(operator_of().get(reverse(LIST))))
        assert page.count("overdue") >= 2
        assert "Output of the command" in page
        assert all(str(task.title) in page for task in tasks().values())
