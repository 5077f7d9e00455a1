"""The jobs that are done without a web server: moving, pruning, anonymising, claiming. One process for each database,
started by `side.py`: it reads a job in each line, {"job": "move", "count": 200}, and answers with a JSON number, the
seconds that it took. Preparing a job is not timed.
"""

import json
import os
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
django.setup()

from django.core.management import call_command  # noqa: E402  # Django must be set up
from django.db.models import Min  # noqa: E402  # as above
from django.utils import timezone  # noqa: E402  # as above

from shipments.models import Guide, Manifest  # noqa: E402  # as above
from shipments.privacy.anonymise import anonymise_older  # noqa: E402  # as above
from shipments.statuses import GuideStatus, Source  # noqa: E402  # as above
from shipments.tracking.advancing import advance  # noqa: E402  # as above
from shipments.tracking.moves import Outcome, ReportedEvent  # noqa: E402  # as above
from webhooks.dispatcher import claims  # noqa: E402  # as above
from webhooks.management.commands.prune_webhook_log import BATCH_ROWS  # noqa: E402  # as above
from webhooks.models import Delivery  # noqa: E402  # as above

GUIDES_OF_A_MANIFEST = 50
MANIFESTS_TO_ANONYMISE = 10


def move(count: int) -> float:
    """Release so many guides from customs, up to fifty of a manifest, with the webhooks about it."""
    on_their_way = Guide.objects.filter(status=GuideStatus.CUSTOMS_PROCESSING).order_by("-pk")
    by_manifest = defaultdict(list)
    for key, manifest in on_their_way.values_list("pk", "manifest")[:20_000]:
        by_manifest[manifest].append(key)
    each = min(count, GUIDES_OF_A_MANIFEST)
    enough = [keys for keys in by_manifest.values() if len(keys) >= each]
    pks = [key for keys in random.sample(enough, count // each) for key in keys[:each]]
    started = time.perf_counter()
    reported = ReportedEvent(GuideStatus.CUSTOMS_RELEASED, Source.CUSTOMS)
    results = advance(Guide.objects.filter(pk__in=pks), reported, actor="bench")
    seconds = time.perf_counter() - started
    assert [result.outcome for result in results] == [Outcome.ADVANCED] * count
    return seconds


def prune(_count: int) -> float:
    """Delete the oldest days of the log; the time of one batch."""
    (oldest,) = Delivery.objects.aggregate(Min("finished_at")).values()
    output = StringIO()
    started = time.perf_counter()
    call_command("prune_webhook_log", older_than=(timezone.now() - oldest).days - 1, stdout=output)
    seconds = time.perf_counter() - started
    (deleted,) = re.findall(r"\d+", output.getvalue())
    return seconds * BATCH_ROWS / int(deleted)


def anonymise(_count: int) -> float:
    """Anonymise the oldest manifests, some 550 guides; the time of 500."""
    waiting = Manifest.objects.filter(anonymised_at=None).order_by("created_at", "id")
    (last,) = waiting.values_list("created_at", flat=True)[MANIFESTS_TO_ANONYMISE - 1 : MANIFESTS_TO_ANONYMISE]
    started = time.perf_counter()
    tally = anonymise_older(last + timedelta(microseconds=1))
    seconds = time.perf_counter() - started
    assert tally.manifests == MANIFESTS_TO_ANONYMISE
    return seconds * 500 / tally.guides


def claim(count: int) -> float:
    """Count what waits and claim some of it, as the dispatcher does; it is put back."""
    started = time.perf_counter()
    waiting, _failing = claims.waiting([], 50)
    rooms = dict.fromkeys(list(waiting)[: count // 2], 2)
    claimed = claims.claim(rooms, uuid4())
    seconds = time.perf_counter() - started
    assert claimed
    claims.put_back(claimed)
    return seconds


_JOBS: dict[str, Callable[[int], float]] = {"move": move, "prune": prune, "anonymise": anonymise, "claim": claim}

if __name__ == "__main__":
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(_JOBS[job["job"]](job["count"])), flush=True)
