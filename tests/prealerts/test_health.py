"""`/health/ready`: what a web machine needs for its own work, and nothing beyond."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.utils import timezone

from prealerts import health
from prealerts.metrics.exposition import Disk
from tests.webhooks.conftest import company, event, subscribe
from webhooks import outbox
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db

MIB = 1024 * 1024


class Usage(NamedTuple):
    """What `shutil.disk_usage` gives, in bytes."""

    total: int
    used: int
    free: int


def asked() -> int:
    answer = Client().get("/health/ready", headers={"Host": "10.0.0.11:8000"})  # as the installer and probes ask
    assert answer.content == b""
    return answer.status_code


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Any:
    """Set the free bytes of the disk; an exception is raised instead."""
    settings.READY_FREE_MIB = 256

    def free(found: int | OSError) -> None:
        def usage(_place: Any) -> Usage:
            if isinstance(found, OSError):
                raise found
            return Usage(10**12, 0, found)

        monkeypatch.setattr("prealerts.health.shutil.disk_usage", usage)

    return free


@pytest.fixture
def held() -> Iterator[Event]:
    """What a hanging call waits for; let go with the test."""
    event = Event()
    yield event
    event.set()


@pytest.mark.parametrize(("free", "status"), [(256 * MIB, 200), (256 * MIB - 1, 503), (0, 503), (OSError(5), 503)])
def test_a_machine_without_room_for_uploads_is_not_ready(disk: Any, free: int | OSError, status: int) -> None:
    disk(free)
    assert asked() == status


def test_the_room_may_be_left_out(disk: Any, settings: Any) -> None:
    settings.READY_FREE_MIB = 0
    disk(0)
    assert asked() == 200


def test_the_room_is_that_of_the_disk_where_uploads_arrive(settings: Any, monkeypatch: Any, tmp_path: Any) -> None:
    """Also with a bucket; and before the first upload made the directory."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "media" / ".incoming")
    settings.READY_FREE_MIB = 256
    places = []

    def usage(place: Path) -> Usage:
        places.append(place)
        return Usage(10**12, 0, 10**12)

    monkeypatch.setattr("prealerts.health.shutil.disk_usage", usage)
    assert asked() == 200
    assert places == [tmp_path]


def test_a_disk_that_hangs_is_not_an_answer(monkeypatch: pytest.MonkeyPatch, settings: Any, held: Event) -> None:
    settings.READY_FREE_MIB = 256
    monkeypatch.setattr(health, "ANSWER_SECONDS", 0.05)
    monkeypatch.setattr("prealerts.health._database_answers", lambda: True)
    monkeypatch.setattr("prealerts.health.shutil.disk_usage", lambda _place: held.wait() and Usage(9, 9, 0))
    assert asked() == 503


def test_the_log_says_what_is_missing(disk: Any, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    disk(0)
    monkeypatch.setattr("prealerts.health._database_answers", lambda: False)
    assert asked() == 503
    (line,) = [record.msg for record in caplog.records if isinstance(record.msg, dict)
               and record.msg["event"] == "not_ready"]  # fmt: skip
    assert line["missing"] == ["database", "disk"]


def test_a_machine_is_ready_while_nobody_sends_what_waits() -> None:
    """Uploads are still accepted: a missing dispatcher is reported by its own check and by the alerts."""
    subscribe("https://8.8.8.8/hook")
    outbox.publish(company(), [event(1)])
    Delivery.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert Delivery.objects.overdue().exists()
    assert asked() == 200


def test_prometheus_reads_the_room(disk: Any) -> None:
    disk(7 * MIB)
    (metric,) = Disk().collect()
    assert (metric.name, metric.samples[0].value) == ("prealerts_upload_free_bytes", 7 * MIB)
    disk(OSError(5))
    assert list(Disk().collect()) == []


def test_another_method_is_refused() -> None:
    assert Client().post("/health/ready").status_code == 405
