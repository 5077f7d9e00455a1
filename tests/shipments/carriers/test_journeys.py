"""Whole journeys that come in through a carrier's webhook: a sandbox's, and those of a long day."""

import pytest

from shipments.carriers.codes import map_code
from shipments.models import Action, Guide
from shipments.sandbox.journeys import ENDINGS, journey
from shipments.statuses import Source
from tests.conftest import Caller
from tests.shipments.carriers.sending import event, make_sender
from tests.shipments.carriers.test_waiting import random_day_ends_as_the_ordered_one
from tests.shipments.manifests import payloads
from tests.shipments.sandbox.conftest import ana, sandbox  # noqa: F401  # fixtures
from tests.shipments.shipping import assert_sound

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ENDINGS[ending]])
def test_a_sandboxs_journey_comes_in_through_carriers_instead_of_advance(ana: Caller, ending: str) -> None:  # noqa: F811  # the fixture
    """Each step is reported by the carrier that usually reports it, under the status's own name as its code."""
    senders = {source: make_sender(source.value.replace("_", "-"), source=source) for source in SOURCES}
    body = payloads.body(payloads.guide(hawb=f"AND26{ending}"))
    posted = ana.post_json(body)
    assert posted.status_code == 201, posted.content
    guide = Guide.objects.get()
    steps = journey(guide.hawb)
    for hours, step in enumerate(steps, start=1):
        sender = senders[step.source]
        map_code(sender.carrier, step.status.value, Action.STATUS, step.status, by="a test")
        moment = hours - step.age.total_seconds() / 3600
        for _turn in range(step.times):
            sender.send(event(step.status.value, moment, tracking_code=guide.tracking_code))
    guide.refresh_from_db()
    shown = ana.get(f"/guides/{guide.tracking_code}").json()
    assert shown["status"] == guide.status == steps[-1].status
    told = [(each["status"], each["source"]) for each in shown["events"] if each["status"] != "registered"]
    assert sorted(told) == sorted((step.status.value, step.source.value) for step in steps)
    assert_sound(guide.manifest)


SOURCES = (Source.CARRIER, Source.CUSTOMS, Source.COURIER_SCAN)


@pytest.mark.slow
def test_twenty_thousand_events_in_random_order_end_as_the_ordered_day(
    acme: Caller, rival: Caller, pytestconfig: pytest.Config
) -> None:
    """In the short form a quarter of them."""
    guides = 600 if pytestconfig.getoption("--short") else 2_400
    random_day_ends_as_the_ordered_one(acme, rival, guides=guides, seed=3)
