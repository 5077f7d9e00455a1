"""Four writers and a reader of the feed: whoever reads on from a little before the last request sees every change,
and a request that begins after a change was committed shows it.

`FEED_CHANGES=100000` makes as many; the usual run makes a few.
"""

import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection, connections
from django.utils import timezone

from companies.models import Company
from companies.operators.tokens import api_views
from shipments.models import Guide
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance_each
from shipments.tracking.moves import Move, ReportedEvent
from tests.companies.operators.tokens.speaking import Program
from tests.shipments.shipping import shipped

CHANGES = int(os.environ.get("FEED_CHANGES", "2000"))
WRITERS, OF_EACH_MANIFEST, LONGEST_WRITE = 4, 500, 60
OVERLAP = timedelta(seconds=10)
"""Longer than any of these transactions, as two minutes are longer than any of the service's."""

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(3_600),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one writer at a time at the database"),
]


def write(moves: list[Move], seed: int, committed: set[str]) -> None:
    """Move guides, a few or some dozens in one transaction. committed: gets their codes, right after each."""
    chosen, left = random.Random(seed), iter(moves)  # noqa: S311  # of test cases
    while some := list(islice(left, chosen.randint(1, LONGEST_WRITE))):
        results = advance_each(some, actor="a writer")
        committed.update([result.tracking_code for result in results])
    connections.close_all()


def read(program: Program, since: datetime) -> set[tuple[str, str]]:
    """All pages from a moment on: (tracking code, when it changed)."""
    found: set[tuple[str, str]] = set()
    query: dict[str, Any] = {"updated_since": since.isoformat(), "limit": 100, "status": "customs_processing"}
    while True:
        page = program.get(f"/guides?{urlencode(query)}").json()
        found |= {(row["tracking_code"], row["updated_at"]) for row in page["guides"]}
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


def test_four_writers_and_a_reader_that_sees_every_change(
    scanner: Program, acme: Company, rival: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_views, "take_of_operator", lambda _operator: None)  # else ten requests a second
    for number in range(CHANGES // OF_EACH_MANIFEST):
        shipped((acme, rival)[number % 2], OF_EACH_MANIFEST)
    reported = ReportedEvent(GuideStatus.CUSTOMS_PROCESSING, Source.CUSTOMS)
    moves = [Move(pk, manifest, reported) for pk, manifest in Guide.objects.values_list("pk", "manifest_id")]
    random.Random(1).shuffle(moves)  # noqa: S311  # as above
    done, committed = threading.Event(), set[str]()

    def follow() -> set[tuple[str, str]]:
        seen: set[tuple[str, str]] = set()
        last, is_last = timezone.now(), False
        while not is_last:
            is_last, began, due = done.is_set(), timezone.now(), committed.copy()
            seen |= read(scanner, last - OVERLAP)
            assert due <= {code for code, _moment in seen}
            last = began
        connections.close_all()
        return seen

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        reader = pool.submit(follow)
        writers = [pool.submit(write, moves[each::WRITERS], each, committed) for each in range(WRITERS)]
        for writer in writers:
            writer.result()
        done.set()
        seen = reader.result()
    written = Guide.objects.filter(status="customs_processing").values_list("tracking_code", "updated_at")
    assert len(seen) == CHANGES
    assert seen == {(code, moment.isoformat().replace("+00:00", "Z")) for code, moment in written.iterator()}
