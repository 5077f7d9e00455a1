"""The dispatcher's own /metrics, and what the database says of the outbox."""

import logging
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from prealerts.metrics.exposition import Waiting
from shipments.models import UploadJob
from tests.live.server import free_port
from tests.prealerts.metrics.reading import OPEN_METRICS, exemplars, scrape, value
from tests.webhooks.conftest import company, publish, subscribe
from tests.webhooks.receivers import Receiver, answer
from tests.webhooks.running import Process, states, wait_until
from webhooks.models import Delivery, State

pytestmark = pytest.mark.django_db(transaction=True)


def test_counts_deliveries_by_outcome_and_shows_a_beating_heart(
    shared_database: dict[str, str], receiver: Receiver, receivers: Any, tmp_path: Path
) -> None:
    beat = tmp_path / "beat"
    beat.touch()
    os.utime(beat, (0, 0))
    refusing = receivers(answer(status=500))
    subscribe(receiver.url, "ACME")
    subscribe(refusing.url, "RIVAL")
    bind = f"127.0.0.1:{free_port()}"
    began = timezone.now().timestamp()
    watched = {"DISPATCHER_METRICS_BIND": bind, "DISPATCHER_HEARTBEAT_FILE": str(beat)}
    with Process({**shared_database, **watched}) as dispatcher:
        publish(3)
        publish(2, "RIVAL")
        wait_until(lambda: states() == {"delivered": 3, "failed": 2})
        wait_until(lambda: beat.stat().st_mtime > 0)
        text, detailed = scrape(bind), scrape(bind, OPEN_METRICS)
        assert dispatcher.terminate()[0] == 0
    assert value(text, "prealerts_webhook_deliveries_total", outcome="delivered") == 3
    assert value(text, "prealerts_webhook_deliveries_total", outcome="http_status") == 2
    assert value(text, "prealerts_webhook_latency_seconds_count") == 5
    assert value(text, "prealerts_webhook_latency_seconds_bucket", le="30.0") == 5
    assert value(text, "prealerts_webhook_post_seconds_count") == 5
    assert value(text, "prealerts_dispatcher_heartbeat_timestamp_seconds") >= began
    named = {one.labels["delivery"] for one in exemplars(detailed, "prealerts_webhook_latency_seconds_bucket")}
    assert named
    assert named <= {delivery.delivery_id for delivery in Delivery.objects.all()}


def test_a_port_that_is_taken_and_a_file_that_cannot_be_touched_stop_no_delivery(
    shared_database: dict[str, str], receiver: Receiver, tmp_path: Path
) -> None:
    taken, nowhere = f"127.0.0.1:{receiver.port}", str(tmp_path / "no" / "beat")
    subscribe(receiver.url)
    unwatched = {"DISPATCHER_METRICS_BIND": taken, "DISPATCHER_HEARTBEAT_FILE": nowhere}
    with Process({**shared_database, **unwatched}) as dispatcher:
        publish(1)
        wait_until(lambda: states() == {"delivered": 1})
        code, log = dispatcher.terminate()
    assert code == 0
    assert "metrics_not_exposed" in log
    assert log.count("heartbeat_not_written") == 1


@pytest.mark.usefixtures("shared_database")
class TestWaiting:
    def gauges(self) -> dict[tuple[str, str], float]:
        return {
            (sample.name.removeprefix("prealerts_"), sample.labels.get("state", "")): sample.value
            for metric in Waiting().collect()
            for sample in metric.samples
        }

    def test_is_empty_and_of_no_age_where_nothing_waits(self) -> None:
        assert self.gauges() == {
            ("database_up", ""): 1,
            ("webhook_outbox_deliveries", "pending"): 0,
            ("webhook_outbox_deliveries", "sending"): 0,
            ("webhook_outbox_oldest_seconds", ""): 0,
            ("upload_jobs_oldest_seconds", ""): 0,
            ("carrier_unmapped_oldest_seconds", ""): 0,
            ("erasures_oldest_seconds", ""): 0,
        }

    def test_says_how_much_waits_and_how_long_the_oldest(self) -> None:
        subscribe("https://127.0.0.1:9/hook")
        publish(5)
        first, second, third = Delivery.objects.order_by("pk")[:3]
        Delivery.objects.filter(pk=first.pk).update(
            state=State.DELIVERED, finished_at=timezone.now(), created_at=timezone.now() - timedelta(days=9)
        )
        Delivery.objects.filter(pk=second.pk).update(created_at=timezone.now() - timedelta(seconds=600))
        Delivery.objects.filter(pk=third.pk).update(state=State.SENDING, claim_id=third.uuid, claimed_at=timezone.now())
        gauges = self.gauges()
        assert gauges["webhook_outbox_deliveries", "pending"] == 3
        assert gauges["webhook_outbox_deliveries", "sending"] == 1
        assert 600 <= gauges["webhook_outbox_oldest_seconds", ""] < 3600

    def test_says_how_long_the_oldest_upload_waits(self) -> None:
        job = UploadJob.objects.create(company=company(), received={}, flight={}, language="en")
        UploadJob.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(seconds=600))
        assert 600 <= self.gauges()["upload_jobs_oldest_seconds", ""] < 3600

    def test_reads_the_indexes_of_what_is_not_finished(self) -> None:
        if connection.vendor != "postgresql":
            pytest.skip("the plan is PostgreSQL's")
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN SELECT count(*), min(id) FROM webhooks_delivery WHERE state = 'pending'")
            plan = "\n".join(row[0] for row in cursor.fetchall())
        assert "delivery_pending" in plan

    def test_says_so_where_the_database_does_not_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def away(_connection: object) -> None:
            raise OperationalError

        monkeypatch.setattr("prealerts.metrics.exposition.outbox_state", away)
        assert self.gauges() == {("database_up", ""): 0}


def test_the_log_ties_deliveries_to_the_request_that_caused_them(caplog: pytest.LogCaptureFixture) -> None:
    subscribe("https://127.0.0.1:9/hook")
    with caplog.at_level(logging.INFO, "webhooks.outbox"):
        publish(30)
    (line,) = (record.msg for record in caplog.records if "deliveries_published" in str(record.msg))
    assert isinstance(line, dict)
    assert line["rows"] == 30
    ids = [delivery.delivery_id for delivery in Delivery.objects.order_by("pk")]
    assert line["first"] == ids[:10]
