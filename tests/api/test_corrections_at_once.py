"""A correction beside a move of the same guide, each over a connection of its own, on a live PostgreSQL."""

import os
from collections import Counter
from functools import partial

import pytest
from django.db import connection

from shipments.models import Guide, GuideCorrection
from shipments.statuses import GuideStatus
from tests.api.changing import patch
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, shipped, tell
from tests.shipments.tracking.test_at_once import in_threads

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one transaction at a time write"),
]
ROUNDS = int(os.environ.get("RACE_ROUNDS", "20"))


def test_a_guide_is_corrected_before_customs_has_it_or_not_at_all(acme: Caller, rival: Caller) -> None:
    shipped(rival.company)
    manifest = shipped(acme.company, ROUNDS)
    outcomes: Counter[int] = Counter()
    for guide in manifest.guides.all():
        answer, moved = in_threads(
            partial(patch, acme, guide.tracking_code, {"consignee_name": "Otra"}),
            partial(tell, guide, GuideStatus.CUSTOMS_PROCESSING),
        )
        assert moved.outcome == "advanced"
        outcomes[answer.status_code] += 1
        guide.refresh_from_db()
        corrections = GuideCorrection.objects.filter(guide=guide)
        if answer.status_code == 200:
            assert guide.consignee_name == "Otra"
            assert corrections.get().corrected_at <= guide.events.get(status="customs_processing").recorded_at
        else:
            assert answer.json()["error"] == "guide_under_way"
            assert (guide.consignee_name, corrections.count()) == ("", 0)
    assert set(outcomes) <= {200, 409}
    assert sum(outcomes.values()) == ROUNDS
    assert_sound(manifest)
    print(dict(outcomes))  # noqa: T201  # with -s: how the races ended


def test_two_corrections_are_judged_one_after_the_other(acme: Caller) -> None:
    manifest = shipped(acme.company, 1, fob_usd=100, weight_kg=1)
    code = manifest.guides.get().tracking_code
    answers = in_threads(
        lambda: patch(acme, code, {"fob_usd": 50}),
        lambda: patch(acme, code, {"fob_usd": 70}),
        lambda: patch(acme, code, {"weight_kg": 3}),
    )
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    manifest.refresh_from_db()
    guide = Guide.objects.get()
    assert (manifest.total_fob_usd, manifest.total_weight_kg) == (guide.fob_usd, guide.weight_kg)
    assert manifest.version == 4
